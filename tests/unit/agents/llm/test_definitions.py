"""What a model defines takes the place of what has its name."""

import pytest

from fmlbench.agents.proposers.llm.answer import read_answer
from fmlbench.agents.proposers.llm.application import apply
from fmlbench.agents.proposers.llm.definitions import redefine
from fmlbench.agents.proposers.llm.edits import Definitions, EditProblem, WholeFile

MODULE = '''"""A module."""

import math
from torch import nn

RATE = 0.1
SIZE: int = 4


class Net(nn.Module):
    pass


# What it costs.
@nn.jit
def area(size=SIZE):
    return math.pi * size


def train():
    return Net(), RATE
'''


def test_a_function_takes_the_place_of_its_namesake_with_its_decorators():
    changed = redefine(MODULE, "def area(size):\n    return size\n")
    assert changed == MODULE.replace(
        "@nn.jit\ndef area(size=SIZE):\n    return math.pi * size\n", "def area(size):\n    return size\n"
    )


def test_constants_and_classes_likewise():
    changed = redefine(MODULE, "SIZE = 8\nclass Net(nn.Module):\n    wide = True\n")
    assert changed == MODULE.replace("SIZE: int = 4", "SIZE = 8").replace("    pass", "    wide = True")


def test_what_is_new_comes_before_what_it_was_written_before():
    changed = redefine(MODULE, "def helper():\n    return 1\n\ndef train():\n    return helper()\n")
    assert changed == MODULE.replace(
        "def train():\n    return Net(), RATE\n",
        "def helper():\n    return 1\n\n\ndef train():\n    return helper()\n",
    )


def test_what_is_new_and_last_comes_at_the_end():
    assert redefine(MODULE, "def more():\n    pass") == f"{MODULE}\n\ndef more():\n    pass\n"


def test_new_imports_follow_the_old_ones_and_old_ones_are_not_doubled():
    changed = redefine(MODULE, "import math\nimport torch\nRATE = 0.2\n")
    assert changed == MODULE.replace("import nn\n", "import nn\nimport torch\n").replace("0.1", "0.2")
    assert redefine('"""Words."""\nx = 1\n', "import torch\nx = 2") == '"""Words."""\nimport torch\nx = 2\n'
    assert redefine("x = 1\n", "import torch") == "import torch\nx = 1\n"


def test_a_whole_module_changes_what_differs():
    assert redefine(MODULE, MODULE.replace("0.1", "0.3")) == MODULE.replace("0.1", "0.3")


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("train()\n", r"'train\(\)' is not a function, class, constant or import"),
        ("def train(:\n", "This is not valid Python: invalid syntax"),
        ("RATE = 1; SIZE = 2\n", "several statements"),
    ],
)
def test_what_defines_nothing_is_a_problem(wanted: str, problem: str):
    with pytest.raises(EditProblem, match=problem):
        redefine(MODULE, wanted)


def test_a_name_that_is_defined_twice_is_not_guessed():
    with pytest.raises(EditProblem, match="x is defined 2 times in the file"):
        redefine("x = 1\nx = 2\n", "x = 3\n")


def test_answers_hold_definitions_where_they_were_asked_for():
    answer = "a.py\n```python\nx = 2\n```\nb.md\n```\nWords.\n```\nc.py\n```python\ny = 1\n```\n"
    files = {"a.py": "x = 1\r\nkept = 1\r\n", "b.md": "Other words.\n"}
    edits = read_answer(answer, files, defines=True).edits
    assert edits == (
        Definitions("a.py", "x = 2\n"),
        WholeFile("b.md", "Words.\n", is_fenced=True),
        Definitions("c.py", "y = 1\n"),
    )
    changed = apply(edits, files, lambda _: True)
    assert changed == {"a.py": "x = 2\r\nkept = 1\r\n", "b.md": "Words.\n", "c.py": "y = 1\n"}


def test_definitions_may_be_indented_as_a_whole():
    answer = "a.py\n```python\n    def area():\n        return 1\n```\n"
    assert read_answer(answer, ["a.py"], defines=True).edits == (Definitions("a.py", "def area():\n    return 1\n"),)


def test_a_block_without_a_path_belongs_to_the_only_file_that_has_its_names():
    answer = "IDEA: faster\n\n```python\nRATE = 0.2\n```\n"
    files = {"a.py": "RATE = 0.1\n", "b.py": "SIZE = 1\n", "c.md": "RATE = 0.1\n"}
    edits = read_answer(answer, files, defines=True).edits
    assert apply(edits, files, lambda _: True) == {**files, "a.py": "RATE = 0.2\n"}
    for others in ({**files, "b.py": "RATE = 1\n"}, {"b.py": "SIZE = 1\n"}):
        with pytest.raises(EditProblem, match="has no path above it"):
            apply(edits, others, lambda _: True)


@pytest.mark.parametrize("block", ["<each function>", "print(1)", "x = (", ""])
def test_a_block_without_a_path_that_defines_nothing_is_prose(block: str):
    with pytest.raises(EditProblem, match="The answer contains no edit"):
        read_answer(f"```python\n{block}\n```\n", defines=True)


@pytest.mark.parametrize("odd", ["\f", "\x1c", "\u2028"], ids=["form feed", "separator", "line separator"])
def test_lines_are_those_that_python_counts(odd: str):
    module = f'TEXT = """{odd}"""\n\n\ndef b():\n    return 2\n\n\nc = 3\n'
    assert redefine(module, "def b():\n    return 4\n") == module.replace("return 2", "return 4")
