import hashlib
import io
import multiprocessing
import random
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from fmlbench.core.errors import ChecksumMismatch, InfraTrouble, SourceUnavailable, TaskInvalid
from fmlbench.core.progress import Silent
from fmlbench.core.sources import GitSource, Material, Patch, PathSource, Source, UrlSource
from fmlbench.workspace.digests import digest_of, files_in
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.materials import is_intact, obtain
from tests.integration.workspace.file_server import Shelf

FILES = {"easy/net.py": b"x = 1\ny = 1\n", "README.md": b"Read me.\n"}
SOMETHING_ELSE = "0" * 64


@pytest.fixture
def home(tmp_path: Path) -> Dirs:
    return Dirs(cache=tmp_path / "the cache", runs=tmp_path / "runs")


@pytest.fixture
def task_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "my task"
    write(folder / "upstream", FILES)
    return folder


def write(folder: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def tar_of(files: dict[str, bytes], around: str = "easy-1.0") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, content in files.items():
            info = tarfile.TarInfo(f"{around}/{path}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def material(*sources: Source, digest: str | None = None, patches: tuple[Patch, ...] = ()) -> Material:
    return Material(
        name="Easy & FSL",
        version="1.0",
        licence="MIT",
        homepage="https://example.org",
        sources=sources,
        digest=digest,
        patches=patches,
    )


def local(inside: str = "") -> PathSource:
    return PathSource(kind="path", path="upstream", inside=inside)


def nowhere(number: int = 0) -> PathSource:
    return PathSource(kind="path", path=f"nowhere-{number}")


def served(shelf: Shelf, name: str, content: bytes, inside: str = "") -> UrlSource:
    shelf.files[f"/{name}"] = content
    return UrlSource(kind="url", url=f"{shelf.url}/{name}", sha256=hashlib.sha256(content).hexdigest(), inside=inside)


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files_in(folder)}


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def get(wanted: Material, task_folder: Path, home: Dirs) -> Path:
    return obtain(wanted, task_folder=task_folder, dirs=home, progress=Silent())


def test_copies_a_folder_of_the_task(task_folder: Path, home: Dirs):
    (task_folder / "upstream" / "__pycache__").mkdir()
    (task_folder / "upstream" / "__pycache__" / "x.pyc").write_bytes(b"\0")
    folder = get(material(local()), task_folder, home)
    assert content_of(folder) == FILES
    assert not (folder / "__pycache__").exists()
    assert folder.name.startswith("Easy-FSL-")


def test_obtained_files_are_read_only_and_the_original_is_not(task_folder: Path, home: Dirs):
    folder = get(material(local()), task_folder, home)
    assert {path.stat().st_mode & 0o777 for path in files_in(folder)} == {0o444}
    assert (task_folder / "upstream" / "README.md").stat().st_mode & 0o200


def test_a_changed_folder_is_another_material(task_folder: Path, home: Dirs):
    before = get(material(local()), task_folder, home)
    (task_folder / "upstream" / "README.md").write_bytes(b"Changed.\n")
    after = get(material(local()), task_folder, home)
    assert content_of(after)["README.md"] == b"Changed.\n"
    assert content_of(before) == FILES


def test_the_same_path_in_two_tasks_is_two_materials(task_folder: Path, home: Dirs, tmp_path: Path):
    write(tmp_path / "other task" / "upstream", {"a.py": b"other"})
    first = get(material(local()), task_folder, home)
    second = get(material(local()), tmp_path / "other task", home)
    assert content_of(first) == FILES
    assert content_of(second) == {"a.py": b"other"}


def test_continues_a_download_after_a_kill(task_folder: Path, home: Dirs, shelf: Shelf):
    content = random.Random(0).randbytes(2_000_000)
    source = served(shelf, "data.bin", content)
    part = home.downloads / f"{source.sha256}.part"
    shelf.stalls_after = 1_500_000
    process = multiprocessing.get_context("spawn").Process(
        target=_obtain_in_a_process, args=(material(source), task_folder, home)
    )
    process.start()
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size > 1_000_000):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.join(60)
    shelf.goes_on.set()
    assert content_of(get(material(source), task_folder, home)) == {"data.bin": content}
    assert shelf.requests[-1][1] not in {None, "bytes=0-"}
    assert visible(home.downloads) == [source.sha256]


@pytest.mark.parametrize(
    ("inside", "files"),
    [("easy", {"net.py": FILES["easy/net.py"]}), ("README.md", {"README.md": FILES["README.md"]})],
)
def test_picks_a_folder_or_a_file(inside: str, files: dict[str, bytes], task_folder: Path, home: Dirs, shelf: Shelf):
    archive = served(shelf, "easy-1.0.tar.gz", tar_of(FILES), inside)
    assert content_of(get(material(local(inside)), task_folder, home)) == files
    assert content_of(get(material(archive), task_folder, home)) == files


@pytest.mark.parametrize("inside", ["missing", "../my task", "/etc", "easy/../../.."])
def test_rejects_a_path_that_is_not_inside(inside: str, task_folder: Path, home: Dirs):
    with pytest.raises(SourceUnavailable, match="it does not contain"):
        get(material(local(inside)), task_folder, home)


def test_a_missing_local_path_is_reported(task_folder: Path, home: Dirs):
    with pytest.raises(SourceUnavailable) as caught:
        get(material(nowhere(1)), task_folder, home)
    assert f"is not on this machine (path nowhere-1: '{task_folder}/nowhere-1' does not exist)" in caught.value.message
    assert "README" in caught.value.hint


def test_unpacks_an_archive_from_a_url_once(task_folder: Path, home: Dirs, shelf: Shelf):
    wanted = material(served(shelf, "easy-1.0.tar.gz", tar_of(FILES)))
    assert content_of(get(wanted, task_folder, home)) == FILES
    shelf.files.clear()
    assert content_of(get(wanted, task_folder, home)) == FILES
    assert len(shelf.requests) == 1


def test_materials_of_one_archive_share_its_download(task_folder: Path, home: Dirs, shelf: Shelf):
    content = tar_of(FILES)
    get(material(served(shelf, "easy-1.0.tar.gz", content)), task_folder, home)
    get(material(served(shelf, "easy-1.0.tar.gz", content, "easy")), task_folder, home)
    assert len(shelf.requests) == 1


def test_a_corrupted_archive_is_downloaded_again(task_folder: Path, home: Dirs, shelf: Shelf):
    content = tar_of(FILES)
    source = served(shelf, "easy-1.0.tar.gz", content)
    get(material(source), task_folder, home)
    (home.downloads / source.sha256 / "easy-1.0.tar.gz").write_bytes(b"rotten")
    assert content_of(get(material(source, digest=None, patches=(PATCH,)), task_folder, home))["README.md"]
    assert len(shelf.requests) == 2


def test_a_file_that_is_not_an_archive_is_copied(task_folder: Path, home: Dirs, shelf: Shelf):
    source = served(shelf, "drawings.ndjson.gz", b"\x1f\x8bdata")
    assert content_of(get(material(source), task_folder, home)) == {"drawings.ndjson.gz": b"\x1f\x8bdata"}


def test_uses_the_first_working_source(task_folder: Path, home: Dirs, shelf: Shelf):
    bad = UrlSource(kind="url", url=f"{shelf.url}/missing.zip", sha256=SOMETHING_ELSE)
    wrong = served(shelf, "wrong.tar.gz", b"garbage").model_copy(update={"sha256": SOMETHING_ELSE})
    assert content_of(get(material(nowhere(), bad, wrong, local()), task_folder, home)) == FILES


def test_reports_why_each_source_failed(task_folder: Path, home: Dirs, shelf: Shelf):
    missing = UrlSource(kind="url", url=f"{shelf.url}/missing.zip", sha256=SOMETHING_ELSE)
    with pytest.raises(SourceUnavailable) as caught:
        get(material(nowhere(1), missing), task_folder, home)
    assert "Easy & FSL 1.0 could not be fetched" in caught.value.message
    assert f"path nowhere-1: '{task_folder}/nowhere-1' does not exist" in caught.value.message
    assert f"url {shelf.url}/missing.zip: the server answered 404" in caught.value.message
    assert "\n" not in caught.value.message
    assert visible(home.materials) == []


def test_an_archive_with_a_wrong_checksum_is_rejected_and_deleted(task_folder: Path, home: Dirs, shelf: Shelf):
    source = served(shelf, "easy-1.0.tar.gz", tar_of(FILES)).model_copy(update={"sha256": SOMETHING_ELSE})
    with pytest.raises(ChecksumMismatch, match=f"not {SOMETHING_ELSE}"):
        get(material(source), task_folder, home)
    assert visible(home.materials) == []
    assert visible(home.downloads) == []


def test_files_with_a_wrong_digest_are_rejected_from_every_source(task_folder: Path, home: Dirs):
    with pytest.raises(ChecksumMismatch) as caught:
        get(material(local(), digest=SOMETHING_ELSE), task_folder, home)
    assert digest_of(task_folder / "upstream") in caught.value.message
    assert visible(home.materials) == []


def test_the_digest_is_the_same_from_every_source(task_folder: Path, home: Dirs, shelf: Shelf):
    digest = digest_of(task_folder / "upstream")
    for source in (local(), served(shelf, "easy-1.0.tar.gz", tar_of(FILES)), commit_of(task_folder, FILES)):
        assert content_of(get(material(source, digest=digest), task_folder, home)) == FILES


def test_the_digest_is_over_sorted_paths_and_contents(tmp_path: Path):
    write(tmp_path / "x", {"b": b"2", "a/c": b"1"})
    expected = hashlib.sha256(
        b"a/c\0" + hashlib.sha256(b"1").digest() + b"b\0" + hashlib.sha256(b"2").digest()
    ).hexdigest()
    assert digest_of(tmp_path / "x") == expected


PATCH = Patch(file="easy/net.py", search="x = 1", replace="x = 2", why="x must be two")


def test_a_patch_replaces_its_single_match(task_folder: Path, home: Dirs):
    wanted = material(local(), digest=digest_of(task_folder / "upstream"), patches=(PATCH,))
    folder = get(wanted, task_folder, home)
    assert content_of(folder)["easy/net.py"] == b"x = 2\ny = 1\n"
    assert (task_folder / "upstream" / "easy" / "net.py").read_bytes() == FILES["easy/net.py"]


def test_changes_in_the_cache_are_detected(task_folder: Path, home: Dirs, shelf: Shelf):
    wanted = material(served(shelf, "easy-1.0.tar.gz", tar_of(FILES)), patches=(PATCH,))
    folder = get(wanted, task_folder, home)
    shelf.files.clear()
    assert is_intact(wanted, task_folder=task_folder, dirs=home, progress=Silent())
    changed = folder / "easy" / "net.py"
    changed.chmod(0o644)
    changed.write_text("x = 3\ny = 1\n")
    assert not is_intact(wanted, task_folder=task_folder, dirs=home, progress=Silent())
    assert visible(home.materials) == [folder.name]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"search": "= 1"}, "occurs 2 times, not once, in easy/net.py"),
        ({"search": "= 3"}, "occurs 0 times, not once, in easy/net.py"),
        ({"file": "easy/missing.py"}, "easy/missing.py does not exist"),
    ],
)
def test_rejects_a_task_with_a_patch_that_does_not_apply(
    change: dict[str, str], reason: str, task_folder: Path, home: Dirs
):
    with pytest.raises(TaskInvalid, match=reason):
        get(material(local(), patches=(PATCH.model_copy(update=change),)), task_folder, home)
    assert visible(home.materials) == []


def commit_of(folder: Path, files: dict[str, bytes]) -> GitSource:
    """A bare repository next to the task with two commits; the first contains the files."""
    work, bare = folder / "work", folder / "a repo.git"
    write(work, files)
    (work / "link").symlink_to("/etc/passwd")

    def git(*arguments: str) -> str:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        command = ["git", "-C", str(work), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "-m", "first")
    commit = git("rev-parse", "HEAD")
    git("rm", "--quiet", "-r", "easy")
    git("commit", "--quiet", "-m", "second")
    git("clone", "--quiet", "--bare", str(work), str(bare))
    return GitSource(kind="git", url="a repo.git", commit=commit)


def test_takes_the_files_of_one_commit_without_its_links(task_folder: Path, home: Dirs):
    assert content_of(get(material(commit_of(task_folder, FILES)), task_folder, home)) == FILES


def test_an_unknown_commit_is_named(task_folder: Path, home: Dirs):
    source = commit_of(task_folder, FILES).model_copy(update={"commit": "1" * 40})
    with pytest.raises(SourceUnavailable, match=f"no commit {'1' * 40}"):
        get(material(source), task_folder, home)


def test_a_missing_repository_is_reported(task_folder: Path, home: Dirs):
    source = GitSource(kind="git", url="missing.git", commit="1" * 40)
    with pytest.raises(SourceUnavailable, match=r"git missing\.git: .*missing\.git"):
        get(material(source), task_folder, home)


def test_leftovers_of_a_killed_process_are_removed(task_folder: Path, home: Dirs):
    folder = get(material(local()), task_folder, home)
    name = folder.name
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    half = home.materials / f".{name}.a1b2c3d4"
    write(half, {"half/file.bin": b"half"})
    assert content_of(get(material(local()), task_folder, home)) == FILES
    assert not half.exists()


def test_a_cache_without_write_permission_is_reported(task_folder: Path, tmp_path: Path):
    (tmp_path / "a file").write_text("in the way")
    home = Dirs(cache=tmp_path / "a file" / "cache", runs=tmp_path)
    with pytest.raises(InfraTrouble, match="Not a directory") as caught:
        get(material(local()), task_folder, home)
    assert "choose another folder" in caught.value.hint


def _obtain_in_a_process(wanted: Material, task_folder: Path, home: Dirs) -> dict[str, bytes]:
    return content_of(get(wanted, task_folder, home))


def test_two_processes_fetch_a_material_once(task_folder: Path, home: Dirs, shelf: Shelf):
    big = {f"easy/{number}.bin": bytes([number]) * 100_000 for number in range(50)}
    wanted = material(served(shelf, "big-1.0.tar.gz", tar_of(big)))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        jobs = [pool.apply_async(_obtain_in_a_process, (wanted, task_folder, home)) for _ in range(4)]
        results = [job.get(timeout=120) for job in jobs]
    assert results == [big] * 4
    assert len(shelf.requests) == 1
