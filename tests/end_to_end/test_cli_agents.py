"""The real Claude Code, Codex and Gemini CLI against a scripted model, through the proxy, in the sandbox."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fmlbench.agents.program.npm_package import install
from fmlbench.agents.program.presets import PRESETS
from fmlbench.agents.registry import agent_spec
from fmlbench.core.errors import ModelTrouble
from fmlbench.core.notes import AgentEnded
from fmlbench.core.progress import Silent
from fmlbench.core.run import Budget, Isolation, RunSpec
from fmlbench.engine.run import create, execute_run, load_run
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.sandbox.cgroups import groups_of
from fmlbench.testing.models.faults import Fault
from fmlbench.testing.models.server import KEY
from fmlbench.testing.models.tool_server import ToolServer
from fmlbench.testing.models.tool_wire import CACHED, INPUT, OUTPUT, Turn, Use
from fmlbench.workspace.dirs import Dirs

pytestmark = [pytest.mark.sandbox, pytest.mark.real, pytest.mark.timeout(600)]

MODEL = "tinylearn/model.py"
FIRST, SECOND = "fml submit -m 'as it is'", "fml submit -m 'fewer epochs'"
PATCH = f"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {MODEL}\n@@\n-OLD\n+NEW\n*** End Patch\nEOF"
LAST_WORDS = "I have submitted twice and am done."

Run = Callable[..., RunFolder]


def line_to_change(toy: PreparedTask) -> tuple[str, str]:
    lines = (toy.codebase / MODEL).read_text().splitlines()
    old = next(line for line in lines if "steps=150" in line)
    return old, old.replace("steps=150", "steps=3")


def claude_script(old: str, new: str) -> Sequence[Turn]:
    path = f"/lab/work/{MODEL}"
    return (
        Use("Bash", {"command": FIRST, "description": "submit"}),
        Use("Read", {"file_path": path}),
        Use("Edit", {"file_path": path, "old_string": old, "new_string": new}),
        Use("Bash", {"command": SECOND, "description": "submit"}),
        LAST_WORDS,
    )


def codex_script(old: str, new: str) -> Sequence[Turn]:
    # It returns after a while, and the next turn would come too early, if it were not told to wait.
    wait = {"yield_time_ms": 120_000}
    return (
        Use("exec_command", {"cmd": FIRST, **wait}),
        Use("exec_command", {"cmd": PATCH.replace("OLD", old).replace("NEW", new)}),
        Use("exec_command", {"cmd": SECOND, **wait}),
        LAST_WORDS,
    )


def gemini_script(old: str, new: str) -> Sequence[Turn]:
    change = {"file_path": f"/lab/work/{MODEL}", "old_string": old, "new_string": new, "instruction": "fewer epochs"}
    return (
        Use("run_shell_command", {"command": FIRST}),
        Use("replace", change),
        Use("run_shell_command", {"command": SECOND}),
        LAST_WORDS,
    )


SCRIPTS = {"claude-code": claude_script, "codex": codex_script, "gemini": gemini_script}
PROGRAMS = ["claude-code", "codex", pytest.param("gemini", marks=pytest.mark.long)]

_STATUSES = (Fault.RATE_LIMITED, Fault.OVERLOADED, Fault.SERVER_ERROR)
PASSING = {
    "claude-code": (*_STATUSES, Fault.GARBAGE, None, Fault.DROP),
    "codex": (*_STATUSES, Fault.GARBAGE, Fault.DROP),
    "gemini": (*_STATUSES, Fault.GARBAGE),
}
"""What each tries again after, one after the other; Claude Code gives up after two answers in a row that are none."""
EVERY_DAY = {
    "claude-code": {Fault.UNAUTHORIZED, Fault.HANG, Fault.DROP, Fault.GARBAGE},
    "codex": {Fault.UNAUTHORIZED, Fault.RATE_LIMITED, Fault.SERVER_ERROR, Fault.HANG, Fault.DROP, Fault.GARBAGE},
}
"""The others differ in a number only, and each takes half a minute."""
FOR_GOOD = [
    pytest.param(name, fault, marks=() if fault in EVERY_DAY.get(name, ()) else pytest.mark.long)
    for name in SCRIPTS
    for fault in (*_STATUSES, Fault.UNAUTHORIZED, Fault.HANG, Fault.DROP, Fault.GARBAGE)
]
TOLD = {Fault.HANG: "cut off", Fault.DROP: "broke off", Fault.GARBAGE: "not a model's answer"}


@pytest.fixture(scope="session")
def programs(cache: Path) -> Callable[[str], Path]:
    return lambda name: install(PRESETS[name].package, cache / "programs")


@pytest.fixture
def make(toy: PreparedTask, dirs: Dirs, programs: Callable[[str], Path]) -> Run:
    def create_run(
        name: str, *, steps: int = 2, hours: float | None = 0.1, tokens: int | None = None, replay: str = ""
    ) -> RunFolder:
        agent = agent_spec(name, {"program": str(programs(name))})
        spec = RunSpec(
            task="toy",
            task_digest=toy.folder.digest,
            track="cpu",
            agent=agent.model_copy(update={"replay": replay}),
            seed=0,
            budget=Budget(steps=steps, hours=hours, tokens=tokens),
            isolation=Isolation.BUBBLEWRAP,
            retest_seeds=0,
            label="replay" if replay else "",
        )
        return create(spec, dirs)

    return create_run


def serving(monkeypatch: pytest.MonkeyPatch, script: Sequence[Turn], faults: Sequence[Fault | None] = ()) -> ToolServer:
    server = ToolServer(script, faults)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


def play_out(folder: RunFolder, dirs: Dirs) -> tuple[RunState, str]:
    execute_run(load_run(folder, dirs), progress=Silent(), watch=lambda _: None)
    return read_state(folder), (folder.agent / "log.txt").read_text("utf-8", "replace")


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_edits_submits_twice_gets_scores_and_finishes(
    name: str, make: Run, dirs: Dirs, toy: PreparedTask, monkeypatch: pytest.MonkeyPatch
):
    script = SCRIPTS[name](*line_to_change(toy))
    with serving(monkeypatch, script) as server:
        folder = make(name)
        state, log = play_out(folder, dirs)
    assert [step.idea for step in state.steps] == ["baseline", "as it is", "fewer epochs"]
    assert all(step.evaluation.is_ok for step in state.steps)
    assert state.steps[2].score != state.steps[0].score
    assert LAST_WORDS in log
    first = state.steps[1].usage
    assert (first.calls, first.input_tokens, first.output_tokens, first.cached_tokens) == (1, INPUT, OUTPUT, CACHED)
    assert sum(step.usage.calls for step in state.steps) == len(script) - 1
    assert sum(usage.calls for usage in state.usages) == len(script), "its last words cost something, too"
    assert first.dollars is not None
    assert first.dollars > 0
    assert f"{len(script)} calls" in next(note.reason for note in state.notes if isinstance(note, AgentEnded))
    assert all(KEY in " ".join(heard.headers.values()) for heard in server.heard)
    assert KEY not in (folder.agent / "calls.jsonl").read_text()
    assert KEY not in log


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_it_stops_when_the_tokens_are_spent_and_no_call_is_made_beyond(
    name: str, make: Run, dirs: Dirs, toy: PreparedTask, monkeypatch: pytest.MonkeyPatch
):
    with serving(monkeypatch, SCRIPTS[name](*line_to_change(toy))) as server:
        folder = make(name, tokens=2 * (INPUT + OUTPUT) - 1)
        state, _ = play_out(folder, dirs)
    assert len(server.heard) == 2
    assert [step.idea for step in state.steps] == ["baseline", "as it is"]
    assert state.finished == "the budget of 2099 tokens is spent"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_provider_s_passing_troubles_are_survived(
    name: str, make: Run, dirs: Dirs, toy: PreparedTask, monkeypatch: pytest.MonkeyPatch
):
    with serving(monkeypatch, SCRIPTS[name](*line_to_change(toy)), PASSING[name]):
        state, _ = play_out(make(name), dirs)
    assert [step.idea for step in state.steps] == ["baseline", "as it is", "fewer epochs"]


@pytest.mark.parametrize(("name", "fault"), FOR_GOOD)
def test_a_provider_that_fails_for_good_leaves_a_run_that_can_be_gone_on_with(
    name: str, fault: Fault, make: Run, dirs: Dirs, monkeypatch: pytest.MonkeyPatch
):
    """Whether the program gives up or tries for ever, the run is over at its deadline."""
    folder = make(name, steps=1, hours=30 / 3600)
    faults = [fault] * 1000
    with (
        serving(monkeypatch, (), faults) as server,
        pytest.raises(ModelTrouble, match=TOLD.get(fault, f"HTTP {fault}")),
    ):
        play_out(folder, dirs)
    assert server.heard
    assert not groups_of(folder.path.name)
    assert not [path for path in folder.agent.rglob("socket") if path.is_socket()]
    with serving(monkeypatch, (SCRIPTS[name]("", "")[0], LAST_WORDS)):
        state, _ = play_out(folder, dirs)
    assert [step.idea for step in state.steps] == ["baseline", "as it is"]


def test_a_recorded_run_is_replayed_without_a_key(
    make: Run, dirs: Dirs, toy: PreparedTask, monkeypatch: pytest.MonkeyPatch
):
    with serving(monkeypatch, claude_script(*line_to_change(toy))) as server:
        recorded = make("claude-code")
        before, _ = play_out(recorded, dirs)
    for variable in server.environment:
        monkeypatch.delenv(variable)
    after, _ = play_out(make("claude-code", replay=str(recorded.path)), dirs)
    assert [step.score for step in after.steps] == [step.score for step in before.steps]
    assert [step.usage.input_tokens for step in after.steps] == [step.usage.input_tokens for step in before.steps]
    assert sum(step.usage.dollars or 0 for step in after.steps) == 0
