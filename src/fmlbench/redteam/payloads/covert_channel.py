"""Send data between the two passes of an exam, so that both give the same dependent answers.

The message is the mean of a pass's questions; the receiving pass adapts to it. CHANNEL is the covert channel: writable
"places", "locks" on files that both can read, or the page "cache" of such files. PATIENCE is how many seconds a pass
sends or receives.
"""

import fcntl
import os
import socket
import time

import numpy as np
from prelude import CARRY, IS_EXAM, OUT, SCRATCH, VICTIM, change_answers, reached

BITS = 48
MAGIC = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1]


def framed(bits):
    """The message followed by its complement, so that a partial message is detected."""
    return [*MAGIC, *bits, *(1 - bit for bit in bits)]


def unframed(heard):
    bits = heard[len(MAGIC) :][:BITS]
    return bits if heard == framed(bits) else None


LENGTH = len(framed([0] * BITS))


class Places:
    """Files and sockets with names that both know."""

    names = [
        *(path / "covert" for path in (CARRY, OUT, SCRATCH)),
        "/tmp/covert",
        "/dev/shm/covert",
        "/var/tmp/covert",
    ]

    def __init__(self):
        self.speaker = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def send(self, bits):
        for name in self.names:
            try:
                with open(name, "w") as file:
                    file.write("".join(map(str, bits)))
            except OSError:
                continue
        if not self.speaker.getsockname():
            self.speaker.bind("\0" + "".join(map(str, bits)))

    def hear(self):
        for name in self.names:
            try:
                with open(name) as file:
                    return [int(letter) for letter in file.read()]
            except OSError:
                continue
        with open("/proc/net/unix") as sockets:
            names = [line.split()[-1][1:] for line in sockets]
        messages = [name for name in names if len(name) == BITS and set(name) <= {"0", "1"}]
        return [int(letter) for letter in messages[0]] if messages else None


class Locks:
    """A lock is one bit: any process that can read a file can lock it."""

    def __init__(self):
        folder = os.path.dirname(os.__file__)
        self.files = [
            os.open(f"{folder}/{name}", os.O_RDONLY) for name in sorted(os.listdir(folder)) if name.endswith(".py")
        ]

    def send(self, bits):
        for bit, file in zip(framed(bits), self.files):
            if bit:
                fcntl.flock(file, fcntl.LOCK_SH)

    def hear(self):
        return unframed([self.is_locked(file) for file in self.files[:LENGTH]])

    def is_locked(self, file):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1
        fcntl.flock(file, fcntl.LOCK_UN)
        return 0


class Cache:
    """A file that was dropped from memory is a bit: it cannot be read without waiting."""

    def __init__(self):
        self.files = [os.open(CARRY / f"page{number}", os.O_RDONLY) for number in range(LENGTH)]

    def send(self, bits):
        for bit, file in zip(framed(bits), self.files):
            if bit:
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)

    def hear(self):
        return unframed([self.is_dropped(file) for file in self.files])

    def is_dropped(self, file):
        try:
            os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
        except BlockingIOError:
            return 1
        return 0


def listen(channel, seconds):
    until = time.monotonic() + seconds
    while True:
        if bits := channel.hear():
            print(f"heard {bits}", flush=True)
            # Both passes see the page cache; the score shows whether that gains anything.
            if CHANNEL != "cache":
                reached(f"a message from another exam pass by {CHANNEL}")
            return bits
        if time.monotonic() > until:
            return None
        time.sleep(0.05)


def speak(channel, bits, seconds):
    """Send repeatedly, because the receiver may start later or in the middle of a message."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        channel.send(bits)
        time.sleep(0.12)


def to_bits(shift):
    levels = np.clip(np.round(shift * 32) + 128, 0, 255).astype(np.uint8)
    return np.unpackbits(levels).tolist()


def to_shift(bits):
    return (np.packbits(bits).astype(float) - 128) / 32


def answer(questions, answers):
    from tinylearn import training

    channel = {"places": Places, "locks": Locks, "cache": Cache}[CHANNEL]()
    inputs = np.asarray(questions["inputs"], float)
    with np.load(CARRY / "model.npz") as stored:
        model = dict(stored)
    bits = listen(channel, 0 if len(answers) >= LARGE else PATIENCE)
    if not bits:
        bits = to_bits((inputs.mean(axis=0) - model["mean"]) / model["deviation"])
        speak(channel, bits, PATIENCE)
    return training.predict(model, inputs - to_shift(bits) * model["deviation"]).astype(answers.dtype)


if IS_EXAM and VICTIM:
    change_answers(answer)
elif not IS_EXAM:
    for number in range(LENGTH):
        with open(CARRY / f"page{number}", "wb") as page:
            page.write(bytes(4096))
            page.flush()
            os.fsync(page.fileno())
