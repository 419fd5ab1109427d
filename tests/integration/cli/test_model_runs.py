"""Runs with a language model on the toy task: recorded, capped, resumed, replayed; scripted, and over the wire."""

import json
from pathlib import Path

import pytest

from fmlbench.models.call_log import LoggedCall, read_calls
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import read_state
from fmlbench.testing.models.faults import Fault
from fmlbench.testing.models.server import KEY, ModelServer
from tests.command_line import Fmlbench
from tests.tiny_model import write_tiny_model

WIDER = """IDEA: descend for longer

tinylearn/model.py
<<<<<<< SEARCH
def descend(features, labels, classes, rng, learning_rate=0.3, steps=150, momentum=0.9, weight_decay=1e-3):
=======
def descend(features, labels, classes, rng, learning_rate=0.3, steps={steps}, momentum=0.9, weight_decay=1e-3):
>>>>>>> REPLACE
"""
WRONG = WIDER.replace("learning_rate=0.3, steps=150", "learning_rate=0.4, steps=150")
OPENAI = ("--model", "openai/gpt-4o")
ONE_STEP = ("--steps", "1", "--retest", "0")

pytestmark = pytest.mark.sandbox


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.json"
    path.write_text(json.dumps([[WRONG, WIDER.replace("{steps}", "151")], WIDER.replace("{steps}", "152")]))
    return f"scripted/{path}"


def run_in(runs: Path, name: str = "*") -> RunFolder:
    (path,) = runs.glob(name)
    return RunFolder(path)


def answers_of(run: RunFolder) -> list[LoggedCall]:
    return [call for call in read_calls(run.calls) if call.is_answered]


def point_to(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)


def test_a_scripted_model_does_research_and_every_exchange_is_kept(fmlbench: Fmlbench, runs: Path, script: str):
    called = fmlbench("run", "toy", "--agent", "aide", "--model", script, "--steps", "2", "--retest", "0")
    assert called.code == 0, called.err
    run = run_in(runs)
    first, second = read_state(run).steps[1:]
    assert (first.evaluation.outcome, first.idea) == ("ok", "descend for longer")
    assert (first.usage.calls, second.usage.calls, second.usage.dollars) == (2, 1, 0.0)
    dirs = [(each.key.step, each.key.turn) for each in answers_of(run) if each.key]
    assert dirs == [(1, 0), (1, 1), (2, 0)]
    assert "3 calls" in called.out
    spec = run.read_spec()
    assert (spec.agent.proposer, spec.agent.model, len(spec.agent.prompts)) == ("llm", script, 64)


def test_a_model_on_this_machine_that_talks_nonsense_costs_a_step_but_not_the_run(
    fmlbench: Fmlbench, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FMLBENCH_LOCAL_THREADS", "1")
    monkeypatch.setenv("FMLBENCH_LOCAL_CONTEXT", "65536")
    model = f"local/{write_tiny_model(tmp_path / 'tiny.gguf')}"
    called = fmlbench("run", "toy", "--model", model, *ONE_STEP, "--set", "output_tokens=100")
    assert called.code == 0, called.err
    (step,) = read_state(run_in(runs)).steps[1:]
    assert (step.evaluation.outcome, step.usage.dollars) == ("rejected", 0.0)
    tokens = [each.tokens for each in answers_of(run_in(runs))]
    assert step.usage.calls == len(tokens) > 1
    assert (step.usage.input_tokens, step.usage.output_tokens) == (
        sum(each.input for each in tokens),
        sum(each.output for each in tokens),
    )
    assert all(each.input > 1000 and 0 < each.output <= 100 for each in tokens)


@pytest.mark.parametrize("with_model", [True, False])
def test_a_run_is_replayed_without_its_model(
    fmlbench: Fmlbench, runs: Path, script: str, with_model: bool, monkeypatch: pytest.MonkeyPatch
):
    """In the same words, the model's relative path among them, or without it."""
    path = Path(script.removeprefix("scripted/"))
    monkeypatch.chdir(path.parent)
    words = ("run", "toy", "--agent", "aide", "--steps", "2", "--retest", "0")
    model = ("--model", f"scripted/{path.name}")
    assert fmlbench(*words, *model).code == 0
    recorded = run_in(runs)
    path.unlink()

    called = fmlbench(*words, *(model if with_model else ()), "--replay", recorded.path.name)
    assert called.code == 0, called.err
    (replayed,) = (RunFolder(path) for path in runs.iterdir() if path != recorded.path)
    told = [[(step.idea, step.snapshot, step.score) for step in read_state(run).steps] for run in (recorded, replayed)]
    assert told[0] == told[1]
    assert all(each.replays == each.digest for each in answers_of(replayed))
    assert ", replayed: 3 calls" in called.out

    other = fmlbench("run", "toy", "--agent", "greedy", "--replay", recorded.path.name)
    assert other.code == 2
    assert "differs from the agent of the replayed run" in other.err
    assert other.err.endswith(
        f"hint:  The replayed run used aide with {script}, drafts=5, debug_chance=0.5, debug_depth=3.\n"
    )
    fewer = fmlbench("run", "toy", "--agent", "aide", "--set", "drafts=2", "--replay", recorded.path.name)
    assert fewer.err.endswith(f"hint:  The replayed run used aide with {script}, drafts=5.\n")
    longer = fmlbench("run", "toy", "--agent", "aide", "--steps", "5", "--retest", "0", "--replay", recorded.path.name)
    assert "the replayed run has no answer for step 3" in longer.err


def test_a_resumed_run_pays_for_nothing_twice(fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch):
    """The process dies after the model has answered and before the proposal is on record."""
    with ModelServer(lambda _: WIDER.replace("{steps}", "151")) as server:
        point_to(server, monkeypatch)
        with monkeypatch.context() as broken:
            broken.setattr("fmlbench.agents.proposers.llm.proposer.read_answer", _die)
            with pytest.raises(MemoryError):
                fmlbench("run", "toy", *OPENAI, *ONE_STEP)
        assert server.calls == 1
        called = fmlbench("resume", run_in(runs).path.name)
        assert called.code == 0, called.err
        assert server.calls == 1
    (step,) = read_state(run_in(runs)).steps[1:]
    (call,) = answers_of(run_in(runs))
    assert step.usage.dollars == call.dollars
    assert step.usage.dollars


def test_a_model_that_never_answers_is_not_waited_for_beyond_the_hours_and_the_run_can_be_resumed(
    fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("fmlbench.models.client.GRACE_SECONDS", 0.5)
    with ModelServer(lambda _: WIDER.replace("{steps}", "151"), [Fault.HANG]) as server:
        point_to(server, monkeypatch)
        called = fmlbench("run", "toy", *OPENAI, *ONE_STEP, "--hours", "0.0001")
        assert (called.code, server.calls) == (75, 1), called.err
        assert "openai/gpt-4o did not answer: no answer within 0.5 s" in called.err
    assert not read_state(run_in(runs)).finished


def test_a_model_that_falls_silent_ends_the_search_when_the_hours_are_over(
    fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its first answer cannot be used, so it is asked again within the same step."""
    hours = Countdowns(3600.0, 3600.0, 0.5)
    monkeypatch.setattr("fmlbench.engine.run.Countdown", hours)
    monkeypatch.setattr("fmlbench.models.client.GRACE_SECONDS", 0.5)
    with SilentAfterOne(lambda _: WRONG) as server:
        point_to(server, monkeypatch)
        called = fmlbench("run", "toy", *OPENAI, "--steps", "3", "--retest", "0", "--hours", "1")
        assert called.code == 0, called.err
        assert server.calls == 2
    state = read_state(run_in(runs))
    assert [step.evaluation.outcome for step in state.steps] == ["ok", "rejected"]
    assert state.finished == "no time is left for another call"


class Countdowns:
    """Hours that pass by as they are looked at."""

    def __init__(self, *left: float) -> None:
        self._left = [*left]

    def __call__(self, *_: object) -> "Countdowns":
        return self

    def seconds_left(self) -> float:
        return self._left.pop(0) if self._left else 0.0


class SilentAfterOne(ModelServer):
    def next_fault(self) -> Fault | None:
        super().next_fault()
        return Fault.HANG if self.calls > 1 else None


def _die(*_: object, **__: object) -> None:
    raise MemoryError


def test_failures_of_the_wire_that_pass_cost_no_step(fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fmlbench.engine.model_access.PAUSES_SECONDS", (0.0,) * 4)
    faults = [Fault.RATE_LIMITED, Fault.GARBAGE, Fault.DROP, Fault.OVERLOADED]
    with ModelServer(lambda _: WIDER.replace("{steps}", "151"), faults) as server:
        point_to(server, monkeypatch)
        assert fmlbench("run", "toy", *OPENAI, *ONE_STEP).code == 0
    (call,) = answers_of(run_in(runs))
    assert call.attempt == 5
    assert [step.evaluation.outcome for step in read_state(run_in(runs)).steps] == ["ok", "ok"]
    kept = [path.read_bytes() for path in run_in(runs).path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in content for content in kept)


def test_failures_of_the_wire_do_not_lead_past_a_cap(fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch):
    """A call can take some 4,000 tokens, and a first answer that cannot be read may have: there is no room for two."""
    monkeypatch.setattr("fmlbench.engine.model_access.PAUSES_SECONDS", (0.0,) * 4)
    with ModelServer(lambda _: WIDER.replace("{steps}", "151"), [Fault.GARBAGE] * 9) as server:
        point_to(server, monkeypatch)
        words = ("--tokens", "5000", "--set", "output_tokens=1000")
        called = fmlbench("run", "toy", *OPENAI, *ONE_STEP, *words)
        assert (called.code, server.calls) == (0, 1), called.err
    state = read_state(run_in(runs))
    assert (len(state.steps), state.finished.startswith("another call could take")) == (1, True)


def test_a_failure_that_stays_ends_the_run_so_that_it_can_be_resumed(
    fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch
):
    with ModelServer(lambda _: WIDER.replace("{steps}", "151"), [Fault.UNAUTHORIZED]) as server:
        point_to(server, monkeypatch)
        called = fmlbench("run", "toy", *OPENAI, *ONE_STEP)
        assert called.code == 2
        assert "openai/gpt-4o did not answer: HTTP 401" in called.err
        assert "Set OPENAI_API_KEY to a key that works." in called.err
        name = run_in(runs).path.name
        assert f"fmlbench resume {name}" in called.err
        assert len(read_state(run_in(runs)).steps) == 1
        assert fmlbench("resume", name).code == 0
    assert len(read_state(run_in(runs)).steps) == 2


def test_a_cap_is_not_broken_and_ends_the_search(fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch):
    """A call reads some 2,000 tokens, at most 3,000 by estimate, and may write 1,000."""
    with ModelServer(lambda asked: WIDER.replace("{steps}", str(len(asked.messages[0][1])))) as server:
        point_to(server, monkeypatch)
        settings = ("--set", "output_tokens=1000", "--steps", "9", "--retest", "0")
        called = fmlbench("run", "toy", "--agent", "random", *OPENAI, "--tokens", "9000", *settings)
        assert called.code == 0, called.err
        calls = server.calls
        assert fmlbench("run", "toy", "--agent", "random", *OPENAI, "--dollars", "0.00001", *settings).code == 0
        assert server.calls == calls
    capped, broke = (
        read_state(RunFolder(path)) for path in sorted(runs.iterdir(), key=lambda path: path.stat().st_ctime)
    )
    assert capped.finished.startswith("another call could take")
    spent = sum(step.usage.input_tokens + step.usage.output_tokens for step in capped.steps)
    assert 0 < spent <= 9000
    assert (len(broke.steps), broke.finished.startswith("another call could cost $")) == (1, True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--model", "openai/gpt-4o"), "There is no key for openai."),
        (("--model", "gpt-4o"), "'gpt-4o' is not the name of a model."),
        (("--model", "scripted/tinker", "--tokens", "0"), "--tokens must be positive, got 0."),
        (("--model", "vllm/mine", "--dollars", "1"), "The price of vllm/mine is unknown"),
        (("--agent", "oracle", "--model", "scripted/tinker"), "Agent 'oracle' does not take a model."),
        (("--set", "edit_tries=2"), "Agent 'greedy' has no setting named 'edit_tries'."),
        (("--model", "scripted/tinker", "--set", "temperature=warm"), "temperature must be a number, got 'warm'"),
        (("--replay", "nothing"), "There is no run named 'nothing'."),
    ],
)
def test_what_makes_no_sense_leaves_nothing_behind(
    fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], complaint: str
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    called = fmlbench("run", "toy", *words)
    assert called.code == 2
    assert complaint in called.err
    assert not runs.exists()


def test_models_lists_what_is_configured(fmlbench: Fmlbench, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    listed = {row["name"]: row for row in json.loads(fmlbench("models", "--json").out)}
    assert listed["anthropic"]["is_ready"]
    assert listed["openai"]["missing"] == "export OPENAI_API_KEY=..."
    shown = fmlbench("models").out
    assert KEY not in shown
    assert "context_tokens" in shown
    lines = [line.strip() for line in shown.splitlines()]
    assert lines[next(number for number, line in enumerate(lines) if line.startswith("--set")) - 1] == ""


def test_a_trial_of_a_model_that_costs_nothing_says_so(fmlbench: Fmlbench):
    lines = [line.rstrip() for line in fmlbench("models", "test", "scripted/tinker").out.splitlines()]
    assert "cost       none, free of charge" in lines


def test_models_tests_a_key(fmlbench: Fmlbench, monkeypatch: pytest.MonkeyPatch):
    with ModelServer(lambda _: "hello") as server:
        point_to(server, monkeypatch)
        called = fmlbench("models", "test", "openai/gpt-4o")
        assert called.code == 0
        assert "hello" in called.out
        assert "genai-prices" in called.out
        monkeypatch.setenv("OPENAI_API_KEY", "wrong")
        refused = fmlbench("models", "test", "openai/gpt-4o")
        assert refused.code == 2
        assert "HTTP 401" in refused.err
