"""Fail on words that this project does not use, and on class names with two meanings.

A reader from outside must understand every sentence and every name. The glossary in docs/architecture.md has the
project's own words; all other words are ordinary English of the field.

python scripts/check_words.py            check everything
python scripts/check_words.py PATH...    look for forbidden words in these files or folders only
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fmlbench"
CHECKED = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml"),
    *("src", "docs", "benchmarks", "examples", "scripts"),
)
SUFFIXES = frozenset({".md", ".py", ".toml", ".txt", ".js", ".css", ".html", ".jinja", ".j2", ""})
SKIPPED = ("src/fmlbench/suite/", "docs/study/", "scripts/check_words.py")
"""Task folders hold other people's code; docs/study has records. Instructions are checked all the same."""
OWN_MEANINGS = ("suite", "redteam/payloads")
"""Folders below the package whose programs run alone, so that their class names may repeat others."""

FORBIDDEN = {
    r"mend(s|ed|ing|able)?": "fix (code), patch (codebase)",
    r"dice": "rng, random",
    r"rungs?": "isolation level",
    r"sittings?": "exam pass",
    r"in (other|larger|smaller) company": "in a different batch",
    r"who(so)?ever": "name the subject",
    r"(no|some)body( else)?('s)?": "name the subject",
    r"be had": "available",
    r"(go|goes|gone|going|went) on with": "continue, resume",
    r"(is|are|was|were|be|been|being|gets?) told": "say who reads what",
    r"(told|tells?|telling) apart": "distinguish",
    r"its own will": "by itself",
    r"whisper(s|ed|ing)?": "signal",
    r"letter ?box(es)?": "covert channel",
    r"by the way": "delete",
    r"(come|comes|came|coming) of (it|this|that|them|each)": "result, outcome",
    r"work ?bench(es)?": "CandidateEvaluator, evaluator",
    r"surroundings": "AgentContext, context",
    r"(?:agent|program)'s quarters": "AgentWorkspace, workspace",
    r"glances?": "RunStatus, status",
    r"the desk|desk's|desks": "SubmissionServer, submission server",
    r"arenas?|terrains?": "RedTeamRun, TaskProfile",
    r"leagues?": "comparison group",
    r"fates?": "outcome",
}
"""Regular expressions, and what to write instead; spaces stand for any white space."""

ALLOWED = re.compile(r"dice (score|coefficient)")
"""Names of attacks, and terms of quoted papers."""


class Finding(NamedTuple):
    """One place to change."""

    path: Path
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.problem}"


def main(arguments: list[str]) -> int:
    """Print every finding; 1 if there is one."""
    paths = [Path(name).resolve() for name in arguments]
    findings = [*forbidden_words(paths or checked_files())]
    if not paths:
        findings += repeated_classes(PACKAGE)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def checked_files() -> Iterator[Path]:
    """All texts of the project, and the instructions that agents under test read."""
    for name in CHECKED:
        yield from (path for path in text_files(ROOT / name) if not str(path.relative_to(ROOT)).startswith(SKIPPED))
    yield from sorted((PACKAGE / "suite").glob("*/instructions.md"))


def text_files(path: Path) -> list[Path]:
    """The file itself, or the texts below a folder."""
    if path.is_file():
        return [path]
    return sorted(one for one in path.rglob("*") if one.is_file() and one.suffix in SUFFIXES)


def forbidden_words(paths: Iterable[Path]) -> Iterator[Finding]:
    """Every use of a forbidden word, with its replacement."""
    for path in (one for given in paths for one in text_files(given)):
        text = path.read_text("utf-8")
        allowed = [found.span() for found in ALLOWED.finditer(text)]
        for found in PATTERN.finditer(text):
            if any(start <= found.start() < end for start, end in allowed):
                continue
            word = " ".join(found[0].split())
            advice = next(advice for words, advice in FORBIDDEN.items() if _compile(words).fullmatch(found[0]))
            yield Finding(path, text.count("\n", 0, found.start()) + 1, f"forbidden word '{word}': {advice}")


def _compile(words: str) -> re.Pattern[str]:
    # Line breaks may be followed by the mark of a comment or of a quotation.
    return re.compile(words.replace(" ", r"[\s#>]+"), re.IGNORECASE)


PATTERN = re.compile(
    # Parts of names count as words (mend_first, MendFirst), parts of words do not (recommend).
    rf"(?<![A-Za-z])(?i:{'|'.join(_compile(words).pattern for words in FORBIDDEN)})(?![a-z])"
)


def repeated_classes(package: Path) -> Iterator[Finding]:
    """Classes whose name another module defines as well."""
    places: defaultdict[str, list[tuple[Path, int]]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        if str(path.relative_to(package)).startswith(OWN_MEANINGS):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append((path, node.lineno))
    for name, (first, *others) in sorted(places.items()):
        for path, line in others:
            yield Finding(path, line, f"class {name} is also defined in {first[0].relative_to(ROOT)}:{first[1]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
