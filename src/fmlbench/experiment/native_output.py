"""Keep a capped copy of a codebase's native output and read its self-reported metrics; neither affects scores."""

import json
import math
import os
from itertools import islice
from pathlib import Path
from typing import Any, cast

from fmlbench.core.text import to_valid_utf8
from fmlbench.experiment.answers import AnswersMissing, BadAnswers, read_untrusted_file

SELF_REPORT = "self_reported.json"
"""A driver may write this file into out/: a flat object of names and numbers."""

_MAX_REPORT_BYTES = 64 * 1024
_MAX_CLAIMS = 100
_MAX_NAME_CHARACTERS = 80
_MAX_FILE_BYTES = 2**20
_MAX_TOTAL_BYTES = 4 * 2**20


def read_self_report(out: Path) -> dict[str, float]:
    """The candidate's self-reported metrics; values that are not finite numbers are dropped."""
    try:
        claims: Any = json.loads(read_untrusted_file(out, SELF_REPORT, _MAX_REPORT_BYTES))
    except (AnswersMissing, BadAnswers, ValueError, RecursionError):
        return {}
    if not isinstance(claims, dict):
        return {}
    numbers: dict[str, float] = {}
    for name, value in islice(cast("dict[str, Any]", claims).items(), _MAX_CLAIMS):
        number = _finite(value)
        if number is not None:
            numbers[to_valid_utf8(name[:_MAX_NAME_CHARACTERS])] = number
    return numbers


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        # JSON integers can exceed the largest float.
        return None
    return number if math.isfinite(number) else None


def keep_native_files(out: Path, kept: Path) -> None:
    """Copy the small regular files of ``out`` until the cap is reached; answers are kept elsewhere."""
    left = _MAX_TOTAL_BYTES
    for folder, _, names in os.walk(out):
        for name in sorted(names):
            relative = (Path(folder) / name).relative_to(out)
            try:
                content = read_untrusted_file(out, relative.as_posix(), min(left, _MAX_FILE_BYTES))
            except (AnswersMissing, BadAnswers):
                continue
            left -= len(content)
            target = kept / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
