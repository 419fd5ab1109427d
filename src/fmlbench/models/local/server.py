"""The program that serves a GGUF file with llama.cpp: FILE THREADS CONTEXT_TOKENS, until its standard input closes.

It is a separate process because llama.cpp crashes a process that exits during a request.
"""

import importlib
import os
import sys
from typing import Any

_REPETITION_PENALTY = 1.1
"""Without it, small models repeat the same few lines until their answer is cut off."""


def main(file: str, threads: int, context_tokens: int) -> None:
    """Print the server's URL once the file is loaded, or nothing if that fails."""
    # An optional package without types.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = file
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.sampling.penalty_repeat = _REPETITION_PENALTY
    parameters.verbosity = 0
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError:
        # llama.cpp does not report a reason.
        return
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    # Exit without cleanup, which would wait forever for a pending request.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
