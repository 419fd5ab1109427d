"""What can go wrong for a user, each with a hint at the way out.

    FmlbenchError
      TaskNotFound        no task of that name or path
      TaskInvalid         a task folder that breaks the rules of task folders
      AgentNotFound       no agent of that name
      AgentBroken         a mistake in a file or package that an agent is from
      AgentChanged        an agent's file is not what it was when the run was started
      SourceUnavailable   a codebase or data set could not be had from any of its sources
      ChecksumMismatch    it was had, but it is not what the manifest names
      EnvironmentBroken   a task's Python could not be built
      SandboxMissing      the asked-for sandbox cannot be used on this machine
      RunNotFound         no run of that name or path
      RunExists           a run of the same specification is already there
      RunLocked           another process is playing this run
      RunCancelled        somebody wants this run stopped
      RunDamaged          the log says something that cannot have happened
      AgentFailed         an agent's program could not be started, or another package's agent went wrong
      InfraTrouble        the machine failed, not the candidate; the run can be resumed
        ModelTrouble      a model did not answer, however patiently it was asked
      ModelUnavailable    no model of that name, or something it needs is missing here
      StudyInvalid        a study file that says something no sweep can do
      EngineMissing       the asked-for way to carry out a sweep cannot be used on this machine
      BadRequest          an option or argument that makes no sense

What a candidate does wrong is never one of these: it is an outcome on the record.
"""


class FmlbenchError(Exception):
    """An error a user can cause and mend; the command line shows it as two lines."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class TaskNotFound(FmlbenchError):
    """No task of that name or path."""


class TaskInvalid(FmlbenchError):
    """A task folder that breaks the rules of task folders."""


class AgentNotFound(FmlbenchError):
    """No agent of that name."""


class AgentBroken(FmlbenchError):
    """A mistake in a file or package that an agent is from."""


class AgentChanged(FmlbenchError):
    """An agent's file is not what it was when the run was started."""


class SourceUnavailable(FmlbenchError):
    """A codebase or data set could not be had from any of its sources."""


class ChecksumMismatch(FmlbenchError):
    """Something was had, but it is not what the manifest names."""


class EnvironmentBroken(FmlbenchError):
    """The Python a task runs in could not be built."""


class SandboxMissing(FmlbenchError):
    """The asked-for sandbox cannot be used on this machine."""


class RunNotFound(FmlbenchError):
    """No run of that name or path."""


class RunExists(FmlbenchError):
    """A run of the same specification is already there."""


class RunLocked(FmlbenchError):
    """Another process is playing this run."""


class RunCancelled(FmlbenchError):
    """Somebody wants this run stopped."""


class RunDamaged(FmlbenchError):
    """The log says something that cannot have happened."""


class AgentFailed(FmlbenchError):
    """An agent's program could not be started, or another package's agent went wrong."""


class InfraTrouble(FmlbenchError):
    """The machine failed, not the candidate; the run can be resumed."""


class ModelTrouble(InfraTrouble):
    """A model did not answer, however patiently it was asked; the run can be resumed."""


class ModelUnavailable(FmlbenchError):
    """No model of that name, or something it needs is missing here: a package, a key that works."""


class StudyInvalid(FmlbenchError):
    """A study file that says something no sweep can do."""


class EngineMissing(FmlbenchError):
    """The asked-for way to carry out a sweep cannot be used on this machine."""


class BadRequest(FmlbenchError):
    """An option or argument that makes no sense."""
