"""Looking into runs, whole and damaged, finished and not."""

import json
from pathlib import Path

import pytest

from fmlbench.core.run import Isolation
from fmlbench.records.folder import RunFolder
from fmlbench.records.lease import locked
from tests.command_line import Fmlbench
from tests.handwritten_runs import baseline, complete_run, spec_of, started, step, write_run

SPEC = spec_of()


@pytest.fixture
def complete(runs: Path) -> RunFolder:
    return write_run(runs, SPEC, complete_run(SPEC))


def test_a_run_is_shown_as_summary_and_tree(fmlbench: Fmlbench, complete: RunFolder):
    called = fmlbench("show", SPEC.run_id)
    assert called.code == 0
    assert "verdict" in called.out
    assert "└── 1 ok 0.7000 best (test 0.6600)" in called.out
    assert "\x1b" not in called.out


def test_the_beginning_of_a_name_is_enough(fmlbench: Fmlbench, complete: RunFolder):
    assert fmlbench("show", "toy.cpu").out == fmlbench("show", SPEC.run_id).out


def test_a_run_as_json_holds_summary_and_steps(fmlbench: Fmlbench, complete: RunFolder):
    shown = json.loads(fmlbench("show", SPEC.run_id, "--json").out)
    assert shown["folder"] == str(complete.path)
    assert shown["summary"]["test"]["verdict"] == "better"
    assert shown["summary"]["is_sealed"] is True
    assert [(row["index"], row["outcome"], row["test"]) for row in shown["steps"]] == [
        (0, "ok", 0.48),
        (1, "ok", 0.66),
        (2, "crashed", None),
    ]


def test_an_unsealed_run_is_marked(fmlbench: Fmlbench, runs: Path):
    spec = spec_of(Isolation.NONE)
    write_run(runs, spec, complete_run(spec))
    assert "UNSEALED" in fmlbench("show", spec.run_id).out
    assert "UNSEALED" in fmlbench("runs").out
    assert json.loads(fmlbench("show", spec.run_id, "--json").out)["summary"]["is_sealed"] is False


def test_hidden_scores_of_a_run_in_progress_stay_hidden(fmlbench: Fmlbench, runs: Path):
    events = [event for event in complete_run(SPEC) if event.event != "run-finished"]
    write_run(runs, SPEC, events)
    for words in (("show", SPEC.run_id), ("show", SPEC.run_id, "--json"), ("runs",), ("runs", "--json")):
        out = fmlbench(*words).out
        assert "0.66" not in out
        assert "0.48" not in out


@pytest.mark.parametrize("words", [("--diff", "9"), ("--log", "9"), ("--diff", "0"), ("--diff", "1", "--log", "1")])
def test_a_step_that_cannot_be_shown_is_an_error(fmlbench: Fmlbench, complete: RunFolder, words: tuple[str, ...]):
    assert fmlbench("show", SPEC.run_id, *words).code == 2


def test_logs_are_shown_harmless_and_as_they_are(fmlbench: Fmlbench, complete: RunFolder):
    draw = complete.step(1) / "sample-0"
    draw.mkdir(parents=True)
    long = "y" * 300
    (draw / "train.log").write_text(f"\x1b[2Jloss [red]0.1\n{long}\n")
    out = fmlbench("show", SPEC.run_id, "--log", "1").out
    assert out == f"== sample-0/train.log\nloss [red]0.1\n{long}\n"


def test_what_a_sealed_exam_printed_is_shown_only_after_the_end(fmlbench: Fmlbench, runs: Path):
    unfinished = spec_of(label="unfinished")
    for spec, events in ((SPEC, complete_run(SPEC)), (unfinished, [started(unfinished), baseline(), step(1, 0.7)])):
        sealed = write_run(runs, spec, events).step(1) / "sealed" / "sample-0"
        sealed.mkdir(parents=True)
        (sealed / "first.log").write_text("accuracy on the test\n")
    assert "accuracy on the test" in fmlbench("show", SPEC.run_id, "--log", "1").out
    for words in ((), ("--json",)):
        assert "accuracy on the test" not in fmlbench("show", unfinished.run_id, "--log", "1", *words).out


def test_a_step_that_was_not_run_says_why_there_is_no_log(fmlbench: Fmlbench, complete: RunFolder):
    assert "NameError: eyes" in fmlbench("show", SPEC.run_id, "--log", "2").out


@pytest.mark.parametrize(("number", "end"), [(4, "."), (5, " ...")])
def test_a_name_that_could_be_several_runs_is_answered_with_them(fmlbench: Fmlbench, runs: Path, number: int, end: str):
    specs = sorted((spec_of(label=str(label)) for label in range(number)), key=lambda spec: spec.run_id)
    for spec in specs:
        write_run(runs, spec, [])
    names = ", ".join(spec.run_id for spec in specs[:4])
    assert fmlbench("show", "toy").err.endswith(f"hint:  Choose one: {names}{end}\n")


def test_an_unknown_run_is_an_error_with_a_hint(fmlbench: Fmlbench):
    called = fmlbench("show", "nothing")
    assert called.code == 2
    assert "fmlbench runs" in called.err


def test_runs_are_listed_with_their_state(fmlbench: Fmlbench, runs: Path, complete: RunFolder):
    other = spec_of(label="other")
    folder = write_run(runs, other, [started(other), baseline(0.5)])
    with locked(folder.lock):
        lines = fmlbench("runs").out.splitlines()
    assert ["complete" in line for line in lines if SPEC.run_id in line] == [True]
    assert ["in progress" in line for line in lines if other.run_id in line] == [True]
    listed = json.loads(fmlbench("runs", "--json").out)
    assert {record["summary"]["run"] for record in listed} == {SPEC.run_id, other.run_id}


def test_a_run_that_nobody_plays_any_more_is_called_stopped(fmlbench: Fmlbench, runs: Path):
    spec = spec_of()
    folder = write_run(runs, spec, [started(spec), baseline(0.5)])
    for _ in range(2):
        assert json.loads(fmlbench("show", spec.run_id, "--json").out)["summary"]["stage"] == "stopped"
        with locked(folder.lock):
            assert json.loads(fmlbench("show", spec.run_id, "--json").out)["summary"]["stage"] == "in progress"
    assert f"fmlbench resume {spec.run_id}" in fmlbench("show", spec.run_id).out


def test_a_run_that_is_shown_does_not_ask_to_be_shown(fmlbench: Fmlbench, complete: RunFolder):
    lines = fmlbench("show", SPEC.run_id).out.splitlines()
    commands = [line.partition("fmlbench ")[2].rstrip() for line in lines if "fmlbench " in line]
    assert commands == [f"show {SPEC.run_id} --diff 1"]


def test_the_run_that_was_started_last_is_listed_last(fmlbench: Fmlbench, runs: Path):
    specs = [spec_of(label=label) for label in ("one", "two", "three", "waiting")]
    for spec, day in zip(specs, (12, 11, 13), strict=False):
        start = started(spec).model_copy(update={"at": f"2026-11-{day}T12:30:00.000+00:00"})
        write_run(runs, spec, [start, baseline()])
    write_run(runs, specs[3], [])
    lines = fmlbench("runs").out.splitlines()[2:]
    assert [line.split()[1] for line in lines] == ["waiting", "two", "one", "three"]
    assert "13 Nov" in lines[-1]
    listed = json.loads(fmlbench("runs", "--json").out)
    assert [record["summary"]["spec"]["label"] for record in listed] == ["waiting", "two", "one", "three"]


def test_a_list_of_runs_that_is_piped_leaves_nothing_out(fmlbench: Fmlbench, runs: Path):
    long = SPEC.model_copy(update={"agent": SPEC.agent.model_copy(update={"name": "patient" * 20})})
    write_run(runs, long, complete_run(long))
    head, _, line = fmlbench("runs").out.splitlines()
    assert "test gain [95% interval]" in head
    assert long.run_id in line
    assert line.rstrip().endswith("sealed by bubblewrap")


def test_a_name_is_not_cut_off_at_the_edge_of_the_screen(
    fmlbench: Fmlbench, runs: Path, monkeypatch: pytest.MonkeyPatch
):
    long = SPEC.model_copy(update={"agent": SPEC.agent.model_copy(update={"name": "patient" * 20})})
    write_run(runs, long, complete_run(long))
    monkeypatch.setenv("COLUMNS", "80")
    assert fmlbench("runs").out.endswith(f"  {long.run_id}\n")


def test_a_damaged_run_is_named_and_left_out(fmlbench: Fmlbench, runs: Path, complete: RunFolder):
    broken = runs / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    called = fmlbench("runs", "--json")
    assert called.code == 0
    assert len(json.loads(called.out)) == 1
    assert "skipped broken" in called.err


def test_an_empty_folder_says_how_to_start(fmlbench: Fmlbench):
    assert "fmlbench run TASK" in fmlbench("runs").out
    assert json.loads(fmlbench("runs", "--json").out) == []
