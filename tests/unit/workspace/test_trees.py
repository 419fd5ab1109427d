import os
from pathlib import Path

import pytest

from fmlbench.core.task import Editable
from fmlbench.workspace import trees
from fmlbench.workspace.trees import editable_files, lay_out, matches, repository_files, repository_texts

EDITABLE = Editable(globs=("model/**",), suggested=("model/net.py",))


@pytest.fixture
def codebase(tmp_path: Path) -> Path:
    folder = tmp_path / "the codebase"
    for path, content in {
        "README.md": b"Read me.\n",
        "data.bin": b"\xff\xfe",
        "model/net.py": b"x = 1\r\n",
        "model/loss.py": b"y = '\xc3\xa9'\n",
        "model/table.npy": b"\x93NUMPY\0",
        "model/__pycache__/net.pyc": b"\0",
        "train/loop.py": b"z = 2\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        (folder / path).chmod(0o444)
    return folder


def content_of(folder: Path) -> dict[str, bytes]:
    return {path: (folder / path).read_bytes() for path in repository_files(folder)}


def test_the_baseline_files_give_the_codebase(codebase: Path, tmp_path: Path):
    lay_out(codebase, editable_files(codebase, EDITABLE), EDITABLE, tmp_path / "tree")
    assert content_of(tmp_path / "tree") == content_of(codebase)


def test_a_candidate_changes_adds_and_deletes_editable_files_only(codebase: Path, tmp_path: Path):
    lay_out(codebase, {"model/net.py": "x = 9\n", "model/new/layer.py": "é\n"}, EDITABLE, tmp_path / "tree")
    assert content_of(tmp_path / "tree") == {
        "README.md": b"Read me.\n",
        "data.bin": b"\xff\xfe",
        "model/net.py": b"x = 9\n",
        "model/new/layer.py": "é\n".encode(),
        "model/table.npy": b"\x93NUMPY\0",
        "train/loop.py": b"z = 2\n",
    }


def test_an_existing_tree_is_replaced(codebase: Path, tmp_path: Path):
    tree = tmp_path / "tree"
    (tree / "train").mkdir(parents=True)
    (tree / "train" / "planted.py").write_text("boo")
    lay_out(codebase, {}, EDITABLE, tree)
    assert "train/planted.py" not in repository_files(tree)


def test_writing_to_a_tree_leaves_the_codebase_alone(codebase: Path, tmp_path: Path):
    lay_out(codebase, {}, EDITABLE, tmp_path / "tree")
    (tmp_path / "tree" / "README.md").write_text("changed")
    assert (codebase / "README.md").read_bytes() == b"Read me.\n"


def test_a_shared_tree_links_unchanged_files(codebase: Path, tmp_path: Path):
    tree = tmp_path / "tree"
    lay_out(codebase, {"model/net.py": "x = 9\n"}, EDITABLE, tree, shared=True)
    assert (tree / "README.md").samefile(codebase / "README.md")
    assert not (tree / "model/net.py").samefile(codebase / "model/net.py")
    assert (codebase / "model/net.py").read_bytes() == b"x = 1\r\n"


def test_a_shared_tree_copies_files_that_cannot_be_linked(
    codebase: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(source: Path, target: Path) -> None:
        raise OSError(18, os.strerror(18))

    monkeypatch.setattr(trees.os, "link", refuse)
    lay_out(codebase, editable_files(codebase, EDITABLE), EDITABLE, tmp_path / "tree", shared=True)
    assert content_of(tmp_path / "tree") == content_of(codebase)


def test_a_codebase_whose_every_file_was_deleted_is_an_empty_tree(codebase: Path, tmp_path: Path):
    everything = Editable(globs=("model/*.py",), suggested=())
    only_model = tmp_path / "small"
    (only_model / "model").mkdir(parents=True)
    (only_model / "model" / "net.py").write_text("x")
    lay_out(only_model, {}, everything, tmp_path / "tree")
    assert repository_files(tmp_path / "tree") == []
    assert (tmp_path / "tree").is_dir()


def test_editable_files_are_text_files_that_match_the_globs(codebase: Path):
    assert editable_files(codebase, EDITABLE) == {"model/loss.py": "y = 'é'\n", "model/net.py": "x = 1\r\n"}


def test_the_repository_is_listed_in_order_without_tool_folders(codebase: Path):
    (codebase / ".git").mkdir()
    (codebase / ".git" / "HEAD").write_text("ref")
    assert repository_files(codebase) == [
        "README.md",
        "data.bin",
        "model/loss.py",
        "model/net.py",
        "model/table.npy",
        "train/loop.py",
    ]


def test_agents_can_read_text_up_to_a_size(codebase: Path):
    (codebase / "small.csv").write_text("1" * trees.READABLE_BYTES)
    (codebase / "large.csv").write_text("1" * (trees.READABLE_BYTES + 1))
    assert sorted(repository_texts(codebase)) == [
        "README.md",
        "model/loss.py",
        "model/net.py",
        "small.csv",
        "train/loop.py",
    ]


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("a.py", "*.py"),
        ("a.py", "a.py"),
        ("a.py", "**"),
        ("a/b/c.py", "**"),
        ("a/b/c.py", "a/**"),
        ("a/b.py", "a/**/*.py"),
        ("a/b/c/d.py", "a/**/*.py"),
        ("a.py", "**/a.py"),
        ("x/y/a.py", "**/a.py"),
        ("a/b.py", "a/?.py"),
        ("a/b.py", "a/**/b.py"),
        ("with space/b.py", "with space/*"),
        ("a/.hidden", "a/*"),
        ("a[1].py", "a[1].py"),
    ],
)
def test_matches_the_path(path: str, glob: str):
    assert matches(path, [glob])


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("a/b.py", "*.py"),
        ("a/b/c.py", "a/*"),
        ("a", "a/**"),
        ("ab/c.py", "a/**"),
        ("a.pyc", "*.py"),
        ("axpy", "a.py"),
        ("a.py\n", "*.py"),
        ("a/b.py", "a?b.py"),
        ("ba/b.py", "a/b.py"),
        ("a1.py", "a[1].py"),
    ],
)
def test_does_not_match_the_path(path: str, glob: str):
    assert not matches(path, [glob])


def test_one_of_several_globs_is_enough():
    assert matches("b.py", ["a.py", "b.py"])
    assert not matches("b.py", [])
