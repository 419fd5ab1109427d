# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
import re

import numpy as np
import pytest
from sklearn.decomposition import PCA

from fmlbench.metrics.reliability import OutcomeClass
from fmlbench.metrics.statistics.intervals import Interval
from fmlbench.reports.html.plots.comparison_plots import (
    IntervalBar,
    ProgressLine,
    draw_interval_bars,
    draw_profiles,
    draw_progress,
)
from fmlbench.reports.html.plots.frame import Frame, Scale, spanning, tick_text
from fmlbench.reports.html.plots.run_plots import (
    BarPart,
    PlottedStep,
    ScoreCurve,
    draw_bar,
    draw_map,
    draw_scores,
    project,
)
from fmlbench.reports.html.plots.svg import element
from fmlbench.testing.histories import ACCURACY, ERROR


def plotted(index: int, score: float | None, *, test: float | None = None, best: bool = False) -> PlottedStep:
    kind = OutcomeClass.OK if score is not None else OutcomeClass.FAILED
    return PlottedStep(index, f"r0.s{index}", f"step {index}", kind, score, test, was_best=best, is_winner=False)


def curve(*steps: PlottedStep, sigma: float | None = 0.01, reference: float | None = 0.8) -> ScoreCurve:
    return ScoreCurve(ACCURACY, steps, steps[0].score, sigma, reference, budget=len(steps) - 1)


def test_steps_are_counted_in_whole_numbers():
    frame = Frame(Scale(0, 5, 84, 626), Scale(0, 1, 278, 14), "step", "score")
    across = re.findall(r"tick across[^>]*>([^<]+)<", "".join(frame.axes()))
    assert across == ["0", "1", "2", "3", "4", "5"]


def test_the_largest_numbers_there_are_have_a_scale():
    scale = spanning([-1.7e308, 1.7e308], 0, 100)
    assert 0 <= scale(-1.7e308) < scale(0.0) < scale(1.7e308) <= 100
    assert scale.ticks(5)


def test_a_profile_falls_by_each_runs_share():
    agents = {"a": {"toy": [0.1, 0.3], "fair": [0.2]}, "b": {"toy": [0.0]}}
    drawn = draw_profiles(agents, {"a": "agent0", "b": "agent1"}, "profiles")
    first, second = re.findall(r'<polyline points="([^"]*)"', drawn)
    heights = [float(point.split(",")[1]) for point in first.split()]
    full, none = max(heights) - min(heights), max(heights)
    # Toy weighs half and has two runs: a quarter falls at 0.1, a half at 0.2 with fair's only run, a quarter at 0.3.
    assert sorted({round((none - height) / full, 2) for height in heights}) == [0.0, 0.25, 0.75, 1.0]
    assert second.split()[-1].split(",")[1] == f"{none:g}"


def test_thin_lines_do_not_flatten_the_thick_ones():
    strip = IntervalBar(mean=0.5, inner=Interval(0.4, 0.6), outer=Interval(-50.0, 50.0), label="x", class_="agent0")
    (drawn,) = draw_interval_bars([strip])
    outer, inner = (
        re.search(rf'<line x1="([\d.]+)"[^>]* x2="([\d.]+)"[^>]* class="{kind} ', drawn) for kind in ("outer", "inner")
    )
    assert outer
    assert inner
    assert float(inner[2]) - float(inner[1]) > 0.15 * (float(outer[2]) - float(outer[1]))


def test_a_scale_puts_values_in_proportion_and_keeps_outliers_at_its_edge():
    scale = Scale(0, 10, 100, 200)
    assert [scale(0), scale(2.5), scale(10), scale(-3), scale(99)] == [100, 125, 200, 100, 200]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.61, 0.72, [0.62, 0.64, 0.66, 0.68, 0.7, 0.72]),
        (-7, 113, [0, 20, 40, 60, 80, 100]),
    ],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]):
    assert Scale(low, high, 0, 1).ticks(5) == pytest.approx(ticks)


def test_a_scale_of_one_value_has_room_around_it():
    scale = spanning([0.5], 0, 1)
    assert scale.low < 0.5 < scale.high
    assert spanning([0.0], 0, 1).ticks(4)


def test_ticks_have_the_decimals_that_their_step_needs():
    assert [tick_text(0.62, 0.02), tick_text(5, 5), tick_text(0.5, 0.25)] == ["0.62", "5", "0.5"]


def test_text_and_attributes_are_escaped():
    drawn = element("text", "<b>&", class_='a"b', x=1.25)
    assert drawn == '<text class="a&#34;b" x="1.2">&lt;b&gt;&amp;</text>'


def test_every_step_is_a_mark_that_leads_to_it():
    drawn = draw_scores(curve(plotted(0, 0.6, best=True), plotted(1, None), plotted(2, 0.7, test=0.69)), "scores")
    assert re.findall(r'href="#(r0\.s\d)"', drawn) == ["r0.s2", "r0.s0", "r0.s1", "r0.s2"]
    assert drawn.count('class="mark') == 4


def test_the_band_is_one_sigma_to_either_side_of_the_baseline():
    drawn = draw_scores(curve(plotted(0, 0.6, best=True), plotted(1, 0.7), sigma=0.05), "scores")
    band = re.search(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" class="band"', drawn)
    level = re.search(r'y1="([\d.]+)" x2="[\d.]+" y2="[\d.]+" class="level baseline"', drawn)
    assert band
    assert level
    assert float(band[1]) + float(band[2]) / 2 == pytest.approx(float(level[1]), abs=0.1)


def test_without_noise_on_record_there_is_no_band_and_no_reference():
    drawn = draw_scores(curve(plotted(0, 0.6), plotted(1, 0.7), sigma=None, reference=None), "scores")
    assert "band" not in drawn
    assert "reference" not in drawn


def test_a_disaster_stands_at_the_edge_and_does_not_flatten_the_rest():
    steps = [plotted(0, 0.6, best=True), plotted(1, 0.62, best=True), plotted(2, -40.0)]
    ticks = re.findall(r'class="tick up">([\d.-]+)<', draw_scores(curve(*steps, reference=None), "scores"))
    assert float(ticks[0]) > 0.5


def test_a_run_without_any_score_can_be_drawn():
    assert "mark failed" in draw_scores(ScoreCurve(ACCURACY, [plotted(0, None)], None, None, None, budget=0), "scores")


def test_the_map_is_the_first_two_principal_components():
    points = np.random.default_rng(1).normal(size=(12, 30)) * np.linspace(3, 0.1, 30)
    plane, pca = project(points), PCA(2).fit(points)
    ours, theirs = np.abs(plane.points), np.abs(pca.transform(points))
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert plane.shares == pytest.approx(pca.explained_variance_ratio_)


def test_equal_programs_are_one_place_on_the_map():
    plane = project(np.ones((3, 5)))
    assert not plane.points.any()
    assert plane.shares == (0.0, 0.0)
    assert draw_map(plane, [plotted(index, 0.5) for index in range(3)], ACCURACY, "map").count("mark") == 3


@pytest.mark.parametrize(("metric", "shades"), [(ACCURACY, ["0", "8"]), (ERROR, ["8", "0"])])
def test_better_scores_are_brighter_whatever_better_means(metric: object, shades: list[str]):
    plane = project(np.array([[0.0, 0.0], [1.0, 0.0]]))
    steps = [plotted(0, 0.1), plotted(1, 0.9)]
    drawn = draw_map(plane, steps, ACCURACY if metric is ACCURACY else ERROR, "map")
    assert re.findall(r"shade(\d)", drawn) == shades


def test_a_bar_is_divided_in_proportion():
    drawn = draw_bar(
        [BarPart("ok", 3, "3", "ok"), BarPart("none", 0, "0", "x"), BarPart("failed", 1, "1", "failed")], "bar"
    )
    assert re.findall(r'x="([\d.]+)" y="0" width="([\d.]+)"', drawn) == [("0", "479"), ("480", "159")]


def test_a_bar_of_nothing_is_empty():
    assert "rect" not in draw_bar([], "bar")


def test_intervals_of_all_rows_share_a_scale():
    rows = draw_interval_bars(
        [
            IntervalBar(1.0, Interval(0.5, 1.5), None, "a", "agent0"),
            IntervalBar(2.0, None, Interval(1.5, 2.0), "b", "agent1"),
        ]
    )
    edges = [re.findall(r'x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"', row)[1] for row in rows]
    assert edges[0][1] == edges[1][0]


def test_every_run_of_a_race_starts_at_the_baseline():
    drawn = draw_progress(
        [ProgressLine("r0", "a", "agent0", [0.1, 0.2]), ProgressLine("r1", "b", "agent1", [])], "race"
    )
    starts = re.findall(r'points="([\d.]+,[\d.]+)', drawn)
    assert len(starts) == 2
    assert starts[0] == starts[1]
