"""Ask a model for plans before it writes code: the ideas of an AI Scientist, the goal of the next part of a stage.

Each idea and goal is stored as a note of the run, so that strategies and resumed runs can read it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.proposers.llm.edit_target import EditTarget
from fmlbench.agents.proposers.llm.fences import fence_of, head_of
from fmlbench.agents.proposers.llm.memory import Memory
from fmlbench.agents.proposers.llm.prompt import BYTES_PER_TOKEN, SHARE_OF_PLAN, Prompt, write_prompt
from fmlbench.core.agents import Session
from fmlbench.core.notes import GoalLogged, IdeaLogged
from fmlbench.core.steps import IdeaPlan, Move, Operator, StagePlan
from fmlbench.models.chat import Message

Ask = Callable[[str, int, str, tuple[Message, ...]], str]
"""Ask a model, given the purpose and turn of the call, a system prompt and messages; returns the text."""


_DONE = re.compile(r"^\W*I AM DONE\b|\bI AM DONE\W*$", re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(r"^ {0,3}(```|~~~).*?(^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_NOTE_BYTES = 2000


@dataclass(frozen=True)
class Ideation:
    """Asks a model for ideas and goals within a session."""

    session: Session
    memory: Memory
    config: PromptConfig
    ask: Ask
    target_of: Callable[[int], EditTarget | None]
    """The definition that the idea of this number must change, if it is chosen at random."""

    def idea_for(self, move: Move) -> str:
        """The idea that a move implements; empty for strategies without ideas.

        All ideas are written, with reflections, before the first is implemented.
        """
        plan = move.plan
        if not isinstance(plan, IdeaPlan):
            return ""
        if move.operator is Operator.DRAFT:
            for number in range(1, plan.ideas + 1):
                if not self._is_complete(self._idea(number)):
                    self._write_idea(move, number, plan)
        return _text_of(self._idea(plan.number))

    def goal_for(self, move: Move) -> str:
        """The goal for a later part of a stage; empty in the first part, where the stage's goal applies."""
        plan = move.plan
        if not isinstance(plan, StagePlan) or plan.part == 1:
            return ""
        if not self._is_complete(self._goal(plan)):
            prompt = self._prompt(move, render("goal", stage=plan.stage, goal=plan.goal))
            goal = self.ask(f"goal {plan.stage} {plan.part}", 0, prompt.system, _messages(prompt.user))
            if self._goal(plan) is None:
                self.session.note(
                    GoalLogged(step=self._here, stage=plan.stage, part=plan.part, text=self._without_code(goal))
                )
        return _text_of(self._goal(plan))

    def _write_idea(self, move: Move, number: int, plan: IdeaPlan) -> None:
        purpose = f"idea {number}"
        ideas = self._ideas(number - 1)
        request = render(
            "idea",
            number=number,
            total=plan.ideas,
            ideas=ideas,
            mark=fence_of(ideas),
            target=self.target_of(number),
        )
        prompt = self._prompt(move, request)
        idea = self.ask(purpose, 0, prompt.system, _messages(prompt.user))
        for turn in range(1, plan.reflections):
            messages = _messages(prompt.user, idea.strip() or "(nothing)", render("reflection"))
            reflection = self.ask(purpose, turn, prompt.system, messages)
            if _DONE.search(reflection):
                break
            idea = reflection
        if self._idea(number) is None:
            self.session.note(IdeaLogged(step=self._here, number=number, text=self._without_code(idea)))

    def _ideas(self, count: int) -> str:
        """The first ideas; if they are too long together, each is cut to the same length.

        Models that copy what they see get no earlier ideas.
        """
        shown = range(1, count + 1) if self.config.shown_changes else ()
        ideas = [f"{number}. {_text_of(self._idea(number))}" for number in shown]
        if sum(len(idea.encode()) for idea in ideas) > self._room:
            ideas = [_cut(idea, self._room // count) for idea in ideas]
        return "\n\n".join(ideas)

    @property
    def _room(self) -> int:
        """The space for ideas, and for a goal, in a prompt, in bytes."""
        return int(self.config.context_tokens * BYTES_PER_TOKEN * SHARE_OF_PLAN)

    def _prompt(self, move: Move, request: str) -> Prompt:
        tokens, edit_format = self.config.context_tokens, self.config.edit_format
        return write_prompt(move, self.session, self.memory, tokens=tokens, edit_format=edit_format, instead=request)

    def _is_complete(self, note: IdeaLogged | GoalLogged | None) -> bool:
        """Whether an earlier step wrote this note.

        A note that the current step wrote before an interruption is asked for again. The answer is replayed from the
        log at no cost, and the step is charged with all its calls.
        """
        return note is not None and note.step < self._here

    @property
    def _here(self) -> int:
        return len(self.session.history) - 1

    def _idea(self, number: int) -> IdeaLogged | None:
        ideas = (note for note in self.session.history.notes if isinstance(note, IdeaLogged))
        return next((idea for idea in ideas if idea.number == number), None)

    def _goal(self, plan: StagePlan) -> GoalLogged | None:
        goals = (note for note in self.session.history.notes if isinstance(note, GoalLogged))
        return next((goal for goal in goals if (goal.stage, goal.part) == (plan.stage, plan.part)), None)

    def _without_code(self, text: str) -> str:
        """The text without its code blocks: the model would copy them later, cut off in the middle."""
        words = _CODE.sub("", text).strip() or text.strip()
        return _cut(words, min(_NOTE_BYTES, self._room))


def _text_of(note: IdeaLogged | GoalLogged | None) -> str:
    return note.text if note else ""


def _cut(text: str, size_bytes: int) -> str:
    """The beginning of a text, in whole lines where possible."""
    return head_of(text, size_bytes) or text.encode()[:size_bytes].decode("utf-8", "ignore")


def _messages(*texts: str) -> tuple[Message, ...]:
    """A conversation that begins with the user."""
    return tuple(Message(role="assistant" if turn % 2 else "user", text=text) for turn, text in enumerate(texts))
