from dataclasses import replace

import pytest

from fmlbench.core.errors import BadRequest
from fmlbench.core.run import Budget, Isolation
from fmlbench.metrics.associations import POOLED, associate
from fmlbench.metrics.comparison import ComparisonVerdict, compare_all
from fmlbench.metrics.leaderboard import rank_agents
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.measured_run import MeasuredRun
from fmlbench.metrics.statistics.intervals import noise_of_draws
from fmlbench.metrics.statistics.power import seeds_needed_over_draws
from fmlbench.reports.comparison import leaderboard_table, task_difference_table, verdict_lines
from tests.unit.metrics.groups_of_runs import run, runs

GOOD = {"toy": [0.30, 0.31, 0.33, 0.32, 0.30, 0.31, 0.33], "fair": [0.50, 0.52, 0.51, 0.53, 0.54, 0.55, 0.56]}
POOR = {"toy": [0.10, 0.12, 0.11, 0.13, 0.10, 0.12, 0.11], "fair": [0.51, 0.50, 0.53, 0.52, 0.55, 0.54, 0.56]}


def test_a_clear_difference_gets_a_verdict_with_its_size_and_place():
    (found,) = compare_all({"good": runs(GOOD), "poor": runs(POOR)})
    assert found.verdict is ComparisonVerdict.BETTER
    # Toy: 0.20, 0.19, 0.22, 0.19, 0.20, 0.19, 0.22, together 1.41; fair: the same values in another order.
    # Each task counts half.
    assert found.tested.difference == pytest.approx(1.41 / 7 / 2)
    assert [(one.task, one.verdict) for one in found.tasks] == [
        ("fair", ComparisonVerdict.UNDECIDED),
        ("toy", ComparisonVerdict.BETTER),
    ]
    assert [one.tested.difference for one in found.tasks] == pytest.approx([0.0, 1.41 / 7], abs=1e-9)
    # Only flips that leave toy's signs alike are as unequal: some of two in 128.
    assert 0 < found.tasks[1].tested.p == pytest.approx(2 / 128)
    assert found.tested.pairs == 14
    # On toy every run beats every other; on fair the two are the same.
    assert found.improves == pytest.approx((1 + 0.5) / 2)


def test_no_p_is_zero():
    twelve = [0.30 + 0.001 * place for place in range(12)]
    (found,) = compare_all({"good": runs({"toy": twelve}), "poor": runs({"toy": [value - 0.1 for value in twelve]})})
    assert found.tested.p == pytest.approx(2 / 2**12)
    assert "p < 0.001, 12 pairs" in "\n".join(verdict_lines(found))
    assert task_difference_table(found).rows[0][4:6] == ["< 0.001", "< 0.001"]


def test_the_leaderboard_has_every_summary():
    board = rank_agents({"good": runs({"toy": [0.2, 0.4]}), "poor": runs({"toy": [0.1, 0.1]})})
    cells = dict(zip(leaderboard_table(board).columns, leaderboard_table(board).rows[0], strict=True))
    # The mean of 0.8 and 0.6 to go; the deviation of two values is their distance over the root of two.
    assert (cells["optimality gap"], cells["sd"], cells["median"]) == ("0.7000", "0.1414", "0.3000")
    by_cost = rank_agents({"good": runs({"toy": [0.2, 0.4]}), "poor": runs({"toy": [0.1, 0.1]})}, "dollars")
    assert by_cost.entries[0].optimality_gap is None


def test_means_over_different_tasks_are_told_not_to_compare():
    whole, part = {"toy": [0.2, 0.4], "fair": [0.9, 0.9]}, {"toy": [0.3, 0.3]}
    told = leaderboard_table(rank_agents({"whole": runs(whole), "part": runs(part)})).notes
    assert "their means are not comparable" in told[0]
    assert not leaderboard_table(rank_agents({"one": runs(whole), "other": runs(whole)})).notes


def test_the_other_way_round_it_is_worse():
    (found,) = compare_all({"poor": runs(POOR), "good": runs(GOOD)})
    assert next(verdict_lines(found)) == "poor vs good: worse by 0.1007 (significant alone on toy)"
    assert (found.verdict, found.tested.difference) == (ComparisonVerdict.WORSE, pytest.approx(-1.41 / 14))


def test_five_pairs_cannot_tell_however_clear_they_look():
    (found,) = compare_all({"good": runs({"toy": GOOD["toy"][:5]}), "poor": runs({"toy": POOR["toy"][:5]})})
    assert found.verdict is ComparisonVerdict.UNDECIDED
    assert "fewer than 6 pairs cannot be significant" in "\n".join(verdict_lines(found))


def test_among_five_agents_eight_pairs_cannot_tell_and_say_so():
    row = [0.1, 0.12, 0.11, 0.13, 0.1, 0.12, 0.11, 0.12]
    agents = {str(level): runs({"toy": [value + level for value in row]}) for level in range(5)}
    found = compare_all(agents)
    assert len(found) == 10
    assert {one.verdict for one in found} == {ComparisonVerdict.UNDECIDED}
    assert "fewer than 9 pairs cannot be significant in 10 comparisons of agents" in "\n".join(verdict_lines(found[0]))
    assert found[0].advice is not None
    assert found[0].advice.for_seen == 9


def test_lower_is_better_where_the_measure_says_so():
    (found,) = compare_all({"cheap": runs(POOR), "dear": runs(GOOD)}, "dollars")
    assert (found.verdict, found.tested.difference) == (ComparisonVerdict.BETTER, pytest.approx(1.41 / 14))


@pytest.mark.parametrize("measure", ["diversity", "test_score"])
def test_nobody_is_ranked_by_what_is_not_better(measure: str):
    with pytest.raises(BadRequest, match="cannot be ranked"):
        compare_all({"a": runs(GOOD), "b": runs(POOR)}, measure)


def test_more_seeds_are_advised_for_what_these_cannot_find():
    (found,) = compare_all({"a": runs({"toy": [0.1, 0.3, 0.2]}), "b": runs({"toy": [0.25, 0.15, 0.1]})})
    assert found.advice is not None
    assert found.advice.for_one_sigma is not None
    assert found.advice.for_one_sigma > found.advice.seeds == 3
    assert "more than now" in "\n".join(verdict_lines(found))


def test_what_a_few_shared_draws_happen_to_favour_is_no_difference():
    # Every one of eight runs is 0.01 better on average, but only because of one draw: 0.05, -0.01, -0.01.
    ours = [replace(run(0.21, seed=seed), by_retest={0: 0.25, 1: 0.19, 2: 0.19}) for seed in range(8)]
    theirs = [replace(run(0.2, seed=seed), by_retest={0: 0.2, 1: 0.2, 2: 0.2}) for seed in range(8)]
    (found,) = compare_all({"a": ours, "b": theirs})
    assert found.tested.p < 0.05
    assert found.verdict is ComparisonVerdict.UNDECIDED
    # The standard error of three draws is 0.0346 / sqrt(3) = 0.02; Student's quantile with two degrees is 4.303.
    assert found.over_draws is not None
    assert (found.over_draws.low, found.over_draws.high) == pytest.approx(
        (0.01 - 4.303 * 0.02, 0.01 + 4.303 * 0.02), abs=1e-4
    )
    assert "--retest" in "\n".join(verdict_lines(found))


def test_seeds_are_advised_for_both_parts_of_the_verdict():
    # Runs of one agent are alike but for what each draw does to each of them.
    noise = [(0.3, 0.0, -0.3), (-0.3, 0.3, 0.0), (0.0, -0.3, 0.3), (0.3, -0.3, 0.0), (0.01, 0.0, 0.02)]
    ours = [
        replace(run(0.2 + sum(row) / 3, seed=seed), by_retest={draw: 0.2 + value for draw, value in enumerate(row)})
        for seed, row in enumerate(noise)
    ]
    theirs = [replace(run(0.1, seed=seed), by_retest=dict.fromkeys(range(3), 0.1)) for seed in range(5)]
    (noisy,) = compare_all({"a": ours, "b": theirs})
    (plain,) = compare_all({"a": [replace(one, by_retest={}) for one in ours], "b": theirs})
    assert noisy.advice is not None
    assert plain.advice is not None
    assert plain.advice.for_seen == 6
    assert (plain.advice.wants_retests, noisy.advice.wants_retests) == (False, True)
    assert "fewer seeds would suffice with more retests" in "\n".join(verdict_lines(noisy))
    assert "the variation between samples is unknown" in "\n".join(verdict_lines(plain))
    left = noise_of_draws({"toy": noise})
    assert left is not None
    needed = seeds_needed_over_draws(noisy.tested.difference, left, tasks=1, draws=3)
    assert noisy.advice.for_seen == needed
    assert plain.advice.for_seen < 20


def test_several_runs_of_one_task_and_seed_count_as_their_mean_on_every_draw_too():
    ours = [replace(run(value), by_retest={0: value, 1: value + 0.2}) for value in (0.2, 0.4)]
    theirs = [replace(run(0.1), by_retest={0: 0.1, 1: 0.1})]
    (found,) = compare_all({"a": ours, "b": theirs})
    assert found.over_draws is not None
    # On the draws 0.3 - 0.1 and 0.5 - 0.1.
    assert (found.over_draws.low + found.over_draws.high) / 2 == pytest.approx(0.3)


def test_a_difference_on_every_draw_stands():
    ours = [replace(run(0.3, seed=seed), by_retest={0: 0.30, 1: 0.31, 2: 0.29}) for seed in range(8)]
    theirs = [replace(run(0.2, seed=seed), by_retest={0: 0.2, 1: 0.2, 2: 0.2}) for seed in range(8)]
    (found,) = compare_all({"a": ours, "b": theirs})
    assert found.verdict is ComparisonVerdict.BETTER


def test_runs_that_never_differ_give_no_advice():
    (found,) = compare_all({"a": runs({"toy": [0.2, 0.2]}), "b": runs({"toy": [0.2, 0.2]})})
    assert found.advice is None
    assert found.verdict is ComparisonVerdict.UNDECIDED


def test_only_pairs_count_and_what_is_left_out_is_named():
    ours = [*runs({"toy": [0.3, 0.4]}), run(Missing("retests are disabled (--retest 0)"), seed=2), run(0.9, seed=9)]
    (found,) = compare_all({"a": ours, "b": runs({"toy": [0.1, 0.2, 0.3]})})
    assert found.tested.pairs == 2
    assert sorted(one.why for one in found.left_out) == [
        "retests are disabled (--retest 0)",
        "the other agent has no value for this task and seed",
        "the other agent has no value for this task and seed",
    ]


def test_many_runs_that_are_left_out_for_one_reason_are_one_line():
    (found,) = compare_all({"a": runs({"toy": [0.1] * 9}), "b": runs({"toy": [0.1] * 2})})
    (line,) = [line for line in verdict_lines(found) if "left out, " in line]
    assert line.startswith("  left out, the other agent has no value for this task and seed: toy.cpu.greedy.s2.")
    assert line.endswith(" and 4 more")


def test_a_run_that_is_not_over_does_not_count():
    unfinished = replace(run(0.9, seed=0), is_over=False)
    with pytest.raises(BadRequest, match="no task and seed in common"):
        compare_all({"a": [unfinished], "b": [run(0.1, seed=0)]})


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (run(0.1, isolation=Isolation.NONE), "unsealed"),
        (run(0.1, track="paper"), "Tracks differ"),
        (run(0.1, budget=Budget(steps=99)), "different budgets"),
        (run(0.1, budget=Budget(steps=3, hours=1)), "different budgets"),
        (run(0.1, budget=Budget(steps=3, tokens=10_000_000)), "different budgets"),
        (run(0.1, task_digest="1" * 64), "different versions of a task"),
        (run(0.1, retest_seeds=5), "not equally noisy"),
    ],
)
def test_what_does_not_compare_is_refused_with_the_reason(odd: MeasuredRun, why: str):
    with pytest.raises(BadRequest, match=why):
        compare_all({"a": [run(0.2)], "b": [odd]})


def test_embedders_matter_only_where_code_is_measured():
    mixed = [run(0.2, seed=seed, embedder=name) for seed, name in enumerate(["e", "e", "f", "e", "e"])]
    assert compare_all({"a": mixed, "b": [run(0.1, seed=seed) for seed in range(5)]})
    with pytest.raises(BadRequest, match="different embedders"):
        associate(mixed)


def test_three_agents_get_places_tie_groups_and_a_correction():
    middle = {
        task: [value + 0.001 * (-1) ** (place + 1) for place, value in enumerate(row)] for task, row in GOOD.items()
    }
    board = rank_agents({"poor": runs(POOR), "good": runs(GOOD), "middle": runs(middle)})
    assert [(entry.agent, entry.ranks) for entry in board.entries] == [
        ("good", (1, 2)),
        ("middle", (1, 2)),
        ("poor", (3, 3)),
    ]
    assert board.groups == [("good", "middle"), ("poor",)]
    assert all(one.p_adjusted >= one.tested.p for one in board.comparisons)
    assert len(leaderboard_table(board).rows) == 3
    assert len(task_difference_table(board.comparisons[0]).rows) == 2


def test_associations_are_per_task_and_pooled_and_corrected():
    def made(task: str, seed: int, diversity: float, reached: float) -> MeasuredRun:
        base = run(0.0, task=task, seed=seed)
        return replace(base, values={**base.values, "diversity": diversity, "improvement": reached})

    cells = [
        made(task, seed, 1.0 * seed, level + 0.1 * seed)
        for task, level in (("toy", 0), ("fair", 5))
        for seed in range(5)
    ]
    found = {(one.task, one.measure): one for one in associate(cells)}
    assert set(found) == {("toy", "diversity"), ("fair", "diversity"), (POOLED, "diversity")}
    pooled = found[POOLED, "diversity"]
    assert (pooled.pearson.r, pooled.pearson.n, pooled.pearson.tasks) == (pytest.approx(1.0), 10, 2)
