"""What a model thinks up before it writes code: the ideas of an AI Scientist, the goal of the next part of a stage.

Every thought is a note of the run, so that strategies and resumed runs find it again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.memory import Memory
from fmlbench.agents.proposers.llm.prompting import Prompt, write_prompt
from fmlbench.agents.proposers.llm.quoting import head_of, mark_of
from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Note
from fmlbench.llm.chat import Message

Ask = Callable[[str, int, str, tuple[Message, ...]], str]
"""What a model says at a purpose and a turn, to a system prompt and a conversation."""

_AMOUNTS = re.compile(r"(?P<ideas>\d+) ideas, (?P<reflections>\d+) reflections")
_DONE = re.compile(r"\W*I AM DONE\W*", re.IGNORECASE)
_THOUGHT_BYTES = 2000


@dataclass(frozen=True)
class Thinker:
    """Thinks with a model, within a session."""

    session: Session
    memory: Memory
    tokens: int
    """How long a prompt may be."""
    ask: Ask

    def idea_for(self, move: Move) -> str:
        """The idea that a move works out; nothing where the strategy has none in mind.

        All ideas are thought up before the first is worked out, each with some reflection.
        """
        if "idea" not in move.tags:
            return ""
        amounts = _AMOUNTS.match(move.tags.get("of", ""))
        if amounts:
            for number in range(1, int(amounts["ideas"]) + 1):
                if self._noted(f"idea {number}") is None:
                    self._think_up(move, number, int(amounts["ideas"]), int(amounts["reflections"]))
        return self._noted(f"idea {move.tags['idea']}") or ""

    def goal_for(self, move: Move) -> str:
        """What to aim for in a later part of a stage; nothing where the stage's own goal will do."""
        part = move.tags.get("part", "1")
        if part == "1" or "goal" not in move.tags:
            return ""
        purpose = f"goal {move.tags.get('stage', '')} {part}"
        noted = self._noted(purpose)
        if noted is None:
            prompt = self._prompt(move, render("goal", stage=move.tags.get("stage", ""), goal=move.tags["goal"]))
            noted = self._note(purpose, self.ask(purpose, 0, prompt.system, _said(prompt.user)))
        return noted

    def _think_up(self, move: Move, number: int, total: int, reflections: int) -> None:
        purpose = f"idea {number}"
        ideas = "\n\n".join(f"{each}. {self._noted(f'idea {each}')}" for each in range(1, number))
        told = render("idea", number=number, total=total, ideas=ideas, mark=mark_of(ideas))
        prompt = self._prompt(move, told)
        idea = self.ask(purpose, 0, prompt.system, _said(prompt.user))
        for turn in range(1, reflections):
            talk = _said(prompt.user, idea.strip() or "(nothing)", render("reflection"))
            thought = self.ask(purpose, turn, prompt.system, talk)
            if _DONE.fullmatch(thought):
                break
            idea = thought
        self._note(purpose, idea)

    def _prompt(self, move: Move, wish: str) -> Prompt:
        return write_prompt(move, self.session, self.memory, tokens=self.tokens, instead=wish)

    def _noted(self, kind: str) -> str | None:
        return next((note.text for note in self.session.history.notes if note.kind == kind), None)

    def _note(self, kind: str, text: str) -> str:
        kept = head_of(text.strip(), _THOUGHT_BYTES) or text.strip()[:_THOUGHT_BYTES]
        self.session.note(Note(step=len(self.session.history) - 1, kind=kind, text=kept))
        return kept


def _said(*texts: str) -> tuple[Message, ...]:
    """A conversation, the user's words first."""
    return tuple(Message(role="assistant" if place % 2 else "user", text=text) for place, text in enumerate(texts))
