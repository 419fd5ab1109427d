import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from fmlbench.workspace.archives import is_archive, unpack
from fmlbench.workspace.digests import files_in
from fmlbench.workspace.downloads import SourceFailed


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, link, mode
    return info


def make_tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def make_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def unpacked(archive: Path, tmp_path: Path) -> dict[str, bytes]:
    folder = tmp_path / "un packed"
    folder.mkdir()
    root = unpack(archive, folder)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files_in(root)}


def test_unpacks_a_tar_without_its_top_folder(tmp_path: Path):
    archive = make_tar(
        tmp_path / "easy-1.0.tar.gz",
        (member("easy-1.0", tarfile.DIRTYPE), b""),
        (member("easy-1.0/setup.py"), b"setup"),
        (member("./easy-1.0/easy/net.py"), b"net"),
    )
    assert unpacked(archive, tmp_path) == {"setup.py": b"setup", "easy/net.py": b"net"}


def test_unpacks_a_zip_and_keeps_several_folders(tmp_path: Path):
    archive = make_zip(tmp_path / "a.whl", {"easy/net.py": b"net", "easy.dist-info/METADATA": b"meta"})
    assert unpacked(archive, tmp_path) == {"easy/net.py": b"net", "easy.dist-info/METADATA": b"meta"}


def test_a_single_file_is_not_a_top_folder(tmp_path: Path):
    assert unpacked(make_zip(tmp_path / "a.zip", {"data.csv": b"1"}), tmp_path) == {"data.csv": b"1"}


@pytest.mark.parametrize("name", ["../evil.py", "/evil.py", "a/../../evil.py", "a/b/../../../evil.py", "."])
def test_refuses_paths_that_lead_out_of_the_folder(name: str, tmp_path: Path):
    for archive in (
        make_tar(tmp_path / "a.tar.gz", (member("good.py"), b""), (member(name), b"evil")),
        make_zip(tmp_path / "a.zip", {"good.py": b"", name: b"evil"}),
    ):
        folder = tmp_path / archive.suffix
        folder.mkdir()
        with pytest.raises(SourceFailed, match="leads out of its folder"):
            unpack(archive, folder)
    assert not list(tmp_path.rglob("evil.py"))


def test_links_and_devices_are_skipped(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    archive = make_tar(
        tmp_path / "a.tar.gz",
        (member("door", tarfile.SYMTYPE, str(outside)), b""),
        (member("door/evil.py"), b"evil"),
        (member("passwd", tarfile.SYMTYPE, "/etc/passwd"), b""),
        (member("null", tarfile.CHRTYPE), b""),
        (member("pipe", tarfile.FIFOTYPE), b""),
        (member("good.py"), b"good"),
    )
    assert unpacked(archive, tmp_path) == {"door/evil.py": b"evil", "good.py": b"good"}
    assert not list(outside.iterdir())
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


def test_a_hard_link_is_unpacked_as_a_copy(tmp_path: Path):
    archive = make_tar(
        tmp_path / "a.tar.gz",
        (member("a/data.bin"), b"data"),
        (member("b/same.bin", tarfile.LNKTYPE, "a/data.bin"), b""),
    )
    assert unpacked(archive, tmp_path) == {"a/data.bin": b"data", "b/same.bin": b"data"}


def test_a_hard_link_cannot_name_a_file_of_this_machine(tmp_path: Path):
    archive = make_tar(tmp_path / "a.tar.gz", (member("passwd", tarfile.LNKTYPE, "/etc/passwd"), b""))
    (tmp_path / "into").mkdir()
    with pytest.raises(SourceFailed, match="damaged"):
        unpack(archive, tmp_path / "into")


def test_a_symbolic_link_in_a_zip_is_left_out(tmp_path: Path):
    link = zipfile.ZipInfo("door")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(link, "/etc")
        packed.writestr("a.py", b"a")
    assert unpacked(tmp_path / "a.zip", tmp_path) == {"a.py": b"a"}


def test_permissions_and_owners_are_not_unpacked(tmp_path: Path):
    archive = make_tar(tmp_path / "a.tar.gz", (member("x/run.sh", mode=0o6777), b""), (member("y"), b""))
    unpacked(archive, tmp_path)
    assert (tmp_path / "un packed" / "x" / "run.sh").stat().st_mode & 0o7111 == 0


def test_an_archive_that_is_too_large_is_rejected(tmp_path: Path):
    archive = make_zip(tmp_path / "a.zip", {"a": b"0" * 3_000_000, "b": b"0" * 3_000_000})
    (tmp_path / "into").mkdir()
    with pytest.raises(SourceFailed, match="too large"):
        unpack(archive, tmp_path / "into", max_bytes=5_000_000)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip", "a.tar.xz"])
@pytest.mark.parametrize("content", [b"", b"garbage", b"\x1f\x8b\x08\0\0\0\0\0"])
def test_a_damaged_archive_is_reported(name: str, content: bytes, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "into").mkdir()
    with pytest.raises(SourceFailed, match=f"{name} is damaged"):
        unpack(tmp_path / name, tmp_path / "into")


def test_a_truncated_archive_is_reported_as_damaged(tmp_path: Path):
    archive = make_tar(tmp_path / "a.tar.gz", (member("a"), bytes(range(256)) * 4000))
    archive.write_bytes(archive.read_bytes()[:-200])
    (tmp_path / "into").mkdir()
    with pytest.raises(SourceFailed, match="damaged"):
        unpack(archive, tmp_path / "into")


def test_archives_are_recognized_by_name():
    assert all(is_archive(name) for name in ("a.tar.gz", "a.TGZ", "a.zip", "a-1.whl", "a.tar.xz", "a.tar"))
    assert not any(is_archive(name) for name in ("a.csv", "a.gz", "a.npz", "a.ndjson.gz", "tar"))
