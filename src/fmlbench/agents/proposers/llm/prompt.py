"""Write the prompt for a move, within a budget of tokens.

The task is always complete. The rest of the budget goes to the output of the failed step (debug moves), then to the
code, then to the steps that the move names, the most important first. What does not fit is shortened, or only counted.
Ideas and goals take space from the steps, not from the code, so that the provider's cache of the code stays valid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.edit_target import EditTarget
from fmlbench.agents.proposers.llm.fences import fence_of, head_of, headed, tail_of
from fmlbench.agents.proposers.llm.memory import Memory
from fmlbench.core.agents import Brief, Session
from fmlbench.core.errors import BadRequest
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Move, Operator, StagePlan
from fmlbench.models.chat import estimate_tokens

BYTES_PER_TOKEN = 3
_SHARE_OF_OUTPUT = 0.2
_SHARE_OF_CODE = 0.65
SHARE_OF_PLAN = 1 / 15
"""The largest share of a prompt for ideas; the goal may take the same share again."""
_LEAST_BYTES = 3000
"""The smallest useful space for code and history."""
_SEPARATOR = 2
_MOST_UNSHOWN = 40


def _guidance(move: Move) -> list[str]:
    """What the strategy says to the model: the goal of the stage and the hint."""
    goal = move.plan.goal if isinstance(move.plan, StagePlan) else ""
    return [text for text in (goal, move.hint) if text]


@dataclass(frozen=True)
class Prompt:
    """A prompt for a model."""

    system: str
    user: str

    @property
    def tokens(self) -> int:
        """An upper bound of its length."""
        return estimate_tokens(len(self.system.encode()) + len(self.user.encode()))


@dataclass(frozen=True)
class PromptPlan:
    """What was decided for a move before its prompt is written."""

    idea: str = ""
    goal: str = ""
    target: EditTarget | None = None
    """The definition to change; None leaves the choice to the model."""


def write_prompt(
    move: Move,
    session: Session,
    memory: Memory,
    *,
    tokens: int,
    edit_format: str = "blocks",
    plan: PromptPlan | None = None,
    instead: str = "",
) -> Prompt:
    """The prompt for a move, at most ``tokens`` long; ``instead`` replaces the request that follows from the move."""
    return _Writer(
        move,
        session.brief,
        session.history,
        memory,
        tokens * BYTES_PER_TOKEN,
        edit_format,
        plan or PromptPlan(),
        instead,
    ).prompt


@dataclass(frozen=True)
class _Writer:
    move: Move
    brief: Brief
    history: History
    memory: Memory
    budget: int
    edit_format: str
    plan: PromptPlan
    instead: str

    @property
    def prompt(self) -> Prompt:
        system = render("system", edit_format=self.edit_format, path="<path of the file>", lines="")
        replace(self, plan=PromptPlan(), instead="")._require_room(_size(system))
        room = self.budget - _size(system)
        request = self._request(self._room_for_output(room))
        most_code = int(replace(self, plan=PromptPlan(), instead="")._room_besides_request(room) * _SHARE_OF_CODE)
        room -= _size(self._task(request))
        code, unshown = self._code(min(room, most_code))
        room -= _size(self._task(request, code=code, unshown=unshown)) - _size(self._task(request))
        history, left_out = self._steps(room)
        return Prompt(system, self._task(request, code=code, unshown=unshown, history=history, left_out=left_out))

    def _room_for_output(self, room: int) -> int:
        return int((room - _size(self._task(self._request(0)))) * _SHARE_OF_OUTPUT)

    def _room_besides_request(self, room: int) -> int:
        return room - _size(self._task(self._request(self._room_for_output(room))))

    def _require_room(self, taken: int) -> None:
        """Reject a budget that is too small for later ideas and goals, before any call is made."""
        # Prompts of later moves are a little longer than the first. A run that has started is not rejected for that.
        room = _LEAST_BYTES // 2 if self.history.proposed else _LEAST_BYTES
        least = taken + _size(self._task(self._request(0))) + room
        needed = estimate_tokens(int(least / (1 - 2 * SHARE_OF_PLAN)) + 1)
        if self.budget < needed * BYTES_PER_TOKEN:
            raise BadRequest(
                f"A prompt of {self.budget // BYTES_PER_TOKEN} tokens is too short for this task.",
                hint=f"The minimum is --set context_tokens={needed}, but several times that is better.",
            )

    def _task(
        self,
        request: str,
        *,
        code: Sequence[str] = (),
        unshown: str = "",
        history: Sequence[str] = (),
        left_out: int = 0,
    ) -> str:
        parent = self.move.parents[0]
        return render(
            "task",
            brief=self.brief,
            instructions=self.brief.instructions.strip().removeprefix(f"# {self.brief.title}").strip(),
            best=self.history.best,
            origin=f"step {parent}" if parent else "the baseline",
            request=request,
            code=code,
            unshown=unshown,
            history=history,
            left_out=left_out,
        )

    def _request(self, tail_bytes: int) -> str:
        """The request; for a failed step it contains the end of its output, where the traceback is."""
        if self.instead:
            return self.instead
        failed = self.history[self.move.parents[0]].evaluation
        is_hidden = failed.outcome is Outcome.REJECTED and self._hides_changes
        failure = f"{tail_of(failed.log_tail, tail_bytes)}\n{failed.reason}".strip()
        return render(
            "request",
            move=self.move,
            operator=Operator.IMPROVE if is_hidden else self.move.operator,
            outcome=failed.outcome,
            failure=failure,
            mark=fence_of(failure),
            others=" and ".join(f"step {parent}" for parent in self.move.parents[1:]) or "other steps",
            plan=self.plan,
            idea_mark=fence_of(self.plan.idea),
            goal_mark=fence_of(self.plan.goal),
            edit_format=self.edit_format,
            path=self.plan.target.path if self.plan.target else example_path(self.brief),
            lines="",
            guidance=_guidance(self.move),
        ).strip()

    def _code(self, room: int) -> tuple[list[str], str]:
        """The files the move starts from, and the paths of those that did not fit.

        The most important files come last: they change most often, and the text before them stays in the cache.
        """
        shown: list[str] = []
        unshown: list[str] = []
        files = self.memory.code_of(self.move.parents[0])
        for path in self._by_importance(files):
            section = headed(path, files[path])
            if not shown and _size(section) + _SEPARATOR > room:
                section = _beginning(path, files[path], room - _SEPARATOR)
            if _size(section) + _SEPARATOR <= room:
                shown.append(section)
                room -= _size(section) + _SEPARATOR
            else:
                unshown.append(path)
        more = f" and {len(unshown) - _MOST_UNSHOWN} more" if len(unshown) > _MOST_UNSHOWN else ""
        return shown[::-1], ", ".join(unshown[:_MOST_UNSHOWN]) + more

    def _by_importance(self, files: Mapping[str, str]) -> list[str]:
        """The file to change, files changed already, files that the task suggests, then the rest."""
        baseline = self.memory.code_of(0)
        suggested = {path: rank for rank, path in enumerate(self.brief.suggested)}
        wanted = self.plan.target.path if self.plan.target else ""
        return sorted(
            files,
            key=lambda path: (
                path != wanted,
                files[path] == baseline.get(path),
                suggested.get(path, len(suggested)),
                path,
            ),
        )

    def _steps(self, room: int) -> tuple[list[str], int]:
        """Ideas and results of the named steps, oldest first, and the number of steps that did not fit."""
        shown: dict[int, str] = {}
        room -= _size("999999 earlier steps are not shown.\n\n")
        for rank, index in enumerate(self._named):
            formats = (self.memory.describe, self.memory.summarize)
            for describe in formats if rank < self.memory.shown_changes else formats[1:]:
                entry = describe(index, is_in_code=index in self._lineage)
                if _size(entry) + _SEPARATOR <= room:
                    shown[index] = entry
                    room -= _size(entry) + _SEPARATOR
                    break
        return [shown[index] for index in sorted(shown)], len(self._named) - len(shown)

    @property
    def _hides_changes(self) -> bool:
        """Whether the model copies what it sees, so that it must not see rejected answers."""
        return not self.memory.shown_changes

    @cached_property
    def _lineage(self) -> frozenset[int]:
        """The steps whose changes are in the code that is shown."""
        line = [self.move.parents[0]]
        while line[-1]:
            line.append(self.history[line[-1]].move.parents[0])
        return frozenset(line)

    @cached_property
    def _named(self) -> list[int]:
        """The steps of the move, parents first, then the best, then the newest."""
        named = {*self.move.parents, *self.move.context} - {0}
        if self._hides_changes:
            named = {index for index in named if self.history[index].evaluation.outcome is not Outcome.REJECTED}
        best = self.history.best_of(self.history[index] for index in sorted(named))
        return sorted(
            named, key=lambda index: (index not in self.move.parents, best is None or index != best.index, -index)
        )


def example_path(brief: Brief) -> str:
    """A path for examples of the format: small models copy it, so it must be editable."""
    return next(iter((*brief.suggested, *brief.editable)), "path/to/file.py")


def _beginning(path: str, text: str, room: int) -> str:
    """As much of a file as fits."""
    frame = _size(headed(path, "")) + 100
    return f"{headed(path, head_of(text, room - frame))}\n\n(The rest of this file is not shown.)"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
