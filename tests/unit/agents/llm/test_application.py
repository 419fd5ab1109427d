import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmlbench.agents.proposers.llm.answer import read_answer
from fmlbench.agents.proposers.llm.application import apply
from fmlbench.agents.proposers.llm.edits import Definitions, Edit, EditProblem, Lines, Replacement, WholeFile
from fmlbench.agents.proposers.llm.python import why_not_python

MODEL = """\
class Net:
    def __init__(self):
        self.width = 8
        self.depth = 2

    def forward(self, x):
        x = self.body(x)
        return x
"""
FILES = {"model.py": MODEL, "notes.txt": "Nothing (to see) here.\n"}


def replacement(search: str, replace: str, path: str = "model.py") -> Replacement:
    return Replacement(path, tuple(search.splitlines()), tuple(replace.splitlines()))


def applied(*edits: Edit) -> dict[str, str]:
    return apply(edits, FILES, lambda path: not path.startswith("protected"))


def problem_of(*edits: Edit) -> str:
    with pytest.raises(EditProblem) as caught:
        applied(*edits)
    return str(caught.value)


def test_lines_are_replaced_where_they_stand():
    after = applied(replacement("        self.width = 8", "        self.width = 16\n        self.height = 3"))
    assert after["model.py"] == MODEL.replace("width = 8", "width = 16\n        self.height = 3")
    assert after["notes.txt"] == FILES["notes.txt"]


def test_blanks_at_line_ends_do_not_matter():
    after = applied(replacement("        self.width = 8   \n        self.depth = 2", "        self.width = 9"))
    assert after["model.py"] == MODEL.replace(
        "        self.width = 8\n        self.depth = 2\n", "        self.width = 9\n"
    )


def test_lines_without_their_indentation_get_it_back():
    after = applied(replacement("x = self.body(x)\nreturn x", "x = self.body(x)\nif x > 0:\n    x = -x\n\nreturn x"))
    body = "        x = self.body(x)\n        if x > 0:\n            x = -x\n\n        return x\n"
    assert after["model.py"].endswith(body)


def test_lines_with_too_much_indentation_lose_it():
    after = applied(replacement("      class Net:", "      class Net(Exception):\n          kind = 1"))
    assert after["model.py"].startswith("class Net(Exception):\n    kind = 1\n")


def test_an_indentation_that_is_not_uniform_is_another_text():
    assert "not in the file" in problem_of(replacement("self.width = 8\n  self.depth = 2", "pass"))


def test_parts_of_a_line_are_no_match():
    assert "not in the file" in problem_of(replacement("width = 8", "width = 9"))


def test_what_fits_twice_is_not_guessed():
    """aider takes the first of two."""
    files = {"a.py": "x = 1\ny = 2\nx = 1\n"}
    with pytest.raises(EditProblem, match="2 times in the file, at lines 1, 3"):
        apply([Replacement("a.py", ("x = 1",), ("x = 2",))], files, lambda _: True)


def test_what_fits_twice_is_shown_with_the_lines_around_it():
    files = {"a.py": "one = 1\nx = 1\ntwo = 2\n\n\n\nthree = 3\nx = 1\n"}
    with pytest.raises(EditProblem) as caught:
        apply([Replacement("a.py", ("x = 1",), ("x = 2",))], files, lambda _: True)
    assert str(caught.value).endswith("\n\none = 1\nx = 1\ntwo = 2\n\n\n\nthree = 3\nx = 1")


def test_lines_of_another_file_are_reported_with_its_path():
    files = {"a.py": "x = 1\n", "b.py": "if y:\n    z = 1\n"}
    with pytest.raises(EditProblem, match=r"not in the file, but in b\.py: write that path above them"):
        apply([Replacement("a.py", ("z = 1",), ("z = 2",))], files, lambda _: True)


def test_a_strict_match_is_preferred_to_a_lax_one():
    files = {"a.py": "if y:\n    x = 1\nx = 1\n"}
    after = apply([Replacement("a.py", ("x = 1",), ("x = 2",))], files, lambda _: True)
    assert after["a.py"] == "if y:\n    x = 1\nx = 2\n"


def test_all_edits_or_none():
    """The reference editor wrote what it could."""
    good = replacement("        self.width = 8", "        self.width = 16")
    bad = replacement("        self.breadth = 8", "        self.breadth = 16")
    assert "Edit 2 (model.py)" in problem_of(good, bad)
    assert FILES["model.py"] == MODEL


def test_all_problems_are_reported_at_once():
    shown = problem_of(replacement("nowhere", "x"), WholeFile("protected/a.py", ""), replacement("x", "y", "none.py"))
    assert "Edit 1 (model.py): The SEARCH lines are not in the file" in shown
    assert "Edit 2 (protected/a.py): This file is not editable. Editable files: model.py, notes.txt." in shown
    assert "Edit 3 (none.py): There is no such file. Editable files: model.py, notes.txt." in shown


def test_a_file_of_the_same_name_may_have_been_meant():
    assert "Did you mean model.py?" in problem_of(replacement("class Net:", "class N:", "path/to/model.py"))


def test_the_nearest_lines_may_be_in_another_file():
    files = {"a.py": "x = 1\n", "b.py": "class Net:\n    wide_layer = 8\n"}
    with pytest.raises(EditProblem, match=r"most similar lines are in b\.py:\n\n    wide_layer = 8") as caught:
        apply([Replacement("a.py", ("    wide_layers = 8",), ("",))], files, lambda _: True)
    assert caught.value.meant == Lines("b.py", ("    wide_layer = 8",))


def test_the_nearest_lines_are_shown():
    shown = problem_of(replacement("        self.widht = 8\n        self.depth = 2", "pass"))
    assert shown.endswith(":\n\n        self.width = 8\n        self.depth = 2")


def test_edits_are_made_one_after_the_other():
    after = applied(
        replacement("        self.depth = 2", "        self.depth = 3"),
        replacement("        self.depth = 3", "        self.depth = 4"),
    )
    assert "depth = 4" in after["model.py"]


def test_an_identical_rewrite_is_no_change():
    """The reference editor called it a success, and an experiment was run for nothing."""
    assert "change nothing" in problem_of(WholeFile("model.py", MODEL))
    assert "change nothing" in problem_of(replacement("class Net:", "class Net:"))


def test_only_python_must_parse():
    """The reference editor asked it of notes."""
    assert applied(replacement("Nothing (to see) here.", "Nothing (to", "notes.txt"))["notes.txt"] == "Nothing (to\n"
    shown = problem_of(replacement("class Net:", "class Net(:"))
    assert "model.py would not be valid Python: invalid syntax in line 1: class Net(:" in shown


def test_new_files_come_whole_or_from_an_empty_search():
    after = applied(WholeFile("a.py", "x = 1\n"), replacement("", "y = 2", "b.py"))
    assert (after["a.py"], after["b.py"]) == ("x = 1\n", "y = 2\n")
    assert "The SEARCH is empty" in problem_of(replacement("", "x = 1"))


@pytest.mark.parametrize("path", ["protected/a.py", "/etc/passwd", "../a.py", "a/../../b.py"])
def test_only_editable_files_are_touched(path: str):
    assert "is not editable" in problem_of(WholeFile(path, "x = 1\n"))


def test_files_with_returns_at_their_line_ends_keep_them():
    files = {"a.py": "x = 1\r\ny = 2\r\nz = 3\r\n"}
    search = Replacement("a.py", ("y = 2",), ("y = 3", "y = 4"))
    assert apply([search], files, lambda _: True)["a.py"] == "x = 1\r\ny = 3\r\ny = 4\r\nz = 3\r\n"
    whole = WholeFile("a.py", "x = 2\ny = 2\n")
    assert apply([whole], files, lambda _: True)["a.py"] == "x = 2\r\ny = 2\r\n"


def test_lines_that_were_not_touched_keep_whatever_end_they_have():
    files = {"a.txt": "one\r\ntwo\nthree\rfour\nfive"}
    after = apply([Replacement("a.txt", ("two",), ("2",))], files, lambda _: True)
    assert after["a.txt"] == "one\r\n2\nthree\rfour\nfive"
    last = apply([Replacement("a.txt", ("five",), ("5", "6"))], files, lambda _: True)
    assert last["a.txt"] == "one\r\ntwo\nthree\rfour\n5\n6"


LINE = st.text(st.characters(exclude_characters="\n\r", codec="utf-8"), max_size=12)
LINES = st.lists(LINE, min_size=1, max_size=12)


@st.composite
def cut_file(draw: st.DrawFn) -> tuple[list[str], int, int, list[str]]:
    """A file, a stretch of it, and other lines for that place."""
    lines = draw(LINES)
    start = draw(st.integers(0, len(lines) - 1))
    stop = draw(st.integers(start + 1, len(lines)))
    return lines, start, stop, draw(st.lists(LINE, max_size=5))


def occurs(part: Sequence[str], lines: Sequence[str]) -> int:
    return sum(list(lines[at : at + len(part)]) == list(part) for at in range(len(lines) - len(part) + 1))


@given(cut_file(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_fuzz_what_occurs_once_is_replaced_and_nothing_else_moves(
    cut: tuple[list[str], int, int, list[str]], end: str, ends: bool
):
    lines, start, stop, fresh = cut
    if not lines[-1]:
        ends = True
    before = end.join(lines) + (end if ends else "")
    wanted = [*lines[:start], *fresh, *lines[stop:]]
    edit = Replacement("a.txt", tuple(lines[start:stop]), tuple(fresh))
    if wanted == lines:
        return
    if occurs(lines[start:stop], lines) != 1:
        with pytest.raises(EditProblem, match="times"):
            apply([edit], {"a.txt": before}, lambda _: True)
        return
    after = apply([edit], {"a.txt": before}, lambda _: True)["a.txt"]
    if ends or stop < len(lines) or fresh:
        assert after == end.join(wanted) + (end if ends and wanted else "")
    else:
        assert after == "".join(line + end for line in wanted)


@given(cut_file(), st.integers(1, 8))
def test_fuzz_a_uniform_indentation_is_given_back(cut: tuple[list[str], int, int, list[str]], width: int):
    """Each line has a unique number."""
    lines, start, stop, fresh = cut
    shallow = [f"{line.rstrip()} {number}" for number, line in enumerate(lines)]
    deep = [" " * width + line for line in shallow]
    edit = Replacement("a.txt", tuple(shallow[start:stop]), tuple(f"{line} new" for line in fresh))
    after = apply([edit], {"a.txt": "\n".join(deep) + "\n"}, lambda _: True)["a.txt"]
    wanted = [*deep[:start], *(" " * width + line for line in edit.replace), *deep[stop:]]
    assert after == "".join(f"{line}\n" for line in wanted)


@given(st.lists(st.tuples(LINES, LINES), max_size=4), LINES)
def test_fuzz_nothing_but_problems_is_ever_raised(pairs: list[tuple[list[str], list[str]]], lines: list[str]):
    files = {"a.py": "\n".join(lines)}
    edits = [Replacement("a.py", tuple(search), tuple(replace)) for search, replace in pairs]
    try:
        after = apply(edits, files, lambda _: True)
    except EditProblem:
        after = files
    assert set(after) == {"a.py"}
    assert files == {"a.py": "\n".join(lines)}


PATHS = st.sampled_from(["a.py", "A.py", "b.md", "kept.py", "Kept.py", "new/c.py", "../a.py", "/a.py", ""])
TEXTS = st.one_of(
    st.sampled_from(["x = 2\n", "x = 3\n", "def f(x):\n    return x\n"]),
    st.sampled_from(["x = (\n", "f(y)\n", "Words.\n"]),
    LINES.map("\n".join),
)
EDITS = st.one_of(
    st.builds(WholeFile, PATHS, TEXTS),
    st.builds(Definitions, PATHS, TEXTS),
    st.builds(Replacement, PATHS, st.sampled_from([("x = 1",), ("Words.",)]), TEXTS.map(lambda text: (text.rstrip(),))),
    st.builds(Replacement, PATHS, LINES.map(tuple), LINES.map(tuple)),
)


@given(st.lists(EDITS, min_size=1, max_size=3))
def test_fuzz_edits_of_every_kind_change_editable_files_alone_and_all_or_nothing(edits: list[Edit]):
    files = {"a.py": "x = 1\n", "b.md": "Words.\n", "kept.py": "x = 1\n"}
    before = dict(files)
    try:
        after = apply(edits, files, lambda path: path != "kept.py" and not path.startswith("."))
    except EditProblem:
        after = before
    assert files == before
    assert after["kept.py"] == before["kept.py"]
    assert after.keys() <= {*before, "A.py", "new/c.py"}
    assert all(why_not_python(text) == "" for path, text in after.items() if path.endswith(".py"))


NAMES = st.sampled_from("abcdefg")
CONSTANTS = st.dictionaries(NAMES, st.integers(0, 9), min_size=1)


@given(CONSTANTS, CONSTANTS, st.booleans())
def test_fuzz_definitions_take_the_place_of_their_namesakes_and_nothing_else_moves(
    old: dict[str, int], new: dict[str, int], as_functions: bool
):
    form = "def {}():\n    return {}\n\n\n" if as_functions else "{} = {}\n"
    before, wanted = ("".join(form.format(*item) for item in each.items()) for each in (old, new))
    if all(old.get(name) == value for name, value in new.items()):
        return
    after = apply([Definitions("a.py", wanted)], {"a.py": before}, lambda _: True)["a.py"]
    values = dict(re.findall(r"(\w)(?:\(\):\n    return| =) (\d)", after))
    assert {name: int(value) for name, value in values.items()} == old | new
    assert [name for name in values if name in old] == list(old)


def test_a_file_that_lost_what_it_still_uses_goes_back():
    """Small models write the class they changed and leave out the imports above it."""
    files = {"model.py": "import math\n\nSIZE = 2\n\n\ndef area():\n    return math.pi * SIZE\n"}
    shorter = WholeFile("model.py", "def area():\n    return math.pi * SIZE * 2\n")
    with pytest.raises(EditProblem, match=r"neither defined nor imported: SIZE, math\. Did you leave out"):
        apply([shorter], files, lambda _: True)


PARTS = "import math\n\nSIZE = 2\n\n\ndef area():\n    return math.pi\n\n\ndef size():\n    return SIZE\n"


@pytest.mark.parametrize("block", ["", "\n\nmodel.py\n<<<<<<< SEARCH\nSIZE = 2\n=======\nSIZE = 3\n>>>>>>> REPLACE\n"])
def test_a_part_of_a_file_in_a_code_block_does_not_take_the_place_of_the_whole(block: str):
    """Models quote what they are about to change, or write it below the path."""
    answer = f"model.py\n```python\nimport math\n\n\ndef area():\n    return math.pi * 2\n```{block}"
    with pytest.raises(EditProblem, match=r"replaces the whole file, and this one lacks SIZE, size\."):
        apply(read_answer(answer).edits, {"model.py": PARTS}, lambda _: True)


@pytest.mark.parametrize("mark", ["```python", "<<<<<<< FILE model.py"])
def test_a_whole_file_may_be_written_in_a_code_block_and_without_something_in_a_block_of_its_own(mark: str):
    is_fence = mark.startswith("`")
    lines = PARTS if is_fence else PARTS.partition("\n\n\ndef size")[0] + "\n"
    answer = f"model.py\n{mark}\n{lines.replace('2', '3')}{'```' if is_fence else '>>>>>>> END'}\n"
    after = apply(read_answer(answer).edits, {"model.py": PARTS}, lambda _: True)
    assert after == {"model.py": lines.replace("2", "3")}


def test_a_name_that_never_was_is_to_be_brought_along():
    with pytest.raises(EditProblem, match=r"imported: shuffle\. Import or define them, or do not use them\."):
        apply([WholeFile("a.py", "shuffle()\n")], {"a.py": "from shuffle import x\n"}, lambda _: True)


def test_a_path_may_be_spelt_with_other_capitals_if_one_file_alone_can_be_meant():
    files = {"few/a.py": "x = 1\n", "few/b.py": "y = 1\n", "few/B.py": "y = 2\n"}
    edits = [WholeFile("Few/A.py", "x = 2\n"), WholeFile("few/B.py", "y = 3\n")]
    assert apply(edits, files, files.__contains__) == {
        "few/a.py": "x = 2\n",
        "few/b.py": "y = 1\n",
        "few/B.py": "y = 3\n",
    }
    with pytest.raises(EditProblem, match="This file is not editable"):
        apply([WholeFile("FEW/b.py", "y = 3\n")], files, files.__contains__)


@pytest.mark.parametrize(
    "text",
    [
        "from math import *\n\nprint(pi)\n",
        "def count():\n    global number\n    number = 1\n\n\nprint(number, __name__, [row for row in ()])\n",
        "class Net:\n    def twin(self):\n        return __class__, super().__init__\n",
        "try:\n    import fast\nexcept ImportError:\n    fast = None\nprint(fast)\n",
        "print(known_to_the_interpreter_alone, 1)\n",
    ],
    ids=["star", "global", "class", "either", "before"],
)
def test_names_that_may_well_be_there_are_no_reason_to_turn_a_change_down(text: str):
    files = {"model.py": "print(known_to_the_interpreter_alone)\n"}
    assert apply([WholeFile("model.py", text)], files, lambda _: True)["model.py"] == text


def test_what_only_compiling_finds_is_said():
    with pytest.raises(EditProblem, match="would not be valid Python: nonlocal declaration not allowed"):
        apply([WholeFile("model.py", "nonlocal x\n")], {}, lambda _: True)


def test_a_function_whose_end_was_left_out_goes_back():
    """A small model wrote the beginning of a training loop, and the run crashed for want of a model."""
    cut = Definitions("model.py", "class Net:\n    def forward(self, x):\n        x = self.body(x)\n")
    assert "functions that no longer return a value: Net.forward. Did you leave out lines" in problem_of(cut)


@pytest.mark.parametrize(
    "end",
    ["return x + 1", "if x:\n        return 2", "yield x", "raise NotImplementedError"],
    ids=["value", "somewhere", "generator", "abstract"],
)
def test_a_function_may_end_in_other_ways(end: str):
    files = {"model.py": "def double(x):\n    return 2 * x\n\n\ndef tell(x):\n    print(x)\n"}
    after = f"def double(x):\n    {end}\n\n\ndef tell(x):\n    pass\n"
    assert apply([WholeFile("model.py", after)], files, lambda _: True) == {"model.py": after}
