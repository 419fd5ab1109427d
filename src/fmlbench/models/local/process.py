"""Serve a GGUF file with llama.cpp on the loopback interface while this process runs."""

import atexit
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.dialect import bearer
from fmlbench.models.local import server
from fmlbench.models.providers import SLOW_SECONDS
from fmlbench.models.upstream import Incoming, Outgoing, Upstream

THREADS_VARIABLE = "FMLBENCH_LOCAL_THREADS"
CONTEXT_VARIABLE = "FMLBENCH_LOCAL_CONTEXT"
_CONTEXT_TOKENS = 16_384
_MAGIC = b"GGUF"


@dataclass(frozen=True)
class Served:
    """A model's file; it is loaded at the first request."""

    file: Path
    threads: int
    """llama.cpp is many times slower with more threads than idle cores."""
    context_tokens: int

    def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request to the server of the file."""
        address = _serve(self.file, self.threads, self.context_tokens)
        return Upstream(address, bearer("none"), SLOW_SECONDS).send(outgoing)


@cache
def _serve(file: Path, threads: int, context_tokens: int) -> str:
    """The URL of one server for all runs of this process, so that they share the cache of prompt prefixes.

    It exits when its standard input closes, so it never outlives this process.
    """
    words = [sys.executable, "-P", "-m", server.__name__, str(file), str(threads), str(context_tokens)]
    # In a new session, so that Ctrl-C does not reach it.
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    # The registration also keeps a reference to the process, and so its standard input open.
    atexit.register(_end, process)
    address = process.stdout.readline().strip() if process.stdout else ""
    if not address:
        _end(process)
        raise ModelUnavailable(
            f"llama.cpp cannot load {file}.",
            hint=f"Download the file again. If it is intact, memory may be short: set {CONTEXT_VARIABLE} lower.",
        )
    return address


def _end(process: "subprocess.Popen[str]") -> None:
    with process:
        process.kill()


def is_installed() -> bool:
    """Whether llama.cpp can be imported."""
    return importlib.util.find_spec("xllamacpp") is not None


def require_installed() -> None:
    """Raise with installation advice if a package is missing."""
    if not is_installed():
        raise ModelUnavailable(
            "Local models need a package that is not installed.", hint="pip install 'fmlbench[local]'"
        )


def served(file: Path) -> Served:
    """A model's file with the user's settings of threads and context length."""
    _require_gguf(file)
    threads = _number_in(THREADS_VARIABLE) or max(1, (os.cpu_count() or 1) // 2)
    return Served(file, threads, _number_in(CONTEXT_VARIABLE) or _CONTEXT_TOKENS)


def _number_in(variable: str) -> int | None:
    word = os.environ.get(variable, "")
    if word and not (word.isdecimal() and int(word)):
        raise ModelUnavailable(
            f"{variable} must be a positive integer, got '{word}'.", hint=f"export {variable}=2, or unset it."
        )
    return int(word) if word else None


def _require_gguf(file: Path) -> None:
    try:
        with file.open("rb") as opened:
            is_gguf = opened.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise ModelUnavailable(f"{file} cannot be read: {error.strerror}.", hint="Check its permissions.") from error
    if not is_gguf:
        raise ModelUnavailable(
            f"{file} is not a GGUF file.", hint="Check its first lines: it may be a web page or a Git LFS pointer."
        )
