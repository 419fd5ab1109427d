import json
from pathlib import Path

import pytest

from fmlbench.experiment.native_output import SELF_REPORT, keep_native_files, read_self_report


def test_finite_numbers_are_read_as_self_reported(tmp_path: Path):
    (tmp_path / SELF_REPORT).write_text('{"accuracy": 0.5, "epochs": 3, "loss": NaN, "best": true, "name": "x"}')
    assert read_self_report(tmp_path) == {"accuracy": 0.5, "epochs": 3.0}


@pytest.mark.parametrize(
    "report",
    [
        '{"accuracy": 1' + "0" * 400 + "}",
        '{"accuracy": 1' + "0" * 5000 + "}",
        "[" * 30_000 + "]" * 30_000,
        "[1, 2]",
        "not json",
        "\x00",
        "",
    ],
)
def test_a_corrupt_report_is_ignored(tmp_path: Path, report: str):
    (tmp_path / SELF_REPORT).write_text(report)
    assert read_self_report(tmp_path) == {}


def test_names_that_utf8_cannot_encode_are_repaired(tmp_path: Path):
    (tmp_path / SELF_REPORT).write_text('{"half \\ud800": 1.0}')
    (name,) = read_self_report(tmp_path)
    assert name.encode("utf-8") == b"half ?"


def test_a_long_report_is_truncated(tmp_path: Path):
    (tmp_path / SELF_REPORT).write_text(json.dumps({f"metric {number}": number for number in range(2000)}))
    assert len(read_self_report(tmp_path)) == 100


def test_a_report_behind_a_link_is_not_read(tmp_path: Path):
    (tmp_path / "secret.json").write_text('{"accuracy": 1.0}')
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / SELF_REPORT).symlink_to(tmp_path / "secret.json")
    assert read_self_report(tmp_path / "out") == {}


def test_only_small_regular_files_are_kept(tmp_path: Path):
    out, kept = tmp_path / "out", tmp_path / "kept"
    (out / "sub").mkdir(parents=True)
    (out / "sub" / "history.json").write_text("[]")
    (out / "large").write_bytes(bytes(2**20 + 1))
    (out / "link").symlink_to("/etc/passwd")
    (out / "linked").symlink_to("/etc")
    keep_native_files(out, kept)
    assert [path.relative_to(kept).as_posix() for path in kept.rglob("*") if path.is_file()] == ["sub/history.json"]
