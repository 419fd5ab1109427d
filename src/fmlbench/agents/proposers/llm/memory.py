"""What a model is told of earlier steps: the idea in its own words, the real change, what came of it."""

from collections.abc import Iterable, Mapping

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.change_text import retell
from fmlbench.agents.proposers.llm.fences import fence_of, head_of, tail_of
from fmlbench.core.agents import Session
from fmlbench.core.steps import Step

_CHANGE_BYTES = 3000
_TAIL_BYTES = 1200


Files = Mapping[str, str]


class Memory:
    """A session's steps, told."""

    def __init__(
        self, session: Session, kept: dict[str, Files], *, most_changes: int = 1000, form: str = "blocks"
    ) -> None:
        self._session = session
        self.most_changes = most_changes
        """Of how many steps the change is told, too."""
        self._form = form
        self._history = session.history
        self._kept = kept
        """Files by snapshot, from one step to the next: reading them takes a while, and they never change."""

    def code_of(self, index: int) -> Files:
        """The files after a step."""
        snapshot = self._history[index].snapshot
        if snapshot not in self._kept:
            self._kept[snapshot] = self._session.code_of(index)
        return self._kept[snapshot]

    def step_with(self, files: Files, among: Iterable[int]) -> int | None:
        """The first of some steps after which the files were these."""
        return next((index for index in among if self.code_of(index) == files), None)

    def told(self, index: int, *, is_held: bool) -> str:
        """A step with its change and the end of its output if it failed; the code at hand may hold it."""
        step = self._history[index]
        tail = "" if step.evaluation.is_ok else tail_of(step.evaluation.log_tail, _TAIL_BYTES)
        return self._entry(step, is_held, change=self._change(step), tail=tail)

    def told_briefly(self, index: int, *, is_held: bool) -> str:
        """A step with its idea and its result alone."""
        return self._entry(self._history[index], is_held, change="", tail="")

    def _entry(self, step: Step, is_held: bool, *, change: str, tail: str) -> str:
        return render(
            "step",
            step=step,
            parents=" and ".join(f"step {parent}" if parent else "the baseline" for parent in step.move.parents),
            result=self._result(step, is_held),
            change=change,
            tail=tail,
            mark=fence_of(f"{step.idea}\n{step.evaluation.reason}\n{change}\n{tail}"),
        )

    def _change(self, step: Step) -> str:
        change = retell(self.code_of(step.move.parents[0]), self.code_of(step.index), self._form)
        shown = head_of(change, _CHANGE_BYTES)
        return shown if shown == change else f"{shown}\n(the rest of the change is not shown)"

    def _result(self, step: Step, is_held: bool) -> str:
        """The score beside the one it was to beat, or the outcome."""
        if step.score is None:
            return str(step.evaluation.outcome)
        whereabouts = f"{'in' if is_held else 'not in'} the code above"
        return f"score {step.score:.4f}{self._compared(step.score, step.move.parents[0])}; {whereabouts}"

    def _compared(self, score: float, parent: int) -> str:
        before = self._history[parent].score
        if before is None or before == score:
            return ""
        verdict = "better" if self._history.metric.is_better(score, before) else "worse"
        return f", {verdict} than {before:.4f} before"
