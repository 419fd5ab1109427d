"""Write the tables of study.md from the study's records.

python docs/study_page.py              write them
python docs/study_page.py --check      fail if the tables of scores differ from the records
python docs/study_page.py --pack RUNS  first pack the runs in a folder: logs and code, no answers
"""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from page import format_page

PAGE = Path(__file__).parent / "study.md"
RECORDS = Path(__file__).parent / "study" / "runs.tar.xz"
PACKED = ("run.json", "events.jsonl", "sealed.jsonl", "code.git")
HOME = re.compile(rb"/[\w./-]*/(?=environments/|lib/python3)")
"""The folders of environments and of Python in tracebacks."""
BREADTH = (
    "diversity",
    "diversity_valid",
    "uniqueness",
    "reach",
    "effective_dimension",
    "step_success_rate",
    "first_improvement_step",
    "late_gain_fraction",
    "optimism",
)
"""The measures whose correlation with the improvement is on the page."""
LEFT_OUT = ("runs", "step completion", "tokens", "dollars", "wall hours")
"""Columns of the paper's table that are equal for all runs, or include the hours in which runs were stopped."""
COMPARED = 2
"""How many of the tables are checked to the last digit: those without embeddings, whose rounding depends on the CPU."""

Table = tuple[str, list[str]]


def tables(runs: Path) -> Iterator[Table]:
    """Every table of the page by its name."""
    compared = _read("compare", runs)
    yield "leaderboard", list(_leaderboard(compared))
    yield "verdicts", list(_verdicts(compared))
    yield "agents", list(_by_agent(runs))
    yield "correlations", list(_correlations(_read("metrics", runs, "--correlations")))


def _read(command: str, runs: Path, *options: str) -> Any:
    return json.loads(_output(command, runs, *options, "--json"))


def _output(command: str, runs: Path, *options: str) -> str:
    call = [sys.executable, "-m", "fmlbench", command, str(runs), *options]
    env = {**os.environ, "FMLBENCH_RUNS": str(runs)}
    return subprocess.run(call, check=True, capture_output=True, text=True, env=env).stdout


def _leaderboard(compared: Any) -> Iterator[str]:
    yield "| strategy | place | improvement | 95%, these tasks | runs above the baseline | win rate |"
    yield "|---|---|---|---|---|---|"
    for entry in compared["entries"]:
        above, of, _ = entry["above_baseline"]
        low, high = entry["ranks"]
        yield (
            f"| {entry['agent']} | {low} to {high} | {entry['mean']:+.3f} | {_interval(entry['these_tasks'])} "
            f"| {above} of {of} | {entry['win_rate']:.2f} |"
        )


def _verdicts(compared: Any) -> Iterator[str]:
    tasks = [row["task"] for row in compared["comparisons"][0]["tasks"]]
    yield f"| pair | difference | 95% | p | p corrected | {' | '.join(f'on {task}' for task in tasks)} | verdict |"
    yield "|---|---|---|---|---|" + "---|" * len(tasks) + "---|"
    for pair in compared["comparisons"]:
        tested = pair["tested"]
        apart = " | ".join(f"{row['tested']['difference']:+.3f}" for row in pair["tasks"])
        yield (
            f"| {pair['first']} - {pair['second']} | {tested['difference']:+.3f} | {_interval(tested)} "
            f"| {tested['p']:.3f} | {pair['p_adjusted']:.3f} | {apart} | {pair['verdict']} |"
        )


def _by_agent(runs: Path) -> Iterator[str]:
    """The paper's table, without the columns that are not informative here."""
    lines = [line for line in _output("metrics", runs, "--by-agent", "--format", "md").splitlines() if line[:1] == "|"]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    kept = [place for place, name in enumerate(rows[0]) if not name.startswith(LEFT_OUT)]
    for row in rows:
        yield f"| {' | '.join(row[place].removesuffix(', n = 5') for place in kept)} |"


def _correlations(measured: Any) -> Iterator[str]:
    yield "| measure | task | n | Spearman | 95% | p | p corrected |"
    yield "|---|---|---|---|---|---|---|"
    chosen = [each for each in measured if each["measure"] in BREADTH]
    chosen.sort(key=lambda each: BREADTH.index(each["measure"]))
    for measure, members in groupby(chosen, key=lambda each: each["measure"]):
        for each in members:
            rank = each["spearman"]
            yield (
                f"| `{measure}` | {each['task'] or 'pooled'} | {rank['n']} | {rank['r']:+.2f} "
                f"| {_interval(rank['interval'])} | {rank['p']:.3f} | {each['spearman_p_adjusted']:.3f} |"
            )


def _interval(ends: Any) -> str:
    return f"[{ends['low']:+.3f}, {ends['high']:+.3f}]" if ends and ends["low"] is not None else "-"


def page_with(written: Iterator[Table]) -> str:
    """The page with these tables between their marks."""
    text = PAGE.read_text("utf-8")
    for name, lines in written:
        before, begin, rest = text.partition(f"<!-- {name}: written by study_page.py -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        assert end, f"docs/study.md has no place for the table '{name}'"
        text = "".join((before, begin, "\n".join(lines), "\n", end, after))
    return format_page(text)


def pack(runs: Path) -> None:
    """Keep what measures and reports need, without paths of the machine."""
    RECORDS.parent.mkdir(exist_ok=True)
    with tarfile.open(RECORDS, "w:xz", preset=9) as records:
        for path in sorted(path for run in runs.iterdir() for path in run.rglob("*") if path.is_file()):
            if path.relative_to(runs).parts[1] in PACKED:
                content = path.read_bytes()
                if path.suffix == ".jsonl":
                    content = HOME.sub(b"/", content)
                member = tarfile.TarInfo(str(path.relative_to(runs)))
                member.size = len(content)
                records.addfile(member, io.BytesIO(content))


def main(arguments: list[str]) -> int:
    """Pack, write or check."""
    if arguments[:1] == ["--pack"]:
        pack(Path(arguments[1]))
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(RECORDS) as records:
            records.extractall(folder, filter="data")
        if arguments[:1] == ["--check"]:
            is_fresh = page_with(islice(tables(Path(folder)), COMPARED)) == PAGE.read_text("utf-8")
            sys.stderr.write("" if is_fresh else "docs/study.md is not up to date: run python docs/study_page.py\n")
            return 0 if is_fresh else 1
        PAGE.write_text(page_with(tables(Path(folder))), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
