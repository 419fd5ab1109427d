from pathlib import Path

import pytest

from fmlbench.core.errors import RunDamaged, RunLocked
from fmlbench.core.notes import IdeaLogged
from fmlbench.core.run import AgentSpec, Budget, Isolation, RunSpec
from fmlbench.records.events import NoteMade, RunFinished, RunStarted
from fmlbench.records.lease import locked
from fmlbench.records.log import EventLog, read_events
from fmlbench.records.provenance import describe_machine

SPEC = RunSpec(
    task="toy",
    task_digest="0" * 64,
    track="cpu",
    agent=AgentSpec(name="greedy", strategy="greedy", proposer="mutate"),
    seed=0,
    budget=Budget(steps=1),
    isolation=Isolation.BUBBLEWRAP,
)
PROVENANCE = describe_machine(environment="numpy", sandbox="bubblewrap", secret="0")


def note(text: str) -> NoteMade:
    return NoteMade(note=IdeaLogged(step=1, number=1, text=text))


def test_appended_records_are_read_in_order(tmp_path: Path):
    events = [note("first\nline"), note("sécond"), RunFinished(reason="done")]
    with EventLog(tmp_path / "log") as log:
        for event in events:
            log.append(event)
    assert read_events(tmp_path / "log") == events


@pytest.mark.parametrize("torn", [b'{"event": "note-ma', b"\x00\x00\x00", b'{"event": "unheard-of"}\n'])
def test_a_torn_last_line_is_ignored_by_readers_and_moved_by_writers(tmp_path: Path, torn: bytes):
    path = tmp_path / "log"
    with EventLog(path) as log:
        log.append(note("whole"))
    with path.open("ab") as file:
        file.write(torn)
    assert read_events(path) == read_events(path)[:1]
    with EventLog(path) as log:
        log.append(note("after"))
    notes = [event.note for event in read_events(path) if isinstance(event, NoteMade)]
    assert notes == [note("whole").note, note("after").note]
    assert torn.rstrip(b"\n") in path.with_name("log.torn").read_bytes()


def test_damage_in_the_middle_is_reported_and_nothing_is_changed(tmp_path: Path):
    path = tmp_path / "log"
    with EventLog(path) as log:
        log.append(note("one"))
        log.append(note("two"))
    before = b"garbage\n" + path.read_bytes()
    path.write_bytes(before)
    with pytest.raises(RunDamaged, match="Line 1"):
        EventLog(path)
    assert path.read_bytes() == before


def test_a_log_that_does_not_exist_has_no_events(tmp_path: Path):
    assert read_events(tmp_path / "log") == []


def test_one_writer_at_a_time(tmp_path: Path):
    with locked(tmp_path / "lock"), pytest.raises(RunLocked, match="Another process"), locked(tmp_path / "lock"):
        pass
    with locked(tmp_path / "lock"):
        pass


def test_a_log_of_another_format_is_rejected(tmp_path: Path):
    path = tmp_path / "log"
    with EventLog(path) as log:
        log.append(RunStarted(spec=SPEC, provenance=PROVENANCE))
    path.write_text(path.read_text().replace('"format":1', '"format":7'))
    with pytest.raises(RunDamaged, match="has format 7; this version of fmlbench reads format 1"):
        read_events(path)
