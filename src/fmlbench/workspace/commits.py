"""Fetch the files of one commit of a git repository."""

import shutil
from pathlib import Path

from fmlbench.core.progress import Progress
from fmlbench.core.sources import GitSource
from fmlbench.workspace.archives import safe_path
from fmlbench.workspace.git import Git, GitFailed, create_repository
from fmlbench.workspace.source_failures import SourceFailed
from fmlbench.workspace.subprocesses import run_program


def fetch_commit(source: GitSource, folder: Path, *, start: Path, progress: Progress) -> Path:
    """Fetch a commit into an empty folder and return the folder of its files; a relative URL starts at ``start``.

    The commit's hash is the checksum: git computes it from the received data. Files are read from the object store,
    so that no filter or attribute can change them.
    """
    if shutil.which("git") is None:
        raise SourceFailed("git is not installed")
    git_dir, files = folder / "git", folder / "files"
    create_repository(git_dir)
    progress.start(f"Fetching {source.url}")
    try:
        _fetch(source, git_dir, start)
    finally:
        progress.finish()
    try:
        for path, content in Git(git_dir).files_of(source.commit):
            target = files / safe_path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except GitFailed as error:
        raise SourceFailed(f"the repository has no commit {source.commit}") from error
    return files


def _fetch(source: GitSource, git_dir: Path, start: Path) -> None:
    # The user's git settings are used for proxies and certificates. Prompts are off, because they would wait forever.
    fetch = ["env", "GIT_TERMINAL_PROMPT=0", "git", f"--git-dir={git_dir}", "fetch", "--quiet", "--no-tags"]
    try:
        run_program([*fetch, "--depth=1", "--", source.url, source.commit], start, _reason_of_git)
    except SourceFailed:
        # Some servers only serve branches and tags.
        everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
        run_program([*fetch, "--", source.url, *everything], start, _reason_of_git)


def _reason_of_git(output: str) -> str:
    errors = [line.removeprefix("fatal: ") for line in output.splitlines() if line.startswith("fatal: ")]
    return errors[0] if errors else ""
