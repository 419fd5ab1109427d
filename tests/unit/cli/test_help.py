"""Help comes at once, and says what a choice means."""

import re

import pytest

from fmlbench import __version__
from fmlbench.cli.app import COMMANDS, load_command
from tests.command_line import Fmlbench


def test_the_overview_names_every_command_and_cuts_no_sentence(fmlbench: Fmlbench):
    called = fmlbench("--help")
    assert called.code == 0
    assert all(f"\n  {command} " in called.out for command in COMMANDS)
    assert "..." not in called.out.split("Commands:")[1]


@pytest.mark.parametrize(("name", "line"), COMMANDS.items())
def test_the_overview_has_the_first_sentence_of_each_command(name: str, line: str):
    assert load_command(name).commands[name].get_short_help_str(limit=100) == line


def test_a_mistyped_command_gets_suggestions(fmlbench: Fmlbench):
    called = fmlbench("swep", "study.toml")
    assert (called.code, "Did you mean 'sweep'?" in called.err) == (2, True)


def test_no_words_at_all_get_the_overview(fmlbench: Fmlbench):
    assert fmlbench().out == fmlbench("--help").out


@pytest.mark.parametrize(
    "words",
    [(command,) for command in COMMANDS]
    + [("tasks", name) for name in ("list", "show", "check", "prepare")]
    + [("models", "test")]
    + [("sweep", name) for name in ("start", "status", "cancel", "retry")],
)
def test_every_option_is_explained(fmlbench: Fmlbench, words: tuple[str, ...]):
    called = fmlbench(*words, "--help")
    assert called.code == 0
    unexplained = re.findall(r"^  (--\S+)(?: [A-Z=]+)?\n  (?=-|$)", called.out, re.MULTILINE)
    assert unexplained == []


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("run",), "fmlbench agents"),
        (("run",), "fmlbench tasks"),
        (("run",), "fmlbench models"),
        (("show",), "fmlbench runs"),
    ],
)
def test_help_says_where_the_values_of_a_choice_are_listed(fmlbench: Fmlbench, words: tuple[str, ...], where: str):
    assert where in " ".join(fmlbench(*words, "--help").out.split())


def test_the_version_is_printed_alone(fmlbench: Fmlbench):
    called = fmlbench("--version")
    assert (called.code, called.out) == (0, f"fmlbench {__version__}\n")
