"""Whatever a model writes, reading it ends in edits or in a problem, and what was written as asked is read as meant."""

from hypothesis import given
from hypothesis import strategies as st

from fmlbench.agents.proposers.llm.answer import read_answer
from fmlbench.agents.proposers.llm.application import apply
from fmlbench.agents.proposers.llm.edits import EditProblem, Replacement, WholeFile
from fmlbench.agents.proposers.llm.unused_code import unused

FRAGMENTS = (
    "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "<<<<<<< FILE a.py", ">>>>>>> END", "```", "```python", "~~~~",
    "a.py", "src/b.py", "### FILE: a.py", "IDEA: try", "x = 1", "    return x", "", "prose", "<<<<<<<", "\r", "*/`:",
)  # fmt: skip

LONG = " + ".join(["1"] * 1000)
CHANGES = (
    "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "<<<<<<< FILE a.py", ">>>>>>> END", "```", "a.py", "b.md", "x = 1",
    f"x = {LONG}", f"z = {LONG}", "import z", "def f(y):", "    return y", "    return z", "@f", "class C:", '"""',
)  # fmt: skip

CODE = st.text(st.characters(exclude_characters="\n\r`~<>=", codec="utf-8"), max_size=20)
CODES = st.lists(CODE, min_size=1, max_size=6)


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=15), max_size=25).map("\n".join))
def test_any_text_is_read_or_refused(text: str):
    try:
        answer = read_answer(text, {"a.py"})
    except EditProblem:
        return
    assert answer.edits
    assert all(edit.path for edit in answer.edits)
    assert "\n" not in answer.idea


@given(st.lists(st.sampled_from(CHANGES), max_size=12).map("\n".join), st.booleans())
def test_any_change_is_made_and_judged_or_refused(text: str, defines: bool):
    files = {"a.py": "x = 1\n\n\ndef f(y):\n    return y\n", "b.md": "prose\n"}
    try:
        answer = read_answer(text, files.keys(), is_complete=True, defines=defines)
        changed = apply(answer.edits, files, lambda _: True)
    except EditProblem:
        return
    assert changed != files
    unused(files, changed, "")


@given(st.lists(st.tuples(CODES, st.lists(CODE, max_size=6)), min_size=1, max_size=4), st.booleans())
def test_blocks_written_as_asked_are_read_as_meant(pairs: list[tuple[list[str], list[str]]], fenced: bool):
    fence = "```\n" if fenced else ""
    blocks = [
        "\n".join(["<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"]) for search, replace in pairs
    ]
    text = "IDEA: i\n\nsrc/a.py\n" + "\n".join(f"{fence}{block}\n{fence}" for block in blocks)
    expected = tuple(Replacement("src/a.py", tuple(search), tuple(replace)) for search, replace in pairs)
    assert read_answer(text).edits == expected


@given(CODES)
def test_files_written_as_asked_are_read_as_meant(lines: list[str]):
    text = "\n".join(["<<<<<<< FILE src/a.py", *lines, ">>>>>>> END"])
    (edit,) = read_answer(text).edits
    assert isinstance(edit, WholeFile)
    assert edit.text.split("\n")[: len(lines)] == lines
