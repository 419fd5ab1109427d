import pytest

from fmlbench.agents.proposers.llm.answer import read_answer
from fmlbench.agents.proposers.llm.edits import EditProblem, Replacement, WholeFile

BLOCK = "<<<<<<< SEARCH\nwidth = 8\n=======\nwidth = 16\n>>>>>>> REPLACE"
EDIT = Replacement("src/model.py", ("width = 8",), ("width = 16",))


def edits(text: str, *known: str):
    return read_answer(text, known).edits


def fenced_file(path: str, text: str) -> WholeFile:
    return WholeFile(path, text, is_fenced=True)


@pytest.mark.parametrize(
    "heading",
    [
        "src/model.py",
        "./src/model.py",
        "`src/model.py`",
        "**src/model.py**",
        "**`src/model.py`:**",
        "### FILE: src/model.py",
        "File: src/model.py",
        "# src/model.py",
        "### src/model.py\n\n```python",
        "src/model.py\n```",
        "```python\nsrc/model.py",
        "```python\n# src/model.py",
    ],
)
def test_a_path_may_be_written_as_models_like_to_write_it(heading: str):
    assert edits(f"IDEA: wider\n\n{heading}\n{BLOCK}\n```\n") == (EDIT,)


def test_a_path_may_stand_behind_the_marker():
    assert edits(BLOCK.replace("SEARCH", "SEARCH src/model.py")) == (EDIT,)


def test_a_file_whose_name_begins_with_the_word_file_keeps_it():
    assert edits(f"file_tools.py\n{BLOCK}")[0].path == "file_tools.py"


def test_a_file_without_dot_or_slash_is_known_by_its_name():
    assert edits(f"Makefile\n{BLOCK}", "Makefile")[0].path == "Makefile"


def test_every_block_below_a_path_counts():
    """The reference editor dropped all but the first."""
    again = BLOCK.replace("width", "depth")
    second = Replacement("src/model.py", ("depth = 8",), ("depth = 16",))
    assert edits(f"src/model.py\n{BLOCK}\n\nand then\n\n{again}") == (EDIT, second)


def test_a_deletion_does_not_swallow_the_next_block():
    """The reference editor read on until the next divider."""
    deletion = "<<<<<<< SEARCH\nwidth = 8\n=======\n>>>>>>> REPLACE"
    assert edits(f"src/model.py\n{deletion}\n{BLOCK}") == (Replacement("src/model.py", ("width = 8",), ()), EDIT)


@pytest.mark.parametrize(
    ("fence", "language"), [("```", ""), ("```", "python"), ("```", "json"), ("~~~", ""), ("````", "diff")]
)
def test_fenced_blocks_are_read_whatever_the_fence_says(fence: str, language: str):
    """The reference editor ignored them."""
    assert edits(f"src/model.py\n{fence}{language}\n{BLOCK}\n{fence}") == (EDIT,)
    assert edits(f"src/model.py\n{fence}{language}\nx = 1\n{fence}") == (fenced_file("src/model.py", "x = 1\n"),)


def test_fences_within_a_file_do_not_end_it():
    """The reference editor cut the file at the first of them."""
    page = "# Title\n\n```python\nx = 1\n```\n\nThe end."
    assert edits(f"notes.md\n```markdown\n{page}\n```\n") == (fenced_file("notes.md", page + "\n"),)
    program = '"""Say:\n\n```\nx\n```\n"""\nx = 1'
    answer = f"src/model.py\n```python\n{program}\n```\nRun it with\n```\npython src/model.py\n```"
    assert edits(answer) == (fenced_file("src/model.py", program + "\n"),)


def test_whole_files_stand_between_their_markers():
    answer = "<<<<<<< FILE src/new.py\nx = 1\n\n>>>>>>> END\n<<<<<<< FILE: b.txt\n```\nhello\n```\n>>>>>>> END"
    assert edits(answer) == (WholeFile("src/new.py", "x = 1\n"), WholeFile("b.txt", "hello\n"))


def test_several_fenced_files_are_read_separately():
    answer = "a.py\n```python\nx = 1\n```\n\nb.py\n```python\ny = 2\n```\n"
    assert edits(answer) == (fenced_file("a.py", "x = 1\n"), fenced_file("b.py", "y = 2\n"))


def test_answers_may_have_returns_at_their_line_ends():
    assert edits(f"src/model.py\n{BLOCK}".replace("\n", "\r\n")) == (EDIT,)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("I would make it wider.", "The answer contains no edit"),
        ("```python\nx = 1\n```", "The answer contains no edit"),
        (BLOCK, "names no file"),
        ("src/model.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE", "has no ======="),
        ("src/model.py\n<<<<<<< SEARCH\nx\n=======\ny", "has no >>>>>>> REPLACE"),
        (f"src/model.py\n<<<<<<< SEARCH\nx\n=======\ny\n{BLOCK}", "has no >>>>>>> REPLACE"),
        (f"src/model.py\n{BLOCK}\ny\n>>>>>>> REPLACE", "is outside of a block"),
        (f"src/model.py\n{BLOCK}\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> theirs", "is outside of a block"),
        ("a.md\n<<<<<<< SEARCH\nTitle\n=======\nWords\n=======\nOther\n>>>>>>> REPLACE", "several ======= lines"),
        ("<<<<<<< FILE a.py\nx = 1", "has no >>>>>>> END"),
        ("<<<<<<< FILE\nx = 1\n>>>>>>> END", "names no file"),
        ("src/model.py\n```python\nx = 1", "is not closed"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_is_left_out(answer: str, problem: str):
    with pytest.raises(EditProblem, match=problem):
        read_answer(answer)


@pytest.mark.parametrize(
    ("prose", "idea"),
    [
        ("IDEA: normalise the features", "normalise the features"),
        ("Well.\n\n**Idea:** normalise *all* features.", "normalise *all* features."),
        ("## Normalise the features\n\nBecause of that.", "Normalise the features"),
        ("", ""),
        ("IDEA: " + "word " * 100, ("word " * 100)[:299].rstrip() + "…"),
    ],
)
def test_the_idea_is_one_line(prose: str, idea: str):
    assert read_answer(f"{prose}\n\nsrc/model.py\n{BLOCK}").idea == idea


@pytest.mark.parametrize("end", ["", "\n", "\n```\n", "\n\n"])
def test_the_end_of_a_whole_answer_ends_its_last_replacement(end: str):
    unended = BLOCK.removesuffix("\n>>>>>>> REPLACE")
    answer = f"src/model.py\n{unended}{end}"
    assert read_answer(answer, is_complete=True).edits == (EDIT,)
    with pytest.raises(EditProblem, match="has no >>>>>>> REPLACE"):
        read_answer(answer)


def test_the_end_of_a_whole_answer_closes_its_last_fence():
    answer = "a.py\n```python\nx = 1\n```\n\nb.py\n```python\ny = 2\n"
    assert read_answer(answer, is_complete=True).edits == (
        fenced_file("a.py", "x = 1\n"),
        fenced_file("b.py", "y = 2\n"),
    )
    with pytest.raises(EditProblem, match="is not closed"):
        read_answer(f"a.py\n```python\nx = 1\n\nsrc/model.py\n{BLOCK}", is_complete=True)


@pytest.mark.parametrize("between", ["```\n\n```python\n", "```python\n"])
def test_a_path_may_stand_in_a_fence_of_its_own(between: str):
    answer = f"```\nsrc/model.py\n{between}x = 1\n```\n"
    assert read_answer(answer, ["src/model.py"]).edits == (fenced_file("src/model.py", "x = 1\n"),)
