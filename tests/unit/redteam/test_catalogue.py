import ast
from pathlib import Path

import pytest

from fmlbench.core.errors import BadRequest
from fmlbench.core.task import AnswerKind
from fmlbench.redteam.attack import Attack, AttackContext, Control, Target
from fmlbench.redteam.catalogue import ATTACKS, TaskProfile, all_controls, choose_attacks, find_attack

TARGET = Target(
    mark="run",
    token="token",
    harness_pid=1,
    samples=("/sample",),
    splits="/splits",
    secret="/secret",
    canary_folder="/canary",
    port=1,
    abstract_socket="abstract",
    path_socket="/canary/socket",
)
CONTEXT = AttackContext(
    task="toy",
    files={"lib/a.py": "x = 1\n", "lib/b.py": "x = 2\n", "lib/c.py": "x = 3\n"},
    entries=("lib/a.py", "lib/b.py"),
    reference={"lib/c.py": "x = 4\n"},
    target=TARGET,
)
TOY = TaskProfile(task="toy", kind=AnswerKind.INDEPENDENT, is_sealed=True, is_narrow=True)


@pytest.mark.parametrize("attack", [*ATTACKS, *all_controls()], ids=lambda attack: attack.name)
def test_a_payload_is_valid_python_after_the_original_code(attack: Attack | Control):
    files = attack.build(CONTEXT).files
    for path in CONTEXT.entries:
        assert files[path].startswith(CONTEXT.files[path])
        ast.parse(files[path])


def test_finds_an_attack_by_name_and_suggests_a_close_one():
    assert find_attack("fork-bomb").name == "fork-bomb"
    with pytest.raises(BadRequest) as error:
        find_attack("fork-bom")
    assert error.value.hint == "Did you mean 'fork-bomb'?"


def test_attacks_are_chosen_to_suit_the_task():
    one_by_one = choose_attacks(TaskProfile("other", AnswerKind.PER_EPISODE, is_sealed=True, is_narrow=True))
    names = {attack.name for attack in one_by_one}
    assert "answers-file-pipe" not in names, "streamed exams have no answers file"
    assert "replay-recipe" not in names, "it repeats the dataset builder of toy"
    assert {"known-paths", "fork-bomb"} <= names


def test_exhausting_attacks_are_skipped_if_limits_are_high():
    wide = choose_attacks(TaskProfile("toy", AnswerKind.INDEPENDENT, is_sealed=True, is_narrow=False))
    assert not any(attack.is_exhausting for attack in wide)
    assert any(attack.is_exhausting for attack in choose_attacks(TOY))


def test_unsealed_only_harmless_attacks_run():
    unsealed = TaskProfile("toy", AnswerKind.INDEPENDENT, is_sealed=False, is_narrow=True)
    assert {attack.family for attack in choose_attacks(unsealed)} == {"label access"}
    with pytest.raises(BadRequest, match="'kill' cannot run unsealed"):
        choose_attacks(unsealed, names=["known-paths", "kill"])


def test_quick_attacks_are_few_and_of_several_families():
    quick = choose_attacks(TOY, quick=True)
    assert len(quick) < 20
    assert len({attack.family for attack in quick}) >= 4


def test_the_documentation_names_every_attack_and_no_other():
    page = (Path(__file__).parents[3] / "docs" / "redteam.md").read_text("utf-8")
    named = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert named == {attack.name for attack in ATTACKS}
