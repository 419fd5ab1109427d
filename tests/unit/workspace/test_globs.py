import pytest

from fmlbench.workspace.globs import matches


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
