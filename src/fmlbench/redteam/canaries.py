"""Canaries: a file and sockets that no candidate may reach; attacks know their locations."""

import secrets
import socket
import tempfile
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fmlbench.workspace.files import remove_folder


@dataclass(frozen=True)
class Canaries:
    """The locations of the canaries during a red-team run."""

    token: str
    """Known to attacks, so that they can recognize it."""
    unknown: str
    """Next to the token, but unknown to attacks: if it appears elsewhere, the file was read."""
    folder: Path
    port: int
    abstract_socket: str
    path_socket: Path


@contextmanager
def lay_out_canaries() -> Generator[Canaries]:
    """Create canaries: a folder with a file, a TCP port, and two Unix sockets that respond with the token."""
    token, unknown = secrets.token_hex(16), secrets.token_hex(16)
    folder = Path(tempfile.mkdtemp(prefix="fmlbench-canary-"))
    try:
        (folder / "token.txt").write_text(f"{token} {unknown}\n", "utf-8")
        with ExitStack() as stack:
            port = _listen(stack, socket.AF_INET, ("127.0.0.1", 0), token).getsockname()[1]
            abstract = f"fmlbench-canary-{token[:8]}"
            _listen(stack, socket.AF_UNIX, f"\0{abstract}", token)
            _listen(stack, socket.AF_UNIX, str(folder / "socket"), token)
            yield Canaries(token, unknown, folder, port, abstract, folder / "socket")
    finally:
        remove_folder(folder)


def _listen(
    stack: ExitStack, family: socket.AddressFamily, address: tuple[str, int] | str, token: str
) -> socket.socket:
    server = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
    server.bind(address)
    server.listen()
    # Closing a socket does not wake a thread in accept(); shutting it down does.
    stack.callback(server.shutdown, socket.SHUT_RDWR)
    threading.Thread(target=_answer, args=(server, token), name="canary", daemon=True).start()
    return server


def _answer(server: socket.socket, token: str) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client:
            client.sendall(token.encode())
