"""A real Chromium that opens reports from the disk; installed by scripts/install-browser, which `make test` runs."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from fmlbench.cli.report import write_pages
from fmlbench.metrics.embedding.structure import StructureEmbedder
from fmlbench.records.folder import RunFolder
from fmlbench.testing.made_runs import make_run
from fmlbench.workspace.dirs import Dirs

HOSTILE = "<script>window.harmed = true</script><img src=x onerror='window.harmed = true'> & done"
DESKTOP, PHONE = (1280, 900), (390, 844)
STEPS = 12

_QUIET = (
    # Chromium will not sandbox itself for root; the page is our own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@dataclass
class Opened:
    """A page, and what went on while it was open."""

    page: Page
    said: list[str] = field(default_factory=list[str])
    """On the console, errors included."""
    requested: list[str] = field(default_factory=list[str])
    """Everything but the file itself."""


Open = Callable[..., Opened]
"""Opens a report at a size, by default the one that all tests share."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("CI"):
            pytest.fail("There is no Chromium; scripts/install-browser was to install it.")
        pytest.skip("There is no Chromium; scripts/install-browser installs it.")
    # A busy machine is slow, not wrong.
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    """Two agents with three seeds each; every other idea is hostile."""
    runs = tmp_path_factory.mktemp("runs")
    first = make_run(runs, steps=STEPS, ideas=["use a wider layer", HOSTILE])
    others = [(agent, seed) for agent in ("greedy", "random") for seed in range(3)][1:]
    return [first, *(make_run(runs, agent=agent, seed=seed, steps=STEPS, like=first) for agent, seed in others)]


@pytest.fixture(scope="session")
def report(folders: list[RunFolder], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(folders, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def open_report(browser: Browser, report: Path) -> Iterator[Open]:
    contexts: list[BrowserContext] = []

    def open_(size: tuple[int, int] = DESKTOP, *, path: Path = report, anchor: str = "") -> Opened:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.on("console", lambda message: opened.said.append(message.text))
        opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.page.on("request", lambda request: _note(request, path, opened))
        opened.page.goto(f"{path.as_uri()}{anchor}")
        return opened

    yield open_
    for context in contexts:
        context.close()


def write(folders: list[RunFolder], path: Path, *, refresh_seconds: int | None = None) -> Path:
    """Write a report of runs."""
    dirs = Dirs(cache=path.parent / "cache", runs=path.parent)
    write_pages(folders, path, StructureEmbedder(), dirs, refresh_seconds=refresh_seconds)
    return path


def _note(request: Request, path: Path, opened: Opened) -> None:
    if not request.url.startswith((path.as_uri(), "data:")):
        opened.requested.append(request.url)
