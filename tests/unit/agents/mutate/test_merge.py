from fmlbench.agents.proposers.mutate.merge import changes, common_ancestor, line_of, merged, patched, sound_ancestor
from fmlbench.testing.histories import CRASH, combine, debug, draft, history_of, improve

BASE = {"a.py": "one\ntwo\nthree\nfour\nfive\nsix\n", "b.py": "x\n"}


def with_line(old: str, new: str, path: str = "a.py") -> dict[str, str]:
    return {**BASE, path: BASE[path].replace(old, new)}


def test_changes_and_their_making_are_inverse():
    after = {"a.py": "one\nTWO\nthree\nfour\nfive\n", "b.py": "x\n", "new.py": "fresh\n"}
    assert patched(BASE, changes(BASE, after)) == after


def test_changes_may_shift_the_lines_after_them():
    after = {**BASE, "a.py": "one\nnew\nnew\ntwo\nfour\nfive\nSIX\nseven\n"}
    assert patched(BASE, changes(BASE, after)) == after


def test_equal_files_have_no_changes():
    assert changes(BASE, dict(BASE)) == []


def test_changes_of_different_lines_are_joined():
    assert (
        merged(BASE, with_line("one", "ONE"), with_line("six", "SIX"))["a.py"] == "ONE\ntwo\nthree\nfour\nfive\nSIX\n"
    )


def test_changes_of_different_files_are_joined():
    both = merged(BASE, with_line("one", "ONE"), with_line("x", "y", "b.py"))
    assert both == {"a.py": BASE["a.py"].replace("one", "ONE"), "b.py": "y\n"}


def test_ours_stands_where_both_changed_the_same_line():
    assert merged(BASE, with_line("two", "ours"), with_line("two", "theirs")) == with_line("two", "ours")


def test_ours_stands_where_they_changed_the_next_line():
    assert merged(BASE, with_line("two", "ours"), with_line("three", "theirs")) == with_line("two", "ours")


def test_a_change_can_be_left_out():
    after = {**BASE, "a.py": "ONE\ntwo\nthree\nfour\nfive\nSIX\n"}
    first, second = changes(BASE, after)
    assert patched(BASE, [second]) == with_line("six", "SIX")
    assert patched(BASE, [first]) == with_line("one", "ONE")


def test_a_hunk_knows_the_lines_around_it():
    (hunk,) = changes(BASE, with_line("four", "FOUR"))
    assert [line for line in range(1, 9) if hunk.is_near(line)] == [2, 3, 4, 5, 6]


class TestLineage:
    history = history_of(
        0.5, improve(0.6), improve(CRASH, of=1), debug(CRASH, of=2), draft(0.4), combine(0.7, of=(1, 4))
    )

    def test_a_line_leads_to_the_baseline(self):
        assert list(line_of(self.history, 3)) == [3, 2, 1, 0]

    def test_the_sound_ancestor_is_the_last_step_before_the_trouble(self):
        assert sound_ancestor(self.history, 3) == 1

    def test_the_baseline_is_the_ancestor_of_last_resort(self):
        assert sound_ancestor(history_of(CRASH, improve(CRASH)), 1) == 0

    def test_a_common_ancestor_is_found(self):
        assert common_ancestor(self.history, 3, 5) == 1
        assert common_ancestor(self.history, 3, 4) == 0
        assert common_ancestor(self.history, 2, 2) == 2
