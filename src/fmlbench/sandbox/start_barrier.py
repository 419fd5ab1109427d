"""A barrier before a job's work: the job starts Python and waits; its time limits start when the barrier opens."""

import os
from contextlib import suppress

from fmlbench.sandbox.pipes import Pipe


class StartBarrier:
    """Closed at first. One thread opens it or cancels the job; the supervising thread then releases or ends the job."""

    def __init__(self) -> None:
        self._job, self._notice = Pipe(), Pipe()
        self.is_open = False
        self.is_cancelled = False

    @property
    def job_end(self) -> int:
        """The descriptor from which the job reads one byte before its work; end of file means that it is cancelled."""
        return self._job.reader

    @property
    def notice(self) -> int:
        """Readable once the barrier has been opened or the job was cancelled."""
        return self._notice.reader

    def open(self) -> None:
        """Request the start of the job's work."""
        self.is_open = True
        self._notice.close_writer()

    def cancel(self) -> None:
        """Request the end of the job, whether it waits or runs."""
        self.is_cancelled = True
        self._notice.close_writer()

    def release(self) -> None:
        """Send the byte to the job; a dead job is detected by its supervisor."""
        with suppress(BrokenPipeError):
            os.write(self._job.writer, b"!")

    def close(self) -> None:
        """Close the pipes, once the job has ended."""
        self._job.close()
        self._notice.close()
