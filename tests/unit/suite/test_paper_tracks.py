"""What the paper tracks of all tasks have in common."""

import pytest

from fmlbench.tasks.library import all_tasks, find_task

CORE = [folder.task.name for folder in all_tasks("core")]


@pytest.mark.parametrize("name", CORE)
def test_the_question_the_metric_and_the_rules_are_those_of_the_cpu_track(name: str):
    cpu, paper = (find_task(name).on(track).task for track in ("cpu", "paper"))
    assert list(paper.tracks) == ["paper"]
    assert (paper.question, paper.metric, paper.rules) == (cpu.question, cpu.metric, cpu.rules)


@pytest.mark.parametrize("name", CORE)
def test_a_smoke_pass_needs_no_gpu(name: str):
    track = find_task(name).on("paper-smoke").track("paper-smoke")
    assert (track.settings.get("device", "cpu"), track.devices) == ("cpu", ())


@pytest.mark.parametrize("variant", ["reference", "method_off"])
@pytest.mark.parametrize("name", CORE)
def test_variants_change_files_of_the_overlay(name: str, variant: str):
    paper = find_task(name).on("paper")
    overlay = paper.path / paper.task.overlay
    changed = paper.files_of(getattr(paper.task, variant))
    known = {path: text for path, text in changed.items() if (overlay / path).exists()}
    assert known
    assert all((overlay / path).read_text("utf-8") != text for path, text in known.items())


@pytest.mark.parametrize("variant", ["reference", "method_off"])
@pytest.mark.parametrize("name", ["continual-learning", "generalization", "representation-learning"])
def test_variants_of_these_add_no_files(name: str, variant: str):
    paper = find_task(name).on("paper")
    changed = paper.files_of(getattr(paper.task, variant))
    assert all((paper.path / paper.task.overlay / path).exists() for path in changed)
