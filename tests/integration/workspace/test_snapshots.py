import subprocess
import sys
from pathlib import Path

import pytest

from fmlbench.core.errors import InfraTrouble, RunDamaged
from fmlbench.workspace.snapshots import Snapshots

FILES = {"model/net.py": "x = 1\n", "größe.py": "é\r\n", 'od"d \\ name.py': "", "no end": "no newline"}


@pytest.fixture
def snapshots(tmp_path: Path) -> Snapshots:
    return Snapshots(tmp_path / "a run" / "snapshots.git")


def git(tmp_path: Path, *arguments: str) -> str:
    command = ["git", "--git-dir", str(tmp_path / "a run" / "snapshots.git"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def step(number: int) -> str:
    return f"refs/heads/steps/{number}"


def test_reads_back_what_was_stored(snapshots: Snapshots):
    commit = snapshots.store(FILES, [], "baseline", step(0))
    assert snapshots.read(commit) == FILES


def test_a_snapshot_contains_only_its_files(snapshots: Snapshots):
    first = snapshots.store({"a.py": "1", "b.py": "2"}, [], "baseline", step(0))
    second = snapshots.store({"b.py": "3"}, [first], "drop a", step(1))
    assert snapshots.read(second) == {"b.py": "3"}
    assert snapshots.read(first) == {"a.py": "1", "b.py": "2"}


def test_a_snapshot_can_be_empty(snapshots: Snapshots):
    assert snapshots.read(snapshots.store({}, [], "nothing", step(0))) == {}


def test_the_same_content_has_the_same_id_on_any_machine(snapshots: Snapshots, tmp_path: Path):
    elsewhere = Snapshots(tmp_path / "elsewhere.git")
    ids = {
        store.store({"a.py": "2"}, [store.store({"a.py": "1"}, [], "baseline", step(0))], "idea", step(1))
        for store in (snapshots, elsewhere)
    }
    assert len(ids) == 1


def test_another_message_or_parent_is_another_snapshot(snapshots: Snapshots):
    root = snapshots.store(FILES, [], "baseline", step(0))
    ids = [
        snapshots.store(FILES, [root], "idea", step(1)),
        snapshots.store(FILES, [root], "other idea", step(2)),
        snapshots.store(FILES, [], "idea", step(3)),
    ]
    assert len({root, *ids}) == 4


def test_a_message_may_contain_any_text(snapshots: Snapshots, tmp_path: Path):
    commit = snapshots.store(FILES, [], "é \0 \udcff\ndata 5\nfrom nowhere", step(0))
    assert snapshots.read(commit) == FILES
    assert git(tmp_path, "log", "-1", "--format=%B", commit).strip() == "é  ?\ndata 5\nfrom nowhere"


def test_storing_again_changes_nothing(snapshots: Snapshots, tmp_path: Path):
    root = snapshots.store({"a.py": "1"}, [], "baseline", step(0))
    assert snapshots.store({"a.py": "1"}, [], "baseline", step(0)) == root
    first = snapshots.store({"a.py": "2"}, [root], "idea", step(1))
    assert snapshots.store({"a.py": "2"}, [root], "idea", step(1)) == first
    assert git(tmp_path, "rev-list", "--topo-order", "--all").split() == [first, root]


def test_an_interrupted_step_can_be_stored_with_other_files(snapshots: Snapshots, tmp_path: Path):
    root = snapshots.store({"a.py": "1"}, [], "baseline", step(0))
    snapshots.store({"a.py": "2"}, [root], "never logged", step(1))
    second = snapshots.store({"a.py": "3"}, [root], "after the resume", step(1))
    assert git(tmp_path, "rev-list", step(1)).split() == [second, root]


def test_any_git_tool_can_browse_the_branching_history(snapshots: Snapshots, tmp_path: Path):
    root = snapshots.store({"a.py": "1"}, [], "baseline", step(0))
    left = snapshots.store({"a.py": "2"}, [root], "left", step(1))
    right = snapshots.store({"a.py": "3"}, [root], "right", step(2))
    both = snapshots.store({"a.py": "4"}, [left, right], "combine\n\nboth ideas", step(3))
    assert git(tmp_path, "log", "-1", "--format=%P", step(3)).split() == [left, right]
    assert git(tmp_path, "log", "-1", "--format=%B", both).strip() == "combine\n\nboth ideas"
    assert git(tmp_path, "log", "--format=%s") == "baseline\n"
    assert git(tmp_path, "fsck", "--strict", "--full") == ""


def test_the_diff_is_unified_text(snapshots: Snapshots):
    before = snapshots.store({"a.py": "x = 1\ny = 2\n", "gone.py": "é\n"}, [], "baseline", step(0))
    after = snapshots.store({"a.py": "x = 1\ny = 3\n"}, [before], "idea", step(1))
    lines = snapshots.diff(before, after).splitlines()
    assert [line for line in lines if line[:1] in "+-" and line[:3] not in {"+++", "---"}] == ["-y = 2", "+y = 3", "-é"]
    assert "+++ b/a.py" in lines
    assert snapshots.diff(before, before) == ""


def test_attributes_in_a_candidates_files_do_not_change_what_is_stored_or_shown(snapshots: Snapshots):
    tricks = {".gitattributes": "* binary export-ignore filter=evil diff=evil\n"}
    before = snapshots.store({**tricks, "a.py": "x\r\n"}, [], "baseline", step(0))
    after = snapshots.store({**tricks, "a.py": "y\r\n"}, [before], "idea", step(1))
    assert snapshots.read(after) == {**tricks, "a.py": "y\r\n"}
    assert "+y" in snapshots.diff(before, after)


def test_reports_which_snapshots_exist(snapshots: Snapshots):
    assert not snapshots.exists("0" * 40)
    commit = snapshots.store(FILES, [], "baseline", step(0))
    assert snapshots.exists(commit)
    assert not snapshots.exists("0" * 40)
    assert not snapshots.exists("--help")
    assert not snapshots.exists(step(0))


def test_reading_a_missing_snapshot_raises_run_damaged(snapshots: Snapshots):
    snapshots.store(FILES, [], "baseline", step(0))
    with pytest.raises(RunDamaged):
        snapshots.read("0" * 40)
    with pytest.raises(RunDamaged):
        snapshots.diff("0" * 40, "0" * 40)


def test_locks_and_leftovers_of_a_killed_writer_are_ignored(snapshots: Snapshots, tmp_path: Path):
    root = snapshots.store({"a.py": "1"}, [], "baseline", step(0))
    git_dir = tmp_path / "a run" / "snapshots.git"
    for left in ("HEAD.lock", "refs/heads/steps/0.lock", "refs/heads/steps/1.lock", "index.lock"):
        (git_dir / left).write_text("")
    (git_dir / "objects" / "pack" / "tmp_pack_abcdef").write_bytes(b"half")
    assert snapshots.store({"a.py": "1"}, [], "baseline", step(0)) == root
    assert snapshots.read(snapshots.store({"a.py": "2"}, [root], "idea", step(1))) == {"a.py": "2"}


def test_a_stored_snapshot_is_flushed_to_disk(snapshots: Snapshots, tmp_path: Path):
    """Every object and ref is flushed before ``store`` returns; checked with strace if it is installed."""
    trace = tmp_path / "trace"
    program = (
        "from pathlib import Path; from fmlbench.workspace.snapshots import Snapshots;"
        f"Snapshots(Path({str(tmp_path / 's.git')!r})).store({{'a.py': '1'}}, [], 'm', {step(0)!r})"
    )
    try:
        subprocess.run(
            [
                "strace",
                "-f",
                "-qq",
                "-y",
                "-e",
                "trace=fsync,fdatasync",
                "-o",
                str(trace),
                sys.executable,
                "-c",
                program,
            ],
            check=True,
            capture_output=True,
        )
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("strace cannot be used here")
    flushed = trace.read_text()
    # One file, its folder and the commit are three objects; then comes the ref.
    assert flushed.count("/objects/") >= 3
    assert "steps/0.lock" in flushed


def test_user_and_system_git_settings_are_ignored(
    snapshots: Snapshots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    home = tmp_path / "home"
    (home / "hooks").mkdir(parents=True)
    hook = home / "hooks" / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/hook-ran'\n")
    hook.chmod(0o755)
    (home / ".gitconfig").write_text(f"[core]\n\thooksPath = {home}/hooks\n\tautocrlf = true\n[user]\n\tname = X\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "nowhere" / "objects"))
    commit = snapshots.store(FILES, [], "baseline", step(0))
    assert snapshots.read(commit) == FILES
    assert not (tmp_path / "hook-ran").exists()
    assert not (tmp_path / "nowhere").exists()


def test_a_store_that_git_rejects_is_an_infrastructure_failure(snapshots: Snapshots, tmp_path: Path):
    with pytest.raises(InfraTrouble) as caught:
        snapshots.store(FILES, ["1" * 40], "on nothing", step(1))
    assert "could not be stored" in caught.value.message


def test_many_diffs_equal_the_single_ones(snapshots: Snapshots):
    first = snapshots.store({"a.py": "1\n"}, [], "baseline", step(0))
    second = snapshots.store({"a.py": f"2\n{first}\n"}, [first], "a commit's name as a line", step(1))
    pairs = [(first, second), (first, first), (second, first), (first, second)]
    assert snapshots.diffs(pairs) == [snapshots.diff(*pair) for pair in pairs]
    assert snapshots.diffs([]) == []


def test_many_diffs_need_all_their_snapshots(snapshots: Snapshots):
    first = snapshots.store(FILES, [], "baseline", step(0))
    for pair in ((first, "0" * 40), ("0" * 40, first), ("--output=x", first)):
        with pytest.raises(RunDamaged, match="There is no snapshot"):
            snapshots.diffs([(first, first), pair])


def test_many_snapshots_equal_the_single_ones(snapshots: Snapshots):
    first = snapshots.store(FILES, [], "baseline", step(0))
    second = snapshots.store({**FILES, "model/deep/er.py": "y = 2\n"}, [first], "deeper", step(1))
    empty = snapshots.store({}, [first], "nothing", step(2))
    commits = [second, first, empty]
    assert snapshots.read_all(commits) == {commit: snapshots.read(commit) for commit in commits}
    with pytest.raises(RunDamaged, match="There is no snapshot"):
        snapshots.read_all([first, "0" * 40])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config", '[core]\n\tbare = true\n[remote "x"]\n\turl = ext::touch {mark}\n\tpromisor = true\n'),
        ("config", "[core]\n\tbare = true\n\tfsmonitor = touch {mark}\n"),
        ("config", "[include]\n\tpath = {mark}\n"),
        ("commondir", "{mark}\n"),
        ("objects/info/alternates", "{mark}\n"),
    ],
)
def test_an_untrusted_repository_cannot_make_git_run_programs(
    snapshots: Snapshots, tmp_path: Path, name: str, content: str
):
    commit = snapshots.store(FILES, [], "baseline", step(0))
    file = tmp_path / "a run" / "snapshots.git" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(content.format(mark=tmp_path / "mark"))
    for missing in (commit, "0" * 40):
        with pytest.raises(RunDamaged):
            snapshots.read(missing)
    assert not (tmp_path / "mark").exists()
