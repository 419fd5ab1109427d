import re
from dataclasses import dataclass, field
from random import Random

import pytest

from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.proposers.llm.prompt import BYTES_PER_TOKEN
from fmlbench.agents.proposers.llm.proposer import LanguageModel
from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import Move, Operator, Proposal
from fmlbench.core.usage import Usage
from fmlbench.models.chat import Reply, Request, Tokens
from fmlbench.testing.sessions import RecordedSession

FILES = {"model.py": "width = 8\ndepth = 2\n"}
DRAFT = Move(operator=Operator.DRAFT)
GOOD = "IDEA: twice the width\n\nmodel.py\n<<<<<<< SEARCH\nwidth = 8\n=======\nwidth = 16\n>>>>>>> REPLACE"
WRONG = GOOD.replace("width = 8", "width = 7")


@dataclass
class Answering:
    """A model that gives these answers, and keeps what it was asked."""

    answers: list[Reply | Exception]
    name: str = "test/answering"
    asked: list[Request] = field(default_factory=list[Request])

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        answer = self.answers[len(self.asked) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


def said(text: str, dollars: float | None = 0.5) -> Reply:
    tokens = Tokens(input=100, output=10, cached=40, reasoning=5)
    return Reply(text=text, tokens=tokens, dollars=dollars, seconds=2.0)


def propose(*answers: Reply | Exception, tries: int = 3) -> tuple[Proposal, Answering]:
    model = Answering(list(answers))
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    return LanguageModel(model, PromptConfig(edit_tries=tries)).propose(DRAFT, session, Random(0)), model


def test_an_answer_becomes_a_proposal_with_its_idea_and_cost():
    proposal, model = propose(said(GOOD))
    assert proposal.files == {"model.py": "width = 16\ndepth = 2\n"}
    assert (proposal.idea, proposal.rejection) == ("twice the width", "")
    assert proposal.usage == Usage(
        calls=1, input_tokens=100, output_tokens=10, cached_tokens=40, reasoning_tokens=5, dollars=0.5, seconds=2.0
    )
    assert (model.asked[0].place.step, model.asked[0].place.turn) == (1, 0)


def test_a_change_that_does_not_apply_goes_back_with_the_nearest_lines_inside_the_step():
    """The reference editor said nothing to the model, and ran the experiment on unchanged code."""
    proposal, model = propose(said(WRONG), said(GOOD))
    assert proposal.files["model.py"].startswith("width = 16")
    assert (proposal.usage.calls, proposal.usage.dollars, proposal.usage.seconds) == (2, 1.0, 4.0)
    first, answer, objection = model.asked[1].messages
    assert (first, answer.text) == (model.asked[0].messages[0], WRONG)
    assert "The SEARCH lines are not in the file." in objection.text
    assert "The most similar lines are in model.py:\n\nwidth = 8\n\n" in objection.text
    assert "model.py\n<<<<<<< SEARCH\nwidth = 8\n=======\n" in objection.text
    assert model.asked[1].place.turn == 1


def test_after_the_last_try_the_step_is_rejected_and_nothing_is_run():
    proposal, model = propose(said(WRONG), said("no edit at all"), tries=2)
    assert len(model.asked) == 2
    assert proposal.files == FILES
    assert proposal.idea == "no edit at all"
    assert proposal.rejection.startswith(
        "no change in 2 answers could be applied; the last problem: The answer contains no edit"
    )
    assert proposal.usage.calls == 2


def test_the_conversation_does_not_grow_with_every_try():
    _, model = propose(said(WRONG), said(WRONG.replace("7", "6")), said(WRONG))
    assert [len(request.messages) for request in model.asked] == [1, 3, 3]


def test_an_answer_that_is_given_twice_is_not_shown_a_second_time():
    other_words = WRONG.replace("twice the width", "more width")
    _, model = propose(said(WRONG), said(other_words), said(GOOD))
    (again,) = model.asked[2].messages
    assert again.text.startswith(model.asked[0].messages[0].text)
    assert "model.py\n<<<<<<< SEARCH\nwidth = 8\n=======\n" in again.text.partition("Your changes were not applied.")[2]


def test_feedback_says_that_an_answer_was_cut_off():
    cut = said("model.py\n<<<<<<< SEARCH\nwidth = 8\n").model_copy(update={"is_complete": False})
    _, model = propose(cut, said(GOOD))
    assert "cut off at the length limit" in model.asked[1].messages[2].text


def test_an_empty_answer_is_not_sent_back_empty():
    _, model = propose(said(""), said(GOOD))
    assert model.asked[1].messages[1].text == "(nothing)"


def test_only_editable_files_are_changed():
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    session.brief = session.brief.model_copy(update={"patterns": ("src/*.py",)})
    model = Answering([said(GOOD)])
    proposal = LanguageModel(model, PromptConfig(edit_tries=1)).propose(DRAFT, session, Random(0))
    assert "This file is not editable." in proposal.rejection


def test_a_price_that_is_not_known_makes_the_sum_unknown():
    proposal, _ = propose(said(WRONG, dollars=None), said(GOOD))
    assert proposal.usage.dollars is None


def test_a_cap_before_the_first_call_ends_the_search():
    with pytest.raises(NoMoreCalls):
        propose(NoMoreCalls("spent"))


def test_a_cap_between_tries_ends_the_step_with_its_cost_on_record():
    proposal, _ = propose(said(WRONG), NoMoreCalls("spent"))
    assert proposal.rejection == "no change in 1 answer could be applied; the last problem: spent"
    assert proposal.usage.calls == 1


def test_an_answer_without_words_still_has_an_idea():
    proposal, _ = propose(said(GOOD.partition("\n\n")[2]))
    assert proposal.idea == "a change of model.py without a stated idea"


@pytest.mark.parametrize("temperature", ["warm", "0,7"])
def test_a_temperature_is_a_number_or_nothing(temperature: str):
    with pytest.raises(ValueError, match="temperature must be a number"):
        PromptConfig(temperature=temperature)
    assert (
        PromptConfig(temperature_step=0.5).temperature_at(2),
        PromptConfig(temperature="0.7").temperature_at(2),
    ) == (None, 0.7)


def test_there_are_two_forms_of_answers():
    with pytest.raises(ValueError, match="edit_format must be blocks or definitions, got 'diff'"):
        PromptConfig(edit_format="diff")


def test_definitions_are_asked_for_and_taken_where_that_is_the_form():
    """Small models copy lines to be searched for wrongly, and leave out most of a file that they should write whole."""
    answer = "IDEA: twice the width\n\nmodel.py\n```python\nwidth = 16\n```"
    model = Answering([said(answer.replace("width = 16", "width = ")), said(answer)])
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    proposal = LanguageModel(model, PromptConfig(edit_format="definitions")).propose(DRAFT, session, Random(0))
    assert (proposal.files, proposal.usage.calls) == ({"model.py": "width = 16\ndepth = 2\n"}, 2)
    shown = [model.asked[0].system, model.asked[0].messages[0].text, model.asked[1].messages[2].text]
    assert all(
        "```python\n<each function, class or constant that you change, complete>\n```" in text for text in shown[:2]
    )
    assert not any("SEARCH" in text or "<<<<<<<" in text for text in shown)
    assert "Edit 1 (model.py): This is not valid Python" in shown[2]


def test_a_further_try_is_asked_more_freely_so_that_small_models_stop_repeating_themselves():
    model = Answering([said(WRONG), said(WRONG), said(GOOD)])
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    LanguageModel(model, PromptConfig(temperature="0.5", temperature_step=0.25)).propose(DRAFT, session, Random(0))
    assert [request.temperature for request in model.asked] == [0.5, 0.75, 1.0]
    assert [len(request.messages) for request in model.asked] == [1, 3, 1]
    assert model.asked[2].messages == model.asked[0].messages


def test_what_was_tried_already_goes_back_instead_of_being_run_again():
    session = RecordedSession(FILES, lambda _: 0.25, steps=3)
    session.submit(Proposal(DRAFT, {"model.py": "width = 16\ndepth = 2\n"}, "twice the width"))
    model = Answering([said(GOOD), said(GOOD.replace("width = 16", "width = 32"))])
    proposal = LanguageModel(model).propose(DRAFT.model_copy(update={"context": (1,)}), session, Random(0))
    (again,) = model.asked[1].messages
    assert again.text.startswith(model.asked[0].messages[0].text)
    assert "it results in the same code as step 1 (score 0.2500)" in again.text
    assert proposal.files["model.py"].startswith("width = 32")


def test_code_that_is_only_copied_is_not_shown_a_second_time():
    """A small model that is shown its copy says it again, and thinks that it has changed something."""
    copied = "IDEA: twice the width\n\nmodel.py\n```python\nwidth = 8\n```"
    model = Answering([said(copied), said(copied.replace("8", "16"))])
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    proposal = LanguageModel(model, PromptConfig(edit_format="definitions")).propose(DRAFT, session, Random(0))
    (again,) = model.asked[1].messages
    assert "Your last answer was tried before" in again.text
    assert "the files already contain this code" in again.text
    assert proposal.files == {"model.py": "width = 16\ndepth = 2\n"}


def test_what_nothing_uses_goes_back_instead_of_being_run():
    unused = "IDEA: deeper\n\nmodel.py\n```python\ndef deepen(x):\n    return x\n```"
    model = Answering([said(unused), said("IDEA: wider\n\nmodel.py\n```python\nwidth = 16\n```")])
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    proposal = LanguageModel(model, PromptConfig(edit_format="definitions")).propose(DRAFT, session, Random(0))
    assert "The new code (deepen) is never used, so the program behaves as before." in model.asked[1].messages[2].text
    assert proposal.files == {"model.py": "width = 16\ndepth = 2\n"}


@pytest.mark.parametrize("number", range(4))
def test_a_target_can_be_chosen_at_random(number: int):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    model = Answering([said(GOOD), said(GOOD), said(GOOD)])
    for config in (PromptConfig(choose_target=1), PromptConfig(choose_target=1), PromptConfig()):
        LanguageModel(model, config).propose(DRAFT, session, Random(number))
    first, again, free = ("in model.py this time." in request.messages[0].text for request in model.asked)
    assert (first, again, free) == (True, True, False)
    assert model.asked[0] == model.asked[1]


def test_the_prompt_asks_only_for_the_chosen_target():
    session = RecordedSession({"model.py": "width = 8\n"}, lambda _: 0.5, steps=3)
    model = Answering([said("IDEA: wider\n\nmodel.py\n```python\nwidth = 16\n```")])
    LanguageModel(model, PromptConfig(choose_target=1, edit_format="definitions")).propose(DRAFT, session, Random(0))
    asked = model.asked[0].messages[0].text
    assert "Change `width` in model.py this time." in asked
    assert asked.endswith("model.py\n```python\n<the new version of width, from its first line to its last>\n```")


@pytest.mark.parametrize("number", range(4))
def test_a_debug_move_targets_the_definition_that_was_changed(number: int):
    session = RecordedSession(FILES, lambda _: Outcome.CRASHED, steps=3)
    session.submit(Proposal(DRAFT, {"model.py": "width = 8\ndepth = 0\n"}, "none"))
    model = Answering([said(GOOD), said(GOOD)])
    patch = Move(operator=Operator.DEBUG, parents=(1,))
    for config in (PromptConfig(choose_target=1), PromptConfig()):
        LanguageModel(model, config).propose(patch, session, Random(number))
    shown = ["Change `depth` in model.py this time." in each.messages[0].text for each in model.asked]
    assert shown == [True, False]


def test_feedback_shows_the_current_code_of_the_target():
    """A small model wrote a call of the function, then a class of its name: it writes best what it can copy."""
    files = {"model.py": "@cached\ndef width(x):\n    return 8 * x\n"}
    model = Answering([said("IDEA: twice\n\nmodel.py\n```python\nwidth(2)\n```")] * 2)
    session = RecordedSession(files, lambda _: 0.5, steps=3)
    config = PromptConfig(choose_target=1, edit_format="definitions", edit_tries=2)
    LanguageModel(model, config).propose(DRAFT, session, Random(0))
    objection = model.asked[1].messages[-1].text
    assert "'width(2)' is not a function, class, constant or import" in objection
    assert "model.py contains:\n\n```python\n@cached\ndef width(x):\n    return 8 * x\n```" in objection
    assert "change one or two lines of it" in objection


def test_what_is_shown_again_stands_below_the_path_of_its_own_file():
    files = {"model.py": "width = 8\n", "other.py": "# depth = 3\n"}
    searching = "IDEA: deeper\n\nother.py\n<<<<<<< SEARCH\n# depth = 2\n=======\n# depth = 4\n>>>>>>> REPLACE"
    model = Answering([said(searching), said(searching)])
    config = PromptConfig(choose_target=1, edit_format="definitions", edit_tries=2)
    LanguageModel(model, config).propose(DRAFT, RecordedSession(files, lambda _: 0.5, steps=3), Random(0))
    assert "model.py contains:\n\n```python\nwidth = 8\n```" in model.asked[1].messages[-1].text


@pytest.mark.parametrize("lines", [1, 30, 300])
def test_an_objection_is_never_long(lines: int):
    """Whatever the length of the target and of the problem; docs/models.md has the limit."""
    body = "".join(f"    x = x + {number}  # {'-' * 20}\n" for number in range(lines))
    files = {"model.py": f"def width(x):\n{body}    return x\n"}
    wrong = "\n".join(f"other{number}.py\n```python\nx\n```" for number in range(1000))
    model = Answering([said(wrong), said(wrong)])
    config = PromptConfig(choose_target=1, edit_format="definitions", edit_tries=2, output_tokens=20_000)
    LanguageModel(model, config).propose(DRAFT, RecordedSession(files, lambda _: 0.5, steps=3), Random(0))
    assert len(model.asked[1].messages[-1].text.encode()) <= 2800 * BYTES_PER_TOKEN


@pytest.mark.parametrize("number", range(5))
def test_another_target_is_chosen_after_two_failed_attempts(number: int):
    names = [f"w{each}" for each in range(50)]
    model = Answering([said(f"I would rather not, for reason {each}.") for each in range(4)])
    session = RecordedSession({"model.py": "".join(f"{name} = 1\n" for name in names)}, lambda _: 0.5, steps=3)
    config = PromptConfig(
        choose_target=1, edit_format="definitions", edit_tries=4, temperature="0.5", temperature_step=0.2
    )
    LanguageModel(model, config).propose(DRAFT, session, Random(number))
    named = [re.findall(r"Change `(w\d+)` in", request.messages[0].text) for request in model.asked]
    assert named[0] == named[1] != named[2] == named[3]
    assert [len(request.messages) for request in model.asked] == [1, 3, 1, 3]
