"""The proposer that is a language model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.applying import apply
from fmlbench.agents.proposers.llm.edits import EditProblem
from fmlbench.agents.proposers.llm.manner import Manner
from fmlbench.agents.proposers.llm.memory import Files, Memory
from fmlbench.agents.proposers.llm.parsing import Answer, read_answer
from fmlbench.agents.proposers.llm.prompting import write_prompt
from fmlbench.agents.proposers.llm.quoting import head_of
from fmlbench.core.agents import NoMoreCalls, Session
from fmlbench.core.steps import Move, Proposal, Usage
from fmlbench.llm.chat import ChatModel, Message, Place, Reply, Request
from fmlbench.workspace.globs import matches

PROPOSE = "propose"
_FEEDBACK_BYTES = 6000
_LONGEST_REJECTION = 400


@dataclass(frozen=True)
class LanguageModel:
    """Asks a model for a change, and again with what was wrong where the change could not be made."""

    model: ChatModel
    manner: Manner = field(default_factory=Manner)
    kept: dict[str, Files] = field(default_factory=dict[str, Files], repr=False)

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the changed files; a rejection where no try brought a change that can be made."""
        memory = Memory(session, self.kept)
        files = memory.code_of(move.parents[0])
        prompt = write_prompt(move, session, memory, tokens=self.manner.context_tokens)
        asked = Message(role="user", text=prompt.user)
        talk, replies, problem = (asked,), list[Reply](), ""
        while len(replies) < self.manner.edit_tries:
            place = Place(step=len(session.history), purpose=PROPOSE, turn=len(replies))
            try:
                replies.append(self._ask(place, prompt.system, talk))
                answer = read_answer(replies[-1].text, files.keys())
                changed = apply(answer.edits, files, lambda path: matches(path, session.brief.patterns))
                return Proposal(move=move, files=changed, idea=_idea(answer), usage=usage_of(replies))
            except EditProblem as failure:
                problem = str(failure)
                talk = (asked, *_objection(replies[-1], problem))
            except NoMoreCalls:
                if not replies:
                    raise
                break
        return Proposal(
            move=move,
            files=files,
            idea="a change that could not be made",
            usage=usage_of(replies),
            rejection=_rejection(len(replies), problem),
        )

    def _ask(self, place: Place, system: str, talk: tuple[Message, ...]) -> Reply:
        return self.model.complete(
            Request(
                place=place,
                system=system,
                messages=talk,
                max_output_tokens=self.manner.output_tokens,
                temperature=self.manner.degrees,
            )
        )


def usage_of(replies: Sequence[Reply]) -> Usage:
    """What some calls took together; the price is unknown where any of theirs is."""
    prices = [reply.dollars for reply in replies]
    return Usage(
        calls=len(replies),
        input_tokens=sum(reply.tokens.input for reply in replies),
        output_tokens=sum(reply.tokens.output for reply in replies),
        cached_tokens=sum(reply.tokens.cached for reply in replies),
        reasoning_tokens=sum(reply.tokens.reasoning for reply in replies),
        dollars=None if None in prices else sum(price or 0.0 for price in prices),
        seconds=sum(reply.seconds for reply in replies),
    )


def _objection(reply: Reply, problem: str) -> tuple[Message, Message]:
    """The last answer and what was wrong with it; providers take no empty message."""
    told = head_of(problem, _FEEDBACK_BYTES) or problem[:_FEEDBACK_BYTES]
    if not reply.is_complete:
        told = f"The answer was cut off at the limit of its length; write less.\n\n{told}"
    said = Message(role="assistant", text=reply.text.strip() or "(nothing)")
    return said, Message(role="user", text=render("feedback", problem=told))


def _rejection(tries: int, problem: str) -> str:
    said = f"no change could be made in {tries} tries; in the last: {' '.join(problem.split())}"
    return said[:_LONGEST_REJECTION]


def _idea(answer: Answer) -> str:
    paths = ", ".join(dict.fromkeys(edit.path for edit in answer.edits))
    return answer.idea or f"a change of {paths}, without a word on why"
