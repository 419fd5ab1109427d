"""Random targets are definitions that fit in one answer."""

from random import Random

from fmlbench.agents.proposers.llm.edit_target import EditTarget, choose_target

FILES = {
    "net.py": "SIZE = 3\n\n\ndef build():\n    return SIZE\n\n\nclass Long:\n" + "    x = 1\n" * 99,
    "train.py": "for x in ():\n    pass\n",
    "broken.py": "def f(:\n",
    "notes.md": "RATE = 1\n",
}


def drawn(files: dict[str, str], *suggested: str, most_bytes: int = 100) -> set[EditTarget | None]:
    return {choose_target(files, suggested, most_bytes, Random(seed)) for seed in range(50)}


def test_every_definition_that_is_short_enough_comes_up():
    assert drawn(FILES) == {EditTarget("net.py", "SIZE"), EditTarget("net.py", "build")}
    assert EditTarget("net.py", "Long") in drawn(FILES, most_bytes=2000)


def test_only_files_that_the_task_suggests_are_drawn_from():
    assert drawn({**FILES, "more.py": "RATE = 1\n"}, "more.py", "gone.py") == {EditTarget("more.py", "RATE")}


def test_where_nothing_is_defined_nothing_is_drawn():
    assert drawn({"train.py": "pass\n"}, "train.py") == {None}
