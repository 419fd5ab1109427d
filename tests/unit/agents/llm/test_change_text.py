"""Changes are formatted like answers: an answer that copies one makes the same change."""

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
def test_a_formatted_change_can_be_applied(before: dict[str, str], after: dict[str, str]):
    assert apply(read_answer(format_change(before, after), before).edits, before, lambda _: True) == after


def test_a_change_of_one_line_shows_one_line():
    shown = format_change({"m.py": MODEL}, {"m.py": MODEL.replace("= 4", "= 5")})
    assert shown == "m.py\n<<<<<<< SEARCH\nlayer_4 = 4\n=======\nlayer_4 = 5\n>>>>>>> REPLACE"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"m.py": MODEL}, {"m.py": MODEL.replace("= 4", "= 5").replace("= 7", "= 70")}),
        ({"m.py": MODEL}, {"m.py": f"{MODEL}\n\ndef last():\n    pass\n"}),
        ({"m.py": MODEL, "n.md": "x\n"}, {"m.py": MODEL, "n.md": "y\n", "d/new.py": "x = 1\ny = 2\n"}),
    ],
)
def test_formatted_definitions_can_be_applied(before: dict[str, str], after: dict[str, str]):
    shown = format_change(before, after, "definitions")
    assert apply(read_answer(shown, before, defines=True).edits, before, lambda _: True) == after


def test_only_changed_definitions_are_shown():
    shown = format_change(
        {"m.py": MODEL}, {"m.py": MODEL.replace("layer_4 = 4\n", "").replace("= 7", "= 70")}, "definitions"
    )
    assert shown == "m.py\n```python\nlayer_7 = 70\n```\nDeleted: layer_4."
    assert format_change({"m.py": "x = (\n"}, {"m.py": "x = 1\n"}, "definitions") == "m.py\n```python\nx = 1\n```"


def test_files_that_are_gone_are_named():
    assert format_change({"m.py": MODEL, "n.py": "x = 1\n"}, {"m.py": MODEL}) == "n.py was deleted."
