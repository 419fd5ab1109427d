"""Read memory, environment and open files of other processes, and try to trace them."""

import ctypes
import os

from prelude import TARGET, reached

libc = ctypes.CDLL(None, use_errno=True)
SEIZE = 0x4206
"""Unlike attaching it does not stop who is traced, and it ends with us: where there is no seal, they are bystanders."""
TOKEN = TARGET["token"].encode()
MOST_STRANGERS = 5
"""One is proof enough; a machine without a seal has hundreds."""


def lineage(pid):
    """A process and its visible ancestors."""
    while pid:
        yield pid
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rsplit(")", 1)[1].split()[1])


def memory_of(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(number, 16) for number in span.split("-"))
            if rights.startswith("rw") and end - start < 2**26:
                memory.seek(start)
                yield memory.read(end - start)


def search(pid):
    for name in ("environ", "cmdline"):
        with open(f"/proc/{pid}/{name}", "rb") as file:
            if TOKEN in file.read():
                reached(f"{name} of process {pid}")
    for handle in os.listdir(f"/proc/{pid}/fd"):
        print(pid, handle, os.readlink(f"/proc/{pid}/fd/{handle}"))
    if any(TOKEN in part for part in memory_of(pid)):
        reached(f"memory of process {pid}")


family = set(lineage(os.getpid()))
strangers = sorted({int(name) for name in os.listdir("/proc") if name.isdigit()} - family)[:MOST_STRANGERS]
if strangers:
    reached(f"processes {strangers}")
for pid in sorted({*family, *strangers, TARGET["harness_pid"]} - {os.getpid()}):
    try:
        search(pid)
    except OSError as error:
        print(f"process {pid}: {error}")
    if pid not in family and libc.ptrace(SEIZE, pid, None, None) == 0:
        reached(f"traced process {pid}")
