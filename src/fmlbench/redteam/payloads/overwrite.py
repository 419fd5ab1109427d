"""Open read-only files for writing: the tree, the driver, the kit, the interpreter, the system."""

import os
import sys

from prelude import CARRY, IS_EXAM, ROOT, attempt, reached

PLACES = [
    "/etc",
    "/usr/bin",
    "/proc/sys/kernel",
    *(str(ROOT / name) for name in ("repo", "task", "kit", "questions", "data")),
]
PLACES += [os.path.dirname(os.__file__), os.path.dirname(sys.modules["numpy"].__file__)]


def writable(folder):
    if os.access(folder, os.W_OK):
        yield folder
    for path, _, names in os.walk(folder):
        for name in names[:200]:
            try:
                os.close(os.open(f"{path}/{name}", os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOFOLLOW))
            except OSError:
                continue
            yield f"{path}/{name}"


for place in PLACES:
    for found in list(writable(place))[:3]:
        reached(f"{found} can be written")
driver = ROOT / "task" / "driver.py"
attempt("chmod of the driver", lambda: driver.chmod(0o777))
attempt("rename of the driver", lambda: driver.rename(ROOT / "task" / "other.py"))
attempt("a new file beside the driver", lambda: (ROOT / "task" / "sitecustomize.py").touch(exist_ok=False))
attempt("stage.json replaced", lambda: (ROOT / "stage.json").write_text("{}"))
attempt("the root folder written to", lambda: (ROOT / "labels").mkdir())
attempt("hard link to the driver", lambda: os.link(driver, ROOT / "out" / "driver.py"))
if IS_EXAM:
    attempt("the carry folder written to in an exam", lambda: (CARRY / "note").write_text("x"))
