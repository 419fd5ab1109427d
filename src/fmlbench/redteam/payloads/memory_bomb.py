"""Allocate memory without limit: in one process, in many, or in memory-only files.

Every piece is far below the limit; only their sum exceeds it.
"""

import mmap
import os
import time

from prelude import SCRATCH

PIECE = 64 * 2**20


def hold():
    piece = bytearray(PIECE)
    piece[:: mmap.PAGESIZE] = b"x" * len(piece[:: mmap.PAGESIZE])
    return piece


def in_one_process():
    held = []
    while True:
        held.append(hold())


def in_many_processes():
    while True:
        if os.fork() == 0:
            held = hold()
            while held:
                time.sleep(1)
        time.sleep(0.02)


def in_nameless_files():
    while True:
        file = os.memfd_create("x")
        os.write(file, hold())


def in_scratch():
    number = 0
    while True:
        number += 1
        folder = ("/tmp", "/dev/shm", SCRATCH)[number % 3]
        try:
            with open(f"{folder}/{number}", "wb") as file:
                file.write(hold())
        except OSError:
            time.sleep(0.01)


globals()[VARIANT]()
