"""Against values worked out by hand, and against SciPy where it has the same."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeStubs=false, reportArgumentType=false, reportAttributeAccessIssue=false

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy import optimize, stats

from fmlbench.metrics.leaderboard import rank_range, tie_groups, win_rates
from fmlbench.metrics.numerics import ranks, t_power
from fmlbench.metrics.statistics.correlation import Kind, correlate, correlate_within
from fmlbench.metrics.statistics.groups import (
    interquartile_mean,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
    scatter_within,
    summarise,
    task_mean,
)
from fmlbench.metrics.statistics.intervals import (
    iqm_on_these_tasks,
    mean_on_tasks_like_these,
    mean_on_these_tasks,
    noise_of_draws,
    wilson,
)
from fmlbench.metrics.statistics.power import (
    minimum_detectable_effect,
    minimum_detectable_over_draws,
    seeds_needed,
    seeds_needed_over_draws,
)
from fmlbench.metrics.statistics.significance import benjamini_hochberg, fewest_pairs, holm, paired_permutation_test


def seeded(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_summaries_by_hand():
    # Without the lowest and the highest two of eight: (3 + 4 + 5 + 6) / 4.
    figures = summarise([1, 2, 3, 4, 5, 6, 7, 100])
    assert figures is not None
    assert (figures.n, figures.mean, figures.median, figures.iqm) == (8, 16.0, 4.5, 4.5)
    assert figures.sd == pytest.approx(np.std([1, 2, 3, 4, 5, 6, 7, 100], ddof=1))
    assert summarise([]) is None


@pytest.mark.parametrize("n", range(1, 30))
def test_the_interquartile_mean_is_scipys_trimmed_mean(n: int):
    values = seeded(n).normal(size=n).tolist()
    assert interquartile_mean(values) == pytest.approx(stats.trim_mean(values, 0.25))


def test_tasks_weigh_the_same_however_many_seeds_they_have():
    assert task_mean({"a": [1.0, 1.0, 1.0, 1.0], "b": [3.0]}) == 2.0


def test_scatter_is_within_tasks_only():
    # Squares within: 2 and 8; freedom 1 + 1.
    assert scatter_within({"a": [0.0, 2.0], "b": [100.0, 104.0]}) == pytest.approx(math.sqrt((2 + 8) / 2))
    assert scatter_within({"a": [1.0], "b": [2.0]}) is None


def test_the_bootstrap_of_a_large_sample_is_the_normal_interval():
    values = seeded().normal(5, 2, size=400).tolist()
    interval = mean_on_these_tasks({"a": values}, seeded())
    assert interval is not None
    error = 1.96 * np.std(values) / 20
    assert interval.low == pytest.approx(np.mean(values) - error, abs=0.03)
    assert interval.high == pytest.approx(np.mean(values) + error, abs=0.03)


@pytest.mark.parametrize(("tasks", "seeds"), [(1, 3), (1, 5), (4, 3)])
def test_few_seeds_are_not_trusted_more_than_they_deserve(tasks: int, seeds: int):
    rng = seeded(tasks * 100 + seeds)
    worlds = [{str(task): rng.normal(size=seeds).tolist() for task in range(tasks)} for _ in range(300)]
    found = [mean_on_these_tasks(world, rng) for world in worlds]
    assert sum(one is not None and one.low <= 0 <= one.high for one in found) / 300 == pytest.approx(0.95, abs=0.035)


def test_drawing_tasks_again_is_wider_than_drawing_seeds_again():
    groups = {str(task): seeded(task).normal(task, 0.1, size=5).tolist() for task in range(6)}
    seeds, tasks = mean_on_these_tasks(groups, seeded()), mean_on_tasks_like_these(groups, seeded())
    assert seeds is not None
    assert tasks is not None
    assert tasks.high - tasks.low > 5 * (seeds.high - seeds.low)


def test_new_tasks_vary_as_the_normal_interval_says():
    # One seed a task, so all variation is between tasks.
    means = seeded(5).normal(0, 1, size=200)
    interval = mean_on_tasks_like_these({str(place): [mean] for place, mean in enumerate(means.tolist())}, seeded())
    assert interval is not None
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * means.std() / math.sqrt(200), rel=0.06)


def test_the_interquartile_mean_has_an_interval_that_outliers_do_not_widen():
    values = seeded(6).normal(0, 1, size=100).tolist()
    plain, wild = (iqm_on_these_tasks({"a": row}, seeded()) for row in (values, [*values, 1e6]))
    assert plain is not None
    assert wild is not None
    assert wild.high - wild.low == pytest.approx(plain.high - plain.low, rel=0.2)


def test_one_task_says_nothing_about_new_tasks_and_one_seed_nothing_about_seeds():
    assert mean_on_tasks_like_these({"a": [1.0, 2.0]}, seeded()) is None
    assert mean_on_these_tasks({"a": [1.0], "b": [2.0]}, seeded()) is None


def test_profiles_improvement_and_gap_by_hand():
    groups = {"a": [0.1, 0.4], "b": [0.6, 0.6]}
    assert performance_profile(groups, [0.0, 0.2, 0.6]) == [1.0, 0.75, 0.0]
    # On a: 0.1 and 0.4 against 0.1: half a win and a win. On b: no win in two.
    assert probability_of_improvement(groups, {"a": [0.1], "b": [0.9]}) == pytest.approx((0.75 + 0) / 2)
    # Gaps to 0.5: 0.4, 0.1, 0, 0.
    assert optimality_gap(groups, 0.5) == pytest.approx(0.125)


@pytest.mark.parametrize("seed", range(5))
def test_the_probability_of_improvement_is_mann_and_whitneys(seed: int):
    first, second = seeded(seed).normal(0.3, 1, 12), seeded(seed + 100).normal(0, 1, 9)
    ours = probability_of_improvement({"a": first.tolist()}, {"a": second.tolist()})
    assert ours == pytest.approx(stats.mannwhitneyu(first, second).statistic / (12 * 9))


def test_six_differences_of_one_sign_are_one_in_thirty_two():
    tested = paired_permutation_test({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, seeded())
    assert tested.p == pytest.approx(2 / 64)
    assert (tested.difference, tested.pairs) == (3.5, 6)
    assert tested.low is not None
    assert tested.low > 0


def test_five_pairs_can_never_decide_and_have_no_interval():
    tested = paired_permutation_test({"a": [1.0, 1.1, 1.2, 1.3, 1.4]}, seeded())
    assert tested.p == pytest.approx(2 / 32)
    assert (tested.low, tested.high) == (None, None)


@pytest.mark.parametrize("seed", range(6))
def test_the_permutation_test_is_scipys(seed: int):
    values = seeded(seed).normal(0.4, 1, size=10)
    theirs = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    tested = paired_permutation_test({"a": values.tolist()}, seeded())
    assert tested.p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_holds_zero_exactly_when_the_test_finds_nothing(seed: int):
    groups = {task: seeded(seed * 10 + place).normal(0.5, 1, size=8).tolist() for place, task in enumerate("ab")}
    tested = paired_permutation_test(groups, seeded())
    assert tested.low is not None
    assert tested.high is not None
    assert (tested.low <= 0 <= tested.high) == (tested.p >= 0.05)


def test_equal_agents_are_equal():
    tested = paired_permutation_test({"a": [0.0] * 8}, seeded())
    assert (tested.difference, tested.p) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (3, 10), (10, 10), (57, 100)])
def test_wilson_is_scipys(successes: int, n: int):
    theirs = stats.binomtest(successes, n).proportion_ci(method="wilson")
    interval = wilson(successes, n)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_corrections_by_hand_and_by_scipy():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    values = seeded(4).uniform(size=12).tolist()
    assert benjamini_hochberg(values) == pytest.approx(stats.false_discovery_control(values).tolist())


def test_the_papers_correlation_has_the_papers_p():
    # r = 0.6287 over 15 runs is p = 0.0121 in the paper's table.
    x = np.linspace(-1, 1, 15)
    noise = seeded(1).normal(size=15)
    noise -= noise.mean() + x * (noise @ x) / (x @ x)
    y = 0.6287 * x / np.linalg.norm(x) + math.sqrt(1 - 0.6287**2) * noise / np.linalg.norm(noise)
    found = correlate(list(zip(x.tolist(), y.tolist(), strict=True)), Kind.PEARSON)
    assert found is not None
    assert (found.r, found.n) == (pytest.approx(0.6287), 15)
    assert found.p == pytest.approx(0.0121, abs=5e-5)


@pytest.mark.parametrize("seed", range(5))
def test_correlations_are_scipys(seed: int):
    x = seeded(seed).normal(size=20).round(1)
    y = x + seeded(seed + 50).normal(size=20).round(1)
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    pearson, spearman = correlate(pairs, Kind.PEARSON), correlate(pairs, Kind.SPEARMAN)
    assert pearson is not None
    assert spearman is not None
    theirs = stats.pearsonr(x, y)
    assert (pearson.r, pearson.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    interval = theirs.confidence_interval()
    assert pearson.interval is not None
    assert (pearson.interval.low, pearson.interval.high) == pytest.approx((interval.low, interval.high))
    ranked = stats.spearmanr(x, y)
    assert (spearman.r, spearman.p) == pytest.approx((ranked.statistic, ranked.pvalue))


def test_tasks_cannot_make_up_a_correlation():
    # Within each task the two go against each other; only the tasks' levels go together.
    pairs = {"easy": [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)], "hard": [(11.0, 13.0), (12.0, 12.0), (13.0, 11.5)]}
    naive = correlate([pair for row in pairs.values() for pair in row], Kind.PEARSON)
    within = correlate_within(pairs, Kind.PEARSON)
    assert naive is not None
    assert within is not None
    assert naive.r > 0.9
    assert within.r < -0.9
    assert (within.n, within.tasks) == (6, 2)


def test_holding_the_task_fixed_is_a_partial_correlation():
    # Regress out a dummy per task and correlate what is left; freedom n - tasks - 1.
    rng = seeded(9)
    task = np.repeat([0, 1, 2], 8)
    x, y = rng.normal(size=24) + task, rng.normal(size=24) - task
    dummies = np.eye(3)[task]
    left = [v - dummies @ np.linalg.lstsq(dummies, v, rcond=None)[0] for v in (x, y)]
    r = float(left[0] @ left[1] / np.linalg.norm(left[0]) / np.linalg.norm(left[1]))
    pairs = {str(t): list(zip(x[task == t].tolist(), y[task == t].tolist(), strict=True)) for t in range(3)}
    found = correlate_within(pairs, Kind.PEARSON)
    assert found is not None
    assert found.r == pytest.approx(r)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(r) * math.sqrt(20 / (1 - r**2)), 20))


@pytest.mark.parametrize("pairs", [[], [(1.0, 1.0)], [(1.0, 2.0), (2.0, 3.0), (3.0, 5.0)], [(1.0, 2.0)] * 5])
def test_too_little_has_no_correlation(pairs: list[tuple[float, float]]):
    assert correlate(pairs, Kind.SPEARMAN) is None


@pytest.mark.parametrize("seed", range(3))
def test_few_ranks_are_tried_in_every_order(seed: int):
    x, y = seeded(seed).normal(size=6), seeded(seed + 9).normal(size=6)
    exact = stats.permutation_test(
        (x,),
        lambda x: stats.spearmanr(x, y).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
        vectorized=False,
    )
    found = correlate(list(zip(x.tolist(), y.tolist(), strict=True)), Kind.SPEARMAN)
    assert found is not None
    assert found.p == pytest.approx(exact.pvalue)


def test_a_perfect_order_of_four_is_two_in_twenty_four():
    found = correlate([(1.0, 2.0), (2.0, 3.0), (3.0, 5.0), (4.0, 9.0)], Kind.SPEARMAN)
    assert found is not None
    assert (found.r, found.p) == (pytest.approx(1.0), pytest.approx(2 / 24))


@pytest.mark.parametrize("freedom", [1, 2, 5, 14, 100])
def test_the_power_of_a_t_test_is_scipys_and_known_for_every_effect(freedom: int):
    bound = stats.t.ppf(0.975, freedom)
    for shift in (0.5, 1.0, 2.8, 4.9):
        theirs = stats.nct.sf(bound, freedom, shift) + stats.nct.cdf(-bound, freedom, shift)
        assert t_power(shift, freedom, 0.05) == pytest.approx(theirs, abs=1e-6)
    powers = [t_power(shift, freedom, 0.05) for shift in np.arange(0.0, 90.0, 0.31)]
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(powers))
    assert powers[-1] == pytest.approx(1.0, abs=1e-3)


def test_a_huge_effect_needs_the_fewest_pairs_that_decide():
    assert [seeds_needed(effect, 1.0, tasks=1) for effect in (4.0, 10.0, 25.0, 100.0)] == [6, 6, 6, 6]


def test_the_more_agents_are_compared_the_more_pairs_it_takes():
    # 2 / 2^n must be below 5% of one, three (three agents) and ten (five agents) questions.
    assert [fewest_pairs(questions) for questions in (1, 3, 10)] == [6, 7, 9]
    assert seeds_needed(4.0, 1.0, tasks=1, questions=10) == 9
    one, ten = (minimum_detectable_effect(1.0, 1, 20, questions) for questions in (1, 10))
    assert one is not None
    assert ten is not None
    # Student's quantiles with 19 degrees: 2.093 at 97.5%, 3.174 at 99.75%, 0.861 at 80%.
    assert (one, ten) == pytest.approx((2.954 / math.sqrt(20), 4.035 / math.sqrt(20)), rel=1e-3)


def test_seeds_make_every_draw_less_noisy():
    # One task, three draws: the shift that a t test with two degrees of freedom finds in 85%.
    shift = float(optimize.brentq(lambda shift: stats.nct.sf(stats.t.ppf(0.975, 2), 2, shift) - 0.85, 1, 20))
    assert seeds_needed_over_draws(1.0, 2.0, tasks=1, draws=3) == math.ceil(shift**2 * 4 / 3)
    assert seeds_needed_over_draws(1.0, 0.0, tasks=1, draws=3) == 1
    assert seeds_needed_over_draws(1.0, 2.0, tasks=1, draws=1) is None


def test_what_is_detectable_over_draws_by_hand():
    # Four tasks, three draws: eight degrees of freedom, 2.306 at 97.5% and 0.889 at 80%; 4 x 5 x 3 differences.
    found = minimum_detectable_over_draws(2.0, tasks=4, seeds=5, draws=3)
    assert found == pytest.approx((2.306 + 0.889) * 2 / math.sqrt(60), rel=1e-3)
    assert minimum_detectable_over_draws(2.0, tasks=4, seeds=5, draws=1) is None


def test_what_all_pairs_have_in_common_on_a_draw_is_not_their_noise():
    # Draws favour by 0, 1 and 2; pairs differ by 0 and 10: nothing is left.
    assert noise_of_draws({"a": [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]}) == pytest.approx(0.0)
    # What is left is +-0.5 in each of four cells; freedom (2 - 1) (2 - 1).
    assert noise_of_draws({"a": [[1.0, 0.0], [0.0, 1.0]]}) == pytest.approx(1.0)
    assert noise_of_draws({"a": [[1.0, 0.0]]}) is None


def test_a_textbook_sample_size():
    # A paired t test with d = 0.5, 80% power, two-sided 5%: 34 pairs (Cohen 1988 and any power table).
    assert seeds_needed(0.5, 1.0, tasks=1) == 34
    # Eight tasks share the work; three seeds each are 24 pairs, but the degrees of freedom are 8 (n - 1).
    assert seeds_needed(0.5, 1.0, tasks=8) == 5


def test_the_detectable_effect_is_what_the_needed_seeds_find():
    effect = minimum_detectable_effect(1.0, tasks=1, seeds=34)
    assert effect == pytest.approx(0.5, rel=0.02)
    assert minimum_detectable_effect(1.0, tasks=1, seeds=5) is None


def test_nothing_can_be_found_of_no_effect_and_no_noise_needs_the_fewest_pairs():
    assert seeds_needed(0.0, 1.0, tasks=3) is None
    assert seeds_needed(1e-6, 1.0, tasks=3) is None
    assert seeds_needed(1.0, 0.0, tasks=3) == 2


def test_tie_groups_hold_whom_nobody_can_tell_apart():
    different = {frozenset("ac"), frozenset("ad"), frozenset("bd")}
    assert tie_groups("abcd", different) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert tie_groups("ab", set()) == [("a", "b")]


def test_tie_groups_of_many_agents_take_no_time():
    names = [f"agent-{place:02d}" for place in range(60)]
    apart = {frozenset((one, other)) for i, one in enumerate(names) for other in names[i + 4 :]}
    assert tie_groups(names, apart) == [tuple(names[start : start + 4]) for start in range(57)]
    assert tie_groups(names, set()) == [tuple(names)]


@pytest.mark.parametrize("seed", range(5))
def test_tie_groups_are_all_largest_sets(seed: int):
    names = "abcdefgh"
    apart = {
        frozenset(pair) for pair in combinations(names, 2) if seeded(seed + ord(pair[0]) * ord(pair[1])).random() < 0.4
    }
    tied = [
        set(group)
        for size in range(1, 9)
        for group in combinations(names, size)
        if not any(frozenset(pair) in apart for pair in combinations(group, 2))
    ]
    largest = [group for group in tied if not any(group < other for other in tied)]
    found = [set(group) for group in tie_groups(names, apart)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))


def test_tied_values_share_their_ranks():
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1.0, 3.5, 2.0]


def test_what_is_not_a_number_is_not_ranked_silently():
    assert np.isnan(ranks(np.array([3.0, np.nan, 1.0]))).all()


def test_ranks_are_ranges():
    better = {("a", "c"), ("a", "d"), ("b", "d")}
    assert [rank_range(name, better, 4) for name in "abcd"] == [(1, 2), (1, 3), (2, 4), (3, 4)]


def test_win_rates_are_strict_and_averaged_over_opponents_and_tasks():
    means = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 1.0, "y": 1.0}, "c": {"x": 0.0}}
    # a beats b on one of two tasks and c on the one they share.
    assert win_rates(means) == {"a": 0.75, "b": 0.5, "c": 0.0}
