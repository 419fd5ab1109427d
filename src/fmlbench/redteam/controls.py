"""Honest candidates with unusual behaviour; the defences must not reject them."""

from fmlbench.redteam.attack import AttackCandidate, AttackContext, Control
from fmlbench.redteam.payload_builder import payload, reference_with_payload


def _baseline(context: AttackContext) -> AttackCandidate:
    return AttackCandidate(context.files, "change nothing")


def _reference(context: AttackContext) -> AttackCandidate:
    return AttackCandidate({**context.files, **context.reference}, "the expert reference")


CONTROLS = (
    Control(name="no-op", does="Changes nothing.", build=_baseline),
    Control(name="real-improvement", does="Is the expert reference.", build=_reference, gains=True),
    Control(
        name="slow-but-legal",
        does="Uses most of the CPU seconds it is allowed.",
        build=payload("honest_slowness", SECONDS=3),
    ),
    Control(name="noisy-logs", does="Prints fifty megabytes.", build=payload("honest_noise")),
    Control(
        name="native-files",
        does="Writes checkpoints, curves, a report, temporary files and files in the carry folder.",
        build=reference_with_payload("honest_files"),
        gains=True,
    ),
    Control(name="workers", does="Starts processes and threads within the limits.", build=payload("honest_workers")),
)
