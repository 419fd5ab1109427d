"""What machines did to a run is counted from its own folder."""

from pathlib import Path

from fmlbench.records.folder import RunFolder
from fmlbench.scheduling.attempts import (
    Attempt,
    AttemptEnd,
    Began,
    Ended,
    FailuresReset,
    Tally,
    log_attempt,
    read_attempts,
    tally,
)

FAILED = Ended(ending=AttemptEnd.KILLED, reason="SIGKILL")


def counted(*attempts: Attempt, done: int = 0) -> Tally:
    found = tally(attempts)
    found.update(done)
    return found


def test_failures_in_a_row_are_those_since_the_run_last_got_further():
    assert counted(Began(done=0), FAILED, Began(done=0), FAILED).consecutive_failures == 2
    assert counted(Began(done=0), FAILED, Began(done=3), FAILED, done=3).consecutive_failures == 1
    assert counted(Began(done=0), FAILED, Began(done=0), FAILED, done=1).consecutive_failures == 0


def test_what_began_and_never_ended_was_lost():
    lost = counted(Began(done=0), Began(done=0), Ended(ending=AttemptEnd.COMPLETE))
    assert lost.failures == {AttemptEnd.LOST: 1}
    assert counted(Began(done=0)).failures == {AttemptEnd.LOST: 1}
    assert tally([Began(done=0)]).failures == {}  # it may still be under way


def test_being_stopped_is_no_failure():
    assert counted(Began(done=0), Ended(ending=AttemptEnd.STOPPED)).consecutive_failures == 0


def test_failures_before_a_reset_are_kept_but_do_not_count():
    reset = counted(Began(done=0), Ended(ending=AttemptEnd.REFUSED), FailuresReset())
    assert (reset.consecutive_failures, reset.is_refused, reset.failures) == (
        0,
        False,
        {AttemptEnd.REFUSED: 1},
    )


def test_a_torn_line_is_left_out(tmp_path: Path):
    folder = RunFolder(tmp_path)
    log_attempt(folder, Began(done=1))
    with folder.attempts.open("ab") as file:
        file.write(b'{"event":"end\n')
    log_attempt(folder, FAILED)
    assert [attempt.event for attempt in read_attempts(folder)] == ["began", "ended"]
