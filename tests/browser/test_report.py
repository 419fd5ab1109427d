"""The report in a real browser, as people and machines with bad intentions use it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from fmlbench.records.folder import RunFolder
from fmlbench.testing.made_runs import make_run
from tests.browser.conftest import DESKTOP, PHONE, STEPS, Open, write

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])


def overflow(page: Page) -> int:
    """How many pixels the page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


def chosen(page: Page, run: str = "r0") -> str:
    """The step that a run's list says is chosen."""
    return page.locator(f"#{run} a.step[aria-current=true] .index").inner_text()


@SIZES
def test_it_renders_without_a_word_on_the_console_and_without_a_request(open_report: Open, size: tuple[int, int]):
    opened = open_report(size)
    expect(opened.page.locator("h1")).to_have_text("2 agents, 1 task, 6 runs")
    expect(opened.page.locator("#r0 .cards")).to_be_visible()
    assert overflow(opened.page) <= 0
    assert opened.said == []
    assert opened.requested == []


@SIZES
def test_every_plot_has_marks_that_can_be_seen(open_report: Open, size: tuple[int, int]):
    page = open_report(size).page
    page.evaluate("for (const run of document.querySelectorAll('details.run')) run.open = true")
    plots = page.locator("svg.plot, svg.bar, svg.strip")
    # Four a run; a race and a profile; a strip per agent.
    assert plots.count() == 6 * 4 + 2 + 2
    sizes = plots.evaluate_all("plots => plots.map(plot => plot.getBoundingClientRect().width)")
    assert min(sizes) > 100
    marks = plots.evaluate_all(
        "plots => plots.map(plot => [...plot.querySelectorAll('.mark')].filter(mark => mark.checkVisibility()).length)"
    )
    assert min(marks) > 0


@SIZES
def test_letters_on_plots_are_large_enough_to_read(open_report: Open, size: tuple[int, int]):
    heights = open_report(size).page.evaluate(
        "[...document.querySelectorAll('#r0 svg.plot text.tick')].map(e => e.getBoundingClientRect().height)"
    )
    assert min(heights) >= 10


@SIZES
def test_a_click_on_a_step_shows_its_diff(open_report: Open, size: tuple[int, int]):
    page = open_report(size).page
    page.locator("#r0 a.step").nth(3).click()
    panel = page.locator("#r0-panel")
    expect(panel.locator("h5")).to_have_text("Step 3: improve")
    expect(panel.locator("pre.diff .added").first).to_be_visible()
    expect(panel.locator("pre.diff .removed").first).to_contain_text("value_")
    expect(panel).to_be_in_viewport()
    assert chosen(page) == "3"
    assert page.url.endswith("#r0.s3")


@SIZES
def test_a_click_on_a_mark_shows_the_step_too(open_report: Open, size: tuple[int, int]):
    page = open_report(size).page
    page.locator('#r0 figure svg.plot a[href="#r0.s5"]').last.click()
    expect(page.locator("#r0-panel h5")).to_have_text("Step 5: improve")
    expect(page.locator("#r0-panel")).to_be_in_viewport()
    expect(page.locator('#r0 figure svg.plot a.selected[href="#r0.s5"]').first).to_be_attached()


def test_steps_lead_to_their_parents_and_neighbours(open_report: Open):
    page = open_report(anchor="#r0.s4").page
    page.get_by_role("link", name="next →").click()
    assert chosen(page) == "5"
    parent = page.locator("#r0-panel .way a").last
    number = parent.inner_text().rsplit(" ", 1)[-1]
    parent.click()
    assert chosen(page) == number
    page.go_back()
    expect(page.locator("#r0 a.step[aria-current=true] .index")).to_have_text("5")


def test_an_address_opens_the_run_it_is_about(open_report: Open):
    page = open_report(anchor="#r4.s2").page
    expect(page.locator("#r4")).to_have_attribute("open", "")
    expect(page.locator("#r4-panel h5")).to_have_text("Step 2: improve")


def test_a_row_of_the_task_leads_to_its_run(open_report: Open):
    page = open_report().page
    page.locator("table").get_by_role("link", name="random, seed 2").click()
    expect(page.locator("#r5 .cards")).to_be_visible()


def test_the_tab_key_reaches_every_step(open_report: Open):
    page = open_report().page
    page.locator("#r0 > summary").focus()
    reached: set[str] = set()
    for _ in range(STEPS + 40):
        page.keyboard.press("Tab")
        target = page.evaluate("document.activeElement.matches('a.step') ? document.activeElement.hash : ''")
        if target:
            reached.add(target)
    assert reached >= {f"#r0.s{index}" for index in range(STEPS + 1)}


def test_arrow_keys_walk_through_the_steps(open_report: Open):
    page = open_report().page
    page.locator("#r0 a.step").first.focus()
    keys = (("Enter", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", STEPS), ("Home", 0))
    for key, step in keys:
        page.keyboard.press(key)
        expect(page.locator("#r0-panel h5")).to_contain_text(f"Step {step}: ")
        assert chosen(page) == str(step)


@SIZES
def test_hostile_ideas_are_words_and_do_nothing(open_report: Open, size: tuple[int, int]):
    opened = open_report(size)
    for step in range(1, STEPS + 1):
        opened.page.goto(f"{opened.page.url.split('#')[0]}#r0.s{step}")
    expect(opened.page.locator("#r0-panel .idea")).to_contain_text("<script>window.harmed = true</script>")
    assert opened.page.evaluate("window.harmed") is None
    assert opened.page.locator("#r0-panel img, #r0-panel script").count() == 0
    assert opened.said == []
    assert opened.requested == []


def test_markup_that_got_in_all_the_same_could_not_run(open_report: Open):
    opened = open_report()
    opened.page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.harmed = true\">')"
    )
    opened.page.wait_for_timeout(200)
    assert opened.page.evaluate("window.harmed") is None
    assert any("Content Security Policy" in line for line in opened.said)


def test_dark_mode_is_dark_and_paper_is_white(open_report: Open):
    page = open_report().page
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) == "rgb(20, 23, 27)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"


def test_a_growing_report_loads_itself_again_and_stays_where_it_was(
    open_report: Open, folders: list[RunFolder], tmp_path: Path
):
    path = tmp_path / "growing.html"
    growing = make_run(tmp_path, steps=STEPS, is_over=False, like=folders[0])
    opened = open_report(path=write([growing], path, refresh_seconds=1), anchor="#r0.s2")
    expect(opened.page.locator(".top")).to_contain_text("In progress")
    write([folders[0]], path)
    expect(opened.page.locator(".top")).not_to_contain_text("In progress")
    expect(opened.page.locator("#r0-panel h5")).to_have_text("Step 2: improve")
    assert opened.said == []
