"""What many tests share: one cache for environments and data, a fixed secret, the toy task made ready once."""

import os
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.core.run import Isolation
from fmlbench.engine.preparation import prepare
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs
from tests.unprivileged_user import UNPRIVILEGED_UID

# A parent in the background may have SIGINT ignored, and child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

SECRET = b"a secret for tests, 32 bytes long"[:32]


@pytest.fixture(scope="session")
def cache() -> Path:
    """Kept between test runs, so that environments are built once; the secret makes scores repeatable."""
    default = Path(__file__).parent.parent / "build" / "test-cache"
    path = Path(os.environ.get("FMLBENCH_TEST_CACHE", default)).resolve()
    path.mkdir(parents=True, exist_ok=True)
    (path / "secret").write_bytes(SECRET)
    return path


@pytest.fixture
def dirs(cache: Path, tmp_path: Path) -> Dirs:
    return Dirs(cache=cache, runs=tmp_path / "runs")


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return open_sandbox(Isolation.BUBBLEWRAP)


@pytest.fixture(scope="session")
def toy(cache: Path, sandbox: Sandbox) -> PreparedTask:
    dirs = Dirs(cache=cache, runs=cache / "no-runs")
    return prepare(find_task("toy"), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())


@pytest.fixture
def home_of_nobody() -> Generator[Path]:
    """A folder of an ordinary user's; not below pytest's own, which every session of pytest closes to others again."""
    with tempfile.TemporaryDirectory(prefix="home of nobody ") as folder:
        os.chown(folder, UNPRIVILEGED_UID, UNPRIVILEGED_UID)
        yield Path(folder)
