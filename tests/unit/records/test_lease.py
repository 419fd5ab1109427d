"""One process per run, across machines that share only a file system."""

import os
import threading
from pathlib import Path

import pytest

from fmlbench.core.errors import RunLocked
from fmlbench.records.lease import (
    CANCELLED,
    STALE_SECONDS,
    Lease,
    holder_of,
    is_known_alive,
    leased,
    own_lease,
    start_ticks_of,
)

ELSEWHERE = Lease(host="node7", boot="another kernel", pid=42)
FAST = 0.01


def grow_old(run: Path, seconds: float) -> None:
    (lease,) = run.glob("lease.*")
    then = lease.stat().st_mtime - seconds
    os.utime(lease, (then, then))


def test_a_run_held_on_another_machine_is_locked(tmp_path: Path):
    with leased(tmp_path, lease=ELSEWHERE):
        with pytest.raises(RunLocked, match="node7"), leased(tmp_path):
            pass
        holder = holder_of(tmp_path)
        assert holder
        assert holder.lease == ELSEWHERE
    assert holder_of(tmp_path) is None


def test_a_released_lease_frees_the_run_at_once(tmp_path: Path):
    with leased(tmp_path, lease=ELSEWHERE):
        pass
    with leased(tmp_path):
        assert [path.name for path in tmp_path.glob("lease.*")] == ["lease.2"]


def test_a_stale_lease_is_taken_over_and_its_holder_stops(tmp_path: Path):
    stopped = threading.Event()
    with leased(tmp_path, lease=ELSEWHERE, stop=stopped.set, heartbeat_seconds=2):
        grow_old(tmp_path, STALE_SECONDS + 1)
        assert holder_of(tmp_path) is None
        with leased(tmp_path):
            holder = holder_of(tmp_path)
            assert holder
            assert holder.lease == own_lease()
            assert stopped.wait(60)


def test_heartbeats_renew_the_lease(tmp_path: Path):
    with leased(tmp_path, lease=ELSEWHERE, heartbeat_seconds=FAST):
        grow_old(tmp_path, STALE_SECONDS + 1)
        (lease,) = tmp_path.glob("lease.1")
        old = lease.stat().st_mtime
        while lease.stat().st_mtime == old:
            threading.Event().wait(FAST)
        assert holder_of(tmp_path)


def test_a_dead_holder_on_this_machine_is_detected_at_once(tmp_path: Path):
    gone = own_lease().model_copy(update={"pid": 2**22 + 1})
    (tmp_path / "lease.3").write_text(gone.model_dump_json())
    assert holder_of(tmp_path) is None
    with leased(tmp_path):
        assert (tmp_path / "lease.4").exists()


def test_a_process_with_a_reused_pid_is_not_the_holder(tmp_path: Path):
    earlier = own_lease().model_copy(update={"began": 1})
    (tmp_path / "lease.3").write_text(earlier.model_dump_json())
    assert holder_of(tmp_path) is None
    assert not is_known_alive(earlier, own_lease())
    assert is_known_alive(own_lease(), own_lease())


def test_a_holder_in_another_container_is_checked_by_its_heartbeat_only(tmp_path: Path):
    # Its PID is not valid in this namespace.
    other = own_lease().model_copy(update={"namespace": "pid:[1]", "pid": 2**22 + 1})
    (tmp_path / "lease.3").write_text(other.model_dump_json())
    assert holder_of(tmp_path)
    assert not is_known_alive(other.model_copy(update={"pid": os.getpid()}), own_lease())
    grow_old(tmp_path, STALE_SECONDS + 1)
    assert holder_of(tmp_path) is None


def test_a_lease_of_an_earlier_version_is_checked_by_its_pid_only(tmp_path: Path):
    text = f'{{"host":"{own_lease().host}","boot":"{own_lease().boot}","pid":%d,"released":false}}'
    (tmp_path / "lease.3").write_text(text % os.getpid())
    assert holder_of(tmp_path)
    (tmp_path / "lease.3").write_text(text % (2**22 + 1))
    assert holder_of(tmp_path) is None


def test_other_files_that_end_in_a_number_are_not_leases(tmp_path: Path):
    for name in ("lease.3", "lease.new.node7.42", "lease.now.node7.42.139801625872065"):
        (tmp_path / name).write_text(ELSEWHERE.model_dump_json())
    with pytest.raises(RunLocked, match="node7"), leased(tmp_path):
        pass
    (tmp_path / "lease.3").write_text(ELSEWHERE.model_copy(update={"released": True}).model_dump_json())
    with leased(tmp_path):
        assert (tmp_path / "lease.4").exists()


@pytest.mark.parametrize("race", range(20))
def test_only_one_process_takes_over_from_a_dead_holder(tmp_path: Path, race: int):
    (tmp_path / "lease.1").write_text(ELSEWHERE.model_dump_json())
    grow_old(tmp_path, STALE_SECONDS + 1)
    ready, over = threading.Barrier(8), threading.Event()
    took: list[int] = []
    refused: list[int] = []
    stopped: list[int] = []

    def play(number: int) -> None:
        lease = Lease(host=f"node{number}", boot=f"kernel {number}", pid=1)
        ready.wait()
        try:
            with leased(tmp_path, lease=lease, stop=lambda: stopped.append(number), heartbeat_seconds=FAST):
                took.append(number)
                over.wait(60)
        except RunLocked:
            refused.append(number)
        if len(refused) == 7:
            over.set()

    players = [threading.Thread(target=play, args=(number,)) for number in range(8)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    assert (len(took), len(refused), stopped) == (1, 7, [])


def test_a_cancelled_run_stops_with_the_next_heartbeat(tmp_path: Path):
    stopped = threading.Event()
    with leased(tmp_path, stop=stopped.set, heartbeat_seconds=FAST):
        (tmp_path / CANCELLED).touch()
        assert stopped.wait(60)


def test_an_incomplete_lease_is_ignored(tmp_path: Path):
    (tmp_path / "lease.5").write_text('{"host": "no')
    assert holder_of(tmp_path) is None
    with leased(tmp_path):
        assert (tmp_path / "lease.6").exists()


def test_a_process_is_identified_by_pid_and_start_time() -> None:
    assert start_ticks_of(os.getpid()) == start_ticks_of(os.getpid())
    assert (start_ticks_of(os.getpid()) or 0) > (start_ticks_of(1) or 0)
    assert start_ticks_of(2**22 + 1) is None
