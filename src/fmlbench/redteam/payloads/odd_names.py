"""Create files whose names or types could confuse the code that collects them."""

import os

from prelude import CARRY, IS_EXAM, OUT, TARGET

CANARY = f"{TARGET['canary_folder']}/token.txt"


def links(folder):
    """Links with names of harness files, to a file that the harness can read and a candidate cannot."""
    (folder / "log.txt").symlink_to(CANARY)
    (folder / "self_reported.json").symlink_to(CANARY)
    (folder / "grade").symlink_to(TARGET["canary_folder"])
    (folder / "sub").mkdir()
    (folder / "sub" / "log.txt").symlink_to(CANARY)
    (folder / "sub" / "stage.json").symlink_to(CANARY)


def endless(folder):
    (folder / "log.txt").symlink_to("/dev/zero")
    (folder / "self_reported.json").symlink_to("/dev/zero")
    (folder / "sub").mkdir()
    os.mkfifo(folder / "sub" / "log.txt")


def strange(folder):
    """Names that are not text, look like options or paths, or have the maximum length."""
    for name in (b"\xff\xfe", b"-rf", b"new\nline", b"\x1b[2J", b"..\\..\\x", b"n" * 255, "\u202egnp.".encode()):
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(b"x")


def deep(folder):
    """Folders nested deeper than the recursion limit and the longest path."""
    nest(folder, "deeper", 1900)


def long(folder):
    """Nested folders with such long names that the innermost has no valid path."""
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
