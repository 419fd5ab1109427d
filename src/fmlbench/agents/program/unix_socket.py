"""The desk's counter: a Unix socket that a sandboxed program can reach, served one request after the other.

Ten submissions at once are ten steps, one after the other, for as long as the budget lasts.
"""

import os
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.agents.program.protocol import MOST_BYTES, Response

SOCKET = "socket"

_QUEUE = 64
_PATIENCE_SECONDS = 20.0
"""How long a request may take to arrive, and an answer to be taken: who dawdles must not put off the end."""


@contextmanager
def open_socket(folder: Path) -> Generator[socket.socket]:
    """Listen in ``folder``; a socket that a killed harness left there is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SOCKET).unlink(missing_ok=True)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            # A socket's path may have 107 bytes, a run's folder has more; through its handle any folder will do.
            listening.bind(f"/proc/self/fd/{handle}/{SOCKET}")
            listening.listen(_QUEUE)
            yield listening
    finally:
        (folder / SOCKET).unlink(missing_ok=True)
        os.close(handle)


def serve_one(
    listening: socket.socket,
    answer: Callable[[bytes], Response],
    wait_seconds: float,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> None:
    """Serve the next request, or return when none comes in time."""
    listening.settimeout(wait_seconds)
    try:
        customer, _ = listening.accept()
    except TimeoutError:
        return
    with customer:
        try:
            line = _read_line(customer, patience_seconds)
            said = answer(line)
            customer.settimeout(patience_seconds)
            customer.sendall(said.model_dump_json().encode() + b"\n")
        except (TimeoutError, ConnectionError, BrokenPipeError):
            return  # It went away; what was done for it is on the record.


def _read_line(customer: socket.socket, patience_seconds: float) -> bytes:
    """One line; empty where it did not come whole, in time and at a sensible length."""
    deadline = time.monotonic() + patience_seconds
    read = bytearray()
    while not read.endswith(b"\n"):
        customer.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            part = customer.recv(2**20)
        except TimeoutError:
            return b""
        if not part or len(read) + len(part) > MOST_BYTES:
            return b""
        read += part
    return bytes(read)
