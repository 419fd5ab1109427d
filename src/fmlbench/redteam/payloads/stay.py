"""Never end: compute, compute in new processes, sleep, ignore signals, or restart.

Relay evades limits per process: every process starts the next one before its time is used up.
"""

import os
import signal
import sys
import time

from prelude import FACTS


def spin():
    while True:
        pass


def relay():
    while True:
        started = time.process_time()
        while time.process_time() - started < 0.5:
            pass
        if os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            os._exit(0) if os.getpid() != FIRST else time.sleep(600)


def sleep():
    while True:
        time.sleep(600)


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def refuse():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
    spin()


def start_over():
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


FIRST = os.getpid()
print(f"{VARIANT} in {FACTS['stage']}")
globals()[VARIANT]()
