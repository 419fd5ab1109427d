import pytest

from fmlbench.core.task import Editable
from fmlbench.workspace.editing_rules import EXTRA_BYTES, EXTRA_FILES, WHAT_COUNTS, find_violation, review_files

BASELINE = {"model/net.py": "x = 1\n"}
REPOSITORY = ["README.md", "model/net.py", "model/table.bin", "model/deep/data.csv"]
EDITABLE = Editable(globs=("model/**",), suggested=("model/net.py",))


def violation(files: dict[str, str], editable: Editable = EDITABLE) -> str | None:
    return find_violation(files, BASELINE, editable, repository=REPOSITORY)


@pytest.mark.parametrize(
    "files",
    [
        BASELINE,
        {},
        {"model/net.py": "x = 2\n", "model/new/layer.py": "y = 3\n"},
        {"model/Net.py": "", "model/net.py": ""},
        {"model/größe.py": "ä = 'é'\n"},
        {"model/with space.py": ""},
        {"model/..net.py": ""},
    ],
)
def test_allows_text_that_matches_the_globs(files: dict[str, str]):
    assert violation(files) is None


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("README.md", "'README.md' is not editable; editable files match model/**."),
        ("/model/net.py", "not relative"),
        ("../model/net.py", "leads out"),
        ("model/../README.md", "leads out"),
        ("model/./net.py", "not normalized"),
        ("model//net.py", "not normalized"),
        ("model/net.py/", "not normalized"),
        ("", "not normalized"),
        (".", "not normalized"),
        ("model\\net.py", "are not allowed"),
        ("model/net.py\0", "are not allowed"),
        ("model/a\nb.py", "are not allowed"),
        ("model/a\u202eb.py", "are not allowed"),
        ("model/\udc80.py", "are not allowed"),
        ("model/.git/config", ".git folder"),
        ("model/.GIT/hooks/x", ".git folder"),
        ("model/.git", ".git folder"),
        ("model/" + "a" * 201, "too long"),
        ("model/" + "a/" * 200 + "b", "too long"),
    ],
)
def test_rejects_a_path_with_a_reason(path: str, reason: str):
    found = violation({path: "x = 1\n"})
    assert found is not None
    assert reason in found


@pytest.mark.parametrize("text", ["a\0b", "a\udcffb"])
def test_rejects_files_that_are_not_text(text: str):
    found = violation({"model/net.py": text})
    assert found is not None
    assert "is not text" in found


def test_the_reason_is_always_one_line():
    found = violation({"model/a\r\nb\u2028c.py": ""})
    assert found is not None
    assert len(found.splitlines()) == 1


def test_bounds_the_length_of_all_text():
    # The baseline has 6 bytes; an umlaut takes two.
    umlauts = "ä" * (EXTRA_BYTES // 2)
    assert violation({"model/a.py": "a" * 6, "model/b.py": umlauts}) is None
    found = violation({"model/a.py": "a" * 7, "model/b.py": umlauts})
    assert found == "The files have 200,007 bytes of text; at most 200,006 are allowed."


def test_bounds_the_information_of_all_files():
    letters = [f"model/{name}.py" for name in "abc"]
    lines = ["power = watts * hours\n", "price = euros / litres\n", "speed = metres - seconds\n"]
    files = {**BASELINE, **dict(zip(letters, lines, strict=True))}
    review = review_files(files, BASELINE, EDITABLE, repository=REPOSITORY)
    assert review.information_bytes is not None
    assert 60 < review.information_bytes < 120
    assert not review.violation
    strict = EDITABLE.model_copy(update={"information_bytes": 60})
    assert violation(files, strict) == (
        f"The proposal adds {review.information_bytes} bytes of information; at most 60 are allowed. {WHAT_COUNTS}"
    )


def test_the_baseline_may_be_deleted_and_copied():
    assert violation({"model/copy.py": BASELINE["model/net.py"]}) is None


def test_data_in_code_is_rejected_even_within_the_budget():
    found = violation({"model/net.py": f"x = '{'a' * 1200}'\n"})
    assert found == "'model/net.py', line 1, has a string of 1,202 bytes; at most 1,000 are allowed."


def test_files_that_break_another_rule_are_not_measured():
    assert review_files({"README.md": ""}, BASELINE, EDITABLE, repository=REPOSITORY).information_bytes is None


def test_bounds_the_number_of_files():
    files = {f"model/{number}.py": "" for number in range(EXTRA_FILES + 1)}
    assert violation(files) is None
    found = violation({**files, "model/more.py": ""})
    assert found == "There are 202 files; at most 201 are allowed."


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"model/a": "", "model/a/b.py": ""}, "'model/a' cannot be a file: 'model/a/b.py' needs a folder"),
        ({"model/deep": ""}, "'model/deep' cannot be a file: 'model/deep/data.csv' needs a folder"),
        ({"model/table.bin/a.py": ""}, "'model/table.bin/a.py' cannot be written: 'model/table.bin' is a file"),
    ],
)
def test_rejects_a_file_in_place_of_a_folder(files: dict[str, str], reason: str):
    found = violation(files)
    assert found is not None
    assert reason in found


def test_a_folder_may_take_the_place_of_an_editable_file():
    assert violation({"model/net.py/inner.py": ""}) is None
