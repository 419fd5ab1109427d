"""The real llama.cpp, on a model that is small enough for every day."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.call_log import CallLog
from fmlbench.models.chat import CallKey, ChatModel, Message, Reply, Request
from fmlbench.models.client import ModelClient, open_client
from fmlbench.models.connection import open_model
from fmlbench.models.local.process import CONTEXT_VARIABLE, THREADS_VARIABLE
from fmlbench.models.prices import free
from tests.tiny_model import write_tiny_model

NO_MODELS = Path("no-models")

ENDING = """
import os, signal, sys
from pathlib import Path
from dataclasses import replace
from fmlbench.core.errors import ModelTrouble
from fmlbench.models.call_log import CallLog
from fmlbench.models.chat import CallKey, Message, Request
from fmlbench.models.client import open_client
from fmlbench.models.connection import open_model

model = open_model(sys.argv[1], Path("no-models"))
short = Request(place=CallKey(step=1, purpose="p", turn=0), system="", messages=(), max_output_tokens=1)
open_client(model, CallLog()).complete(short)
try:
    hurried = open_client(replace(model, call_seconds=0.1), CallLog(), pauses=())
    hurried.complete(short.model_copy(update={"max_output_tokens": 60_000}))
except ModelTrouble as failure:
    print(failure.message.partition("did not answer: ")[2], flush=True)
"""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, "1")
    monkeypatch.setenv(CONTEXT_VARIABLE, "512")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny_model(tmp_path / "tiny.gguf")


def opened(file: Path) -> ModelClient:
    return open_client(open_model(f"local/{file}", NO_MODELS), CallLog())


def asking(text: str, *, max_output_tokens: int = 20) -> Request:
    return Request(
        place=CallKey(step=1, purpose="test", turn=0),
        system="Be brief.",
        messages=(Message(role="user", text=text),),
        max_output_tokens=max_output_tokens,
        temperature=0.0,
    )


def ask(model: ChatModel, text: str) -> Reply:
    return model.complete(asking(text))


def test_a_file_answers_with_as_many_tokens_as_it_may_for_nothing(tiny: Path):
    model = opened(tiny)
    reply = ask(model, "hello")
    assert reply.text.isalpha()
    # "system:Be brief.", "user:hello" and "assistant:" with two ends of lines, and the token that begins a prompt.
    assert (reply.tokens.input, reply.tokens.output, reply.tokens.cached) == (16 + 10 + 10 + 2 + 1, 20, 0)
    assert (len(reply.text), reply.is_complete) == (20, False)
    assert (model.name, model.connection.price, reply.dollars) == (f"local/{tiny}", free, 0.0)


def test_the_same_request_gets_the_same_answer_at_temperature_zero(tiny: Path):
    model = opened(tiny)
    first, other, again = (ask(model, text).text for text in ("hello", "something else", "hello"))
    assert first == again
    assert first != other


def test_a_common_prefix_is_cached_and_counted(tiny: Path):
    model = opened(tiny)
    assert ask(model, "tell me of the sea").tokens.cached == 0
    tokens = ask(model, "tell me of the mountains").tokens
    assert 0 < tokens.cached < tokens.input


def test_models_of_the_same_file_share_what_was_read(tiny: Path):
    ask(opened(tiny), "hello")
    assert ask(opened(tiny), "hello").tokens.cached > 0


def test_a_prompt_that_is_too_long_is_refused_at_once_with_what_to_set(tiny: Path):
    def never(_: float) -> None:
        raise AssertionError

    with pytest.raises(ModelUnavailable, match="exceeds the available context size") as caught:
        ask(replace(opened(tiny), sleep=never), "x" * 600)
    assert CONTEXT_VARIABLE in caught.value.hint
    assert "--set context_tokens" in caught.value.hint


def test_a_model_goes_on_answering_after_a_prompt_that_was_too_long(tiny: Path):
    model = opened(tiny)
    with pytest.raises(ModelUnavailable):
        ask(model, "x" * 600)
    assert ask(model, "hello").tokens.output == 20


@pytest.mark.parametrize("content", [b"", b"GGU", b"<!DOCTYPE html>", b"version https://git-lfs.github.com/spec/v1\n"])
def test_a_file_of_another_kind_is_refused_before_a_run_begins(tmp_path: Path, content: bytes):
    file = tmp_path / "other.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"other\.gguf is not a GGUF file") as caught:
        opened(file)
    assert caught.value.hint


@pytest.mark.parametrize("variable", [THREADS_VARIABLE, CONTEXT_VARIABLE])
@pytest.mark.parametrize("word", ["two", "0", "-1", "1.5"])
def test_a_setting_that_is_not_a_number_is_reported(
    tiny: Path, variable: str, word: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(variable, word)
    with pytest.raises(ModelUnavailable, match=f"{variable} must be a positive integer, got '{word}'"):
        opened(tiny)


def test_an_unreadable_file_is_reported(tiny: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ModelUnavailable, match=r"tiny\.gguf cannot be read: Permission denied"):
        opened(tiny)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_truncated_file_is_reported_at_the_first_request(tiny: Path, share: float, capfd: pytest.CaptureFixture[str]):
    whole = tiny.read_bytes()
    tiny.write_bytes(whole[: max(4, int(len(whole) * share))])
    with pytest.raises(ModelUnavailable, match=r"llama\.cpp cannot load .*tiny\.gguf") as caught:
        ask(opened(tiny), "hello")
    assert "Download the file again" in caught.value.hint
    assert capfd.readouterr() == ("", "")
    tiny.write_bytes(whole)
    assert ask(opened(tiny), "hello").tokens.output == 20


@pytest.mark.parametrize(("ending", "code"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), signal.SIGKILL)", -9)])
def test_a_process_that_ends_while_an_answer_is_written_takes_the_server_with_it(
    tmp_path: Path, ending: str, code: int
):
    """Its error output is read to its end, which comes when no process can write to it any more."""
    slow = write_tiny_model(tmp_path / "slow.gguf", hidden=16_384)
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", ENDING + ending, f"local/{slow}"],
        env={**os.environ, CONTEXT_VARIABLE: "65536"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, "no answer within 0.1 s.\n", "")
