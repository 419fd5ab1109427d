"""The Unix socket of the submission server, which serves one request after the other.

Ten simultaneous submissions become ten consecutive steps, as far as the budget allows.
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
_TIMEOUT_SECONDS = 20.0
"""Timeout for receiving a request and for sending an answer: a slow client must not delay the end of the run."""


@contextmanager
def open_socket(folder: Path) -> Generator[socket.socket]:
    """Listen in ``folder``; a socket that a killed harness left there is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SOCKET).unlink(missing_ok=True)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            # A socket's path is limited to 107 bytes and a run's folder may be longer, so we bind through its handle.
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
    timeout_seconds: float = _TIMEOUT_SECONDS,
) -> None:
    """Serve the next request, or return when none comes in time."""
    listening.settimeout(wait_seconds)
    try:
        client, _ = listening.accept()
    except TimeoutError:
        return
    with client:
        try:
            line = _read_line(client, timeout_seconds)
            response = answer(line)
            client.settimeout(timeout_seconds)
            client.sendall(response.model_dump_json().encode() + b"\n")
        except (TimeoutError, ConnectionError, BrokenPipeError):
            return  # The client disconnected; its request was processed and is on record.


def _read_line(client: socket.socket, timeout_seconds: float) -> bytes:
    """Read a line; empty if it is incomplete, too late or too long."""
    deadline = time.monotonic() + timeout_seconds
    read = bytearray()
    while not read.endswith(b"\n"):
        client.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            part = client.recv(2**20)
        except TimeoutError:
            return b""
        if not part or len(read) + len(part) > MOST_BYTES:
            return b""
        read += part
    return bytes(read)
