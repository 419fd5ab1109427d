"""Metric gaming: honest-looking answers that use what an answer may not depend on."""

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import AnswerKind
from fmlbench.redteam.attack import Attack, AttackFamily
from fmlbench.redteam.payload_builder import payload

_ANY_END = frozenset({Outcome.OK, Outcome.INVALID, Outcome.CRASHED})
_INVALID = frozenset({Outcome.INVALID})
_SECOND_SITTING = "a second sitting: some questions are asked again, in other company"
_TOY = frozenset({"toy"})

GAMING = (
    Attack(
        name="transduce",
        family=AttackFamily.METRIC_GAMING,
        tries="Adapts to the exam's questions as a whole before it answers any of them.",
        stopped_by=_SECOND_SITTING,
        arm=payload("transduce", VARIANT="openly"),
        ends=_INVALID,
        shows="other company",
        tasks=_TOY,
    ),
    Attack(
        name="transduce-coarsely",
        family=AttackFamily.METRIC_GAMING,
        tries="Adapts to the questions as a whole, and rounds what it learned: similar company teaches the same.",
        stopped_by=f"{_SECOND_SITTING} that is unlike the first",
        arm=payload("transduce", VARIANT="coarsely"),
        ends=_INVALID,
        shows="other company",
        tasks=_TOY,
    ),
    Attack(
        name="transduce-in-large-company",
        family=AttackFamily.METRIC_GAMING,
        tries="Adapts to the questions as a whole in the larger sitting, and is honest in the smaller.",
        stopped_by=_SECOND_SITTING,
        arm=payload("transduce", VARIANT="in the larger company", LARGE=2000),
        ends=_ANY_END,
        tasks=_TOY,
    ),
    *(
        Attack(
            name=f"whisper-by-{channel}",
            family=AttackFamily.METRIC_GAMING,
            tries=f"Lets the two sittings talk to each other by {way}, so that both give the same forbidden answers.",
            stopped_by=stopped_by,
            arm=payload("whisper", CHANNEL=channel, LARGE=2000, PATIENCE=1.5),
            ends=_ANY_END,
            tasks=_TOY,
        )
        for channel, way, stopped_by in (
            ("places", "every writable place and by sockets", "nothing writable is shared by two sittings"),
            ("locks", "locks on files that both can read", "sittings are not held at the same time"),
            (
                "cache",
                "which pages of a shared file are in memory",
                "the company that goes first only misleads the other",
            ),
        )
    ),
    Attack(
        name="count-questions",
        family=AttackFamily.METRIC_GAMING,
        tries="Answers by a question's place in the exam and by how many came before.",
        stopped_by=_SECOND_SITTING,
        arm=payload("count_questions"),
        ends=_INVALID,
        shows="other company",
        is_quick=True,
    ),
    Attack(
        name="constant",
        family=AttackFamily.METRIC_GAMING,
        tries="Gives the same answer to every question.",
        stopped_by="the metric",
        arm=payload("constant"),
        ends=_ANY_END,
    ),
    Attack(
        name="lucky-seed",
        family=AttackFamily.METRIC_GAMING,
        tries="Replaces every seed by one that was lucky elsewhere.",
        stopped_by="what is drawn is drawn outside, by seeds nobody knows; luck is retested",
        arm=payload("lucky_seed"),
        ends=_ANY_END,
    ),
    Attack(
        name="tell-exams-apart",
        family=AttackFamily.METRIC_GAMING,
        tries="Finds out whether this is the validation exam or the sealed test, and behaves only in one.",
        stopped_by="nothing in a stage names its exam",
        arm=payload("tell_exams_apart"),
        ends=_ANY_END,
        kinds=frozenset(AnswerKind),
    ),
)
