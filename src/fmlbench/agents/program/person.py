"""A person as the agent, who uses fml and the submission server in a terminal; their time is recorded."""

import shlex
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fmlbench.agents.entry import AgentWorkspace
from fmlbench.agents.program.job import Left, inside, lay_out
from fmlbench.agents.program.submission_server import SubmissionServer, is_over
from fmlbench.agents.program.unix_socket import open_socket, serve_one
from fmlbench.core.agents import Session
from fmlbench.core.notes import InvitationShown

_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Person:
    """Serves requests until the budget is spent, the time is over, or the person is done."""

    workspace: AgentWorkspace
    steps: int
    clock: Callable[[], float] = time.monotonic

    def run(self, session: Session) -> None:
        """Print where to work, and wait."""
        if session.pending is not None:
            session.submit(session.pending)
        if is_over(session):
            return
        hours = self.workspace.hours_left()
        lay_out(self.workspace, session, Left(hours, self.steps - len(session.history.proposed)))
        self._link()
        deadline = self.clock() + hours * 3600
        with open_socket(self.workspace.folder / "server") as listening:
            server = SubmissionServer(
                session=session,
                steps=self.steps,
                seconds_left=lambda: max(0.0, deadline - self.clock()),
                practice=self.workspace.practice,
                clock=self.clock,
            )
            session.note(InvitationShown(step=len(session.history), text=self._invitation()))
            ending = self._serve(listening, server)
            server.settle()
            server.close(ending)

    def _serve(self, listening: socket.socket, server: SubmissionServer) -> str:
        """Answer the person's requests; return why the session ended."""
        try:
            while server.session.is_open and server.seconds_left() > 0 and not server.is_done:
                serve_one(listening, server.answer, _POLL_SECONDS)
        except KeyboardInterrupt:
            # A second Ctrl-C interrupts this as well; the run can then be resumed.
            server.finish()
            return "the person is done"
        if server.is_done:
            return "the person is done"
        return "the time is over" if server.session.is_open else "the budget is spent"

    def _link(self) -> None:
        """Make the folder look like a program's sandbox."""
        links = {"inside": inside(), "repository": self.workspace.codebase}
        for mount in self.workspace.visible:
            links[mount.target] = mount.source
        for target, source in links.items():
            link = self.workspace.folder / target
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(source)

    def _invitation(self) -> str:
        folder = self.workspace.folder
        return (
            "Open another terminal and run:\n"
            f"  export FML_LAB={_word(folder)} PATH={_word(folder / 'tools')}:$PATH\n"
            f"  cd {_word(folder / 'work')}\n"
            "  fml brief\n"
            "Then change the code and run 'fml submit -m \"the idea\"'. 'fml done', or Ctrl-C here, ends the session."
        )


def _word(path: Path) -> str:
    return shlex.quote(str(path))
