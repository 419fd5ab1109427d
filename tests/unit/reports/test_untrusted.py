"""Text that candidates wrote cannot do anything to a terminal."""

import pytest

from fmlbench.reports.untrusted import clean, one_line


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[31mred\x1b[0m",
        "\x1b[2J\x1b[Hred",
        "\x1b]0;a title\x07red",
        "\x1b]8;;https://example.org\x1b\\red\x1b]8;;\x1b\\",
        "\x9b31mred",
        "\x9d0;a title\x9cred",
        "\x1bPq#0;2;0;0;0\x1b\\red",
        "\x1b(0red",
        "\x1bcred",
        "r\x08e\x00d\x7f",
        "\u202ered\u202c",
        "r\u200bed\ufeff",
        "red\ud800",
        "red\x1b",
        "red\x1b[",
    ],
)
def test_escape_sequences_and_invisible_characters_are_gone(hostile: str):
    assert clean(hostile).rstrip("[") == "red"


def test_an_unfinished_title_does_not_swallow_the_next_lines():
    assert clean("\x1b]0;title without end\nthe next line") == "\nthe next line"


def test_lines_and_tabs_stay_and_a_carriage_return_hides_nothing():
    assert clean("a\tb\nhidden\rshown\r\nlast") == "a\tb\nhidden\nshown\nlast"


def test_letters_of_all_languages_stay():
    assert clean("größer, 更好, אבג, ±3 🎉") == "größer, 更好, אבג, ±3 🎉"


def test_one_line_is_one_line():
    assert one_line("  a\n b\u2028c\td ") == "a b c d"


def test_a_long_line_is_cut_to_the_width():
    assert one_line("abcdefgh", 5) == "abcd…"
    assert one_line("abcde", 5) == "abcde"
