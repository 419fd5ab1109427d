"""Notes: what an agent logs besides its steps, so that a resumed run does not pay for it twice.

Code decides by the class of a note and by its fields; ``text`` and ``reason`` are for people and language models only.

    ideas      IdeaLogged, GoalLogged, IdeaDone
    code       SketchRecorded
    programs   UsageRecorded, WaitRecorded, TrialRecorded, FilesLeftOut, RequestRefused, ViolationSeen, AgentEnded
    people     InvitationShown
    plug-ins   CustomNote
"""

import math
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from fmlbench.core.evaluation import Outcome
from fmlbench.core.record import Record
from fmlbench.core.text import to_valid_utf8
from fmlbench.core.usage import Usage

Text = Annotated[str, AfterValidator(to_valid_utf8)]
"""Text from models and programs; it can always be written to the log."""


class StepNote(Record):
    """The base of all notes."""

    step: int
    """The step to which the note belongs; often the one that comes next."""


class IdeaLogged(StepNote):
    """A language model wrote an idea before the first of its plan was implemented."""

    kind: Literal["idea"] = "idea"
    number: int
    text: Text


class IdeaDone(StepNote):
    """A proposer regards the idea of this step as finished."""

    kind: Literal["idea-done"] = "idea-done"
    text: Text


class GoalLogged(StepNote):
    """A language model set the goal for a later part of a stage."""

    kind: Literal["goal"] = "goal"
    stage: Text
    part: int
    text: Text


class Sketch(Record):
    """A numeric summary of a step's code."""

    size: int
    """Characters in all editable files."""
    diversity: float
    """The mean distance from a few earlier steps that are far apart."""
    shift: tuple[int, ...]
    """The counts minus those of the baseline."""

    @cached_property
    def distance(self) -> float:
        """The distance from the baseline."""
        return math.hypot(*self.shift)


class SketchRecorded(StepNote):
    """The sketch of a step's code."""

    kind: Literal["sketch"] = "sketch"
    sketch: Sketch


class UsageRecorded(StepNote):
    """Usage that belongs to no step, such as model calls after the last submission."""

    kind: Literal["usage"] = "usage"
    usage: Usage


class WaitRecorded(StepNote):
    """Usage of waiting for an unresponsive model; not counted in the run's hours."""

    kind: Literal["wait"] = "wait"
    usage: Usage


class TrialRecorded(StepNote):
    """A program ran its code on practice questions."""

    kind: Literal["trial"] = "trial"
    outcome: Outcome
    score: float | None


class FilesLeftOut(StepNote):
    """A program changed files that are not editable; they were not submitted."""

    kind: Literal["files-left-out"] = "files-left-out"
    paths: tuple[Text, ...]


class RequestRefused(StepNote):
    """A request of a program was rejected."""

    kind: Literal["refused"] = "refused"
    text: Text


class ViolationSeen(StepNote):
    """Detected behaviour that no honest agent shows."""

    kind: Literal["violation"] = "violation"
    text: Text


class InvitationShown(StepNote):
    """The text that is shown to the person who works as the agent."""

    kind: Literal["invitation"] = "invitation"
    text: Text


class AgentEnded(StepNote):
    """A program or a person has ended; the agent is not started again."""

    kind: Literal["ended"] = "ended"
    reason: Text


class CustomNote(StepNote):
    """The note of an agent from outside this package; only that agent reads it."""

    kind: Literal["custom"] = "custom"
    topic: Text
    text: Text


Note = Annotated[
    IdeaLogged
    | IdeaDone
    | GoalLogged
    | SketchRecorded
    | UsageRecorded
    | WaitRecorded
    | TrialRecorded
    | FilesLeftOut
    | RequestRefused
    | ViolationSeen
    | InvitationShown
    | AgentEnded
    | CustomNote,
    Field(discriminator="kind"),
]
