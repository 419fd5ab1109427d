"""The system folders that every sealed job can read: programs, shared libraries, and little else.

Folders such as /usr/share and /usr/lib/python3 are not mounted, because packages install data sets with labels there.
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
    """Bubblewrap options that mount the system folders."""
    return [
        *_read_only(Path("/usr/bin")),
        *_libraries(Path("/usr")),
        *_top_level(),
        *(option for name in _ETC_OF_MACHINE for option in _read_only(Path("/etc") / name)),
        *(option for name in _ETC_OF_OURS for option in ("--ro-bind", str(_our_etc() / name), f"/etc/{name}")),
    ]


def proc_guards() -> list[str]:
    """Bubblewrap options that make everything in /proc read-only except the processes.

    If root starts a job, the kernel treats the job as root: it could change kernel settings, for example core_pattern,
    the program that runs as root when a process crashes. Bubblewrap itself does not protect /proc/sys in this case.
    """
    # scandir, because its entries know their type without a stat call for each of the many processes.
    with os.scandir("/proc") as entries:
        permanent = [entry for entry in entries if not entry.name.isdigit() and not entry.is_symlink()]
    writable = [entry.path for entry in permanent if entry.is_dir() or entry.stat().st_mode & 0o222]
    return [option for path in sorted(writable) for option in ("--ro-bind", path, path)]


def mask(folder: Path) -> list[str]:
    """Bubblewrap options that replace a folder with an empty read-only one."""
    return ["--tmpfs", str(folder), "--remount-ro", str(folder)]


def _libraries(prefix: Path) -> Iterator[str]:
    for name in _LIBRARY_FOLDERS:
        folder = prefix / name
        # Debian-based systems keep libraries in a subfolder, separate from packages; others mix both.
        separate = sorted(folder.glob("*-linux-*"))
        if separate:
            for part in (*separate, folder / "locale"):
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
