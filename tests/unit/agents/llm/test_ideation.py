"""Ideas and goals: thought up once, noted, and worked out."""

import re
from dataclasses import dataclass, field
from random import Random

import pytest

from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.proposers.llm.proposer import LanguageModel
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.strategies.ai_scientist import AIScientist
from fmlbench.agents.strategies.ai_scientist_v2 import AIScientistV2
from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest
from fmlbench.core.notes import IdeaDone, IdeaLogged
from fmlbench.core.steps import IdeaPlan, Move, Operator, StagePlan
from fmlbench.models.chat import CallKey, Reply, Request
from fmlbench.testing.sessions import RecordedSession

FILES = {"model.py": "width = 8\n"}


def ideas_in(session: RecordedSession) -> list[IdeaLogged]:
    return [note for note in session.history.notes if isinstance(note, IdeaLogged)]


def idea_of(move: Move) -> int:
    assert isinstance(move.plan, IdeaPlan)
    return move.plan.number


@dataclass
class Thinking:
    """A model that numbers its thoughts, and whose every change is the last that its idea needs."""

    name: str = "test/thinking"
    begins: str = ""
    ends: str = "IDEA DONE"
    title: str = ""
    asked: list[Request] = field(default_factory=list[Request])

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        place = request.place
        if place.purpose == "propose":
            width = request.messages[0].text.count("width") + 10 * place.step
            whole = f"<<<<<<< FILE model.py\nwidth = {width}\n>>>>>>> END"
            begins = self.begins or f"IDEA: width {width}"
            return Reply(text=f"{begins}\n\n{whole}\n{self.ends}\n", dollars=0.0)
        if place.turn == 2:
            return Reply(text="I am done.", dollars=0.0)
        return Reply(text=f"{self.title}Thought {place.purpose}, turn {place.turn}.", dollars=0.0)

    def purposes(self) -> list[str]:
        return [request.place.purpose for request in self.asked]


@dataclass
class Answering:
    """A model with given thoughts, one a turn, whose changes are all the same."""

    thoughts: list[str]
    change: str
    name: str = "test/answering"

    def complete(self, request: Request) -> Reply:
        place = request.place
        return Reply(text=self.change if place.purpose == "propose" else self.thoughts[place.turn], dollars=0.0)


@dataclass
class Ending:
    """A model that may be asked so often in a step, and no more."""

    calls: int
    name: str = "test/ending"
    asked: dict[int, int] = field(default_factory=dict[int, int])

    def complete(self, request: Request) -> Reply:
        step = request.place.step
        if self.asked.get(step, 0) == self.calls:
            raise NoMoreCalls("spent")
        self.asked[step] = self.asked.get(step, 0) + 1
        return Reply(text="Thought.", dollars=0.0)


def shown(request: Request) -> str:
    return request.messages[0].text


def session_of(steps: int) -> RecordedSession:
    return RecordedSession(FILES, lambda files: len(files["model.py"]) / 100, steps=steps)


def test_all_ideas_are_thought_up_and_over_before_the_first_is_worked_out():
    model, session = Thinking(), session_of(2)
    SearchAgent(AIScientist(ideas=2, reflections=4), LanguageModel(model)).run(session)
    assert model.purposes() == ["idea 1"] * 3 + ["idea 2"] * 3 + ["propose", "propose"]
    assert "1. Thought idea 1, turn 1." in model.asked[3].messages[0].text
    assert "Thought idea 1, turn 1." in model.asked[6].messages[0].text
    assert "Thought idea 2, turn 1." in model.asked[7].messages[0].text
    assert session.history[1].usage.calls == 7
    assert session.history[2].usage.calls == 1


def test_no_idea_is_thought_up_that_the_run_could_not_draft():
    model, session = Thinking(), session_of(2)
    SearchAgent(AIScientist(ideas=25, reflections=1), LanguageModel(model)).run(session)
    assert model.purposes() == ["idea 1", "idea 2", "propose", "propose"]


def test_thoughts_are_no_answers_that_brought_no_change():
    session = session_of(2)
    model = Answering(["Wider nets.", "Deeper nets."], "no edit at all")
    SearchAgent(AIScientist(ideas=2, reflections=2), LanguageModel(model, PromptConfig(edit_tries=3))).run(session)
    step = session.history[1]
    assert step.usage.calls == 2 * 2 + 3
    assert step.evaluation.reason.startswith(
        "no change in 3 answers could be applied; the last problem: The answer contains no edit"
    )


def test_a_cap_reached_during_ideation_is_reported():
    model, session = Ending(calls=3), session_of(2)
    SearchAgent(AIScientist(ideas=2, reflections=2), LanguageModel(model)).run(session)
    step = session.history[1]
    assert (step.usage.calls, step.evaluation.reason) == (3, "no change requested: spent")


def test_an_idea_that_is_done_is_worked_out_no_further():
    model, session = Thinking(), session_of(5)
    SearchAgent(AIScientist(ideas=2, reflections=1), LanguageModel(model)).run(session)
    assert [step.move.operator for step in session.history.proposed] == [Operator.DRAFT, Operator.DRAFT]
    assert [note.step for note in session.history.notes if isinstance(note, IdeaDone)] == [1, 2]


def test_that_an_idea_is_done_is_not_the_idea():
    """A small model said so in the place of its idea."""
    model, session = Thinking(begins="IDEA DONE"), session_of(1)
    SearchAgent(AIScientist(ideas=1, reflections=1), LanguageModel(model)).run(session)
    assert session.history[1].idea == "Thought idea 1, turn 0."
    assert [type(note) for note in session.history.notes] == [IdeaLogged, IdeaDone]


def test_that_an_idea_is_done_takes_no_code_with_it():
    """A line with nothing but brackets or a fence has no word in it either."""
    files = {"model.py": "width = 8\n"}
    answer = "IDEA: wider\n\nmodel.py\n```python\nwidth = max(\n    8,\n    16,\n)\n```\n\nIDEA DONE"
    model = Answering(["Wider nets."], answer)
    session = RecordedSession(files, lambda _: 0.5, steps=1)
    SearchAgent(AIScientist(ideas=1, reflections=1), LanguageModel(model, PromptConfig(edit_format="definitions"))).run(
        session
    )
    assert session.code_of(1) == {"model.py": "width = max(\n    8,\n    16,\n)\n"}
    assert [type(note) for note in session.history.notes] == [IdeaLogged, IdeaDone]


@pytest.mark.parametrize(
    "thought", ["I AM DONE", "**I am done.**", "I AM DONE. It is new.", "It is new.\n\nI AM DONE", "So I am done."]
)
def test_who_is_done_thinking_keeps_the_idea(thought: str):
    session = session_of(1)
    model = Answering(["Wider nets.", thought, "a third thought"], "")
    SearchAgent(AIScientist(ideas=1, reflections=3), LanguageModel(model, PromptConfig(edit_tries=1))).run(session)
    assert [note.text for note in ideas_in(session)] == ["Wider nets."]


def test_a_thought_that_only_speaks_of_being_done_is_a_thought():
    session = session_of(1)
    model = Answering(["Wider nets.", "Stop early, as soon as I am done with half of the epochs."], "")
    SearchAgent(AIScientist(ideas=1, reflections=2), LanguageModel(model, PromptConfig(edit_tries=1))).run(session)
    assert [note.text for note in ideas_in(session)] == [model.thoughts[1]]


def test_an_idea_that_is_not_done_gets_its_runs():
    session = session_of(4)
    SearchAgent(AIScientist(ideas=2, reflections=1, runs=3), LanguageModel(Thinking(ends=""))).run(session)
    assert [idea_of(step.move) for step in session.history.proposed] == [1, 1, 1, 2]


def test_thoughts_that_are_noted_are_not_thought_again():
    model, session = Thinking(), session_of(3)
    agent = SearchAgent(AIScientist(ideas=3, reflections=1), LanguageModel(model))
    agent.run(session)
    resumed = session.interrupted_after(1)
    model.asked.clear()
    agent.run(resumed)
    assert model.purposes() == ["propose", "propose"]


@dataclass
class Remembering:
    """Asks a model once for each place, like a run that keeps its exchanges; it may break off."""

    model: Thinking
    breaks_off_after: int
    name: str = "test/remembering"
    kept: dict[CallKey, tuple[Request, Reply]] = field(default_factory=dict[CallKey, tuple[Request, Reply]])

    def complete(self, request: Request) -> Reply:
        if request.place not in self.kept:
            if len(self.kept) == self.breaks_off_after:
                raise KeyboardInterrupt
            self.kept[request.place] = (request, self.model.complete(request))
        asked, reply = self.kept[request.place]
        assert asked == request
        return reply


@pytest.mark.parametrize("focus", [0, 1])
def test_a_step_is_charged_for_ideas_that_were_thought_up_before_an_interruption(focus: int):
    session, model = session_of(4), Remembering(Thinking(), breaks_off_after=3)
    agent = SearchAgent(AIScientist(ideas=4, reflections=1), LanguageModel(model, PromptConfig(choose_target=focus)))
    with pytest.raises(KeyboardInterrupt):
        agent.run(session)
    assert [idea.number for idea in ideas_in(session)] == [1, 2, 3]
    model.breaks_off_after = 99
    agent.run(session)
    assert model.model.purposes() == ["idea 1", "idea 2", "idea 3", "idea 4", *["propose"] * 4]
    assert session.history[1].usage.calls == 5
    assert [type(note) for note in session.history.notes][:5] == [*[IdeaLogged] * 4, IdeaDone]
    assert [idea.number for idea in ideas_in(session)] == [1, 2, 3, 4]


@dataclass
class Rambling(Thinking):
    """A model whose every thought is as long as it may be."""

    def complete(self, request: Request) -> Reply:
        reply = super().complete(request)
        return (
            reply if request.place.purpose == "propose" else Reply(text=reply.text + " And so on." * 500, dollars=0.0)
        )


def test_however_many_and_long_the_ideas_a_prompt_that_was_long_enough_stays_so():
    """The first prompt of all says whether there is room; nothing is paid for before that."""
    model, session = Rambling(), session_of(30)
    config = PromptConfig(context_tokens=least_tokens(session))
    SearchAgent(AIScientist(ideas=25, reflections=2, runs=1), LanguageModel(model, config)).run(session)
    assert model.purposes().count("propose") == 25
    asked = [request for request in model.asked if len(request.messages) == 1]
    sizes = [len((request.system + request.messages[0].text).encode()) for request in asked]
    assert max(sizes) <= config.context_tokens * 3
    assert "\n\n24. Thought" in model.asked[48].messages[0].text


def test_for_the_next_idea_the_code_need_not_be_read_again():
    model, files = Rambling(), {f"part{number}.py": f"width = {number}\n" * 9 * number for number in range(40)}
    session = RecordedSession({**FILES, **files}, lambda files: 0.5, steps=4)
    config = PromptConfig(context_tokens=least_tokens(session) * 2)
    SearchAgent(AIScientist(ideas=4, reflections=1), LanguageModel(model, config)).run(session)
    codes = [shown(request).partition("## What was tried")[0] for request in model.asked[:4]]
    assert "Not shown, because there is no space: part" in codes[0]
    assert len(set(codes)) == 1


def test_a_model_that_copies_does_not_see_earlier_ideas():
    model, session = Thinking(), session_of(2)
    SearchAgent(AIScientist(ideas=2, reflections=1), LanguageModel(model, PromptConfig(shown_changes=0))).run(session)
    assert "Thought idea 1" not in shown(model.asked[1])
    assert "Thought idea 1, turn 0." in shown(model.asked[2]), "the implemented idea is shown"


@pytest.mark.parametrize("ending", ["```\nWhy: it pays.", ""])
def test_code_in_a_thought_is_left_out(ending: str):
    model, session = Thinking(title=f"Be wider.\n```python\nwidth = 9\n{ending}"), session_of(1)
    SearchAgent(AIScientist(ideas=1, reflections=1), LanguageModel(model)).run(session)
    (idea,) = (note.text for note in ideas_in(session))
    assert "width" not in idea
    assert idea.startswith("Be wider.")
    assert ("it pays" in idea) == bool(ending)


def test_a_thought_that_is_nothing_but_code_is_kept():
    model, session = Thinking(title="```\nwidth = 9\n"), session_of(1)
    SearchAgent(AIScientist(ideas=1, reflections=1), LanguageModel(model)).run(session)
    (idea,) = (note.text for note in ideas_in(session))
    assert "width = 9" in idea


def least_tokens(session: RecordedSession) -> int:
    with pytest.raises(BadRequest) as caught:
        LanguageModel(Thinking(), PromptConfig(context_tokens=1000)).propose(
            Move(operator=Operator.DRAFT), session, Random(0)
        )
    return int(caught.value.hint.partition("context_tokens=")[2].partition(",")[0])


def test_a_random_target_is_the_same_in_all_runs_of_an_idea():
    model, files = Thinking(ends=""), {"model.py": "".join(f"w{number} = 1\n" for number in range(50))}
    session = RecordedSession(files, lambda files: len(files["model.py"]) / 100, steps=3)
    agent = AIScientist(ideas=2, reflections=1, runs=2)
    SearchAgent(agent, LanguageModel(model, PromptConfig(choose_target=1))).run(session)
    first, second, *runs = (
        re.findall(r"(?:must change|^Change) `(w\d+)`", shown(each), re.MULTILINE) for each in model.asked
    )
    assert (len(first), len(second), first == second) == (1, 1, False)
    assert runs == [first, [], second], "the first run leaves nothing of what it was to change"


def test_a_later_part_of_a_stage_has_a_goal_of_its_own():
    model = Thinking(ends="")
    move = Move(operator=Operator.IMPROVE, plan=StagePlan(stage="tuning", part=2, goal="Tune it."))
    session = session_of(2)
    session.submit(LanguageModel(model).propose(move, session, Random(0)))
    LanguageModel(model).propose(move, session, Random(0))
    assert model.purposes() == ["goal tuning 2", "propose", "propose"]
    assert "Tune it." in model.asked[0].messages[0].text
    assert "Thought goal tuning 2, turn 0." in model.asked[1].messages[0].text


def test_the_second_scientist_runs_through_its_stages():
    session = session_of(12)
    SearchAgent(AIScientistV2(), LanguageModel(Thinking(ends=""))).run(session)
    assert len(session.history.proposed) == 12
    assert all(step.score is not None for step in session.history)
