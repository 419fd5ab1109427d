import json
from pathlib import Path
from random import Random

import pytest

from fmlbench.agents.proposers.fixed import Reference, ScriptedProposer, Unchanged
from fmlbench.agents.script import ScriptedEdit, ScriptedStep, read_script
from fmlbench.core.errors import BadRequest
from fmlbench.core.steps import Move, Operator
from fmlbench.testing.sessions import RecordedSession

DRAFT = Move(operator=Operator.DRAFT)
FILES = {"model.py": "width = 8\ndepth = 8\n", "train.py": "rate = 0.1\n"}


def session() -> RecordedSession:
    return RecordedSession(FILES, lambda files: 0.5, steps=5)


def test_unchanged_hands_in_the_parents_code():
    assert Unchanged().propose(DRAFT, session(), Random(0)).files == FILES


def test_reference_is_laid_over_the_baseline():
    proposal = Reference({"model.py": "width = 64\n", "new.py": "x = 1\n"}, "be wide").propose(
        DRAFT, session(), Random(0)
    )
    assert proposal.files == {"model.py": "width = 64\n", "train.py": "rate = 0.1\n", "new.py": "x = 1\n"}
    assert proposal.idea == "be wide"


class TestScripted:
    def test_lays_files_over_the_parent_and_then_edits(self):
        edits = (ScriptedEdit(file="model.py", search="width = 8", replace="width = 16"),)
        step = ScriptedStep(idea="widen", files={"extra.py": "x = 1\n"}, edits=edits)
        proposal = ScriptedProposer((step,)).propose(DRAFT, session(), Random(0))
        assert proposal.files == {**FILES, "extra.py": "x = 1\n", "model.py": "width = 16\ndepth = 8\n"}
        assert proposal.rejection == ""

    def test_speaks_its_next_line_whatever_process_it_is_in(self):
        script = (ScriptedStep(idea="first"), ScriptedStep(idea="second"))
        playing = session()
        playing.submit(ScriptedProposer(script).propose(DRAFT, playing, Random(0)))
        assert ScriptedProposer(script).propose(DRAFT, playing, Random(0)).idea == "second"

    def test_rejects_an_edit_that_fits_twice_and_leaves_the_code_alone(self):
        good = ScriptedEdit(file="train.py", search="0.1", replace="0.2")
        bad = ScriptedEdit(file="model.py", search="= 8", replace="= 9")
        step = ScriptedStep(idea="?", files={"extra.py": "x = 1\n"}, edits=(good, bad))
        proposal = ScriptedProposer((step,)).propose(DRAFT, session(), Random(0))
        assert proposal.rejection == "'= 8' occurs 2 times in model.py, not once"
        assert proposal.files == FILES

    def test_rejects_an_edit_of_a_file_that_is_not_there(self):
        step = ScriptedStep(idea="?", edits=(ScriptedEdit(file="none.py", search="x", replace="y"),))
        assert "0 times in none.py" in ScriptedProposer((step,)).propose(DRAFT, session(), Random(0)).rejection

    def test_rejects_when_the_script_says_so(self):
        step = ScriptedStep(idea="?", rejection="as planned")
        assert ScriptedProposer((step,)).propose(DRAFT, session(), Random(0)).rejection == "as planned"

    def test_has_nothing_to_try_after_the_last_step(self):
        assert ScriptedProposer(()).propose(DRAFT, session(), Random(0)).rejection == "the script has ended"


class TestReadingAScript:
    def test_reads_steps_from_json(self, tmp_path: Path):
        path = tmp_path / "script.json"
        steps = [{"idea": "a", "files": {"x.py": "1\n"}}, {"idea": "b", "operator": "improve", "parents": [1]}]
        path.write_text(json.dumps(steps))
        script = read_script(path)
        assert [(step.idea, step.operator, step.parents) for step in script] == [
            ("a", Operator.DRAFT, (0,)),
            ("b", Operator.IMPROVE, (1,)),
        ]

    @pytest.mark.parametrize("content", ["not json", '{"idea": "a"}', '[{"idea": "a", "edit": []}]', "[{}]"])
    def test_refuses_what_is_no_script(self, tmp_path: Path, content: str):
        path = tmp_path / "script.json"
        path.write_text(content)
        with pytest.raises(BadRequest, match="is invalid"):
            read_script(path)

    def test_refuses_a_file_that_is_not_there(self, tmp_path: Path):
        with pytest.raises(BadRequest, match="No such file"):
            read_script(tmp_path / "none.json")
