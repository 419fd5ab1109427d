"""The errors that users see, each with a hint how to fix it.

    FmlbenchError
      TaskNotFound        no task with that name or path
      TaskInvalid         a task folder is invalid
      AgentNotFound       no agent with that name
      AgentBroken         the file or package that defines an agent has an error
      PluginBroken        a package that extends fmlbench has an error
      AgentChanged        the agent's file changed since the run was started
      SourceUnavailable   a codebase or data set could not be fetched from any of its sources
      ChecksumMismatch    a fetched codebase or data set does not match the manifest's checksum
      EnvironmentBroken   a task's Python environment could not be built
      SandboxMissing      the requested sandbox is not available on this machine
      RunNotFound         no run with that name or path
      RunExists           a run with the same specification exists
      RunLocked           another process is executing this run
      RunCancelled        the run was cancelled by a user
      RunDamaged          the run's log is inconsistent
      AgentFailed         an agent's program could not be started, or a third-party agent raised an error
      InfraTrouble        the machine failed, not the candidate; the run can be resumed
        ModelTrouble      a model did not respond after all retries
      ModelUnavailable    no model with that name, or a package or key that it needs is missing
      StudyInvalid        a study file is invalid
      EngineMissing       the requested sweep engine is not available on this machine
      BadRequest          an option or argument is invalid

A candidate's failure is never an error of this kind: it is recorded as an outcome.
"""


class FmlbenchError(Exception):
    """An error that a user can cause and fix; the command line shows it as two lines."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class TaskNotFound(FmlbenchError):
    """No task with that name or path."""


class TaskInvalid(FmlbenchError):
    """A task folder is invalid."""


class AgentNotFound(FmlbenchError):
    """No agent with that name."""


class AgentBroken(FmlbenchError):
    """The file or package that defines an agent has an error."""


class PluginBroken(FmlbenchError):
    """A package that extends fmlbench through an entry point has an error."""


class AgentChanged(FmlbenchError):
    """The agent's file changed since the run was started."""


class SourceUnavailable(FmlbenchError):
    """A codebase or data set could not be fetched from any of its sources."""


class ChecksumMismatch(FmlbenchError):
    """A fetched codebase or data set does not match the manifest's checksum."""


class EnvironmentBroken(FmlbenchError):
    """A task's Python environment could not be built."""


class SandboxMissing(FmlbenchError):
    """The requested sandbox is not available on this machine."""


class RunNotFound(FmlbenchError):
    """No run with that name or path."""


class RunExists(FmlbenchError):
    """A run with the same specification exists."""


class RunLocked(FmlbenchError):
    """Another process is executing this run."""


class RunCancelled(FmlbenchError):
    """The run was cancelled by a user."""


class RunDamaged(FmlbenchError):
    """The run's log is inconsistent."""


class AgentFailed(FmlbenchError):
    """An agent's program could not be started, or a third-party agent raised an error."""


class InfraTrouble(FmlbenchError):
    """The machine failed, not the candidate; the run can be resumed."""


class ModelTrouble(InfraTrouble):
    """A model did not respond after all retries; the run can be resumed."""


class ModelUnavailable(FmlbenchError):
    """No model with that name, or a package or valid key that it needs is missing."""


class StudyInvalid(FmlbenchError):
    """A study file is invalid."""


class EngineMissing(FmlbenchError):
    """The requested sweep engine is not available on this machine."""


class BadRequest(FmlbenchError):
    """An option or argument is invalid."""
