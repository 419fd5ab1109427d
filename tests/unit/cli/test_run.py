"""Asking for runs: what is refused before anything is made, and what a real run prints."""

from pathlib import Path

import pytest

from fmlbench.cli.requests import RunRequest, read_settings
from fmlbench.core.errors import BadRequest, SandboxMissing
from fmlbench.core.run import Isolation
from fmlbench.tasks.folder import TaskFolder, read_task
from fmlbench.tasks.library import find_task, task_folders
from tests.command_line import Fmlbench

REQUEST = RunRequest(agent="greedy", steps=3, seed=1, track="cpu")


def without_bubblewrap(isolation: Isolation) -> None:
    raise SandboxMissing("bubblewrap is not installed.", hint="sudo apt install bubblewrap")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("run", "toi"), "There is no task named 'toi'."),
        (("run", "toy", "--agent", "gredy"), "There is no agent named 'gredy'."),
        (("run", "toy", "--track", "moon"), "Task 'toy' has no track named 'moon'."),
        (("run", "toy", "--set", "debug_tries"), "'debug_tries' is not of the form KEY=VALUE."),
        (("run", "toy", "--set", "speed=2"), "Agent 'greedy' has no setting named 'speed'."),
        (("run", "toy", "--steps", "0"), "--steps must be positive, got 0."),
        (("run", "toy", "--steps", "-1"), "--steps must be positive, got -1."),
        (("bench", "--steps", "0"), "--steps must be positive, got 0."),
        (("run", "toy", "--hours", "0"), "--hours must be positive, got 0."),
        (("run", "toy", "--dollars", "-1"), "--dollars must be positive, got -1."),
        (("run", "toy", "--hours", "nan"), "--hours must be positive, got nan."),
        (
            ("run", "toy", "--agent", "mcts", "--set", "exploration=inf"),
            "Setting 'exploration' of agent 'mcts' must be a number, 0 or more, got 'inf'.",
        ),
        (
            ("run", "toy", "--agent", "command", "--cmd", "true", "--set", "see=here"),
            "see= must list existing absolute paths without '..', got 'here'.",
        ),
        (
            ("run", "toy", "--agent", "command", "--cmd", "true", "--set", "see=/var/lib:/var:/var"),
            "see= contains both '/var' and '/var/lib' inside it.",
        ),
        (
            ("run", "toy", "--agent", "command", "--cmd", "true", "--set", "see=/var/lib/../lib"),
            "see= must list existing absolute paths without '..', got '/var/lib/../lib'.",
        ),
        (("bench", "--suite", "slow"), "There is no suite named 'slow'."),
        (("resume", "nothing"), "There is no run named 'nothing'."),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_nothing_behind(
    fmlbench: Fmlbench, runs: Path, words: tuple[str, ...], complaint: str
):
    called = fmlbench(*words)
    assert called.code == 2
    assert called.err.startswith(f"error: {complaint}\nhint:  ")
    assert not runs.exists()


@pytest.mark.parametrize(
    ("words", "agent", "hint"),
    [
        (("--agent", "aide", "--dollars", "5"), "aide", "Add --model NAME, or leave out --dollars."),
        (("--tokens", "900"), "greedy", "Add --model NAME, or leave out --tokens."),
        (
            ("--agent", "command", "--cmd", "true", "--tokens", "9"),
            "command",
            "Add --model NAME, or leave out --tokens.",
        ),
        (("--agent", "noop", "--dollars", "5", "--tokens", "9"), "noop", "Leave out --dollars and --tokens."),
    ],
)
def test_a_cap_for_a_model_that_nobody_asks_is_refused(
    fmlbench: Fmlbench, runs: Path, words: tuple[str, ...], agent: str, hint: str
):
    called = fmlbench("run", "toy", *words)
    assert called.code == 2
    options = " and ".join(word for word in words if word in {"--dollars", "--tokens"})
    complaint = f"{options} {'need' if ' and ' in options else 'needs'} a model, but '{agent}' has none."
    assert called.err == f"error: {complaint}\nhint:  {hint}\n"
    assert not runs.exists()


def test_a_setting_of_models_asks_for_one(fmlbench: Fmlbench):
    called = fmlbench("run", "toy", "--agent", "aide", "--set", "context_tokens=100")
    assert called.code == 2
    assert called.err == (
        "error: Agent 'aide' has no setting named 'context_tokens'.\n"
        "hint:  It is a setting of language models: add --model NAME.\n"
    )
    unfit = fmlbench("run", "toy", "--agent", "noop", "--set", "context_tokens=100")
    assert "hint:  Its settings: none." in unfit.err


def test_without_a_sandbox_nothing_runs_unless_unsealed_is_asked_for(
    fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("fmlbench.cli.requests.open_sandbox", without_bubblewrap)
    for words in (("run", "toy"), ("bench", "--suite", "test"), ("brief", "toy")):
        called = fmlbench(*words)
        assert called.code == 2
        assert "sudo apt install bubblewrap" in called.err
        assert "--unsealed" in called.err
    assert not runs.exists()


def test_a_request_becomes_a_specification():
    request = RunRequest(
        agent="greedy",
        steps=3,
        seed=1,
        track="cpu",
        hours=2.0,
        dollars=5.0,
        model="scripted/tinker",
        retest=4,
        label="again",
        settings={"debug_tries": "5"},
    )
    spec = request.spec(find_task("toy"))
    assert (spec.task, spec.track, spec.seed, spec.retest_seeds, spec.label) == ("toy", "cpu", 1, 4, "again")
    assert (spec.budget.steps, spec.budget.hours, spec.budget.dollars) == (3, 2.0, 5.0)
    assert (spec.agent.model, spec.agent.settings["debug_tries"]) == ("scripted/tinker", 5)
    assert spec.isolation is Isolation.BUBBLEWRAP


def test_only_a_clear_wish_makes_a_run_unsealed():
    request = RunRequest(agent="noop", steps=1, seed=0, track="cpu", unsealed=True)
    assert request.spec(find_task("toy")).isolation is Isolation.NONE


def test_a_task_of_the_users_own_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "mine").symlink_to(task_folders()["toy"])
    monkeypatch.chdir(tmp_path)
    copy = TaskFolder(path=tmp_path / "copy" / ".." / "elsewhere", task=read_task(tmp_path / "mine").task)
    monkeypatch.setattr(TaskFolder, "digest", "0" * 64)
    assert REQUEST.spec(copy).task == str(tmp_path / "elsewhere")


def test_settings_are_keys_and_values_and_a_value_may_hold_an_equals_sign():
    assert read_settings(["a=1", "b=x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    with pytest.raises(BadRequest):
        read_settings(["=1"])
