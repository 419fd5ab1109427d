"""Words that are written down in many places."""

from fmlbench.core.text import counted


def test_one_is_singular_and_all_else_is_plural():
    assert [counted(number, "step") for number in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]
