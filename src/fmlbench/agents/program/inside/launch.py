"""Start an agent's program inside its sandbox: launch.py ROOT, with ROOT/lab/launch.json saying what to start.

Where the program needs a model, its endpoint is a port of the sandbox's own loopback, and everything that goes there is
carried to the one socket that leads out.
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
    """Start the program and wait for its end."""
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
    """Carry every connection to a port of our own to the socket in ``folder``, and back; tell the port's address."""
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
                threading.Thread(target=carry, args=(source, target), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def carry(source, target):
    """Hand on what comes from one end to the other, until it closes."""
    with contextlib.suppress(OSError):
        while part := source.recv(65536):
            target.sendall(part)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[-1]) / "lab"))
