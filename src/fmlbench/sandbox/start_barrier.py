"""A gate before a job's work: the job makes itself ready behind it, and no clock runs against it until it is opened."""

import os
from contextlib import suppress

from fmlbench.sandbox.pipes import Pipe


class StartBarrier:
    """Shut at first. One thread opens it or gives the job up; the one that supervises the job lets it through."""

    def __init__(self) -> None:
        self._job, self._notice = Pipe(), Pipe()
        self.is_open = False
        self.is_given_up = False

    @property
    def job_end(self) -> int:
        """Where the job reads one byte before it starts to work; the end of the file means that it is not wanted."""
        return self._job.reader

    @property
    def notice(self) -> int:
        """Readable once the gate has been opened or the job was given up."""
        return self._notice.reader

    def open(self) -> None:
        """Have the job start its work."""
        self.is_open = True
        self._notice.close_writer()

    def give_up(self) -> None:
        """Have the job ended, whatever it is doing."""
        self.is_given_up = True
        self._notice.close_writer()

    def let_through(self) -> None:
        """Tell the job itself; one that died before is noticed elsewhere."""
        with suppress(BrokenPipeError):
            os.write(self._job.writer, b"!")

    def close(self) -> None:
        """Let go of the pipes, once the job has ended."""
        self._job.close()
        self._notice.close()
