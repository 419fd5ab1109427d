"""Changes are told as they would be answered: whoever copies what was told hands in the same change."""

import pytest

from fmlbench.agents.proposers.llm.answer import read_answer
from fmlbench.agents.proposers.llm.application import apply
from fmlbench.agents.proposers.llm.change_text import format_change

MODEL = "".join(f"layer_{number} = {number}\n\n" for number in range(9))
REPEATING = "a = 1\npass\nb = 1\npass\nc = 1\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"m.py": MODEL}, {"m.py": MODEL.replace("= 4", "= 5")}),
        ({"m.py": MODEL}, {"m.py": MODEL.replace("layer_4 = 4\n", "")}),
        ({"m.py": MODEL}, {"m.py": MODEL.replace("layer_4 = 4\n", "layer_4 = 4\nnew = 1\n")}),
        ({"m.py": MODEL}, {"m.py": f"first = 1\n{MODEL}last = 1\n"}),
        ({"m.py": MODEL}, {"m.py": MODEL.replace("= 2", "= 20").replace("= 7", "= 70")}),
        ({"m.py": REPEATING}, {"m.py": REPEATING.replace("b = 1\npass", "b = 1\n1")}),
        ({"m.py": MODEL, "n.py": "x = 1\n"}, {"m.py": MODEL.replace("= 1", "= 3"), "n.py": "x = 2\n"}),
        ({"m.py": MODEL}, {"m.py": MODEL, "d/new.py": "x = 1\ny = 2\n"}),
    ],
)
def test_a_change_that_is_told_can_be_handed_in(before: dict[str, str], after: dict[str, str]):
    assert apply(read_answer(format_change(before, after), before).edits, before, lambda _: True) == after


def test_a_change_of_one_line_is_told_in_one_line():
    told = format_change({"m.py": MODEL}, {"m.py": MODEL.replace("= 4", "= 5")})
    assert told == "m.py\n<<<<<<< SEARCH\nlayer_4 = 4\n=======\nlayer_4 = 5\n>>>>>>> REPLACE"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"m.py": MODEL}, {"m.py": MODEL.replace("= 4", "= 5").replace("= 7", "= 70")}),
        ({"m.py": MODEL}, {"m.py": f"{MODEL}\n\ndef last():\n    pass\n"}),
        ({"m.py": MODEL, "n.md": "x\n"}, {"m.py": MODEL, "n.md": "y\n", "d/new.py": "x = 1\ny = 2\n"}),
    ],
)
def test_definitions_that_are_told_can_be_handed_in(before: dict[str, str], after: dict[str, str]):
    told = format_change(before, after, "definitions")
    assert apply(read_answer(told, before, defines=True).edits, before, lambda _: True) == after


def test_only_the_definitions_that_changed_are_told():
    told = format_change(
        {"m.py": MODEL}, {"m.py": MODEL.replace("layer_4 = 4\n", "").replace("= 7", "= 70")}, "definitions"
    )
    assert told == "m.py\n```python\nlayer_7 = 70\n```\nDeleted: layer_4."
    assert format_change({"m.py": "x = (\n"}, {"m.py": "x = 1\n"}, "definitions") == "m.py\n```python\nx = 1\n```"


def test_files_that_are_gone_are_named():
    assert format_change({"m.py": MODEL, "n.py": "x = 1\n"}, {"m.py": MODEL}) == "n.py was deleted."
