"""The socket serves one request after the other, and a client cannot block it."""

import socket
import threading
import time
from pathlib import Path

from fmlbench.agents.program.protocol import Response
from fmlbench.agents.program.unix_socket import SOCKET, open_socket, serve_one


def answer(line: bytes) -> Response:
    if not line:
        return Response(ok=False, text="nothing came")
    return Response(ok=True, text=line.decode().strip())


def connect(folder: Path) -> socket.socket:
    customer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    customer.connect(str(folder / SOCKET))
    return customer


def test_a_request_is_a_line_and_so_is_its_answer(tmp_path: Path):
    with open_socket(tmp_path) as counter, connect(tmp_path) as customer:
        customer.sendall(b"hello\n")
        serve_one(counter, answer, wait_seconds=1.0)
        assert b'"text":"hello"' in customer.recv(1000)
    assert not (tmp_path / SOCKET).exists()


def test_who_sends_a_letter_now_and_then_is_not_waited_for(tmp_path: Path):
    """Each letter comes in time; the request as a whole never does."""
    is_over = threading.Event()

    def dawdle(customer: socket.socket) -> None:
        while not is_over.is_set():
            try:
                customer.sendall(b"x")
            except OSError:
                return
            time.sleep(0.01)

    with open_socket(tmp_path) as counter, connect(tmp_path) as customer:
        dawdling = threading.Thread(target=dawdle, args=(customer,))
        dawdling.start()
        serve_one(counter, answer, wait_seconds=1.0, timeout_seconds=0.2)
        is_over.set()
        dawdling.join()
        assert b"nothing came" in customer.recv(1000)


def test_a_slow_client_is_dropped_after_the_timeout(tmp_path: Path):
    with open_socket(tmp_path) as counter:
        serve_one(counter, answer, wait_seconds=0.01)
