"""The proposer that is a language model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from random import Random

from fmlbench.agents.prompts import render
from fmlbench.agents.proposers.llm.answer import ParsedAnswer, idea_in, read_answer
from fmlbench.agents.proposers.llm.application import apply
from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.proposers.llm.definitions import definition_of
from fmlbench.agents.proposers.llm.edit_target import EditTarget, changed_target, choose_target
from fmlbench.agents.proposers.llm.edits import EditProblem, Lines, Repetition
from fmlbench.agents.proposers.llm.fences import fence_of, fenced, head_of
from fmlbench.agents.proposers.llm.ideation import Ideation
from fmlbench.agents.proposers.llm.memory import Files, Memory
from fmlbench.agents.proposers.llm.prompt import BYTES_PER_TOKEN, PlanNotes, example_path, write_prompt
from fmlbench.agents.proposers.llm.unused_code import unused
from fmlbench.agents.rng import seeded_rng
from fmlbench.agents.strategies.ai_scientist import IDEA_DONE
from fmlbench.core.agents import NoMoreCalls, Session
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Move, Note, Operator, Proposal, Usage
from fmlbench.core.text import counted
from fmlbench.models.chat import CallKey, ChatModel, Message, Reply, Request
from fmlbench.workspace.globs import matches

PROPOSE = "propose"
IDEA_IS_DONE = re.compile(r"^[^\w\n]*IDEA DONE[^\w\n]*$", re.MULTILINE)
_FEEDBACK_BYTES = 6000
_EXAMPLE_BYTES = 1000
_CURRENT_BYTES = 1500
_LONGEST_REJECTION = 400


@dataclass(frozen=True)
class LanguageModel:
    """Asks a model for a change, and again with what was wrong where the change could not be made."""

    model: ChatModel
    config: PromptConfig = field(default_factory=PromptConfig)
    kept: dict[str, Files] = field(default_factory=dict[str, Files], repr=False)

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the changed files; a rejection where no try brought a change that can be made."""
        asked = _Asking(self.model, self.config, len(session.history))
        memory = Memory(session, self.kept, most_changes=self.config.changes, form=self.config.form)
        try:
            return self._propose(move, session, memory, asked, rng)
        except (EditProblem, NoMoreCalls) as end:
            if not asked.replies:
                raise
            return Proposal(
                move=move,
                files=memory.code_of(move.parents[0]),
                idea=idea_in(_without_sign(asked.replies[-1].text)) or "a change that could not be made",
                usage=usage_of(asked.replies),
                rejection=_rejection(asked, end),
            )

    def _propose(self, move: Move, session: Session, memory: Memory, asked: "_Asking", rng: Random) -> Proposal:
        files, form = memory.code_of(move.parents[0]), self.config.form
        write = partial(write_prompt, move, session, memory, tokens=self.config.context_tokens, form=form)
        thinker = Ideation(session, memory, self.config, asked.say, partial(self._focus_of_idea, session, memory))
        focus = self._focus(move, session, memory, rng)
        thoughts = PlanNotes(idea=thinker.idea_for(move), goal=thinker.goal_for(move), focus=focus)
        prompt = write(thoughts=thoughts)
        talk = (Message(role="user", text=prompt.user),)
        for turn in count():
            reply = asked.ask(PROPOSE, turn, prompt.system, talk)
            try:
                said, defines = _without_sign(reply.text), form == "definitions"
                answer = read_answer(said, files.keys(), is_whole=reply.is_complete, defines=defines)
                changed = apply(answer.edits, files, lambda path: matches(path, session.brief.patterns))
                _refuse_what_has_no_effect(files, changed, session.brief.instructions)
                _refuse_repetition(changed, move, session.history, memory)
            except EditProblem as problem:
                if turn + 1 == self.config.edit_tries:
                    raise
                if self.config.temperature_step and turn % 2:
                    # What could not be done twice is left alone: the dice are thrown again.
                    thoughts = replace(thoughts, focus=self._focus(move, session, memory, rng))
                    prompt = write(thoughts=thoughts)
                    talk = (Message(role="user", text=prompt.user),)
                else:
                    wanted = _as_it_is(thoughts.focus, files, form) or Lines(example_path(session.brief), ())
                    talk = _asked_again(talk[0], asked.replies, problem, wanted, form)
                continue
            idea = _idea(answer, thoughts)
            if thoughts.idea and IDEA_IS_DONE.search(reply.text):
                session.note(Note(step=len(session.history), kind=IDEA_DONE, text=idea))
            return Proposal(move=move, files=changed, idea=idea, usage=usage_of(asked.replies))
        raise AssertionError  # counting has no end

    def _focus(self, move: Move, session: Session, memory: Memory, rng: Random) -> EditTarget | None:
        """What a move is to change: what was changed before it failed, what its idea is about, or what the dice say."""
        files = memory.code_of(move.parents[0])
        if not _chooses_freely(move, session.history):
            patches = self.config.focus and move.operator is Operator.DEBUG
            before = session.history[move.parents[0]].move.parents
            return changed_target(memory.code_of(before[0]), files) if patches and before else None
        if "idea" not in move.tags:
            return self._draw(session, files, rng)
        focus = self._focus_of_idea(session, memory, move.tags["idea"])
        return focus if focus and focus.is_in(files) else None

    def _focus_of_idea(self, session: Session, memory: Memory, number: str) -> EditTarget | None:
        """The same in every step that works it out."""
        return self._draw(session, memory.code_of(0), seeded_rng(session.seed, "idea", int(number)))

    def _draw(self, session: Session, files: Files, rng: Random) -> EditTarget | None:
        if not self.config.focus:
            return None
        # Half of an answer is left for the idea, and for what must change along.
        most_bytes = self.config.output_tokens * BYTES_PER_TOKEN // 2
        return choose_target(files, session.brief.suggested, most_bytes, rng)


@dataclass
class _Asking:
    """Asks a model, and keeps what it said in this step."""

    model: ChatModel
    config: PromptConfig
    step: int
    replies: list[Reply] = field(default_factory=list[Reply])
    answers: int = 0
    """How many of the replies were to bring a change; the others are thoughts."""

    def ask(self, purpose: str, turn: int, system: str, talk: tuple[Message, ...]) -> Reply:
        request = Request(
            place=CallKey(step=self.step, purpose=purpose, turn=turn),
            system=system,
            messages=talk,
            max_output_tokens=self.config.output_tokens,
            temperature=self.config.degrees(turn if purpose == PROPOSE else 0),
        )
        self.replies.append(self.model.complete(request))
        self.answers += purpose == PROPOSE
        return self.replies[-1]

    def say(self, purpose: str, turn: int, system: str, talk: tuple[Message, ...]) -> str:
        return self.ask(purpose, turn, system, talk).text


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


def _chooses_freely(move: Move, history: History) -> bool:
    """Whether a move leaves it to its proposer what to change; one that was never run has nothing to mend."""
    was_run = history[move.parents[0]].evaluation.outcome is not Outcome.REJECTED
    return move.operator in {Operator.DRAFT, Operator.IMPROVE} or (move.operator is Operator.DEBUG and not was_run)


def _refuse_what_has_no_effect(files: Files, changed: Files, instructions: str) -> None:
    names = unused(files, changed, instructions)
    if names is None:
        return
    if not names:
        raise EditProblem("Only words for people differ: the program would do what it did before.")
    told = ", ".join(sorted(names))
    raise EditProblem(
        f"Nothing uses {told}, so the program would do what it did before. "
        "Write, too, the function of the file that is to use it."
    )


def _refuse_repetition(changed: Files, move: Move, history: History, memory: Memory) -> None:
    """The same code scores the same: an experiment with it would tell nothing."""
    tried = memory.step_with(changed, (0, *move.context))
    if tried is not None:
        step = f"step {tried}" if tried else "the baseline"
        score = history[tried].score
        came_to = str(history[tried].evaluation.outcome) if score is None else f"score {score:.4f}"
        raise Repetition(f"it leads to the code of {step} again ({came_to})")


def _asked_again(
    opening: Message, replies: Sequence[Reply], problem: EditProblem, wanted: Lines, form: str
) -> tuple[Message, ...]:
    """The question, the last answer, and what was wrong with it.

    Small models copy an answer that they are shown, so one that repeats itself or an earlier step is not shown again.
    """
    last = replies[-1]
    if isinstance(problem, Repetition):
        idea = idea_in(_without_sign(last.text))
        told = render("repetition", idea=idea, mark=fence_of(idea), problem=str(problem))
    else:
        told = _objection(last, problem, wanted, form)
    is_copied = any(_edits_of(reply.text) == _edits_of(last.text) for reply in replies[:-1])
    if is_copied or isinstance(problem, Repetition):
        return (Message(role="user", text=f"{opening.text}\n\n{told}"),)
    # Providers take no empty message.
    said = Message(role="assistant", text=last.text.strip() or "(nothing)")
    return (opening, said, Message(role="user", text=told))


def _edits_of(text: str) -> str:
    """An answer without its first line, which is the idea: that may be put in other words each time."""
    return text.strip().partition("\n")[2].strip() or text.strip()


def _as_it_is(focus: EditTarget | None, files: Files, form: str) -> Lines | None:
    """What dice named, as the file has it and if it is short, for models that write best what they can copy."""
    if focus is None or form != "definitions":
        return None
    current = definition_of(focus.name, files.get(focus.path, ""))
    is_short = 0 < len(current.encode()) <= _CURRENT_BYTES
    return Lines(focus.path, tuple(current.split("\n"))) if is_short else None


def _objection(reply: Reply, problem: EditProblem, wanted: Lines, form: str) -> str:
    reason, meant = str(problem), problem.meant or wanted
    told = head_of(reason, _FEEDBACK_BYTES) or reason[:_FEEDBACK_BYTES]
    if not reply.is_complete:
        told = f"The answer was cut off at the limit of its length; write less.\n\n{told}"
    lines = head_of("\n".join(meant.lines), _EXAMPLE_BYTES)
    current = fenced(wanted.path, "\n".join(wanted.lines)) if wanted.lines else ""
    path = wanted.path if current else meant.path
    return render("feedback", problem=told, form=form, path=path, lines=lines, current=current)


def _rejection(asked: _Asking, end: Exception) -> str:
    tried = f"could be made in {counted(asked.answers, 'answer')}; at last" if asked.answers else "was asked for"
    return f"no change {tried}: {' '.join(str(end).split())}"[:_LONGEST_REJECTION]


def _without_sign(text: str) -> str:
    """An answer without the line that says that its idea is done, which is none of its words."""
    return IDEA_IS_DONE.sub("", text)


def _idea(answer: ParsedAnswer, thoughts: PlanNotes) -> str:
    """What is tried, in the answer's words, else in those of the idea that it works out."""
    paths = ", ".join(dict.fromkeys(edit.path for edit in answer.edits))
    return answer.idea or idea_in(thoughts.idea) or f"a change of {paths}, without a word on why"
