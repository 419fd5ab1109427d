"""The proposer that asks a language model."""

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
from fmlbench.agents.proposers.llm.prompt import BYTES_PER_TOKEN, PromptPlan, example_path, write_prompt
from fmlbench.agents.proposers.llm.unused_code import unused
from fmlbench.agents.search_agent import seeded_rng
from fmlbench.core.agents import NoMoreCalls, Session
from fmlbench.core.evaluation import Outcome
from fmlbench.core.notes import IdeaDone
from fmlbench.core.steps import History, IdeaPlan, Move, Operator, Proposal
from fmlbench.core.text import counted
from fmlbench.core.usage import Usage
from fmlbench.models.chat import CallKey, ChatModel, Message, Reply, Request
from fmlbench.workspace.trees import matches

PROPOSE = "propose"
IDEA_IS_DONE = re.compile(r"^[^\w\n]*IDEA DONE[^\w\n]*$", re.MULTILINE)
_FEEDBACK_BYTES = 6000
_EXAMPLE_BYTES = 1000
_CURRENT_BYTES = 1500
_LONGEST_REJECTION = 400


@dataclass(frozen=True)
class LanguageModel:
    """Asks a model for a change; if it cannot be applied, sends the problem back and asks again."""

    model: ChatModel
    config: PromptConfig = field(default_factory=PromptConfig)
    cache: dict[str, Files] = field(default_factory=dict[str, Files], repr=False)

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the changed files, or a rejection if no attempt produced a change that can be applied."""
        chat = _Chat(self.model, self.config, len(session.history))
        config = self.config
        memory = Memory(session, self.cache, shown_changes=config.shown_changes, edit_format=config.edit_format)
        try:
            return self._propose(move, session, memory, chat, rng)
        except (EditProblem, NoMoreCalls) as end:
            if not chat.replies:
                raise
            return Proposal(
                move=move,
                files=memory.code_of(move.parents[0]),
                idea=idea_in(_without_done_line(chat.replies[-1].text)) or "a change that could not be applied",
                usage=usage_of(chat.replies),
                rejection=_rejection(chat, end),
            )

    def _propose(self, move: Move, session: Session, memory: Memory, chat: "_Chat", rng: Random) -> Proposal:
        files, edit_format = memory.code_of(move.parents[0]), self.config.edit_format
        write = partial(write_prompt, move, session, memory, tokens=self.config.context_tokens, edit_format=edit_format)
        ideation = Ideation(
            session, memory, self.config, chat.ask_for_text, partial(self._target_of_idea, session, memory)
        )
        target = self._target(move, session, memory, rng)
        plan = PromptPlan(idea=ideation.idea_for(move), goal=ideation.goal_for(move), target=target)
        prompt = write(plan=plan)
        messages = (Message(role="user", text=prompt.user),)
        for turn in count():
            reply = chat.ask(PROPOSE, turn, prompt.system, messages)
            try:
                text, defines = _without_done_line(reply.text), edit_format == "definitions"
                answer = read_answer(text, files.keys(), is_complete=reply.is_complete, defines=defines)
                changed = apply(answer.edits, files, lambda path: matches(path, session.brief.patterns))
                _reject_without_effect(files, changed, session.brief.instructions)
                _reject_repetition(changed, move, session.history, memory)
            except EditProblem as problem:
                if turn + 1 == self.config.edit_tries:
                    raise
                if self.config.temperature_step and turn % 2:
                    # After two failed attempts at a target, choose another at random.
                    plan = replace(plan, target=self._target(move, session, memory, rng))
                    prompt = write(plan=plan)
                    messages = (Message(role="user", text=prompt.user),)
                else:
                    wanted = _current_lines(plan.target, files, edit_format) or Lines(example_path(session.brief), ())
                    messages = _feedback_messages(messages[0], chat.replies, problem, wanted, edit_format)
                continue
            idea = _idea(answer, plan)
            if plan.idea and IDEA_IS_DONE.search(reply.text):
                session.note(IdeaDone(step=len(session.history), text=idea))
            return Proposal(move=move, files=changed, idea=idea, usage=usage_of(chat.replies))
        raise AssertionError  # count() never ends

    def _target(self, move: Move, session: Session, memory: Memory, rng: Random) -> EditTarget | None:
        """The definition to change: the one whose change failed, that of the move's idea, or a random one."""
        files = memory.code_of(move.parents[0])
        if not _chooses_freely(move, session.history):
            fixes = self.config.choose_target and move.operator is Operator.DEBUG
            before = session.history[move.parents[0]].move.parents
            return changed_target(memory.code_of(before[0]), files) if fixes and before else None
        if not isinstance(move.plan, IdeaPlan):
            return self._random_target(session, files, rng)
        target = self._target_of_idea(session, memory, move.plan.number)
        return target if target and target.is_in(files) else None

    def _target_of_idea(self, session: Session, memory: Memory, number: int) -> EditTarget | None:
        """The same in every step that implements the idea."""
        return self._random_target(session, memory.code_of(0), seeded_rng(session.seed, "idea", number))

    def _random_target(self, session: Session, files: Files, rng: Random) -> EditTarget | None:
        if not self.config.choose_target:
            return None
        # Half of an answer is left for the idea and for other definitions that must change too.
        most_bytes = self.config.output_tokens * BYTES_PER_TOKEN // 2
        return choose_target(files, session.brief.suggested, most_bytes, rng)


@dataclass
class _Chat:
    """Asks a model and keeps its replies of this step."""

    model: ChatModel
    config: PromptConfig
    step: int
    replies: list[Reply] = field(default_factory=list[Reply])
    answers: int = 0
    """The number of replies to requests for a change; the others are ideas and goals."""

    def ask(self, purpose: str, turn: int, system: str, messages: tuple[Message, ...]) -> Reply:
        request = Request(
            place=CallKey(step=self.step, purpose=purpose, turn=turn),
            system=system,
            messages=messages,
            max_output_tokens=self.config.output_tokens,
            temperature=self.config.temperature_at(turn if purpose == PROPOSE else 0),
        )
        self.replies.append(self.model.complete(request))
        self.answers += purpose == PROPOSE
        return self.replies[-1]

    def ask_for_text(self, purpose: str, turn: int, system: str, messages: tuple[Message, ...]) -> str:
        return self.ask(purpose, turn, system, messages).text


def usage_of(replies: Sequence[Reply]) -> Usage:
    """The sum of several calls; the price is unknown if that of one call is."""
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
    """Whether the proposer chooses what to change; a step that was never run has nothing to fix."""
    was_run = history[move.parents[0]].evaluation.outcome is not Outcome.REJECTED
    return move.operator in {Operator.DRAFT, Operator.IMPROVE} or (move.operator is Operator.DEBUG and not was_run)


def _reject_without_effect(files: Files, changed: Files, instructions: str) -> None:
    names = unused(files, changed, instructions)
    if names is None:
        return
    if not names:
        raise EditProblem("Only comments, docstrings or formatting differ: the program behaves as before.")
    added = ", ".join(sorted(names))
    raise EditProblem(
        f"The new code ({added}) is never used, so the program behaves as before. "
        "Also change a function of the file to use it."
    )


def _reject_repetition(changed: Files, move: Move, history: History, memory: Memory) -> None:
    """Reject code that was run before: it would get the same score."""
    tried = memory.step_with(changed, (0, *move.context))
    if tried is not None:
        step = f"step {tried}" if tried else "the baseline"
        score = history[tried].score
        result = str(history[tried].evaluation.outcome) if score is None else f"score {score:.4f}"
        raise Repetition(f"it results in the same code as {step} ({result})")


def _feedback_messages(
    opening: Message, replies: Sequence[Reply], problem: EditProblem, wanted: Lines, edit_format: str
) -> tuple[Message, ...]:
    """The request, the last answer, and what was wrong with it.

    Small models copy what they see, so an answer that repeats itself or an earlier step is not shown again.
    """
    last = replies[-1]
    if isinstance(problem, Repetition):
        idea = idea_in(_without_done_line(last.text))
        feedback = render("repetition", idea=idea, mark=fence_of(idea), problem=str(problem))
    else:
        feedback = _feedback(last, problem, wanted, edit_format)
    is_copied = any(_edits_of(reply.text) == _edits_of(last.text) for reply in replies[:-1])
    if is_copied or isinstance(problem, Repetition):
        return (Message(role="user", text=f"{opening.text}\n\n{feedback}"),)
    # Providers reject empty messages.
    answer = Message(role="assistant", text=last.text.strip() or "(nothing)")
    return (opening, answer, Message(role="user", text=feedback))


def _edits_of(text: str) -> str:
    """An answer without its first line, the idea, whose wording may differ between copies."""
    return text.strip().partition("\n")[2].strip() or text.strip()


def _current_lines(target: EditTarget | None, files: Files, edit_format: str) -> Lines | None:
    """The current code of the target if it is short: small models write best what they can copy."""
    if target is None or edit_format != "definitions":
        return None
    current = definition_of(target.name, files.get(target.path, ""))
    is_short = 0 < len(current.encode()) <= _CURRENT_BYTES
    return Lines(target.path, tuple(current.split("\n"))) if is_short else None


def _feedback(reply: Reply, problem: EditProblem, wanted: Lines, edit_format: str) -> str:
    reason, meant = str(problem), problem.meant or wanted
    text = head_of(reason, _FEEDBACK_BYTES) or reason[:_FEEDBACK_BYTES]
    if not reply.is_complete:
        text = f"The answer was cut off at the length limit; write less.\n\n{text}"
    lines = head_of("\n".join(meant.lines), _EXAMPLE_BYTES)
    current = fenced(wanted.path, "\n".join(wanted.lines)) if wanted.lines else ""
    path = wanted.path if current else meant.path
    return render("feedback", problem=text, edit_format=edit_format, path=path, lines=lines, current=current)


def _rejection(chat: _Chat, end: Exception) -> str:
    tried = f"in {counted(chat.answers, 'answer')} could be applied; the last problem" if chat.answers else "requested"
    return f"no change {tried}: {' '.join(str(end).split())}"[:_LONGEST_REJECTION]


def _without_done_line(text: str) -> str:
    """An answer without the line that marks its idea as done."""
    return IDEA_IS_DONE.sub("", text)


def _idea(answer: ParsedAnswer, plan: PromptPlan) -> str:
    """The idea as the answer states it, else the planned idea."""
    paths = ", ".join(dict.fromkeys(edit.path for edit in answer.edits))
    return answer.idea or idea_in(plan.idea) or f"a change of {paths} without a stated idea"
