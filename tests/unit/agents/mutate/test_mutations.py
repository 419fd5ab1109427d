import warnings
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

import fmlbench
import fmlbench.agents.proposers.mutate.mutations as module
from fmlbench.agents.proposers.mutate.mutations import MutatedFiles, MutationFocus, compiles, mutations
from fmlbench.agents.proposers.mutate.sites import Site, definitions, sites_in
from fmlbench.testing.proposers import SAMPLE

PACKAGE = Path(fmlbench.__file__).parent
CORPUS = {
    path.relative_to(PACKAGE.parent).as_posix(): path.read_text("utf-8")
    for folder in ("core", "agents", "testing")
    for path in sorted((PACKAGE / folder).rglob("*.py"))
}


def first(files: dict[str, str], seed: int, focus: MutationFocus | None = None, edits: int = 1) -> MutatedFiles:
    return next(mutations(files, focus or MutationFocus(), Random(seed), edits=edits))


def changed_paths(candidate: MutatedFiles, files: dict[str, str]) -> set[str]:
    return {path for path in files if candidate.files[path] != files[path]}


def test_hundreds_of_mutations_of_real_code_all_compile_and_differ():
    made = 0
    for path, text in CORPUS.items():
        for seed in range(8):
            for candidate in islice(mutations({path: text}, MutationFocus(), Random(seed)), 1):
                made += 1
                assert candidate.files[path] != text
                assert path in candidate.idea
                assert "\n" not in candidate.idea
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    compile(candidate.files[path], path, "exec")
    assert made >= 300


def test_the_same_seed_gives_the_same_change():
    assert [first(SAMPLE, seed) for seed in range(20)] == [first(SAMPLE, seed) for seed in range(20)]


def test_the_order_of_files_does_not_matter():
    files = {f"file{index}.py": f"rate = 0.{index + 1}\nwidth = 8\n" for index in range(9)}
    backwards = dict(reversed(files.items()))
    assert [first(files, seed).idea for seed in range(20)] == [first(backwards, seed).idea for seed in range(20)]


def test_two_hundred_draws_show_many_kinds_of_change():
    ideas = Counter(first(SAMPLE, seed).idea for seed in range(200))
    assert len(ideas) > 50
    assert ideas.most_common(1)[0][1] < 20
    shown = " ".join(ideas)
    for word in (
        "learning_rate 0.01",
        "SGD ->",
        "label_smoothing",
        "ReLU ->",
        "drop nn.",
        "normalise features",
        "weigh",
    ):
        assert word in shown, word


def test_all_changes_come_up_exactly_once():
    ideas = [candidate.idea for candidate in mutations(SAMPLE, MutationFocus(), Random(0))]
    assert len(ideas) > 60
    assert Counter(ideas) == Counter(candidate.idea for candidate in mutations(SAMPLE, MutationFocus(), Random(1)))
    assert max(Counter(ideas).values()) == 1


def test_edits_can_be_made_on_top_of_each_other():
    candidate = first(SAMPLE, 0, edits=3)
    assert len(candidate.idea.split("; ")) == 3


def test_suggested_files_are_changed_nine_times_in_ten():
    files = {f"file{index}.py": f"rate = 0.{index + 1}\nwidth = 8\n" for index in range(9)}
    focus = MutationFocus(suggested=("file3.py",))
    hits = sum(changed_paths(first(files, seed, focus), files) == {"file3.py"} for seed in range(300))
    assert 250 <= hits <= 290


def test_a_file_with_nothing_likely_to_help_has_to_wait():
    files = {"dull.py": "y = x[5]\n" + "# long\n" * 500, "rich.py": "rate = 0.5\n"}
    hits = sum(changed_paths(first(files, seed), files) == {"rich.py"} for seed in range(100))
    assert hits > 90


def test_a_suggestion_may_be_a_glob():
    files = {"core/a.py": "x = 1\n", "other/b.py": "x = 1\n"}
    hits = sum(
        changed_paths(first(files, seed, MutationFocus(("core/*",))), files) == {"core/a.py"} for seed in range(100)
    )
    assert hits > 75


@pytest.mark.parametrize(
    "path", ["tests/test_x.py", "pkg/x_test.py", "setup.py", "conftest.py", "notes.md", "data.json"]
)
def test_what_is_no_research_code_is_left_alone(path: str):
    assert list(mutations({path: "x = 1\n"}, MutationFocus(), Random(0))) == []


def test_what_made_no_difference_is_seldom_tried_again():
    files = {"research.py": "alpha = 0.5\nbeta = 0.5\n"}
    focus = MutationFocus(dull={("research.py", "alpha = 0.5"): {"numbers"}})
    again = sum("alpha" in first(files, seed, focus).idea for seed in range(300))
    assert again < 20


def test_another_kind_of_change_of_such_a_line_is_tried_half_as_often():
    files = {"research.py": "alpha = a + b\nbeta = a + b\n"}
    focus = MutationFocus(dull={("research.py", "alpha = a + b"): {"numbers"}})
    rng = Random(0)
    again = sum("research.py:1" in next(mutations(files, focus, rng)).idea for _ in range(600))
    assert 150 < again < 250


def test_a_family_that_breaks_code_is_not_listened_to(monkeypatch: pytest.MonkeyPatch):
    good = next(site for site in sites_in("a.py", "x = 1\n", definitions({})) if site.becomes == "2")
    bad = replace(good, becomes="(")

    def broken_and_good(path: str, text: str, defined: frozenset[str]) -> tuple[Site, ...]:
        return bad, good

    monkeypatch.setattr(module, "sites_in", broken_and_good)
    assert [candidate.files["a.py"] for candidate in mutations({"a.py": "x = 1\n"}, MutationFocus(), Random(0))] == [
        "x = 2\n"
    ]


def test_code_with_doubtful_escapes_still_counts_as_code():
    assert compiles('x = "\\d"\n')


@pytest.mark.parametrize("text", ["def f(:\n", "x = 1\0\n", "return 1\n"])
def test_what_python_would_refuse_does_not_compile(text: str):
    assert not compiles(text)


def test_a_file_that_no_suggested_one_imports_comes_last():
    files = {
        "train.py": "from model import WIDTH\nEPOCHS = 10\n",
        "model.py": "WIDTH = 64\n",
        "unused.py": "DEPTH = 3\n",
    }
    for seed in range(20):
        ideas = [candidate.idea for candidate in mutations(files, MutationFocus(["train.py"]), Random(seed))]
        dirs = [idea.split(" in ")[-1].split(":")[0] for idea in ideas]
        assert dirs.index("unused.py") > max(dirs.index("train.py"), dirs.index("model.py"))
