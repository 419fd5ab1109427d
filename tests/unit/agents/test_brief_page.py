"""The page contains every part of the brief."""

from fmlbench.agents.brief_page import brief_page
from fmlbench.core.agents import Brief, StageBrief
from fmlbench.core.evaluation import Goal, Metric
from fmlbench.core.task import Limits

BRIEF = Brief(
    task="shapes",
    title="Shapes",
    question="Can shapes be told apart?",
    instructions="Tell shapes apart.\n",
    codebase="shapelib 1.0 (MIT)",
    repository=("README.md", "shapes/model.py"),
    editable=("shapes/model.py",),
    patterns=("shapes/*.py",),
    suggested=("shapes/model.py",),
    information_bytes=4096,
    protected=("The labels.",),
    commands=(
        StageBrief(
            name="train",
            command="python driver.py",
            limits=Limits(cpu_seconds=30, wall_seconds=90, memory_mb=512, disk_mb=64, processes=8),
        ),
    ),
    packages=("numpy", "torch"),
    metric=Metric(name="error", goal=Goal.MINIMIZE, best=0.0, worst=0.9),
    baseline_score=0.25,
    sigma=0.01,
    rules=("Stay small.",),
    track="cpu",
    sealed=True,
)


def test_the_page_holds_every_part():
    page = brief_page(BRIEF)
    for words in (
        "# Shapes",
        "Can shapes be told apart?",
        "Tell shapes apart.",
        "Task `shapes`, track `cpu`, sealed.",
        "`error`: lower is better; the best possible score is 0, a useless method scores 0.9.",
        "The baseline scores 0.2500 on validation.",
        "Its standard deviation over samples is 0.0100",
        "shapelib 1.0 (MIT)",
        "  README.md\n* shapes/model.py\n",
        "`shapes/*.py`",
        "- `shapes/model.py`",
        "- The labels.",
        "- train: `python driver.py` within 30 s of CPU time, 512 MB memory, 64 MB disk and 8 processes",
        "- Stay small.",
        "Python packages: numpy, torch.",
    ):
        assert words in page, words


def test_a_title_that_the_instructions_repeat_is_printed_once():
    page = brief_page(BRIEF.model_copy(update={"instructions": "# Shapes\n\nTell shapes apart.\n"}))
    assert page.count("# Shapes") == 1
    assert "Tell shapes apart." in page


def test_what_is_not_known_is_left_out():
    page = brief_page(BRIEF.model_copy(update={"baseline_score": None, "sigma": None, "rules": ()}))
    assert "baseline scores" not in page
    assert "standard deviation" not in page
    assert "## General rules\n\n- none\n" in page


def test_a_folder_without_editable_files_is_one_line_after_the_rules():
    files = ("README.md", "data/a.csv", "data/more/b.csv", "shapes/io/read.py", "shapes/model.py")
    page = brief_page(BRIEF.model_copy(update={"repository": files}))
    assert "  README.md\n  data/ (2 files)\n  shapes/io/ (1 file)\n* shapes/model.py\n" in page
    assert page.index("## General rules") < page.index("## Repository")


def test_an_unsealed_brief_says_so():
    assert "**UNSEALED**" in brief_page(BRIEF.model_copy(update={"sealed": False}))
