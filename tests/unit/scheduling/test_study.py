"""A study file says what is meant, or what is wrong with it."""

from pathlib import Path

import pytest

from fmlbench.core.errors import FmlbenchError, StudyInvalid
from fmlbench.scheduling.plan import make_plan
from fmlbench.scheduling.study import Study, StudyAgent, read_study
from fmlbench.tasks.library import all_tasks

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"

WHOLE = """
tasks = ["toy"]
agents = ["noop", { name = "greedy", settings = { debug_tries = 3 } }]
seeds = 3
budget = { steps = 5, dollars = 2 }
caps = { dollars = 100, hours = 10, parallel = 4 }
"""


def read(folder: Path, text: str) -> Study:
    path = folder / "mine.toml"
    path.write_text(text)
    return read_study(path)


def test_a_study_is_read_as_it_is_written(tmp_path: Path):
    study = read(tmp_path, WHOLE)
    assert (study.name, study.seeds, study.track, study.retest) == ("mine", (0, 1, 2), "cpu", 3)
    assert study.agents == (StudyAgent(name="noop"), StudyAgent(name="greedy", settings={"debug_tries": 3}))
    assert (study.caps.dollars, study.caps.hours, study.caps.parallel) == (100, 10, 4)


def test_files_of_models_are_seen_from_the_study(tmp_path: Path):
    study = read(tmp_path, WHOLE.replace("seeds = 3", 'seeds = 1\nmodels = ["scripted/answers.json", ""]'))
    assert study.models == (f"scripted/{tmp_path}/answers.json", "")


def test_a_name_that_is_no_models_is_found_out_at_once(tmp_path: Path):
    with pytest.raises(FmlbenchError, match="'nonsense' is not the name of a model"):
        read(tmp_path, WHOLE.replace("seeds = 3", 'seeds = 1\nmodels = ["nonsense"]'))


def test_models_are_the_studys_unless_an_agent_has_its_own(tmp_path: Path):
    study = read(tmp_path, WHOLE.replace("seeds = 3", 'seeds = [4, 7]\nmodels = ["a/b", "c/d"]'))
    assert study.seeds == (4, 7)
    assert study.models_of(StudyAgent(name="aide")) == ("a/b", "c/d")
    assert study.models_of(StudyAgent(name="aide", models=("",))) == ("",)


def test_a_task_folder_is_found_from_where_the_study_lies(tmp_path: Path):
    study = read(tmp_path, WHOLE.replace('"toy"', '"./tasks/mine"'))
    assert study.tasks == (str(tmp_path / "tasks" / "mine"),)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('tasks = ["toy"]', "", "either a suite or tasks"),
        ('tasks = ["toy"]', 'tasks = ["toy"]\nsuite = "core"', "either a suite or tasks"),
        ('tasks = ["toy"]', 'tasks = ["toy", "toy"]', "tasks contains an entry twice"),
        ("seeds = 3", "seeds = 0", "seeds"),
        ("seeds = 3", "seeds = 3\nspeed = 9", "speed: Extra inputs"),
        ("steps = 5", "steps = -5", "budget.steps"),
        ("dollars = 100", "dollars = 0", "caps.dollars"),
        ("seeds = 3", "seeds = ", "not valid TOML"),
        ('"noop", ', '{ settings = {} }, "noop", ', "agents.0.name: Field required"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, before: str, after: str, words: str):
    assert before in WHOLE
    with pytest.raises(StudyInvalid, match=words):
        read(tmp_path, WHOLE.replace(before, after, 1))


def test_a_study_that_is_not_there_is_an_error_with_a_hint(tmp_path: Path):
    with pytest.raises(StudyInvalid, match="No such file"):
        read_study(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"toy"', '"toi"', "no task named 'toi'"),
        ('"noop"', '"nop"', "no agent named 'nop'"),
        ("debug_tries", "tries", "no setting named 'tries'"),
        ('"noop"', '"noop", "noop"', "the same run twice"),
        ("seeds = 3", 'seeds = 3\ntrack = "tpu"', "no track named 'tpu'"),
    ],
)
def test_names_that_nobody_knows_are_found_before_anything_starts(tmp_path: Path, before: str, after: str, words: str):
    study = read(tmp_path, WHOLE.replace(before, after, 1))
    with pytest.raises(FmlbenchError, match=words):
        make_plan(study, tmp_path)


def test_the_papers_protocol_is_five_agents_with_their_models_on_eight_tasks_in_three_rounds():
    study = read_study(EXAMPLES / "paper.toml")
    assert sum(len(study.models_of(agent)) for agent in study.agents) == 5
    assert (len(study.tasks), len(study.seeds), study.budget.steps) == (8, 3, 100)


def test_the_strategies_study_is_about_agents_and_tasks_that_there_are(tmp_path: Path):
    study = read_study(EXAMPLES / "strategies.toml")
    plan = make_plan(study, tmp_path)
    assert len(plan.runs) == len(study.tasks) * len(study.agents) * len(study.seeds)
    assert set(plan.uncalibrated) <= {folder.task.name for folder in all_tasks() if "candidate" in folder.task.suites}
    assert plan.dollars == 0
