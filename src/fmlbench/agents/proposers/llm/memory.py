"""Earlier steps as a prompt shows them: the idea, the actual change, the result."""

from collections.abc import Iterable, Mapping

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.change_text import format_change
from fmlbench.agents.proposers.llm.fences import fence_of, head_of, tail_of
from fmlbench.core.agents import Session
from fmlbench.core.steps import Step

_CHANGE_BYTES = 3000
_TAIL_BYTES = 1200


Files = Mapping[str, str]


class Memory:
    """Formats the steps of a session."""

    def __init__(
        self, session: Session, cache: dict[str, Files], *, shown_changes: int = 1000, edit_format: str = "blocks"
    ) -> None:
        self._session = session
        self.shown_changes = shown_changes
        """The number of steps that are shown with their change."""
        self._edit_format = edit_format
        self._history = session.history
        self._cache = cache
        """Files by snapshot, kept between steps: reading them is slow, and they never change."""

    def code_of(self, index: int) -> Files:
        """The files after a step."""
        snapshot = self._history[index].snapshot
        if snapshot not in self._cache:
            self._cache[snapshot] = self._session.code_of(index)
        return self._cache[snapshot]

    def step_with(self, files: Files, among: Iterable[int]) -> int | None:
        """The first of the given steps with exactly these files."""
        return next((index for index in among if self.code_of(index) == files), None)

    def describe(self, index: int, *, is_in_code: bool) -> str:
        """A step with its change, and the end of its output if it failed; the shown code may contain the change."""
        step = self._history[index]
        tail = "" if step.evaluation.is_ok else tail_of(step.evaluation.log_tail, _TAIL_BYTES)
        return self._entry(step, is_in_code, change=self._change(step), tail=tail)

    def summarize(self, index: int, *, is_in_code: bool) -> str:
        """A step with its idea and result only."""
        return self._entry(self._history[index], is_in_code, change="", tail="")

    def _entry(self, step: Step, is_in_code: bool, *, change: str, tail: str) -> str:
        return render(
            "step",
            step=step,
            parents=" and ".join(f"step {parent}" if parent else "the baseline" for parent in step.move.parents),
            result=self._result(step, is_in_code),
            change=change,
            tail=tail,
            mark=fence_of(f"{step.idea}\n{step.evaluation.reason}\n{change}\n{tail}"),
        )

    def _change(self, step: Step) -> str:
        change = format_change(self.code_of(step.move.parents[0]), self.code_of(step.index), self._edit_format)
        shown = head_of(change, _CHANGE_BYTES)
        return shown if shown == change else f"{shown}\n(the rest of the change is not shown)"

    def _result(self, step: Step, is_in_code: bool) -> str:
        """The score compared with the parent's, or the outcome."""
        if step.score is None:
            return str(step.evaluation.outcome)
        location = f"{'in' if is_in_code else 'not in'} the code above"
        return f"score {step.score:.4f}{self._compared(step.score, step.move.parents[0])}; {location}"

    def _compared(self, score: float, parent: int) -> str:
        before = self._history[parent].score
        if before is None or before == score:
            return ""
        comparison = "better" if self._history.metric.is_better(score, before) else "worse"
        return f", {comparison} than {before:.4f} before"
