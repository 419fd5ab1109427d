"""What every proposer must do; inherit the class, say how yours is made, and pytest does the rest.

class TestMutate(ProposerContract):
    def make_proposer(self):
        return Mutate()
"""

import ast
from pathlib import PurePosixPath
from random import Random

from fmlbench.core.agents import Proposer
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.testing.histories import CRASH, Result
from fmlbench.testing.sessions import Files, RecordedSession

SAMPLE: dict[str, str] = {
    "model.py": '''\
"""A model small enough for a test."""

import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self, width: int = 32, dropout: float = 0.1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(8, width),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(width, 4),
        )

    def forward(self, x):
        features = self.body(x)
        return features


def train(model, batches, learning_rate=0.01, steps=100):
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate, momentum=0.9)
    for inputs, labels in batches:
        loss = F.cross_entropy(model(inputs), labels) + 0.1 * sum(p.abs().mean() for p in model.parameters())
        loss.backward()
        optimizer.step()
''',
    "notes/README.md": "Nothing to run here: 0.5 of it is text.\n",
}

MOVES = (
    Move(operator=Operator.DRAFT),
    Move(operator=Operator.IMPROVE, parents=(0,)),
    Move(operator=Operator.IMPROVE, parents=(1,)),
    Move(operator=Operator.DEBUG, parents=(2,)),
    Move(operator=Operator.COMBINE, parents=(1, 3)),
)
"""Every kind of move, for a session that has a good step 1, a crash at 2 and another good step 3."""


class ProposerContract:
    """A proposer answers any move with files that may be tried, or says why there is nothing to try."""

    def make_proposer(self) -> Proposer:
        """Make the proposer that is to be tested."""
        raise NotImplementedError

    def test_it_is_a_proposer(self) -> None:
        assert isinstance(self.make_proposer(), Proposer)

    def test_answers_the_move_it_was_given(self) -> None:
        for move in MOVES:
            assert self._propose(move).move == move

    def test_says_its_idea_in_one_line(self) -> None:
        for move in MOVES:
            idea = self._propose(move).idea
            assert idea.strip()
            assert "\n" not in idea

    def test_stays_within_the_repository(self) -> None:
        for move in MOVES:
            for path in self._propose(move).files:
                assert not PurePosixPath(path).is_absolute(), path
                assert ".." not in PurePosixPath(path).parts, path

    def test_hands_in_all_editable_files(self) -> None:
        for move in MOVES:
            assert set(SAMPLE) <= set(self._propose(move).files)

    def test_writes_python_that_parses(self) -> None:
        for move in MOVES:
            for path, text in self._propose(move).files.items():
                if path.endswith(".py"):
                    ast.parse(text)

    def test_proposes_the_same_with_an_equal_generator(self) -> None:
        for move in MOVES:
            one, other = self._propose(move), self._propose(move)
            assert (one.files, one.idea, one.rejection) == (other.files, other.idea, other.rejection), move

    def test_only_proposes(self) -> None:
        session = _session()
        before = (session.history, [session.code_of(step.index) for step in session.history])
        for move in MOVES:
            self.make_proposer().propose(move, session, Random(0))
        assert (session.history, [session.code_of(step.index) for step in session.history]) == before

    def test_says_why_where_there_is_nothing_to_try(self) -> None:
        session = RecordedSession({"README.md": "No code at all.\n"}, lambda _: 0.5, steps=1)
        proposal = self.make_proposer().propose(MOVES[0], session, Random(0))
        assert proposal.rejection or proposal.files

    def _propose(self, move: Move) -> Proposal:
        return self.make_proposer().propose(move, _session(), Random(3))


def _session() -> RecordedSession:
    session = RecordedSession(SAMPLE, _scored_by_width, steps=9, suggested=("model.py",))
    for move, change in (
        (Move(operator=Operator.DRAFT), ("width: int = 32", "width: int = 64")),
        (Move(operator=Operator.IMPROVE, parents=(1,)), ("nn.ReLU()", "nn.Missing()")),
        (Move(operator=Operator.DRAFT), ("learning_rate=0.01", "learning_rate=0.03")),
    ):
        files = session.code_of(move.parents[0])
        session.submit(Proposal(move, {**files, "model.py": files["model.py"].replace(*change)}, change[1]))
    return session


def _scored_by_width(files: Files) -> Result:
    return CRASH if "Missing" in files["model.py"] else 0.5 + 0.1 * files["model.py"].count("64")
