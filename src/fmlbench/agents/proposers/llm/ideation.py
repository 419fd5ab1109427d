"""What a model thinks up before it writes code: the ideas of an AI Scientist, the goal of the next part of a stage.

Every thought is a note of the run, so that strategies and resumed runs find it again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.proposers.llm.edit_target import EditTarget
from fmlbench.agents.proposers.llm.fences import fence_of, head_of
from fmlbench.agents.proposers.llm.memory import Memory
from fmlbench.agents.proposers.llm.prompt import BYTES_PER_TOKEN, SHARE_OF_THOUGHTS, Prompt, write_prompt
from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Note
from fmlbench.models.chat import Message

Ask = Callable[[str, int, str, tuple[Message, ...]], str]
"""What a model says at a purpose and a turn, to a system prompt and a conversation."""

_AMOUNTS = re.compile(r"(?P<ideas>\d+) ideas, (?P<reflections>\d+) reflections")
_DONE = re.compile(r"^\W*I AM DONE\b|\bI AM DONE\W*$", re.IGNORECASE | re.MULTILINE)
_CODE = re.compile(r"^ {0,3}(```|~~~).*?(^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_THOUGHT_BYTES = 2000


@dataclass(frozen=True)
class Ideation:
    """Thinks with a model, within a session."""

    session: Session
    memory: Memory
    config: PromptConfig
    ask: Ask
    focuses: Callable[[str], EditTarget | None]
    """What the idea of this number is to change, where dice say so."""

    def idea_for(self, move: Move) -> str:
        """The idea that a move works out; nothing where the strategy has none in mind.

        All ideas are thought up before the first is worked out, each with some reflection.
        """
        if "idea" not in move.tags:
            return ""
        amounts = _AMOUNTS.match(move.tags.get("of", ""))
        if amounts:
            for number in range(1, int(amounts["ideas"]) + 1):
                if not self._is_settled(f"idea {number}"):
                    self._think_up(move, number, int(amounts["ideas"]), int(amounts["reflections"]))
        return self._noted(f"idea {move.tags['idea']}") or ""

    def goal_for(self, move: Move) -> str:
        """What to aim for in a later part of a stage; nothing where the stage's own goal will do."""
        part = move.tags.get("part", "1")
        if part == "1" or "goal" not in move.tags:
            return ""
        purpose = f"goal {move.tags.get('stage', '')} {part}"
        if not self._is_settled(purpose):
            prompt = self._prompt(move, render("goal", stage=move.tags.get("stage", ""), goal=move.tags["goal"]))
            self._note(purpose, self.ask(purpose, 0, prompt.system, _said(prompt.user)))
        return self._noted(purpose) or ""

    def _think_up(self, move: Move, number: int, total: int, reflections: int) -> None:
        purpose = f"idea {number}"
        ideas = self._ideas(number - 1)
        told = render(
            "idea", number=number, total=total, ideas=ideas, mark=fence_of(ideas), focus=self.focuses(str(number))
        )
        prompt = self._prompt(move, told)
        idea = self.ask(purpose, 0, prompt.system, _said(prompt.user))
        for turn in range(1, reflections):
            talk = _said(prompt.user, idea.strip() or "(nothing)", render("reflection"))
            thought = self.ask(purpose, turn, prompt.system, talk)
            if _DONE.search(thought):
                break
            idea = thought
        self._note(purpose, idea)

    def _ideas(self, count: int) -> str:
        """The first ideas; each with the same share of the room if all of them together are too long.

        Models that copy what they are shown are told of none.
        """
        told = range(1, count + 1) if self.config.changes else ()
        ideas = [f"{number}. {self._noted(f'idea {number}')}" for number in told]
        if sum(len(idea.encode()) for idea in ideas) > self._room:
            ideas = [_cut(idea, self._room // count) for idea in ideas]
        return "\n\n".join(ideas)

    @property
    def _room(self) -> int:
        """How many bytes thoughts of one kind may take in a prompt."""
        return int(self.config.context_tokens * BYTES_PER_TOKEN * SHARE_OF_THOUGHTS)

    def _prompt(self, move: Move, wish: str) -> Prompt:
        tokens, form = self.config.context_tokens, self.config.form
        return write_prompt(move, self.session, self.memory, tokens=tokens, form=form, instead=wish)

    def _is_settled(self, kind: str) -> bool:
        """Whether something was thought up in an earlier step.

        What was noted in this very step, before an interruption, is asked for again: the answer is on record and costs
        nothing anew, and the step is charged with all that was spent on it.
        """
        return any(note.kind == kind and note.step < self._here for note in self.session.history.notes)

    @property
    def _here(self) -> int:
        return len(self.session.history) - 1

    def _noted(self, kind: str) -> str | None:
        return next((note.text for note in self.session.history.notes if note.kind == kind), None)

    def _note(self, kind: str, text: str) -> None:
        """Thoughts are words: code that was not asked for would be copied later, cut off where its room ends."""
        if self._noted(kind) is None:
            words = _CODE.sub("", text).strip() or text.strip()
            self.session.note(Note(step=self._here, kind=kind, text=_cut(words, min(_THOUGHT_BYTES, self._room))))


def _cut(text: str, size_bytes: int) -> str:
    """The beginning of a text, in whole lines where that is possible."""
    return head_of(text, size_bytes) or text.encode()[:size_bytes].decode("utf-8", "ignore")


def _said(*texts: str) -> tuple[Message, ...]:
    """A conversation, the user's words first."""
    return tuple(Message(role="assistant" if place % 2 else "user", text=text) for place, text in enumerate(texts))
