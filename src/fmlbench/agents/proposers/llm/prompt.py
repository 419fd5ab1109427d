"""Write the prompt for a move, within a budget of tokens.

The task is told whole. What is left of the budget goes to the output of a step that is to be mended, then to the code,
then to the steps that the move names, the most important first. What does not fit is shown shorter, or counted. Ideas
and goals take from the steps' room, not from the code's: what was read of the code need not be read again for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.edit_target import EditTarget
from fmlbench.agents.proposers.llm.fences import fence_of, head_of, headed, tail_of
from fmlbench.agents.proposers.llm.memory import Memory
from fmlbench.core.agents import Session
from fmlbench.core.brief import Brief
from fmlbench.core.errors import BadRequest
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Move, Operator
from fmlbench.models.chat import estimate_tokens

BYTES_PER_TOKEN = 3
_SHARE_OF_OUTPUT = 0.2
_SHARE_OF_CODE = 0.65
SHARE_OF_THOUGHTS = 1 / 15
"""The share of a prompt that ideas may take, and a goal as much again."""
_LEAST_BYTES = 3000
"""Room for code and history without which there is nothing to work with."""
_SEPARATOR = 2
_MOST_UNSHOWN = 40
SHOWN_TAGS = ("goal", "hint")
"""Tags of a move that are told to the model; all others are the strategy's own business."""


@dataclass(frozen=True)
class Prompt:
    """What a model is told."""

    system: str
    user: str

    @property
    def tokens(self) -> int:
        """How long it is at most."""
        return estimate_tokens(len(self.system.encode()) + len(self.user.encode()))


@dataclass(frozen=True)
class PlanNotes:
    """What was thought up or drawn for a move before."""

    idea: str = ""
    goal: str = ""
    focus: EditTarget | None = None
    """What is to be changed."""


def write_prompt(
    move: Move,
    session: Session,
    memory: Memory,
    *,
    tokens: int,
    form: str = "blocks",
    thoughts: PlanNotes | None = None,
    instead: str = "",
) -> Prompt:
    """The prompt for a move, at most so many tokens long; ``instead`` asks for something else than the move does."""
    return _Writer(
        move, session.brief, session.history, memory, tokens * BYTES_PER_TOKEN, form, thoughts or PlanNotes(), instead
    ).prompt


@dataclass(frozen=True)
class _Writer:
    move: Move
    brief: Brief
    history: History
    memory: Memory
    budget: int
    form: str
    thoughts: PlanNotes
    instead: str

    @property
    def prompt(self) -> Prompt:
        system = render("system", form=self.form, path="<path of the file>", lines="")
        replace(self, thoughts=PlanNotes(), instead="")._require_room(_size(system))
        room = self.budget - _size(system)
        wish = self._wish(self._room_for_output(room))
        most_code = int(replace(self, thoughts=PlanNotes(), instead="")._room_besides_wish(room) * _SHARE_OF_CODE)
        room -= _size(self._task(wish))
        code, unshown = self._code(min(room, most_code))
        room -= _size(self._task(wish, code=code, unshown=unshown)) - _size(self._task(wish))
        history, left_out = self._steps(room)
        return Prompt(system, self._task(wish, code=code, unshown=unshown, history=history, left_out=left_out))

    def _room_for_output(self, room: int) -> int:
        return int((room - _size(self._task(self._wish(0)))) * _SHARE_OF_OUTPUT)

    def _room_besides_wish(self, room: int) -> int:
        return room - _size(self._task(self._wish(self._room_for_output(room))))

    def _require_room(self, taken: int) -> None:
        """Refuse a budget before anything is spent if thoughts that come later could find it too short."""
        # Later moves say a little more than the first, which has paid for nothing yet.
        room = _LEAST_BYTES // 2 if self.history.proposed else _LEAST_BYTES
        least = taken + _size(self._task(self._wish(0))) + room
        needed = estimate_tokens(int(least / (1 - 2 * SHARE_OF_THOUGHTS)) + 1)
        if self.budget < needed * BYTES_PER_TOKEN:
            raise BadRequest(
                f"A prompt of {self.budget // BYTES_PER_TOKEN} tokens is too short for this task.",
                hint=f"Give it more: --set context_tokens={needed}, or better several times that.",
            )

    def _task(
        self,
        wish: str,
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
            wish=wish,
            code=code,
            unshown=unshown,
            history=history,
            left_out=left_out,
        )

    def _wish(self, tail_bytes: int) -> str:
        """What is asked for; a failure is told with the end of its output, where the traceback stands."""
        if self.instead:
            return self.instead
        failed = self.history[self.move.parents[0]].evaluation
        is_forgotten = failed.outcome is Outcome.REJECTED and self._copies
        failure = f"{tail_of(failed.log_tail, tail_bytes)}\n{failed.reason}".strip()
        return render(
            "wish",
            move=self.move,
            operator=Operator.IMPROVE if is_forgotten else self.move.operator,
            outcome=failed.outcome,
            failure=failure,
            mark=fence_of(failure),
            others=" and ".join(f"step {parent}" for parent in self.move.parents[1:]) or "other steps",
            thoughts=self.thoughts,
            idea_mark=fence_of(self.thoughts.idea),
            goal_mark=fence_of(self.thoughts.goal),
            form=self.form,
            path=self.thoughts.focus.path if self.thoughts.focus else example_path(self.brief),
            lines="",
            guidance=[self.move.tags[tag] for tag in SHOWN_TAGS if tag in self.move.tags],
        ).strip()

    def _code(self, room: int) -> tuple[list[str], str]:
        """The files the move starts from, and which of them did not fit.

        Those that matter most come last: they change most often, and what stands before them need not be read again.
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
        """What is to be changed, what was changed already, what the task suggests, then the rest."""
        baseline = self.memory.code_of(0)
        suggested = {path: place for place, path in enumerate(self.brief.suggested)}
        wanted = self.thoughts.focus.path if self.thoughts.focus else ""
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
        """What the named steps tried and what came of it, oldest first; and how many of them did not fit."""
        shown: dict[int, str] = {}
        room -= _size("999999 earlier steps are not shown.\n\n")
        for place, index in enumerate(self._named):
            ways = (self.memory.told, self.memory.told_briefly)
            for tell in ways if place < self.memory.most_changes else ways[1:]:
                entry = tell(index, is_held=index in self._lineage)
                if _size(entry) + _SEPARATOR <= room:
                    shown[index] = entry
                    room -= _size(entry) + _SEPARATOR
                    break
        return [shown[index] for index in sorted(shown)], len(self._named) - len(shown)

    @property
    def _copies(self) -> bool:
        """Whether the model copies whatever it is told: what never came to a change would only be said again."""
        return not self.memory.most_changes

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
        if self._copies:
            named = {index for index in named if self.history[index].evaluation.outcome is not Outcome.REJECTED}
        best = self.history.best_of(self.history[index] for index in sorted(named))
        return sorted(
            named, key=lambda index: (index not in self.move.parents, best is None or index != best.index, -index)
        )


def example_path(brief: Brief) -> str:
    """A path for examples of the format: small models copy it, so it should be one that can be changed."""
    return next(iter((*brief.suggested, *brief.editable)), "path/to/file.py")


def _beginning(path: str, text: str, room: int) -> str:
    """As much of a file as there is room for."""
    frame = _size(headed(path, "")) + 100
    return f"{headed(path, head_of(text, room - frame))}\n\n(The rest of this file is not shown.)"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
