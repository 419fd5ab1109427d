import json
from pathlib import Path

import pytest

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.call_log import CallLog
from fmlbench.models.chat import CallKey, Message, Request
from fmlbench.models.client import open_client
from fmlbench.models.connection import open_model, resolved_name
from fmlbench.models.names import read_name
from fmlbench.models.providers import all_providers

NO_MODELS = Path("no-models")


def asked(step: int, turn: int = 0, text: str = "hello") -> Request:
    place = CallKey(step=step, purpose="propose", turn=turn)
    return Request(place=place, system="s", messages=(Message(role="user", text=text),), max_output_tokens=10)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("openai/gpt-5", ("openai", "gpt-5", "")),
        ("openrouter/qwen/qwen3", ("openrouter", "qwen/qwen3", "")),
        ("http://host:1/v1/#a/b", ("server", "a/b", "http://host:1/v1")),
    ],
)
def test_names_are_taken_apart(name: str, parts: tuple[str, str, str]):
    read = read_name(name)
    assert (read.provider, read.model, read.base_url) == parts


@pytest.mark.parametrize(
    ("name", "complaint", "hint"),
    [
        ("gpt-5", "is not the name of a model", "provider/model"),
        ("openai/", "is not the name of a model", "provider/model"),
        ("http://host/v1", "names a server, but not its model", "#"),
        ("opnai/gpt-5", "no provider named 'opnai'", "Did you mean 'openai/gpt-5'?"),
        ("xyzzy/a", "no provider named 'xyzzy'", "Known providers: openai, anthropic"),
        ("openai/gpt-5", "no key for openai", "export OPENAI_API_KEY=..."),
        ("google/gemini", "no key for google", "export GEMINI_API_KEY=..."),
        ("scripted/nowhere.json", "cannot be read", "scripted/tinker"),
        ("local/qwen2.5-coder-1.5b", "does not exist", "fmlbench models fetch local/qwen2.5-coder-1.5b"),
        ("local/nowhere.gguf", "does not exist", "or a path.gguf"),
    ],
)
def test_what_is_missing_is_said(name: str, complaint: str, hint: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fmlbench.models.local.process.is_installed", lambda: True)
    with pytest.raises(ModelUnavailable) as caught:
        open_model(name, NO_MODELS, {})
    assert complaint in caught.value.message
    assert hint in caught.value.hint


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    def find_nothing(_: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", find_nothing)
    with pytest.raises(ModelUnavailable) as caught:
        open_model("local/a.gguf", NO_MODELS)
    assert caught.value.hint == "pip install 'fmlbench[local]'"


def test_the_second_variable_of_a_key_will_do():
    assert all_providers()["google"].key_in({"GOOGLE_API_KEY": "k"}) == "k"


def test_a_key_is_not_shown_where_an_object_is():
    secret = open_model("vllm/qwen", NO_MODELS, {"VLLM_API_KEY": "very-secret"})
    assert "very-secret" not in repr(secret)
    assert "very-secret" not in repr(open_client(secret, CallLog()))
    assert open_model("ollama/qwen", NO_MODELS, {}).name == "ollama/qwen"


def test_a_script_answers_by_step_and_try_and_begins_anew_at_its_end(tmp_path: Path):
    path = tmp_path / "script.json"
    path.write_text(json.dumps(["one", ["two", "two again"]]))
    model = open_client(open_model(f"scripted/{path}", NO_MODELS, {}), CallLog())
    positions = [(1, 0), (2, 0), (2, 1), (2, 2), (3, 0), (1, 1)]
    assert [model.complete(asked(*place)).text for place in positions] == [
        "one",
        "two",
        "two again",
        "two again",
        "one",
        "one",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "is not a list."),
        ('["a", 1]', "has an invalid answer in entry 2."),
        ('["a", ["b", 1]]', "has an invalid answer in entry 2."),
        ('["a",\n nonsense]', "is not valid JSON: expected ident at line 2 column 3."),
        ('["a", []]', "has a step without answers."),
        ("[]", "has a step without answers."),
    ],
)
def test_a_script_that_is_none_is_refused_with_the_place_of_the_mistake(tmp_path: Path, text: str, problem: str):
    path = tmp_path / "script.json"
    path.write_text(text)
    with pytest.raises(ModelUnavailable) as caught:
        open_model(f"scripted/{path}", NO_MODELS, {})
    assert caught.value.message == f"The script '{path}' {problem}"


def test_the_tinkerer_changes_a_number_it_was_shown_and_says_the_same_to_the_same_question():
    model = open_client(open_model("scripted/tinker", NO_MODELS, {}), CallLog())
    shown = "### a/model.py\n\n```python\nwidth = 8\nname = 'x'\n```\n"
    said = model.complete(asked(1, text=shown)).text
    assert said.startswith("IDEA: 8 becomes ")
    assert "\n\na/model.py\n<<<<<<< SEARCH\nwidth = 8\n=======\nwidth = " in said
    assert model.complete(asked(1, text=shown)).text == said
    assert model.complete(asked(1, text="nothing")).text == "There is no number to change."


def test_files_are_named_by_their_whole_path_in_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert resolved_name("scripted/a.json") == f"scripted/{tmp_path}/a.json"
    assert resolved_name("local/a.gguf") == f"local/{tmp_path}/a.gguf"
    for name in ("scripted/tinker", "local/qwen2.5-coder-1.5b", "openai/gpt-5"):
        assert resolved_name(name) == name
