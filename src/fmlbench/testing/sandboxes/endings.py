"""Nothing of a job is left when its sandbox returns, is interrupted or is killed."""

import os
import random
import signal
import threading
import time
from contextlib import suppress

import pytest

from fmlbench.sandbox.cgroups import remove_stale
from fmlbench.sandbox.protocol import ExitKind, Job, Sandbox
from fmlbench.testing.sandboxes.running import SandboxTests
from fmlbench.testing.sandboxes.workshop import Workshop, leftovers_of, processes_of, start_harness, wait_until

# A daemon in a new session that ignores signals and keeps the job's output open.
_DAEMON = """
    import os, signal, sys, time
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    begun = os.path.join(sys.argv[-1], "out", "begun")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open(begun, "w").close()
            time.sleep(1000)
        os._exit(0)
    while not os.path.exists(begun):
        time.sleep(0.01)
"""

_HARNESS = """
import pickle, sys
sandbox, job = pickle.load(sys.stdin.buffer)
print("ready", flush=True)
sandbox.run(job)
"""


class LeavesNothing(SandboxTests):
    """Nothing of a job outlives it, nor its harness."""

    def test_a_daemon_dies_with_its_job(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = workshop.job(_DAEMON + "    print('done')")
        execution = sandbox.run(job)
        assert (execution.ending, execution.log_tail) == (ExitKind.OK, "done\n")
        assert leftovers_of(job) == []

    def test_a_job_that_hears_no_signal_is_ended_with_its_daemon(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = workshop.job(_DAEMON + "    time.sleep(1000)", limits={"wall_seconds": 2})
        execution = sandbox.run(job)
        assert execution.ending is ExitKind.TIMEOUT
        assert (workshop.out / "begun").exists()
        assert leftovers_of(job) == []

    def test_a_job_may_close_its_output_and_work_on(self, sandbox: Sandbox, workshop: Workshop) -> None:
        code = """
            import os, sys, time
            os.closerange(0, 3)
            time.sleep(0.2)
            open(sys.argv[-1] + "/out/late", "w").close()
        """
        assert sandbox.run(workshop.job(code)).ending is ExitKind.OK
        assert (workshop.out / "late").exists()

    def test_ctrl_c_ends_the_job_first(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = workshop.job(_DAEMON + "    time.sleep(1000)")

        def interrupt() -> None:
            wait_until((workshop.out / "begun").exists)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        interrupter = threading.Thread(target=interrupt)
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            sandbox.run(job)
        interrupter.join()
        assert leftovers_of(job) == []

    def test_a_job_that_is_ended_just_before_its_harness_is_not_judged(
        self, sandbox: Sandbox, workshop: Workshop
    ) -> None:
        job = workshop.job("import sys, time; open(sys.argv[-1] + '/out/begun', 'w'); time.sleep(1000)")
        with start_harness(_HARNESS, sandbox, job) as harness:
            assert wait_until((workshop.out / "begun").exists)
            # As a cluster does whose time limit is reached: all processes, one after the other, the youngest first.
            for pid in sorted(processes_of(job), reverse=True):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
            time.sleep(0.2)
            harness.terminate()
        assert harness.returncode == -signal.SIGTERM
        _assert_all_gone(job)

    def test_nothing_outlives_a_harness_that_is_killed(self, sandbox: Sandbox, workshop: Workshop) -> None:
        job = workshop.job(_DAEMON + "    time.sleep(1000)")
        with start_harness(_HARNESS, sandbox, job) as harness:
            assert wait_until((workshop.out / "begun").exists)
            assert len(processes_of(job)) >= 2
            harness.kill()
        _assert_all_gone(job)

    def test_nothing_outlives_a_harness_that_is_killed_while_it_starts_a_job(
        self, sandbox: Sandbox, workshop: Workshop
    ) -> None:
        job = workshop.job("import time; time.sleep(1000)")
        rng = random.Random(0)
        for _ in range(10):
            with start_harness(_HARNESS, sandbox, job) as harness:
                assert harness.stdout
                assert harness.stdout.readline() == b"ready\n"
                time.sleep(rng.uniform(0, 0.06))
                harness.kill()
            _assert_all_gone(job)


def _assert_all_gone(job: Job) -> None:
    """All ends by itself; only an empty group stays, until the next harness comes by."""
    assert wait_until(lambda: not processes_of(job)), processes_of(job)
    remove_stale()
    assert wait_until(lambda: not leftovers_of(job)), leftovers_of(job)
