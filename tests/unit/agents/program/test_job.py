"""What a program finds when it starts."""

from pathlib import Path

from fmlbench.agents.entry import AgentWorkspace
from fmlbench.agents.program.job import Left, build_job, lay_out
from fmlbench.agents.program.program import Program
from fmlbench.models.meter import Caps
from fmlbench.testing.sessions import RecordedSession

FILES = {"research.py": "rate = 0.5\n"}


def prompt_of(workspace: AgentWorkspace, *, sealed: bool = True, files: int = 0, caps: Caps | None = None) -> str:
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    repository = (*(f"part_{number:05}.py" for number in range(files)), "research.py")
    session.brief = session.brief.model_copy(
        update={"sealed": sealed, "repository": repository, "editable": ("research.py",)}
    )
    lay_out(workspace, session, Left(hours=1.0, steps=3, caps=caps or Caps()))
    brief = (workspace.folder / "info" / "brief.md").read_text()
    assert brief.count("part_") == files
    return (workspace.folder / "info" / "prompt.md").read_text()


def test_settings_are_not_written_to_where_a_program_has_put_a_link(workspace: AgentWorkspace, tmp_path: Path):
    """The program controls its home folder, so a write through a link in it could go anywhere."""

    def write_home(home: Path) -> None:
        (home / "settings.json").write_text("ours")

    theirs, home = tmp_path / "events.jsonl", workspace.folder / "home"
    theirs.write_text("the record")
    home.mkdir()
    (home / "settings.json").symlink_to(theirs)
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    build_job(Program("true", write_home=write_home), workspace, session, Left(hours=1.0, steps=3))
    assert (home / "settings.json").read_text() == "ours"
    assert theirs.read_text() == "the record"


def test_what_was_printed_in_an_earlier_life_is_kept(workspace: AgentWorkspace):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    for life in ("first", "second", "third"):
        build_job(Program("true"), workspace, session, Left(hours=1.0, steps=3)).log.write_text(life)
    logs = {path.name: path.read_text() for path in workspace.folder.glob("log*")}
    assert logs == {"log.1.txt": "first", "log.2.txt": "second", "log.txt": "third"}


def test_the_prompt_says_where_things_are_and_what_is_left(workspace: AgentWorkspace):
    prompt = prompt_of(workspace)
    for words in ("Scored steps: 3; minutes: 60.", "is in /lab/data", "There is no network.", "* research.py"):
        assert words in prompt


def test_the_prompt_names_the_caps_of_its_model_where_there_are_any(workspace: AgentWorkspace):
    prompt = prompt_of(workspace, caps=Caps(tokens=5000, dollars=1.5))
    assert "Scored steps: 3; minutes: 60; 5000 tokens of your model; $1.50 for your model." in prompt
    assert "of your model" not in prompt_of(workspace)


def test_without_a_seal_the_prompt_promises_none(workspace: AgentWorkspace):
    prompt = prompt_of(workspace, sealed=False)
    assert "is in $FML_LAB/data" in prompt
    assert "There is no network." not in prompt


def test_a_prompt_fits_a_command_line_however_large_the_repository_is(workspace: AgentWorkspace):
    """One word of a command line may have 128 kB; what may be changed is listed first."""
    prompt = prompt_of(workspace, files=20_000)
    assert len(prompt.encode()) < 100_000
    assert "* research.py\n  part_00000.py\n" in prompt
    assert "more: 'fml brief' lists all" in prompt
