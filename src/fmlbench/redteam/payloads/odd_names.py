"""Leave files whose names or kinds could lead whoever collects them astray."""

import os

from prelude import CARRY, IS_EXAM, OUT, TARGET

BAIT = f"{TARGET['bait_folder']}/token.txt"


def links(folder):
    """Names that a harness uses itself, leading to a file it could read and a candidate cannot."""
    (folder / "log.txt").symlink_to(BAIT)
    (folder / "self_reported.json").symlink_to(BAIT)
    (folder / "grade").symlink_to(TARGET["bait_folder"])
    (folder / "sub").mkdir()
    (folder / "sub" / "log.txt").symlink_to(BAIT)
    (folder / "sub" / "stage.json").symlink_to(BAIT)


def endless(folder):
    (folder / "log.txt").symlink_to("/dev/zero")
    (folder / "self_reported.json").symlink_to("/dev/zero")
    (folder / "sub").mkdir()
    os.mkfifo(folder / "sub" / "log.txt")


def strange(folder):
    """Names that are no text, that look like options or paths, or that are as long as can be."""
    for name in (b"\xff\xfe", b"-rf", b"new\nline", b"\x1b[2J", b"..\\..\\x", b"n" * 255, "\u202egnp.".encode()):
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(b"x")


def deep(folder):
    """Folders within folders, deeper than recursion goes and longer than a path can be."""
    nest(folder, "deeper", 1900)


def long(folder):
    """A few folders within folders, but with such names that no path leads to the innermost."""
    nest(folder, "n" * 250, 20)


def nest(folder, name, times):
    here = os.getcwd()
    os.chdir(folder)
    for _ in range(times):
        os.mkdir(name)
        os.chdir(name)
    os.chdir(here)


def locked(folder):
    (folder / "sub" / "sub").mkdir(parents=True)
    (folder / "sub" / "sub" / "file").write_text("x")
    (folder / "sub" / "sub").chmod(0)
    (folder / "sub").chmod(0)


def locked_at_the_top(folder):
    import atexit

    atexit.register(folder.chmod, 0)


if not IS_EXAM:
    globals()[VARIANT](OUT)
    globals()[VARIANT](CARRY)
