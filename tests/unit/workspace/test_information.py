"""The measure counts every bit that a candidate can read."""

import ast
import zlib
from pathlib import Path
from random import Random
from string import ascii_letters

import pytest

import fmlbench
from fmlbench.core.task import Editable
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.workspace import information
from fmlbench.workspace.information import (
    DENSITY,
    LITERAL_BYTES,
    NUMBERS,
    added_information,
    baseline_lines,
    encode,
    path_dictionary,
    runtime_files,
    runtime_text,
    text_dictionary,
)
from tests.carriers import BASELINE, COUNTED, REMOVED, Carrier, Files, in_identifiers, room_of

BUDGET = Editable(globs=("**",), suggested=()).information_bytes
HONEST = [task for task in all_tasks() if task.task.overlay or task.task.name == "toy"]


class Decoder:
    """Decodes the output of ``encode``, which proves that every bit is counted.

    size of the paths, deflated paths:  number of changed files, then size and text of each changed and deleted path
    deflated body:                      for each changed file: number of copies, then for each copy the new lines
                                        before it, its distance and its lines; then the new lines at the end
                                        all new lines
    """

    def __init__(self, encoded: bytes, baseline: Files) -> None:
        self.baseline = baseline
        self.content, self.at = encoded, 0
        packed_size = self.number()
        body = encoded[self.at + packed_size :]
        self.content = inflate(encoded[self.at : self.at + packed_size], path_dictionary(baseline))
        self.at = 0
        count = self.number()
        paths: list[str] = []
        while self.at < len(self.content):
            size = self.number()
            paths.append(self.content[self.at : self.at + size].decode("utf-8", "surrogatepass"))
            self.at += size
        self.changed, self.deleted = paths[:count], paths[count:]
        self.content, self.at = inflate(body, text_dictionary(self.changed, baseline)), 0

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.content[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def files(self) -> Files:
        old, starts = baseline_lines(self.baseline)
        plans: list[list[tuple[int, int, int]]] = []
        for _ in self.changed:
            copies = [(self.number(), self.number(), self.number()) for _ in range(self.number())]
            plans.append([*copies, (self.number(), 0, 0)])
        new = iter(self.content[self.at :].decode("utf-8", "surrogatepass").split("\n"))
        files = {path: text for path, text in self.baseline.items() if path not in self.deleted}
        for path, plan in zip(self.changed, plans, strict=True):
            lines: list[str] = []
            expected = starts.get(path, 0)
            for skipped, distance, length in plan:
                lines += [next(new) for _ in range(skipped)]
                place = expected + (distance // 2 if distance % 2 == 0 else -(distance + 1) // 2)
                lines += old[place : place + length]
                expected = place + length
            files[path] = "\n".join(lines)
        return files


def inflate(packed: bytes, dictionary: bytes) -> bytes:
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, dictionary)
    return unpacker.decompress(packed) + unpacker.flush()


def decode(encoded: bytes, baseline: Files) -> Files:
    return Decoder(encoded, baseline).files() if encoded else dict(baseline)


def payload_for(carrier: Carrier, seed: int = 0) -> bytes:
    return Random(seed).randbytes(room_of(carrier))


def name_of(carrier: Carrier) -> str:
    return carrier.__name__


@pytest.mark.parametrize("carrier", COUNTED, ids=name_of)
def test_every_bit_of_a_hidden_payload_is_counted(carrier: Carrier):
    payload = payload_for(carrier)
    files = carrier(payload)
    encoded = encode(files, BASELINE)
    # The table of measured bits per bit is in benchmarks/results/information.md: 1.01 to 2.02.
    assert len(encoded) >= len(payload)
    assert len(encoded) > BUDGET or len(payload) < BUDGET
    assert decode(encoded, BASELINE) == runtime_files(files, BASELINE)


@pytest.mark.parametrize("carrier", REMOVED, ids=name_of)
def test_text_that_is_not_counted_is_removed(carrier: Carrier):
    one, other = (runtime_files(carrier(payload_for(carrier, seed)), BASELINE) for seed in (2, 3))
    assert one == other
    assert added_information(carrier(payload_for(carrier)), BASELINE).bytes < 300


def test_two_payloads_cost_the_sum_of_both():
    one, other = payload_for(in_identifiers)[:1000], payload_for(in_identifiers, 1)[:1000]
    files = {**in_identifiers(one), "model/other.py": in_identifiers(other)["model/new.py"]}
    assert added_information(files, BASELINE).bytes >= 2000


def test_deleting_the_baseline_gives_no_credit():
    files = {"model/new.py": in_identifiers(payload_for(in_identifiers))["model/new.py"]}
    assert added_information(files, BASELINE).bytes >= 8192


def test_the_baseline_adds_nothing():
    assert added_information(BASELINE, BASELINE) == information.InformationUse(0)


def test_copied_moved_and_deleted_code_costs_a_few_bytes():
    moved = {"model/moved.py": BASELINE["model/net.py"], "model/many.py": BASELINE["model/many.py"]}
    assert added_information(moved, BASELINE).bytes < 40
    shorter = {**BASELINE, "model/many.py": BASELINE["model/many.py"][:40_000]}
    assert added_information(shorter, BASELINE).bytes < 40


def test_a_changed_number_costs_a_few_bytes():
    text = BASELINE["model/net.py"].replace("build_layer(17)", "build_layer(18)")
    assert added_information({**BASELINE, "model/net.py": text}, BASELINE).bytes < 40


@pytest.mark.parametrize("task", HONEST, ids=lambda task: task.task.name)
def test_variants_of_tasks_stay_below_half_of_the_budget(task: TaskFolder):
    overlay = task.path / (task.task.overlay or "codebase")
    baseline = {str(path.relative_to(overlay)): path.read_text("utf-8") for path in overlay.rglob("*.py")}
    for variant in (task.task.reference, task.task.method_off, *task.task.exploits):
        files = {**baseline, **task.files_of(variant, baseline)}
        use = added_information(files, baseline)
        assert use.bytes < task.task.editable.information_bytes / 2, variant.idea
        assert not use.problem, variant.idea
        assert decode(encode(files, baseline), baseline) == runtime_files(files, baseline), variant.idea


def test_comments_and_docstrings_leave_their_lines():
    text = '"""A module.\n\nOf two paragraphs.\n"""\n\nx = 1  # one\n# alone\ny = "# kept"\n'
    assert runtime_text("a.py", text) == '""\n\n\n\n\nx = 1\n\ny = "# kept"\n'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('def f():\n    """Doc."""\n', 'def f():\n    ""\n'),
        ("def f():\n    'one' 'two'\n    return 1\n", 'def f():\n    ""\n    return 1\n'),
        ("class C:\n    r'''Doc.\n    '''; x = 1\n", 'class C:\n    ""; x = 1\n\n'),
        ("x = 1\n'an attribute'\n", 'x = 1\n""\n'),
        ("'b or f' # with a comment\n", '""\n'),
        ("x: 'annotation'\n", "x: 'annotation'\n"),
        ("x = (\n    'a'  # first\n    'b'\n)\n", "x = (\n    'a'\n    'b'\n)\n"),
        ("f'{print(1)}'\n", "f'{print(1)}'\n"),
        ("'text'.strip()\n", "'text'.strip()\n"),
        ("'a' % b\n", "'a' % b\n"),
        ("x = 1 \\\n    + 2  # sum\n", "x = 1 \\\n    + 2\n"),
        ("x = (  # broken\n", "x = (  # broken\n"),
        ("\ufeffx = 1\r\ny = 2\r", "x = 1\ny = 2\n"),
        ("#!/usr/bin/python\n# coding: latin-1\nx = 'é'\n", "\n\nx = 'é'\n"),
        ("x = 1  # no newline", "x = 1"),
        ("", ""),
    ],
)
def test_only_text_without_effect_is_removed(text: str, left: str):
    assert runtime_text("a.py", text) == left


def test_text_other_than_python_is_unchanged():
    assert runtime_text("a.yaml", "# a: 1\r\n") == "# a: 1\r\n"


def test_an_unchanged_file_keeps_its_comments():
    baseline = {"a.py": "x = 1  # one\n", "b.py": "y = 1  # one\n"}
    files = {"a.py": "x = 1  # one\n", "b.py": "y = 2  # one\n"}
    assert runtime_files(files, baseline) == {"a.py": "x = 1  # one\n", "b.py": "y = 2\n"}


def test_code_means_the_same_without_comments():
    for path in sorted(Path(fmlbench.__file__).parent.rglob("*.py"))[::6]:
        text = path.read_text("utf-8")
        left = runtime_text(path.name, text)
        assert shape_of(left) == shape_of(text), path
        assert left.count("\n") == text.count("\n"), path


def shape_of(text: str) -> str:
    """The syntax tree with line numbers, without bare strings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value = ast.Constant("", lineno=node.lineno)
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return f"{lines} {ast.dump(tree)}"


def problem_with(text: str, path: str = "new.py", baseline: Files | None = None) -> str:
    baseline = baseline or {}
    return added_information({**baseline, path: text}, baseline).problem


def test_a_long_string_is_data():
    assert problem_with(f"x = 1\ny = '{'a' * 999}'\n") == (
        "'new.py', line 2, has a string of 1,001 bytes; at most 1,000 are allowed."
    )
    assert not problem_with(f"y = '{'a' * 998}'\n")
    assert "line 1" in problem_with(f"y = ('{'a' * 600}'  # half\n     '{'b' * 600}')\n")


def test_a_long_docstring_is_not_data():
    assert not problem_with(f'"""{"a" * 5000}"""\n')


def test_many_numbers_are_data():
    numbers = [f"x{number} = 0.5\n" for number in range(NUMBERS)]
    small = [f"y{number} = {number % 17}\n" for number in range(300)]
    assert not problem_with("".join(numbers + small))
    assert problem_with("".join([*numbers, "x = 17\n"])) == (
        f"The proposal adds {NUMBERS + 1} numbers above 16; at most {NUMBERS} are allowed."
    )


def test_numbers_of_the_baseline_are_not_counted_again():
    table = "".join(f"x{number} = {number}.5\n" for number in range(400))
    assert problem_with(table)
    assert not problem_with(table, baseline={"old.py": table})


def test_many_short_strings_are_data():
    rng = Random(0)
    strings = [f"x = '{rng.randbytes(20).hex()}'\n" for _ in range(60)]
    assert not problem_with("".join(strings[:30]))
    found = problem_with("".join(strings))
    assert found.startswith("The proposal adds strings and numbers of 1,")
    assert found.endswith(f"compressed; at most {LITERAL_BYTES:,} are allowed.")


def test_a_dense_file_is_data():
    rng = Random(0)
    names = "".join(f"n{''.join(rng.choices(ascii_letters, k=48))}\n" for _ in range(50))
    assert problem_with(names).startswith("'new.py' looks like data: it compresses to ")
    assert str(round(DENSITY * 100)) in problem_with(names)
    assert not problem_with(names[:1900])


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "-" * 20_000 + "1",
        "x" + ".y" * 20_000,
        "f'{" * 5000,
        "'''" + "\\" * 999,
        "if x:\n" * 500,
        "\f\f x\n",
    ],
)
def test_hostile_code_is_measured_too(text: str):
    files = {"a.py": text}
    assert decode(encode(files, {}), {}) == runtime_files(files, {})


def test_every_kind_of_character_survives_the_encoding():
    text = "x = 'a\u2028b\x0bc\x1cd\x85e'\n\ud800\n\x0c\ty = 1\n\n\n"
    files = {"a.py": text, "größe.txt": "\r\r\n\n", "empty.txt": "", "line.txt": "\n"}
    baseline = {"a.py": "y = 1\n", "gone.py": ""}
    assert decode(encode(files, baseline), baseline) == runtime_files(files, baseline)
