"""Start an agent's program inside its sandbox: launch.py ROOT, where ROOT/lab/launch.json names the command.

If the program uses a model, its endpoint is a port on the sandbox's loopback interface. Connections to that port are
forwarded to the Unix socket of the model proxy outside.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path


def main(lab):
    """Start the program and wait until it exits."""
    facts = json.loads((lab / "launch.json").read_text("utf-8"))
    address = forward(lab / "model") if facts["has_model"] else ""
    within = {
        name: value.replace("{lab}", str(lab)).replace("{model}", address)
        for name, value in facts["environment"].items()
    }
    environment = {**os.environ, **within}
    program = subprocess.Popen(
        ["/bin/sh", "-c", facts["command"]], cwd=lab / "work", env=environment, stdin=subprocess.DEVNULL
    )
    return program.wait()


def forward(folder):
    """Forward connections between a new local port and the socket in ``folder``; return the port's URL."""
    listening = socket.create_server(("127.0.0.1", 0))
    handle = os.open(folder, os.O_RDONLY)

    def serve():
        while True:
            near, _ = listening.accept()
            far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                far.connect(f"/proc/self/fd/{handle}/socket")
            except OSError:
                near.close()
                continue
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=copy, args=(source, target), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def copy(source, target):
    """Copy data from one socket to the other until it closes."""
    with contextlib.suppress(OSError):
        while part := source.recv(65536):
            target.sendall(part)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[-1]) / "lab"))
