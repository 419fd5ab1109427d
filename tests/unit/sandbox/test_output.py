"""Output is stored in bounded size and made safe to display."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmlbench.sandbox.pipes import HEAD_BYTES, TAIL_BYTES, TAIL_CHARACTERS, BoundedOutput, Pipe


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


def drained(pipe: Pipe, log: Path, *chunks: bytes) -> str:
    with BoundedOutput(pipe.reader, log) as output:
        for chunk in chunks:
            os.write(pipe.writer, chunk)
            output.drain()
        return output.tail()


def test_short_output_is_kept_completely(pipe: Pipe, tmp_path: Path) -> None:
    assert drained(pipe, tmp_path / "log", b"one\n", b"two\n") == "one\ntwo\n"
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"


def test_the_middle_of_long_output_is_left_out_and_counted(pipe: Pipe, tmp_path: Path) -> None:
    chunks = [bytes([65 + n % 26]) * 50_000 for n in range(20)]
    drained(pipe, tmp_path / "log", *chunks)
    whole = b"".join(chunks)
    left_out = 1_000_000 - HEAD_BYTES - TAIL_BYTES
    marker = f"\n[... {left_out} bytes left out ...]\n".encode()
    assert (tmp_path / "log").read_bytes() == whole[:HEAD_BYTES] + marker + whole[-TAIL_BYTES:]


def test_nothing_is_left_out_at_the_very_bound(pipe: Pipe, tmp_path: Path) -> None:
    whole = bytes(range(256)) * ((HEAD_BYTES + TAIL_BYTES) // 256)
    drained(pipe, tmp_path / "log", *(whole[start : start + 2**15] for start in range(0, len(whole), 2**15)))
    assert (tmp_path / "log").read_bytes() == whole


def test_a_running_job_can_be_watched(pipe: Pipe, tmp_path: Path) -> None:
    with BoundedOutput(pipe.reader, tmp_path / "log") as output:
        os.write(pipe.writer, b"epoch 1\n")
        output.drain()
        assert (tmp_path / "log").read_bytes() == b"epoch 1\n"


def test_the_end_of_the_output_is_noticed_and_a_pause_is_not_the_end(pipe: Pipe, tmp_path: Path) -> None:
    with BoundedOutput(pipe.reader, tmp_path / "log") as output:
        assert output.drain_once()
        pipe.close_writer()
        assert not output.drain_once()


def test_the_tail_is_safe_to_show(pipe: Pipe, tmp_path: Path) -> None:
    shown = drained(
        pipe, tmp_path / "log", b"\x1b[31mred\x1b[0m \x1b]0;title\x07\tok\x00\x08\x7f\r\n50%\r100%\n\xff\xc2\x9b"
    )
    assert shown == "red \tok\n50%\n100%\n\N{REPLACEMENT CHARACTER}"


def test_the_tail_counts_characters_not_bytes(pipe: Pipe, tmp_path: Path) -> None:
    shown = drained(pipe, tmp_path / "log", "\N{GRINNING FACE}".encode() * 5000)
    assert shown == "\N{GRINNING FACE}" * TAIL_CHARACTERS
