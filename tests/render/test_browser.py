"""The page in a real browser: charts drawn, nothing fetched, tables sorted, names that mean harm are harmless."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assay.core.notes import Note
from assay.render.formats import to_csv, to_latex
from assay.render.page import page
from assay.results.charts import Chart, category, field, lines
from assay.results.result import Report, Result
from tests.render.test_page import hand_made, n_charts

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
EVERY = "els => els.every(el => el.querySelectorAll('svg path, svg rect, svg text').length > 5)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no chromium here (Debian: apt install chromium)")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return hand_made(tmp_path_factory.mktemp("collection"))


@pytest.fixture(scope="module")
def file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(report), encoding="utf-8")
    return path


class Watched:
    """A page, and everything it did that it should not do."""

    def __init__(self, browser: Browser, file: Path, **settings: Any) -> None:
        self.context = browser.new_context(**settings)
        self.page: Page = self.context.new_page()
        self.trouble: list[str] = []
        self.address = file.as_uri()
        self.page.on("console", lambda message: self.note(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.note(f"error: {error}"))
        self.page.on("request", lambda request: self.note(request.url))
        self.page.on("dialog", self.dismiss)
        self.page.goto(self.address)
        if settings.get("java_script_enabled", True):
            self.page.wait_for_selector("html.drawn", state="attached")

    def note(self, what: str) -> None:
        if what != self.address:
            self.trouble.append(what[:200])

    def dismiss(self, dialog: Dialog) -> None:
        self.note(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture(scope="module")
def wide(browser: Browser, file: Path) -> Iterator[Watched]:
    made = Watched(browser, file, viewport={"width": 1280, "height": 800}, permissions=["clipboard-read"])
    yield made
    made.context.close()


def sideways(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("width", [1280, 400])
def test_every_chart_is_drawn_without_a_fault_or_a_request(
    browser: Browser, file: Path, report: Report, width: int
) -> None:
    seen = Watched(browser, file, viewport={"width": width, "height": 800})
    assert seen.page.locator("figure.chart.live").count() == n_charts(report)
    assert seen.page.eval_on_selector_all("figure.chart .canvas", EVERY)
    assert seen.page.locator("figure.chart .canvas > svg").count() == 0  # the still pictures have gone
    assert sideways(seen.page) <= 0
    assert seen.trouble == []
    seen.context.close()


def test_the_verdict_is_on_the_first_screen(wide: Watched) -> None:
    box = wide.page.locator(".standing").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 800


def column(page: Page, table: str, number: int) -> list[str]:
    return page.locator(f"{table} tbody tr td:nth-child({number})").all_inner_texts()


def test_tables_are_sorted_by_click_and_by_keyboard(wide: Watched, report: Report) -> None:
    table = "#power .table:has(> h3) table"
    head = wide.page.locator(f"{table} thead th").nth(1)
    result = report.parts[1].result
    assert result is not None
    falling = [f"{x:.3f}" for x in result.table["power"].sort(descending=True)]
    head.locator("button").click()
    assert column(wide.page, table, 2) == falling
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").focus()
    wide.page.keyboard.press("Enter")
    assert column(wide.page, table, 2) == falling[::-1]
    assert head.get_attribute("aria-sort") == "ascending"
    wide.page.locator(f"{table} thead th button").first.click()
    assert column(wide.page, table, 1) == sorted(result.table["measure"], key=str.lower)
    assert head.get_attribute("aria-sort") is None


def test_long_tables_fold_and_unfold(wide: Watched) -> None:
    table = wide.page.locator('table[aria-label="names, long"]')
    assert table.locator("tbody tr:visible").count() == 15
    button = wide.page.get_by_role("button", name="Show 200 rows of names, long")
    button.click()
    assert table.locator("tbody tr:visible").count() == 200
    wide.page.get_by_role("button", name="Show fewer rows of names, long", expanded=True).click()
    assert table.locator("tbody tr:visible").count() == 15


def test_paper_has_the_rows_that_are_unfolded_and_says_how_many_there_are(wide: Watched) -> None:
    table = wide.page.locator('table[aria-label="names, long"]')
    part = wide.page.locator(".table", has=table)
    said = part.locator("caption, .cut span, .cut")
    seen = []
    for name in ("Show 200 rows", "Show fewer rows"):
        assert not part.locator("caption").is_visible()  # on a screen a button says it
        wide.page.emulate_media(media="print")
        seen.append(
            (table.locator("tbody tr:visible").count(), [s.inner_text() for s in said.all() if s.is_visible()])
        )
        wide.page.emulate_media(media="screen")
        wide.page.get_by_role("button", name=f"{name} of names, long").click()
    where = "all of them by the command below, and in the JSON file beside this page"
    assert seen[0] == (15, ["15 of 250 rows", where])
    assert seen[1] == (200, [f"200 of 250 rows; {where}", "200 of 250 rows; "])


def test_a_copy_of_a_cut_table_says_so(wide: Watched) -> None:
    for what in ("Copy CSV", "Copy LaTeX"):
        wide.page.get_by_role("button", name=f"{what} of names, long").click()
        wide.page.get_by_role("button", name="200 of 250 rows copied").wait_for()
        wide.page.get_by_role("button", name=f"{what} of names, long").wait_for()
    assert wide.page.evaluate("navigator.clipboard.readText()").count("\n% 200 of 250 rows; all of them") == 1


def test_no_two_buttons_that_do_different_things_have_one_name(wide: Watched, report: Report) -> None:
    names = wide.page.eval_on_selector_all("main .tools button", "els => els.map(el => el.ariaLabel)")
    assert len(names) > 2 * n_charts(report)
    assert sorted(set(names)) == sorted(names)
    assert all(text and " of " in text for text in names)


def test_copies_are_those_of_the_command_line(browser: Browser, tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "run": ['a,"b"', "two\nlines", "_&<b>%", "\x1b[31m", "=1+1", "[5ex]", "*"],
            "mean": [1 / 3, 0.1 + 0.2, None, 1e-9, 1.0, 1.0, 1.0],
            "n": [1, 2, 3, 4, 5, 6, 7],
            "ok": [True, False, None, True, True, True, True],
        }
    )
    made = Result("made", table, notes=(Note("made", "info", "50% of it"),))
    path = tmp_path / "x.html"
    path.write_text(page(made), encoding="utf-8")
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    shown = context.new_page()
    shown.goto(path.as_uri())
    copied = []
    for button in ("Copy CSV", "Copy LaTeX"):
        shown.get_by_role("button", name=button).click()
        shown.get_by_role("button", name="Copied").first.wait_for()
        copied.append(shown.evaluate("navigator.clipboard.readText()"))
    assert pl.read_csv(copied[0].encode()).equals(pl.read_csv(to_csv(made).encode()))
    assert copied[1] == to_latex(made)
    context.close()


def test_charts_answer_to_the_pointer_and_read_no_markup(browser: Browser, tmp_path: Path) -> None:
    table = pl.DataFrame({"x": [0.0, 1.0, 0.0, 1.0], "y": [0.0, 1 / 3, 1.0, 1.0], "m": ["<b>a</b>"] * 2 + ["b"] * 2})
    drawing = lines(field("x"), field("y"), category("m"), points=True)
    made = Result("made", table, charts=(Chart("one", "One", table, drawing),))
    path = tmp_path / "x.html"
    path.write_text(page(made), encoding="utf-8")
    seen = Watched(browser, path)
    seen.page.locator("figure .mark-symbol.role-mark path").nth(1).hover()
    assert seen.page.locator(".tip").inner_text().split("\n") == ["x", "1", "y", "0.3333", "m", "<b>a</b>"]
    faded = "figure .mark-line path[opacity='0.125'], figure .mark-line path[stroke-opacity='0.125']"
    assert seen.page.locator(faded).count() == 0
    seen.page.locator("figure .role-legend-label text").first.click()
    seen.page.wait_for_function("query => document.querySelectorAll(query).length === 1", arg=faded)
    with seen.page.expect_download() as download:
        seen.page.get_by_role("button", name="Save SVG").click()
    assert download.value.suggested_filename == "made-one.svg"
    assert 'fill="white"' in Path(download.value.path()).read_text()
    assert seen.trouble == []
    seen.context.close()


def luminance(page: Page, what: str, name: str) -> int:
    return int(page.eval_on_selector(what, f"el => Number(getComputedStyle(el)['{name}'].match(/\\d+/)[0])"))


def test_light_and_dark_follow_the_reader_and_a_button(browser: Browser, file: Path) -> None:
    seen = Watched(browser, file, color_scheme="dark")
    label = "figure .role-axis-label text"
    assert luminance(seen.page, "body", "background-color") < 60
    assert luminance(seen.page, label, "fill") > 200
    seen.page.get_by_role("button", name="Light").click()
    assert luminance(seen.page, "body", "background-color") > 240
    assert luminance(seen.page, label, "fill") < 60
    seen.page.emulate_media(media="print", color_scheme="dark")
    assert luminance(seen.page, "body", "background-color") > 240
    assert seen.page.locator(".tools:visible").count() == 0
    assert seen.page.locator("#power th", has_text="delta_median").is_visible()
    assert seen.trouble == []
    seen.context.close()


def test_without_scripts_there_are_still_pictures_and_tables(browser: Browser, file: Path, report: Report) -> None:
    seen = Watched(browser, file, java_script_enabled=False, viewport={"width": 400, "height": 800})
    assert seen.page.locator("figure.chart svg:visible").count() == n_charts(report)
    assert seen.page.locator('table[aria-label="names, long"] tbody tr:visible').count() == 200
    assert seen.page.locator("button").count() == 0
    assert seen.trouble == []
    seen.context.close()


def test_names_that_mean_harm_did_none(wide: Watched) -> None:
    assert "<script>alert(1)</script>" in wide.page.locator("#names h2").inner_text()
    assert wide.page.get_by_text("two\\nlines").count() > 0
    assert wide.trouble == []
