"""Which parts of this machine every sealed job sees: programs and shared libraries, and as little else as possible.

Whole folders such as /usr/share or /usr/lib/python3 are left out on purpose: packages put data sets with their
labels there.
"""

import os
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

_LIBRARY_FOLDERS = ("lib", "lib32", "lib64", "libx32")
_HIDDEN_IN_LIBRARIES = ("python3*/site-packages", "python3*/dist-packages", "R")
_ETC_OF_MACHINE = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
_ETC_OF_OURS = ("passwd", "group", "hosts")


def system_mounts() -> list[str]:
    """Options for bubblewrap that mount the system's part of a job's world."""
    return [
        *_read_only(Path("/usr/bin")),
        *_libraries(Path("/usr")),
        *_top_level(),
        *(option for name in _ETC_OF_MACHINE for option in _read_only(Path("/etc") / name)),
        *(option for name in _ETC_OF_OURS for option in ("--ro-bind", str(_our_etc() / name), f"/etc/{name}")),
    ]


def proc_guards() -> list[str]:
    """Options that make everything in /proc read-only that is not about processes.

    To the kernel, a job that root started is root's: it may write to the machine's settings, say which program is to
    run as root when some other crashes. What bubblewrap covers by itself does not include /proc/sys then.
    """
    # Not by paths: an entry knows by itself whether it is a folder or a link, and there are all those processes.
    with os.scandir("/proc") as entries:
        lasting = [entry for entry in entries if not entry.name.isdigit() and not entry.is_symlink()]
    writable = [entry.path for entry in lasting if entry.is_dir() or entry.stat().st_mode & 0o222]
    return [option for path in sorted(writable) for option in ("--ro-bind", path, path)]


def mask(folder: Path) -> list[str]:
    """Options that make a folder look empty, and keep it so."""
    return ["--tmpfs", str(folder), "--remount-ro", str(folder)]


def _libraries(prefix: Path) -> Iterator[str]:
    for name in _LIBRARY_FOLDERS:
        folder = prefix / name
        # Debian and its children keep libraries one level down, apart from packages; others mix them.
        apart = sorted(folder.glob("*-linux-*"))
        if apart:
            for part in (*apart, folder / "locale"):
                yield from _read_only(part)
        elif folder.is_dir():
            yield from _read_only(folder)
            for pattern in _HIDDEN_IN_LIBRARIES:
                for packages in sorted(folder.glob(pattern)):
                    yield from mask(packages)


def _top_level() -> Iterator[str]:
    for name in ("bin", *_LIBRARY_FOLDERS):
        path = Path("/") / name
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from _read_only(path)


def _read_only(path: Path) -> tuple[str, ...]:
    return ("--ro-bind", str(path), str(path)) if path.exists() else ()


def _our_etc() -> Path:
    return Path(str(resources.files("fmlbench.sandbox") / "etc"))
