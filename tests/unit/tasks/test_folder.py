import shutil
from pathlib import Path

import pytest

from fmlbench.core.errors import BadRequest, TaskInvalid, TaskNotFound
from fmlbench.core.task import Calibration, Figure, Measured
from fmlbench.tasks.calibration import write_calibration
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.library import all_tasks, find_task

STAGE = """
[[tracks.cpu.training]]
name = "train"
limits = { cpu_seconds = 1, wall_seconds = 1, memory_mb = 1 }
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(find_task("toy").path, tmp_path / "toy"))


def edit(folder: Path, old: str, new: str) -> None:
    manifest = folder / "task.toml"
    text = manifest.read_text()
    assert old in text
    manifest.write_text(text.replace(old, new, 1))


def test_every_task_that_ships_can_be_read():
    assert {"toy"} <= {folder.task.name for folder in all_tasks()}


def test_an_unknown_field_is_named(toy: Path):
    edit(toy, 'title = "', 'titel = "oops"\ntitle = "')
    with pytest.raises(TaskInvalid, match="titel") as caught:
        read_task(toy)
    assert "check its spelling" in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('data = ["train"]', 'data = ["train", "test"]', "a training stage must not mount an exam"),
        ('data = ["train"]', 'data = ["../elsewhere"]', r"tracks\.cpu\.training\.0\.data\.0"),
        ("threads = 1", "threads = 1\nsamples = 0", r"tracks\.cpu\.samples"),
        ('dtype = "int64"', 'dtype = "int64", asked_again = 1.5', r"tracks\.cpu\.exam\.answers\.asked_again"),
        ("worst = 0.25", "worst = 1.5", "its goal is to maximize"),
        ("[reference]", '[[rules]]\nmetric = "x"\ntext = "y"\n\n[reference]', "a rule needs a bound"),
        ("[tracks.cpu.exam]", f"{STAGE}\n[tracks.cpu.exam]", "the same name: train, train"),
    ],
)
def test_an_invalid_value_is_reported_with_its_field(toy: Path, old: str, new: str, complaint: str):
    edit(toy, old, new)
    with pytest.raises(TaskInvalid, match=complaint):
        read_task(toy)


def test_a_missing_part_of_the_folder_is_named(toy: Path):
    (toy / "grader" / "grade.py").unlink()
    with pytest.raises(TaskInvalid, match=r"grader/grade\.py"):
        read_task(toy)


def test_invalid_toml_is_reported_with_its_line(toy: Path):
    edit(toy, "[metric]", "[metric")
    with pytest.raises(TaskInvalid, match="line"):
        read_task(toy)


def test_a_close_name_is_suggested():
    with pytest.raises(TaskNotFound) as caught:
        find_task("toi")
    assert caught.value.hint == "Did you mean 'toy'?"


def test_a_task_is_found_by_its_path(toy: Path):
    assert find_task(str(toy)).task.name == "toy"


def test_an_unknown_track_lists_the_known_ones():
    with pytest.raises(BadRequest) as caught:
        find_task("toy").track("huge")
    assert "cpu" in caught.value.hint


def test_the_digest_changes_with_what_can_change_a_score_and_with_nothing_else(toy: Path):
    before = read_task(toy).digest
    (toy / "README.md").write_text("other prose")
    assert read_task(toy).digest == before
    (toy / "grader" / "grade.py").write_text("other grader")
    assert read_task(toy).digest != before


def test_the_digest_changes_with_files_that_no_hash_pins(toy: Path):
    before = read_task(toy).digest
    (toy / "codebase" / ".git").mkdir()
    (toy / "codebase" / ".git" / "HEAD").write_text("ref: refs/heads/main")
    assert read_task(toy).digest == before
    (toy / "codebase" / "LICENSE").write_text("another file that no candidate may edit")
    changed = read_task(toy).digest
    assert changed != before
    edit(toy, 'name = "numpy"', 'name = "own"\nrequirements = "own.txt"')
    (toy / "own.txt").write_text("numpy==2.4.6")
    older = read_task(toy).digest
    (toy / "own.txt").write_text("numpy==2.4.7")
    assert len({before, changed, older, read_task(toy).digest}) == 4


def test_a_calibration_is_written_into_the_manifest_and_replaced(toy: Path):
    figure = Figure(mean=0.5, sd=0.01, n=10)
    both = Measured(validation=figure, test=figure)
    before = read_task(toy)
    remark = "# What comes after a calibration is not part of it."
    with (toy / "task.toml").open("a") as manifest:
        manifest.write(f"\n{remark}\n")
    for cpu_seconds in (1.5, 2.5):
        calibration = Calibration(
            baseline=both,
            method_off=both,
            reference=both,
            step_cpu_seconds=cpu_seconds,
            peak_memory_mb=100,
            machine='a "quoted" machine',
            date="2026-11-15",
        )
        write_calibration(toy / "task.toml", "cpu", calibration)
        after = read_task(toy)
        assert after.track("cpu").calibration == calibration
        assert after.digest == before.digest
        assert remark in (toy / "task.toml").read_text()


def test_a_calibration_leaves_the_rest_of_the_manifest_alone(toy: Path):
    calibration = read_task(toy).track("cpu").calibration
    assert calibration is not None
    manifest = toy / "task.toml"
    before = manifest.read_text()
    manifest.write_text(before + "\n# About what comes next.\n\n[[exploits]]\nfolder = 'reference'\nidea = 'none'\n")
    edit(toy, "step_cpu_seconds = ", "# Of training and both exams.\n\nstep_cpu_seconds = ")
    write_calibration(manifest, "cpu", calibration)
    after = manifest.read_text()
    assert after.startswith(before)
    assert after.endswith("\n\n# About what comes next.\n\n[[exploits]]\nfolder = 'reference'\nidea = 'none'\n")
    assert read_task(toy).track("cpu").calibration == calibration
