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
from fmlbench.core.steps import IdeaPlan, Move, Note
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
    target_of: Callable[[str], EditTarget | None]
    """The definition that the idea of this number must change, if it is chosen at random."""

    def idea_for(self, move: Move) -> str:
        """The idea that a move implements; empty for strategies without ideas.

        All ideas are written, with reflections, before the first is implemented.
        """
        if "idea" not in move.tags:
            return ""
        if move.plan is not None:
            for number in range(1, move.plan.ideas + 1):
                if not self._is_complete(f"idea {number}"):
                    self._write_idea(move, number, move.plan)
        return self._noted(f"idea {move.tags['idea']}") or ""

    def goal_for(self, move: Move) -> str:
        """The goal for a later part of a stage; empty in the first part, where the stage's goal applies."""
        part = move.tags.get("part", "1")
        if part == "1" or "goal" not in move.tags:
            return ""
        purpose = f"goal {move.tags.get('stage', '')} {part}"
        if not self._is_complete(purpose):
            prompt = self._prompt(move, render("goal", stage=move.tags.get("stage", ""), goal=move.tags["goal"]))
            self._note(purpose, self.ask(purpose, 0, prompt.system, _messages(prompt.user)))
        return self._noted(purpose) or ""

    def _write_idea(self, move: Move, number: int, plan: IdeaPlan) -> None:
        purpose = f"idea {number}"
        ideas = self._ideas(number - 1)
        request = render(
            "idea",
            number=number,
            total=plan.ideas,
            ideas=ideas,
            mark=fence_of(ideas),
            target=self.target_of(str(number)),
        )
        prompt = self._prompt(move, request)
        idea = self.ask(purpose, 0, prompt.system, _messages(prompt.user))
        for turn in range(1, plan.reflections):
            messages = _messages(prompt.user, idea.strip() or "(nothing)", render("reflection"))
            reflection = self.ask(purpose, turn, prompt.system, messages)
            if _DONE.search(reflection):
                break
            idea = reflection
        self._note(purpose, idea)

    def _ideas(self, count: int) -> str:
        """The first ideas; if they are too long together, each is cut to the same length.

        Models that copy what they see get no earlier ideas.
        """
        shown = range(1, count + 1) if self.config.shown_changes else ()
        ideas = [f"{number}. {self._noted(f'idea {number}')}" for number in shown]
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

    def _is_complete(self, kind: str) -> bool:
        """Whether an earlier step wrote this note.

        A note that the current step wrote before an interruption is asked for again. The answer is replayed from the
        log at no cost, and the step is charged with all its calls.
        """
        return any(note.kind == kind and note.step < self._here for note in self.session.history.notes)

    @property
    def _here(self) -> int:
        return len(self.session.history) - 1

    def _noted(self, kind: str) -> str | None:
        return next((note.text for note in self.session.history.notes if note.kind == kind), None)

    def _note(self, kind: str, text: str) -> None:
        """Store a note without its code blocks: the model would copy them later, cut off in the middle."""
        if self._noted(kind) is None:
            words = _CODE.sub("", text).strip() or text.strip()
            self.session.note(Note(step=self._here, kind=kind, text=_cut(words, min(_NOTE_BYTES, self._room))))


def _cut(text: str, size_bytes: int) -> str:
    """The beginning of a text, in whole lines where possible."""
    return head_of(text, size_bytes) or text.encode()[:size_bytes].decode("utf-8", "ignore")


def _messages(*texts: str) -> tuple[Message, ...]:
    """A conversation that begins with the user."""
    return tuple(Message(role="assistant" if turn % 2 else "user", text=text) for turn, text in enumerate(texts))
