import threading
from collections.abc import Generator
from http.server import ThreadingHTTPServer

import pytest

from tests.integration.workspace.file_server import FileHandler, Shelf


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Generator[Shelf]:
    """A local server; pauses between retries take no time."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("fmlbench.workspace.downloads.sleep", _no_pause)
    shelf = Shelf()
    handler = type("Handler", (FileHandler,), {"shelf": shelf})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    shelf.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield shelf
    server.shutdown()
    thread.join()
    server.server_close()


def _no_pause(seconds: float) -> None:
    """Tests do not wait for retries."""
