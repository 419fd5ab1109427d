"""Serve a GGUF file with llama.cpp, on loopback, for as long as this process lives."""

import importlib
import importlib.util
import os
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from fmlbench.core.errors import ModelUnavailable
from fmlbench.llm.chat import ChatModel, Reply, Request
from fmlbench.llm.providers.access import SLOW_SECONDS, Access

THREADS_VARIABLE = "FMLBENCH_LOCAL_THREADS"
CONTEXT_VARIABLE = "FMLBENCH_LOCAL_CONTEXT"
_CONTEXT_TOKENS = 16_384
_REPETITION_PENALTY = 1.1
"""Without one, small models write the same few lines until their answer is cut off."""


@dataclass(frozen=True)
class Served:
    """A model's file; it is loaded when it is first asked."""

    name: str
    file: Path
    threads: int
    """More than there are idle cores make llama.cpp many times slower."""
    context_tokens: int

    def complete(self, request: Request) -> Reply:
        """Answer, or raise CallFailed."""
        return self._client.complete(request)

    @cached_property
    def _client(self) -> ChatModel:
        from fmlbench.llm.providers.openai_chat import OpenAIChat  # noqa: PLC0415 - an optional package

        server = _serve(self.file, self.threads, self.context_tokens)
        access = Access(
            key="none", key_variable="the key", base_url=f"{server.listening_address}/v1", seconds=SLOW_SECONDS
        )
        return OpenAIChat(self.name, self.file.stem, access)


@cache
def _serve(file: Path, threads: int, context_tokens: int) -> Any:
    """One server for all runs of this process: what their prompts begin with is read once."""
    # An optional package without types.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(file)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.sampling.penalty_repeat = _REPETITION_PENALTY
    parameters.verbosity = 0
    return xllamacpp.Server(parameters)


def is_installed() -> bool:
    """Whether llama.cpp and a client for it can be imported."""
    return all(importlib.util.find_spec(package) for package in ("xllamacpp", "openai"))


def require_installed() -> None:
    """Say what to install where something is missing."""
    if not is_installed():
        raise ModelUnavailable(
            "Models on this machine need a package that is not installed.", hint="pip install 'fmlbench[local]'"
        )


def served(name: str, file: Path) -> Served:
    """A model's file with the number of threads and the length of conversations that the user set."""
    threads = int(os.environ.get(THREADS_VARIABLE) or max(1, (os.cpu_count() or 1) // 2))
    context = int(os.environ.get(CONTEXT_VARIABLE) or _CONTEXT_TOKENS)
    return Served(name, file, threads, context)
