"""Small text functions."""

from fmlbench.core.text import counted


def test_counted_uses_the_singular_only_for_one():
    assert [counted(number, "step") for number in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]
