"""The table of attacks: what was tried, how it ended, what stopped it."""

import json
from collections.abc import Callable

import pytest

from fmlbench.engine.red_team import AttackRow
from tests.command_line import Fmlbench

STOPPED = AttackRow(
    attack="search-files",
    family="labels",
    tries="look for labels",
    outcome="ok",
    validation=0.5,
    test=0.5,
    bar=0.6,
    seen="",
    earned=False,
    has_run=True,
    as_expected=True,
    stopped_by="labels are not mounted",
)
EARNED = STOPPED.model_copy(
    update={"attack": "guess", "earned": True, "reached": ("\x1b[2J[red]a label",), "stopped_by": ""}
)


@pytest.fixture
def attacked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the attacks end like this."""

    def arrange(*rows: AttackRow) -> None:
        def attack_task(*_: object, report: Callable[[AttackRow], None], **__: object) -> list[AttackRow]:
            for row in rows:
                report(row)
            return list(rows)

        monkeypatch.setattr("fmlbench.cli.redteam.attack_task", attack_task)

    return arrange


@pytest.mark.sandbox
def test_stopped_attacks_are_told_with_what_stopped_them(fmlbench: Fmlbench, attacked: Callable[..., None]):
    attacked(STOPPED)
    called = fmlbench("redteam", "toy")
    assert called.code == 0
    family, row, verdict = filter(None, called.out.splitlines())
    assert family == "labels"
    assert row.split(None, 4) == ["stopped", "search-files", "ok", "0.5000", "labels are not mounted"]
    assert verdict == "1 tried, all stopped. None beat 0.6000 on the sealed test (baseline + 2 sigma)."


@pytest.mark.sandbox
def test_an_attack_that_gets_through_is_named_and_fails_the_command(fmlbench: Fmlbench, attacked: Callable[..., None]):
    attacked(STOPPED, EARNED)
    called = fmlbench("redteam", "toy")
    assert called.code == 1
    _, _, row, verdict = filter(None, called.out.splitlines())
    assert row.split(None, 4) == ["EARNED", "guess", "ok", "0.5000", "[red]a label"]
    assert verdict == "1 of 2 not stopped: guess"


@pytest.mark.sandbox
def test_the_table_is_there_for_programs(fmlbench: Fmlbench, attacked: Callable[..., None]):
    attacked(STOPPED, EARNED)
    called = fmlbench("redteam", "toy", "--json")
    assert (called.code, [row["attack"] for row in json.loads(called.out)]) == (1, ["search-files", "guess"])


def test_attacks_on_an_unsealed_task_are_marked(fmlbench: Fmlbench, attacked: Callable[..., None]):
    attacked(STOPPED)
    assert "UNSEALED" in fmlbench("redteam", "toy", "--unsealed").out
