from fmlbench.core.notes import CustomNote, UsageRecorded, ViolationSeen, WaitRecorded
from fmlbench.core.steps import usages_of
from fmlbench.core.usage import Usage
from fmlbench.records.events import EVENTS, NoteMade


def test_a_note_is_read_back_as_its_own_class():
    notes = [
        WaitRecorded(step=1, usage=Usage(calls=2, dollars=None)),
        CustomNote(step=2, topic="plan", text="wider"),
    ]
    logged = [NoteMade(note=note).model_dump_json() for note in notes]
    assert [event.note for event in map(EVENTS.validate_json, logged) if isinstance(event, NoteMade)] == notes


def test_text_that_is_not_valid_unicode_can_be_logged():
    note = ViolationSeen(step=1, text="forged \ud800 line")
    assert note.text == "forged ? line"
    assert ViolationSeen.model_validate_json(note.model_dump_json()) == note


def test_usage_outside_of_steps_is_counted_by_the_class_of_the_note():
    spent, waited = Usage(calls=1), Usage(calls=2)
    notes = [
        UsageRecorded(step=1, usage=spent),
        ViolationSeen(step=1, text=spent.model_dump_json()),
        WaitRecorded(step=1, usage=waited),
    ]
    assert usages_of((), notes) == [spent, waited]
