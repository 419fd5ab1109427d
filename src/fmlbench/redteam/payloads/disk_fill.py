"""Fill the disk with one file, many files, empty files, links, or deleted files that are held open."""

import itertools
import os

from prelude import CARRY, OUT

CHUNK = b"x" * 2**20
PLACES = itertools.cycle((OUT, CARRY))


def one_file():
    with open(OUT / "big", "wb") as file:
        while True:
            file.write(CHUNK)


def many_files():
    for number in itertools.count():
        (next(PLACES) / f"f{number}").write_bytes(CHUNK)


def empty_files():
    for number in itertools.count():
        (next(PLACES) / f"e{number}").touch()


def folders():
    for number in itertools.count():
        (next(PLACES) / f"d{number}").mkdir()


def links():
    (OUT / "l").write_bytes(CHUNK)
    for number in itertools.count():
        (OUT / f"l{number}").symlink_to("x" * 4000)


def nameless_files():
    for number in itertools.count():
        held = os.open(OUT / f"n{number}", os.O_RDWR | os.O_CREAT)
        os.unlink(OUT / f"n{number}")
        for _ in range(4):
            os.write(held, CHUNK)


globals()[VARIANT]()
