"""Write to all pipes of the other processes in the sandbox; the harness may read one of them."""

import contextlib
import os

from prelude import FACTS, TARGET

FAKE_REPORTS = (
    b'{"exit-code": 0}\n{"exit-code": "zero"}\n{"child-pid": 1}\nnot json\n\xff\xfe\n'
    b'{"outcome": "ok", "score": 1.0, "mark": "%s"}\n' % TARGET["mark"].encode()
)
OWN = {0, 1, 2, *(FACTS.get("pipe") or ())}

for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    try:
        handles = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        continue
    for handle in handles:
        if int(pid) == os.getpid() and int(handle) in OWN:
            continue
        with contextlib.suppress(OSError):
            what = os.readlink(f"/proc/{pid}/fd/{handle}")
            if not what.startswith("pipe:"):
                continue
            file = os.open(f"/proc/{pid}/fd/{handle}", os.O_WRONLY | os.O_NONBLOCK)
            os.write(file, FAKE_REPORTS)
            print(f"wrote to {what} of process {pid}")
