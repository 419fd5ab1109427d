"""Things that no candidate may reach, laid out where attacks are told to look for them."""

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
    """Where the baits are, for the time of a red team's visit."""

    token: str
    """Attacks are told, so that they know it when they meet it."""
    unknown: str
    """Stands beside the token; attacks are not told, so wherever else it is found it was carried."""
    folder: Path
    port: int
    abstract_socket: str
    path_socket: Path


@contextmanager
def lay_out_canaries() -> Generator[Canaries]:
    """Lay out baits: a folder with a file, a port, and two kinds of sockets that answer with the token."""
    token, unknown = secrets.token_hex(16), secrets.token_hex(16)
    folder = Path(tempfile.mkdtemp(prefix="fmlbench-bait-"))
    try:
        (folder / "token.txt").write_text(f"{token} {unknown}\n", "utf-8")
        with ExitStack() as stack:
            port = _listen(stack, socket.AF_INET, ("127.0.0.1", 0), token).getsockname()[1]
            abstract = f"fmlbench-bait-{token[:8]}"
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
    # Closing a socket does not wake up who waits on it; shutting it down does.
    stack.callback(server.shutdown, socket.SHUT_RDWR)
    threading.Thread(target=_answer, args=(server, token), name="bait", daemon=True).start()
    return server


def _answer(server: socket.socket, token: str) -> None:
    while True:
        try:
            visitor, _ = server.accept()
        except OSError:
            return
        with visitor:
            visitor.sendall(token.encode())
