from pathlib import Path

from fmlbench.redteam.leftovers import find_leftovers, guard


def test_finds_nothing_if_nothing_was_left(tmp_path: Path):
    assert find_leftovers(tmp_path / "toy.cpu.redteam.s0.none", "toy.cpu.redteam.s0.none", [tmp_path]) == []


def test_finds_marked_files_in_shared_folders_and_in_the_experiments_folder(tmp_path: Path):
    run = tmp_path / "runs" / "some-run"
    (run / "experiments" / "3" / "sample-0").mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "left.by.some-run").touch()
    assert find_leftovers(run, "some-run", [tmp_path / "shared"]) == [
        f"file {tmp_path}/shared/left.by.some-run",
        f"file {run}/experiments/3/sample-0",
    ]


def test_a_guarded_folder_reports_changed_added_and_removed_files(tmp_path: Path):
    for name in ("same", "changed", "removed"):
        (tmp_path / name).write_text(name)
    guarded = guard(tmp_path)
    assert guarded.changes() == []
    (tmp_path / "changed").write_text("other")
    (tmp_path / "removed").unlink()
    (tmp_path / "added").touch()
    assert [change.rpartition("/")[2] for change in guarded.changes()][1:] == ["added", "changed", "removed"]
