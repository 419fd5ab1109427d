"""Metric gaming: plausible answers that use information they must not depend on."""

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import AnswerKind
from fmlbench.redteam.attack import Attack, AttackFamily
from fmlbench.redteam.payload_builder import payload

_ANY_END = frozenset({Outcome.OK, Outcome.INVALID, Outcome.CRASHED})
_INVALID = frozenset({Outcome.INVALID})
_CONSISTENCY_CHECK = "the consistency check: some questions are asked again in a different batch"
_TOY = frozenset({"toy"})

GAMING = (
    Attack(
        name="transduce",
        family=AttackFamily.METRIC_GAMING,
        tries="Adapts to all questions of the exam before it answers.",
        stopped_by=_CONSISTENCY_CHECK,
        build=payload("transduce", VARIANT="openly"),
        ends=_INVALID,
        shows="a different batch",
        tasks=_TOY,
    ),
    Attack(
        name="transduce-coarsely",
        family=AttackFamily.METRIC_GAMING,
        tries="Adapts to all questions and rounds the result, so that similar batches give the same answers.",
        stopped_by=f"{_CONSISTENCY_CHECK} with other statistics",
        build=payload("transduce", VARIANT="coarsely"),
        ends=_INVALID,
        shows="a different batch",
        tasks=_TOY,
    ),
    Attack(
        name="transduce-in-large-batch",
        family=AttackFamily.METRIC_GAMING,
        tries="Adapts to all questions in the full batch, and is honest in the small one.",
        stopped_by=_CONSISTENCY_CHECK,
        build=payload("transduce", VARIANT="in the larger batch", LARGE=2000),
        ends=_ANY_END,
        tasks=_TOY,
    ),
    *(
        Attack(
            name=f"covert-channel-by-{channel}",
            family=AttackFamily.METRIC_GAMING,
            tries=f"Sends data between the two exam passes through {way}, so that both give the same answers.",
            stopped_by=stopped_by,
            build=payload("covert_channel", CHANNEL=channel, LARGE=2000, PATIENCE=1.5),
            ends=_ANY_END,
            tasks=_TOY,
        )
        for channel, way, stopped_by in (
            ("places", "writable folders and sockets", "the passes share nothing writable"),
            ("locks", "locks on files that both can read", "the passes do not run at the same time"),
            (
                "cache",
                "the page cache of a shared file",
                "the small batch runs first, and its statistics mislead the full one",
            ),
        )
    ),
    Attack(
        name="count-questions",
        family=AttackFamily.METRIC_GAMING,
        tries="Answers by the position of a question in the exam.",
        stopped_by=_CONSISTENCY_CHECK,
        build=payload("count_questions"),
        ends=_INVALID,
        shows="a different batch",
        is_quick=True,
    ),
    Attack(
        name="constant",
        family=AttackFamily.METRIC_GAMING,
        tries="Gives the same answer to every question.",
        stopped_by="the metric",
        build=payload("constant"),
        ends=_ANY_END,
    ),
    Attack(
        name="lucky-seed",
        family=AttackFamily.METRIC_GAMING,
        tries="Replaces every seed by one that gave good scores elsewhere.",
        stopped_by="samples depend on secret seeds outside the sandbox; winners are retested",
        build=payload("lucky_seed"),
        ends=_ANY_END,
    ),
    Attack(
        name="tell-exams-apart",
        family=AttackFamily.METRIC_GAMING,
        tries="Tries to distinguish the validation exam from the hidden test, and is honest in only one.",
        stopped_by="no file or name in a stage identifies its exam",
        build=payload("tell_exams_apart"),
        ends=_ANY_END,
        kinds=frozenset(AnswerKind),
    ),
)
