import re

from fmlbench.reports.html.graph import draw_rows, lay_lanes


def test_a_search_that_keeps_improving_is_one_straight_line():
    assert lay_lanes([None, 0, 1, 2, 3]).of == [0, 0, 0, 0, 0]


def test_twigs_share_the_lane_beside_the_line():
    # Steps 1 and 3 led nowhere; 2 and 4 went on.
    assert lay_lanes([None, 0, 0, 2, 2]).of == [0, 1, 0, 1, 0]


def test_a_branch_keeps_its_lane_until_it_ends():
    # Step 1 has its last child, 4, only after 2 and 3 were made on the baseline.
    lanes = lay_lanes([None, 0, 0, 0, 1])
    assert lanes.of == [0, 1, 2, 0, 1]
    assert lanes.count == 3


def test_two_steps_in_one_row_never_share_a_lane():
    parents = [None, 0, 0, 1, 2, 1, 0, 4, 3, 5]
    lanes = lay_lanes(parents)
    for step, lane in enumerate(lanes.of):
        passing = [
            lanes.of[parent] for child, parent in enumerate(parents) if parent is not None and parent < step < child
        ]
        assert lane not in passing


def test_every_step_is_drawn_with_its_knot_and_a_line_to_its_parent():
    rows = draw_rows(lay_lanes([None, 0, 0]), ["ok", "failed", "ok winner"])
    assert [re.findall(r'class="knot ([a-z ]+)"', row) for row in rows] == [["ok"], ["failed"], ["ok winner"]]
    paths = [re.findall(r'd="([^"]*)"', row)[0] for row in rows]
    assert paths[0] == "M8 17V34"
    assert paths[1] == "M8 0C8 17 22 0 22 17M8 0V34"
    assert paths[2] == "M8 0V17"


def test_many_lanes_move_closer_together():
    fan = lay_lanes([None, *[0] * 40, *range(1, 41)])
    assert fan.count == 40
    assert 'width="120"' in draw_rows(fan, ["ok"] * 81)[0]
