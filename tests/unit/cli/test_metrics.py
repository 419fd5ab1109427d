import json
from pathlib import Path

import pytest

from fmlbench.core.run import Isolation
from tests.command_line import Fmlbench
from tests.handwritten_runs import complete_run, spec_of, write_run


def with_run(runs: Path, agent: str, seed: int, isolation: Isolation = Isolation.BUBBLEWRAP, **facts: object) -> str:
    base = spec_of(isolation)
    spec = base.model_copy(update={"seed": seed, "agent": base.agent.model_copy(update={"name": agent, **facts})})
    write_run(runs, spec, complete_run(spec))
    return spec.run_id


def test_runs_are_named_by_agent_pattern_or_folder(fmlbench: Fmlbench, runs: Path):
    names = {with_run(runs, agent, seed) for agent in ("good", "poor") for seed in range(2)}
    for words, count in ((("good",), 2), (("toy.*.s1.*",), 2), ((str(runs),), 4), (("good", "good", "poor"), 4)):
        called = fmlbench("metrics", *words, "--embedder", "none", "--json")
        measured = json.loads(called.out)
        assert len(measured) == count
        assert all(one["embedder"] is None for one in measured)
    assert len(names) == 4


def test_a_damaged_run_is_in_nobody_elses_way(fmlbench: Fmlbench, runs: Path):
    name = with_run(runs, "good", 0)
    (runs / "damaged").mkdir()
    (runs / "damaged" / "run.json").write_text("{")
    assert len(json.loads(fmlbench("metrics", name, "--embedder", "none", "--json").out)) == 1
    called = fmlbench("metrics", "good", "--embedder", "none")
    assert (called.code, "damaged/run.json cannot be read" in called.err) == (2, True)


def test_the_improvement_of_a_run_by_hand(fmlbench: Fmlbench, runs: Path):
    # Retests 0.66, 0.64, 0.68 against 0.50, 0.46, 0.48: (0.66 - 0.48) / (1 - 0.48).
    name = with_run(runs, "good", 0)
    (measured,) = json.loads(fmlbench("metrics", name, "--embedder", "none", "--json").out)
    assert abs(measured["values"]["improvement"] - 0.18 / 0.52) < 1e-12
    assert measured["values"]["diversity"] == {"why": "the code was not embedded"}


def test_equal_agents_cannot_be_told_apart(fmlbench: Fmlbench, runs: Path):
    for agent in ("good", "poor"):
        for seed in range(6):
            with_run(runs, agent, seed)
    called = fmlbench("compare", "good", "other=poor")
    assert called.code == 0
    assert "good vs other: undecided" in called.out
    assert "tie group 1: good, other" in called.out
    assert json.loads(fmlbench("compare", "good", "poor", "--json").out)["groups"] == [["good", "poor"]]


def test_means_over_seeds_per_task_and_agent(fmlbench: Fmlbench, runs: Path):
    for agent, seed in (("good", 0), ("good", 1), ("good", 2), ("poor", 0)):
        with_run(runs, agent, seed)
    words = ("metrics", str(runs), "--by-agent", "--embedder", "none")
    good, poor = json.loads(fmlbench(*words, "--json").out)
    assert (good["agent"], good["runs"], good["over"], poor["runs"]) == ("good", 3, 3, 1)
    # Every run has the same retests: no scatter. Fewer than two seeds have no interval.
    assert good["means"]["test_score"] == pytest.approx({"mean": 0.66, "n": 3, "low": 0.66, "high": 0.66})
    assert poor["means"]["test_score"]["low"] is None
    assert good["means"]["diversity"] is None
    assert "| toy | good | 3 | 0.6600 [0.6600, 0.6600], n = 3 |" in fmlbench(*words, "--format", "md").out
    assert "toy,good,test_score,score,3,3,0.66" in fmlbench(*words, "--format", "csv").out
    both = fmlbench(*words, "--correlations")
    assert (both.code, "cannot be combined" in both.err) == (2, True)


def test_means_of_runs_that_do_not_compare_are_refused(fmlbench: Fmlbench, runs: Path):
    with_run(runs, "good", 0)
    with_run(runs, "good", 1, Isolation.NONE)
    called = fmlbench("metrics", str(runs), "--by-agent", "--embedder", "none")
    assert called.code == 2
    assert "Unsealed candidates could cheat" in called.err


def test_namesakes_with_other_settings_are_other_agents(fmlbench: Fmlbench, runs: Path):
    for depth in (1, 2):
        for seed in range(2):
            with_run(runs, "deep", seed, settings={"depth": depth})
    with_run(runs, "good", 0)
    refused = fmlbench("compare", "deep", "good")
    assert refused.code == 2
    assert "'deep' holds runs of 2 agents: deep:depth=1, deep:depth=2" in refused.err
    called = fmlbench("compare", "deep:depth=1", "other=deep:depth=2")
    assert "deep:depth=1 vs other: undecided" in called.out


def test_a_folder_alone_is_compared_agent_by_agent(fmlbench: Fmlbench, runs: Path):
    for agent in ("good", "poor", "other"):
        with_run(runs, agent, 0)
    waiting = spec_of().model_copy(update={"agent": spec_of().agent.model_copy(update={"name": "waiting"})})
    write_run(runs, waiting, complete_run(waiting)[:3])
    called = fmlbench("compare", str(runs), "--json")
    assert "left out, no finished run: waiting" in called.err
    assert sorted(entry["agent"] for entry in json.loads(called.out)["entries"]) == ["good", "other", "poor"]


def test_many_agents_are_told_of_in_brief(fmlbench: Fmlbench, runs: Path):
    for agent in ("a", "b", "c", "d"):
        with_run(runs, agent, 0)
    told = fmlbench("compare", str(runs)).out
    assert [f"{pair} undecided" in told for pair in ("a vs b:", "c vs d:")] == [True, True]
    assert "bootstrap" not in told
    assert "compare two agents alone" in told
    assert "bootstrap" in fmlbench("compare", "a", "b").out


def test_sealed_and_unsealed_do_not_mix(fmlbench: Fmlbench, runs: Path):
    with_run(runs, "good", 0)
    with_run(runs, "poor", 0, Isolation.NONE)
    called = fmlbench("compare", "good", "poor")
    assert called.code == 2
    assert "Unsealed candidates could cheat" in called.err


def test_what_cannot_be_done_is_said_in_two_lines(fmlbench: Fmlbench, runs: Path):
    with_run(runs, "good", 0)
    for words, hint in (
        (("compare", "good"), "two or more groups"),
        (("compare", "good", "good"), "two or more groups"),
        (("metrics", "nobody.*"), "fmlbench runs"),
        (("metrics", "good", "--format", "pdf"), "text, md, csv, tex"),
        (("metrics", "good", "--embedder", "x"), "offline"),
        (("compare", "good", "again=good", "--measure", "x"), "improvement"),
        (("metrics", "good", "--embedder", "none", "--correlations"), "four finished runs"),
    ):
        called = fmlbench(*words)
        assert called.code == 2, words
        assert hint in called.err


def test_a_run_that_is_not_over_is_not_exported(fmlbench: Fmlbench, runs: Path):
    spec = spec_of()
    write_run(runs, spec, complete_run(spec)[:3])
    called = fmlbench("export", spec.run_id)
    assert called.code == 2
    assert "not finished" in called.err
