"""Print the size and shape of the code: files, lines, function lengths, and the path from the command line to a stage.

    python benchmarks/house.py [--trace]

The harness is the package without suite, red team and testing. `--trace` runs the toy task for one step and shows
the call stack that starts the candidate's training.
"""

import argparse
import ast
import os
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

SOURCE = Path(__file__).parents[1] / "src" / "fmlbench"
NOT_HARNESS = ("suite", "redteam", "testing")
FRAME_WIDTH = 60


def main() -> None:
    """Print the figures of the working tree."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--trace", action="store_true", help="run one step and show its call stack")
    options = arguments.parse_args()
    trees = {path: ast.parse(path.read_text("utf-8")) for path in harness_files()}
    print_packages(trees)
    print_functions(trees)
    print_names(trees)
    if options.trace:
        print_stack()


def harness_files() -> list[Path]:
    """The Python files of the harness."""
    return [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] not in NOT_HARNESS]


def print_packages(trees: dict[Path, ast.Module]) -> None:
    """A table of files and lines by package."""
    lines, files = Counter[str](), Counter[str]()
    for path in trees:
        package = path.relative_to(SOURCE).parts[0]
        lines[package] += len(path.read_text("utf-8").splitlines())
        files[package] += 1
    print("| package | files | lines |\n|---|---|---|")
    for package, count in sorted(files.items()):
        print(f"| {package} | {count} | {lines[package]:,} |")
    print(f"| all | {files.total()} | {lines.total():,} |\n")


def print_functions(trees: dict[Path, ast.Module]) -> None:
    """How long functions are: median, ninth decile, longest."""
    lengths = {
        (path, node.name): (node.end_lineno or node.lineno) - node.lineno + 1
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    (path, name), longest = max(lengths.items(), key=lambda item: item[1])
    p90 = quantiles(lengths.values(), n=10)[-1]
    print(f"{len(lengths):,} functions: median {median(lengths.values()):g} lines, p90 {p90:g}, ", end="")
    print(f"longest {longest} ({path.relative_to(SOURCE)}:{name})")


def print_names(trees: dict[Path, ast.Module]) -> None:
    """Modules that are named by a gerund, and class names with two meanings."""
    gerunds = [str(path.relative_to(SOURCE)) for path in trees if path.stem.endswith("ing")]
    classes = Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    twice = [name for name, count in classes.items() if count > 1]
    print(f"{len(gerunds)} modules named by a gerund: {', '.join(gerunds) or 'none'}")
    print(f"{len(twice)} class names defined twice: {', '.join(twice) or 'none'}")


def print_stack() -> None:
    """The frames of the package from the command line to the process that runs the candidate's training."""
    import subprocess  # noqa: PLC0415 - patched below, for this process alone

    from fmlbench.cli.app import main as command_line  # noqa: PLC0415

    longest: list[traceback.FrameSummary] = []
    start = subprocess.Popen.__init__

    def record(self: "subprocess.Popen[bytes]", *words: object, **options: object) -> None:
        frames = list(_package_frames(traceback.extract_stack()))
        if any("experiment/experiment.py" in frame.filename for frame in frames) and not longest:
            longest.extend(frames)
        start(self, *words, **options)  # type: ignore[arg-type]

    subprocess.Popen.__init__ = record  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FMLBENCH_RUNS"] = folder
        sys.argv = ["fmlbench", "run", "toy", "--steps", "1", "--retest", "0"]
        with suppress(SystemExit):
            command_line()
    for frame in longest:
        print(f"  {Path(frame.filename).relative_to(SOURCE)!s:{FRAME_WIDTH}} {frame.name}")
    print(f"{len(longest)} frames in {len({frame.filename for frame in longest})} files")


def _package_frames(stack: traceback.StackSummary) -> Iterator[traceback.FrameSummary]:
    return (frame for frame in stack if frame.filename.startswith(str(SOURCE)))


if __name__ == "__main__":
    main()
