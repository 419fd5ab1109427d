import gzip
import io
import tarfile
from pathlib import Path

import pytest

from fmlbench.core.errors import BadRequest
from fmlbench.records.bundle import METRICS, pack, unpack
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import read_state
from tests.handwritten_runs import complete_run, spec_of, write_run


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = write_run(tmp_path, spec_of(), complete_run(spec_of()))
    folder.lock.touch()
    (folder.experiments / "0").mkdir(parents=True)
    (folder.experiments / "0" / "carry").write_text("in flight")
    folder.step(1).mkdir(parents=True)
    (folder.step(1) / "train.log").write_text("a log")
    return folder


def repacked(file: Path, change: dict[str, bytes | None]) -> Path:
    """The bundle with parts replaced, added or (None) left out, its manifest as it was."""
    changed = file.with_name("changed.tar.gz")
    with tarfile.open(file) as before, tarfile.open(changed, "w:gz") as after:
        parts: dict[str, bytes | None] = {}
        for member in before.getmembers():
            content = before.extractfile(member)
            assert content is not None
            parts[member.name] = content.read()
        for name, content in (parts | change).items():
            if content is not None:
                info = tarfile.TarInfo(name)
                info.size = len(content)
                after.addfile(info, io.BytesIO(content))
    return changed


def test_a_bundle_contains_the_run_without_lock_and_running_experiments(run: RunFolder, tmp_path: Path):
    pack(run, '{"a": 1}', tmp_path / "x.tar.gz")
    again, manifest = unpack(tmp_path / "x.tar.gz", tmp_path / "out")
    assert read_state(again) == read_state(run)
    assert (again.step(1) / "train.log").read_text() == "a log"
    assert (tmp_path / "out" / METRICS).read_text() == '{"a": 1}'
    assert manifest.run == spec_of().run_id
    assert not [name for name in manifest.parts if "experiments" in name or "lock" in name]


def test_files_in_a_programs_folders_are_not_packed(run: RunFolder, tmp_path: Path):
    """These files are arbitrary; only the program's output and model calls are part of the record."""
    for name in ("work/\udcff", "home/cache", "log.txt"):
        (run.agent / name).parent.mkdir(parents=True, exist_ok=True)
        (run.agent / name).write_text("x")
    pack(run, "{}", tmp_path / "x.tar.gz")
    _, manifest = unpack(tmp_path / "x.tar.gz", tmp_path / "out")
    assert [name for name in manifest.parts if "agent" in name] == ["run/agent/log.txt"]


def test_the_same_run_gives_the_same_bytes(run: RunFolder, tmp_path: Path):
    for name in ("x", "y"):
        pack(run, "{}", tmp_path / name)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


@pytest.mark.parametrize(
    "change", [{"run/events.jsonl": b"forged\n"}, {"run/extra": b"added"}, {"run/steps/1/train.log": None}]
)
def test_changed_added_and_removed_parts_are_found(run: RunFolder, tmp_path: Path, change: dict[str, bytes | None]):
    pack(run, "{}", tmp_path / "x.tar.gz")
    with pytest.raises(BadRequest, match="does not match its manifest"):
        unpack(repacked(tmp_path / "x.tar.gz", change), tmp_path / "out")


def test_repository_settings_are_neither_packed_nor_unpacked(run: RunFolder, tmp_path: Path):
    (run.code / "objects" / "ab").mkdir(parents=True)
    (run.code / "objects" / "ab" / "cd").write_bytes(b"code")
    (run.code / "HEAD").write_text("ref: refs/heads/steps/0")
    (run.code / "config").write_text("[core]\n\tfsmonitor = something to run\n")
    manifest = pack(run, "{}", tmp_path / "x.tar.gz")
    assert {name for name in manifest.parts if "code.git" in name} == {
        "run/code.git/HEAD",
        "run/code.git/objects/ab/cd",
    }
    forged = manifest.model_copy(update={"parts": {**manifest.parts, "run/code.git/config": "0" * 64}})
    change: dict[str, bytes | None] = {"manifest.json": forged.model_dump_json().encode(), "run/code.git/config": b""}
    with pytest.raises(BadRequest, match="is not part of a bundle"):
        unpack(repacked(tmp_path / "x.tar.gz", change), tmp_path / "out")


def test_a_link_in_a_bundle_is_not_followed(tmp_path: Path):
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("run/events.jsonl")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(BadRequest, match="links"):
        unpack(tmp_path / "x.tar.gz", tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"no archive", gzip.compress(b"no archive", mtime=0)])
def test_an_invalid_bundle_is_rejected(tmp_path: Path, content: bytes):
    (tmp_path / "x.tar.gz").write_bytes(content)
    with pytest.raises(BadRequest, match="not a valid export"):
        unpack(tmp_path / "x.tar.gz", tmp_path / "out")
