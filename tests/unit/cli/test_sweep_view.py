"""A sweep before a person's eyes: a table that is kept up to date on a terminal, lines elsewhere."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from fmlbench.cli.sweep_view import headline, open_view
from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, log_attempt
from fmlbench.scheduling.plan import Plan
from fmlbench.scheduling.sweep_status import Status, poll_all, status_of
from tests.handwritten_studies import begin, complete, planned, study


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return planned(study(seeds=2), tmp_path)


def status(plan: Plan, seconds_left: float | None = None) -> Status:
    return status_of(plan, poll_all(plan), seconds_left)


def screen(*, is_terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=is_terminal, width=120, highlight=False, color_system=None)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_log_gets_a_line_when_a_run_has_ended_and_none_for_steps(plan: Plan):
    console = screen(is_terminal=False)
    with open_view(console) as watch:
        watch(status(plan))
        begin(plan.runs[0])
        watch(status(plan))
        complete(plan.runs[0])
        watch(status(plan, 75))
        watch(status(plan, 70))
    assert shown(console).splitlines() == [
        "2 runs: 2 waiting; 0 of 4 steps",
        "2 runs: 1 complete, 1 waiting; 2 of 4 steps; about 1 min 15 s left",
    ]


def test_a_log_tells_of_attempts_that_machines_failed(plan: Plan):
    console = screen(is_terminal=False)
    with open_view(console) as watch:
        watch(status(plan))
        log_attempt(plan.runs[0].folder, Began(done=0))
        log_attempt(plan.runs[0].folder, Ended(ending=AttemptEnd.KILLED))
        watch(status(plan))
    assert shown(console).splitlines()[1:] == [
        "2 runs: 2 waiting; 0 of 4 steps",
        "infrastructure failures: 1 killed",
    ]


def seen(console: Console) -> str:
    """What is to be seen on a terminal that understands going up a line and erasing one."""
    lines, row = [""], 0
    for word in re.findall(r"\x1b\[\??\d*[A-Za-z]|\n|\r|[^\x1b\n\r]+", shown(console)):
        if word == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif word == "\x1b[1A":
            row -= 1
        elif word == "\x1b[2K":
            lines[row] = ""
        elif word.isprintable() and word != "\r":
            lines[row] += word
    return "\n".join(lines).strip()


def test_a_terminal_shows_the_latest_table_and_is_left_as_it_was(plan: Plan):
    console = screen(is_terminal=True)
    with open_view(console) as watch:
        watch(status(plan))
        assert "0 of 2" in seen(console)
        assert seen(console).endswith("2 runs: 2 waiting; 0 of 4 steps")
        complete(plan.runs[0])
        watch(status(plan, 75))
        assert "1 of 2" in seen(console)
        assert "+34.6%, n = 1" in seen(console)
        assert "0 of 2" not in seen(console)
        assert seen(console).endswith("2 runs: 1 complete, 1 waiting; 2 of 4 steps; about 1 min 15 s left")
    assert seen(console) == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(4.26, "about 4.3 s left"), (75, "about 1 min 15 s left"), (3 * 3600 + 125, "about 3 h 02 min left")],
)
def test_the_headline_tells_about_how_long_it_will_take(plan: Plan, seconds: float, words: str):
    assert headline(status(plan, seconds)).plain == f"2 runs: 2 waiting; 0 of 4 steps; {words}"


@pytest.mark.parametrize("seconds", [None, 0.0])
def test_the_headline_does_not_tell_what_is_not_known_or_over(plan: Plan, seconds: float | None):
    assert "left" not in headline(status(plan, seconds)).plain
