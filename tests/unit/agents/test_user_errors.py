"""Mistakes in a user's agent are reported with file and line; bugs of fmlbench keep their traceback."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from fmlbench.agents.proposers.fixed import Unchanged
from fmlbench.agents.registry import agent_spec, build_agent, find_agent
from fmlbench.agents.search_agent import SearchAgent, require_move
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.agents.user_file import Mistake, blamed_on
from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import AgentBroken, AgentFailed, FmlbenchError, ModelTrouble
from fmlbench.core.steps import History, Move, Operator
from fmlbench.testing.context import bare_context
from fmlbench.testing.sessions import RecordedSession

STRATEGY = """\
from dataclasses import dataclass
from fmlbench.agents.registry import ProposerEntry, search_entry
from fmlbench.agents.settings import parameter
from fmlbench.agents.strategies.aide import Aide
from fmlbench.core.steps import Move, Operator, Proposal

@dataclass(frozen=True)
class Mine:
    length: int = parameter(5, "how long", low=1)
    def next_move(self, history, rng):
        return Move(operator=Operator.DRAFT)

class Writer:
    def propose(self, move, session, rng):
        return Proposal(move, session.code_of(0), "nothing")

AGENT = search_entry("mine", Mine, "Mine.", proposer=ProposerEntry("writer", lambda spec: Writer()))
"""
MOVE = "Move(operator=Operator.DRAFT)"
PROPOSAL = 'Proposal(move, session.code_of(0), "nothing")'
ENTRY = STRATEGY.splitlines()[-1]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Writes ./mine.py, with one piece of it in the place of another."""
    monkeypatch.chdir(tmp_path)

    def write(old: str = "", new: str = "") -> None:
        assert old in STRATEGY
        Path("mine.py").write_text(STRATEGY.replace(old, new) if old else STRATEGY)

    return write


def session_of(steps: int = 3) -> RecordedSession:
    return RecordedSession({"research.py": "rate = 0.5\n"}, lambda _: 0.5, steps=steps)


def play() -> RecordedSession:
    session = session_of()
    build_agent(agent_spec("./mine.py", {}), bare_context()).run(session)
    return session


def preset(defaults: str) -> str:
    return f'AGENT = search_entry("mine", Aide, "Mine.", defaults={defaults})'


def test_a_file_without_mistakes_plays(write: Callable[..., None]):
    write()
    assert len(play().history.proposed) == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("next_move(self, history, rng)", "next_move(self", "./mine.py, line 10: '(' was never closed"),
        ("from dataclasses", "import moonshine\nfrom dataclasses", "./mine.py, line 1: No module named 'moonshine'"),
        ("Operator, Proposal\n", "Operators\n", "./mine.py, line 5: cannot import name 'Operators' from"),
        ("low=1", "low=1 / 0", "./mine.py, line 9: ZeroDivisionError: division by zero"),
        ("@dataclass(frozen=True)\n", "\n", "./mine.py, line 17: Strategy Mine is not a dataclass."),
        ("def next_move", "def next", "./mine.py, line 17: Strategy Mine has no method next_move."),
        ("Mine, ", "Mine(), ", "./mine.py, line 17: Mine(length=5) is not a class."),
        (
            '= parameter(5, "how long", low=1)',
            "",
            "./mine.py, line 17: Field 'length' of strategy Mine has no default.",
        ),
        (ENTRY, preset("{'draft': 10}"), "./mine.py, line 17: Agent 'mine' has no setting named 'draft'."),
        (
            ENTRY,
            preset("{'drafts': 0}"),
            "./mine.py, line 17: Setting 'drafts' of agent 'mine' must be a whole number, 1 or more, got '0'.",
        ),
    ],
)
def test_a_mistake_in_a_file_is_reported_with_its_line(write: Callable[..., None], old: str, new: str, message: str):
    write(old, new)
    with pytest.raises(AgentBroken) as caught:
        find_agent("./mine.py")
    assert caught.value.message.startswith(message)
    assert caught.value.hint


def test_each_mistake_has_a_hint_of_its_own_where_there_is_one(write: Callable[..., None]):
    write("from dataclasses", "import moonshine\nfrom dataclasses")
    with pytest.raises(AgentBroken) as caught:
        find_agent("./mine.py")
    assert caught.value.hint == "Install it in the same Python environment as fmlbench, or remove the import."
    write(ENTRY, preset("{'drafts': 0}"))
    with pytest.raises(AgentBroken) as caught:
        find_agent("./mine.py")
    assert caught.value.hint == "drafts: number of initial drafts; default 5."


def test_a_file_elsewhere_is_named_by_its_whole_path(write: Callable[..., None], monkeypatch: pytest.MonkeyPatch):
    write("low=1", "low=1 / 0")
    path = Path("mine.py").resolve()
    (path.parent / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    with pytest.raises(AgentBroken) as caught:
        find_agent(str(path))
    assert caught.value.message == f"{path}, line 9: ZeroDivisionError: division by zero"


def test_a_module_that_the_file_imports_is_named_beside_it(
    write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "half_written.py").write_text("x = (\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    write("from dataclasses", "import half_written\nfrom dataclasses")
    with pytest.raises(AgentBroken) as caught:
        find_agent("./mine.py")
    assert caught.value.message == ("./mine.py, line 1: SyntaxError: '(' was never closed (half_written.py, line 1)")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (MOVE, "{}['climb']", "./mine.py, line 11: KeyError: 'climb'"),
        (MOVE, "history[99]", "./mine.py, line 11: IndexError: tuple index out of range"),
        (MOVE, "Move(operator='walk')", "./mine.py, line 11: Move: operator: Input should be "),
        (MOVE, "open('notes.txt')", "./mine.py, line 11: FileNotFoundError: [Errno 2] No such file"),
        (MOVE, "'draft'", "./mine.py: next_move returned 'draft', which is not a Move"),
        (MOVE, "Move(operator='improve', parents=(7,))", "./mine.py: a move to improve names step 7, but the last "),
        (PROPOSAL, "[][0]", "./mine.py, line 15: IndexError: list index out of range"),
        (PROPOSAL, "None", "./mine.py: propose returned None, which is not a Proposal"),
        (
            PROPOSAL,
            "Proposal(move, None, '')",
            "./mine.py: the files of a proposal must be a mapping of paths to strings",
        ),
        (
            PROPOSAL,
            "Proposal(move, {'a': 1}, '')",
            "./mine.py: the files of a proposal must be a mapping of paths to strings",
        ),
        (
            PROPOSAL,
            "Proposal(None, {}, '')",
            "./mine.py: the proposal's move differs from the requested one",
        ),
        ("def propose", "def write", "./mine.py: Writer has no method propose"),
        ("lambda spec: Writer()", "Writer", "./mine.py: TypeError: Writer() takes no arguments"),
        ("lambda spec: Writer()", "lambda spec: None", "./mine.py: NoneType has no method propose"),
    ],
)
def test_a_mistake_during_a_run_is_reported_with_its_line(write: Callable[..., None], old: str, new: str, message: str):
    write(old, new)
    with pytest.raises(AgentBroken) as caught:
        play()
    assert caught.value.message.startswith(message)
    assert caught.value.hint == "Fix the file; docs/agents.md shows how."


@pytest.mark.parametrize(
    ("error", "passes"),
    [("NoMoreCalls('spent')", NoMoreCalls), ("ModelTrouble('silent', hint='Wait.')", ModelTrouble)],
)
def test_errors_of_fmlbench_pass_unchanged(write: Callable[..., None], error: str, passes: type[Exception]):
    imports = "from fmlbench.core.agents import NoMoreCalls\nfrom fmlbench.core.errors import ModelTrouble\n"
    write(PROPOSAL, f"self.give_up()\n    def give_up(self):\n        raise {error}")
    Path("mine.py").write_text(imports + Path("mine.py").read_text())
    with pytest.raises(passes):
        play()


def test_trouble_with_files_in_what_fmlbench_does_for_an_agent_is_not_the_agent_s(write: Callable[..., None]):
    write(PROPOSAL, "sha256_of(Path('gone'))")
    imports = "from pathlib import Path\nfrom fmlbench.workspace.digests import sha256_of\n"
    Path("mine.py").write_text(imports + Path("mine.py").read_text())
    with pytest.raises(FileNotFoundError):
        play()


@dataclass(frozen=True)
class Theirs:
    """A strategy of another package, with a move to hand in, or an error to raise."""

    made: object

    def next_move(self, history: History, rng: Random) -> Move | None:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made  # pyright: ignore[reportReturnType]


def test_a_mistake_in_a_package_is_reported_with_its_file():
    with pytest.raises(AgentFailed) as caught:
        SearchAgent(Theirs(KeyError("climb")), Unchanged()).run(session_of())
    assert caught.value.message.partition(", line ")[0].endswith("test_user_errors.py")
    assert caught.value.message.endswith(": KeyError: 'climb'")
    assert caught.value.hint == "Fix the package that contains it, or report this to its authors."


def test_a_mistake_of_our_own_stays_a_traceback():
    with pytest.raises(ZeroDivisionError), blamed_on(Repeat()):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (3, "next_move returned 3, which is not a Move"),
        (Move(operator=Operator.IMPROVE, parents=(4,)), "names step 4, but the last step is 3"),
        (Move(operator=Operator.IMPROVE, parents=(-1,)), "names step -1, but the last step is 3"),
        (Move(operator=Operator.IMPROVE, parents=(1,), context=(2, 9)), "names step 9, but the last step is 3"),
        (Move(operator=Operator.IMPROVE, parents=(1,), context=(-2,)), "names step -2, but the last step is 3"),
        (Move(operator=Operator.DRAFT, parents=()), "a move to draft has no parents"),
        (Move(operator=Operator.COMBINE, parents=(1,)), "a move to combine has one parent"),
        (Move(operator=Operator.BASELINE), "a move has the operator baseline"),
    ],
)
def test_an_invalid_move_is_reported(move: object, message: str):
    with pytest.raises(Mistake, match=message):
        require_move(move, steps=4)


@pytest.mark.parametrize(
    "move",
    [
        Move(operator=Operator.DRAFT),
        Move(operator=Operator.COMBINE, parents=(1, 3), context=(0, 2)),
    ],
)
def test_a_move_that_can_be_played_is_let_pass(move: Move):
    require_move(move, steps=4)


def test_a_move_that_cannot_be_played_never_reaches_the_proposer():
    session = session_of()
    with pytest.raises(FmlbenchError):
        SearchAgent(Theirs(Move(operator=Operator.COMBINE)), Unchanged()).run(session)
    assert len(session.history) == 1
