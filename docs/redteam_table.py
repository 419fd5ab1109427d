"""Write the measured table into redteam.md.

fmlbench redteam toy --json | python docs/redteam_table.py
python docs/redteam_table.py --texts    update the descriptions from the code, keep the measured outcomes
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from page import write_page

from fmlbench.redteam.catalogue import ATTACKS

PAGE = Path(__file__).parent / "redteam.md"
MARK = "<!-- Below: written by docs/redteam_table.py -->\n"


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """A summary sentence, then one table per family."""
    stopped = [row for row in rows if row["has_run"] and not (row["earned"] or row["reached"] or row["leftovers"])]
    yield (
        f"{datetime.now(UTC).date()}: {len(rows)} attacks on `toy`, {len(stopped)} stopped. An attack succeeds if its "
        f"hidden test score is above {rows[0]['bar']:.4f}, the baseline plus two sigma."
    )
    for family, members in groupby(rows, key=lambda row: row["family"]):
        yield from ("", f"### {family.capitalize()}", "")
        yield from ("| attack | what it does | outcome | hidden test | stopped by |", "|---|---|---|---|---|")
        for row in members:
            score = "" if row["test"] is None else f"{row['test']:.4f}"
            yield f"| `{row['attack']}` | {row['tries']} | {row['outcome']} | {score} | {row['stopped_by']} |"


def with_new_texts(page: str) -> Iterator[str]:
    """The page, its attacks described as in the catalogue."""
    attacks = {attack.name: attack for attack in ATTACKS}
    for line in page.splitlines():
        if line.startswith("| `"):
            name, _, outcome, score, _ = (cell.strip() for cell in line.strip("|").split("|"))
            attack = attacks[name.strip("`")]
            yield f"| {name} | {attack.tries} | {outcome} | {score} | {attack.stopped_by} |"
        else:
            yield line


def main(arguments: list[str]) -> None:
    """Replace everything below the mark, or only the texts there."""
    page = PAGE.read_text("utf-8")
    if arguments == ["--texts"]:
        write_page(PAGE, "\n".join(with_new_texts(page)) + "\n")
        return
    text, _, _ = page.partition(MARK)
    write_page(PAGE, text + MARK + "\n" + "\n".join(table(json.load(sys.stdin))) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
