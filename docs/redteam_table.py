"""Write the measured table into redteam.md.

fmlbench redteam toy --json | python docs/redteam_table.py
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "redteam.md"
MARK = "<!-- Below: written by docs/redteam_table.py -->\n"


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """One table per family, and a sentence on all of them."""
    stopped = [row for row in rows if row["has_run"] and not (row["earned"] or row["reached"] or row["leftovers"])]
    yield (
        f"{datetime.now(UTC).date()}: {len(rows)} attacks on `toy`, {len(stopped)} stopped. To earn something, one had "
        f"to beat {rows[0]['bar']:.4f} on the sealed test, which is the baseline and two sigma."
    )
    for family, members in groupby(rows, key=lambda row: row["family"]):
        yield from ("", f"### {family.capitalize()}", "")
        yield from ("| attack | what it does | outcome | sealed test | stopped by |", "|---|---|---|---|---|")
        for row in members:
            score = "" if row["test"] is None else f"{row['test']:.4f}"
            yield f"| `{row['attack']}` | {row['tries']} | {row['outcome']} | {score} | {row['stopped_by']} |"


def main() -> None:
    """Replace everything below the mark."""
    text, _, _ = PAGE.read_text("utf-8").partition(MARK)
    PAGE.write_text(text + MARK + "\n" + "\n".join(table(json.load(sys.stdin))) + "\n", "utf-8")


if __name__ == "__main__":
    main()
