"""Write a calibration into a task's manifest without changing the rest of the file."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from fmlbench.core.task import Calibration, Figure, Measured, SiblingCalibration


def write_calibration(manifest: Path, track: str, calibration: Calibration) -> None:
    """Replace the track's calibration table, or add it at the end."""
    text = manifest.read_text("utf-8")
    block = _block(track, calibration)
    # Comments and empty lines belong to this table only if one of its fields follows; otherwise to the next table.
    facts = r"(?:(?:[ \t]*(?:#.*)?\n)*\w+ = .*(?:\n|\Z))*"
    old = re.compile(rf"^\[tracks\.{re.escape(track)}\.calibration\]\n{facts}", re.MULTILINE)
    updated = old.sub(lambda _: block, text, count=1) if old.search(text) else f"{text.rstrip()}\n\n{block}"
    fresh = manifest.with_suffix(".new")
    fresh.write_text(updated.rstrip() + "\n", "utf-8")
    fresh.replace(manifest)


def _block(track: str, calibration: Calibration) -> str:
    lines = [
        f"[tracks.{track}.calibration]",
        f"baseline = {_measured(calibration.baseline)}",
        f"method_off = {_measured(calibration.method_off)}",
        f"reference = {_measured(calibration.reference)}",
        *(_sibling(calibration.sibling) if calibration.sibling else ()),
        f"step_cpu_seconds = {calibration.step_cpu_seconds}",
        f"peak_memory_mb = {calibration.peak_memory_mb}",
        f"machine = {json.dumps(calibration.machine)}",
        f"date = {json.dumps(calibration.date)}",
    ]
    return "\n".join(lines) + "\n"


def _sibling(sibling: SiblingCalibration) -> tuple[str]:
    figures = {"baseline": sibling.baseline, "method_off": sibling.method_off, "reference": sibling.reference}
    return (f"sibling = {_figures(figures)}",)


def _measured(measured: Measured) -> str:
    return _figures({"validation": measured.validation, "test": measured.test})


def _figures(figures: Mapping[str, Figure]) -> str:
    parts = (
        f"{name} = {{ mean = {figure.mean}, sd = {figure.sd}, n = {figure.n} }}" for name, figure in figures.items()
    )
    return "{ " + ", ".join(parts) + " }"
