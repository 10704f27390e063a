"""The page in a real browser: charts drawn, nothing fetched, tables sorted, names that mean harm are harmless."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assay.core.notes import Note
from assay.render.formats import to_csv, to_latex
from assay.render.page.document import page
from assay.results.charts import Chart, category, field, lines
from assay.results.result import Report, Result
from tests.render.test_page import CUT, hand_made, n_charts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

EVERY = "els => els.every(el => el.querySelectorAll('svg path, svg rect, svg text').length > 5)"


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


def unfold(page: Page, within: str = "main") -> None:
    """Open all folds, and wait until the charts in them are drawn."""
    for _ in range(2):  # what a card folds, and the folds in that
        page.eval_on_selector_all(f"{within} details", "els => els.forEach((el) => { el.open = true; })")
        page.wait_for_selector(f"{within} details > noscript", state="detached")
    for figure in page.locator(f"{within} figure.chart").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".tools").wait_for(state="attached")


@pytest.mark.parametrize("width", [1280, 400])
def test_every_chart_is_drawn_without_a_fault_or_a_request(
    browser: Browser, file: Path, report: Report, width: int
) -> None:
    seen = Watched(browser, file, viewport={"width": width, "height": 900})
    assert seen.page.locator("details figure").count() == 0  # what is folded is not made
    unfold(seen.page)
    assert seen.page.locator("figure.chart.live").count() == n_charts(report) + CUT
    assert seen.page.eval_on_selector_all("figure.chart .canvas", EVERY)
    assert seen.page.locator("figure.chart .canvas > svg").count() == 0  # the still pictures have gone
    assert sideways(seen.page) <= 0
    assert seen.trouble == []
    seen.context.close()


def test_what_to_do_is_on_the_first_screen(browser: Browser, tmp_path: Path) -> None:
    row = {
        "sentence": "s",
        "action": "Report nDCG@10 rather than AP",
        "why": "it separates more pairs of these runs, and new topics reverse fewer of them",
        "status": "decided",
        "settled_by": "",
        "shown": "72% of pairs",
        "between": "67% to 77%",
        "section": "power",
    }
    open_, beware = row | {"status": "inconclusive"}, row | {"status": "beware", "severity": "caution"}
    warned = Note("made", "warning", "ranks contradict scores in 360 of 400 lists of 8 runs; ordered by score")
    table = pl.DataFrame([row] * 7 + [open_, beware, beware], infer_schema_length=None)
    path = tmp_path / "x.html"
    path.write_text(page(Report("report", table, notes=(warned,))), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    shown = context.new_page()
    shown.goto(path.as_uri())
    assert shown.locator(".verdict li").count() == 7
    box = shown.locator("#page-decide").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900
    context.close()


BROKEN = """() => {
  const broken = [];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.parentElement.closest("script, svg, #names") || !node.parentElement.checkVisibility()) continue;
    for (const word of node.data.matchAll(/[A-Za-z]{2,20}/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (tops.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""


@pytest.mark.parametrize("is_open", [False, True])
def test_no_word_is_broken_on_a_narrow_screen(browser: Browser, file: Path, is_open: bool) -> None:
    seen = Watched(browser, file, viewport={"width": 400, "height": 900})
    if is_open:
        unfold(seen.page)
    assert seen.page.evaluate(BROKEN) == []
    assert sideways(seen.page) <= 0
    seen.context.close()


def test_cards_are_low_where_nothing_is_open(wide: Watched) -> None:
    heights = wide.page.eval_on_selector_all(".card", "els => els.map((el) => el.offsetHeight)")
    assert max(heights) < 720  # eight rows of two cards, with all else, make at most eight screens of 900


def test_contents_stay_in_sight_and_lead_to_layers(browser: Browser, file: Path) -> None:
    seen = Watched(browser, file, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    seen.page.locator(".bar a", has_text="Glossary").click()
    assert seen.page.locator("#page-glossary dl").is_visible()  # a link opens what it leads to
    bar = seen.page.locator(".bar").bounding_box()
    assert bar is not None
    assert bar["y"] == 0
    seen.page.locator(".bar a", has_text="Decide").click()
    seen.page.get_by_role("link", name="rule").first.click()
    assert seen.page.locator("#page-rule-best_measures").is_visible()
    seen.page.get_by_role("link", name="why").first.click()
    title = seen.page.locator("#power-title").bounding_box()
    assert title is not None
    assert 0 < title["y"] < 900
    assert seen.trouble == []
    seen.context.close()


def test_words_are_explained_by_keyboard_pointer_and_tap(browser: Browser, file: Path) -> None:
    seen = Watched(browser, file, viewport={"width": 400, "height": 900}, has_touch=True)
    word, tip = seen.page.locator("#page-decide abbr", has_text="power").first, seen.page.locator(".tip")
    meaning = word.get_attribute("aria-description")
    assert meaning
    assert word.get_attribute("title") is None  # a browser would show it, too
    for show in (word.focus, word.hover, word.tap):
        assert tip.is_hidden()
        show()
        assert tip.inner_text() == meaning
        seen.page.keyboard.press("Escape")
    assert sideways(seen.page) <= 0
    assert seen.trouble == []
    seen.context.close()


def test_a_fold_opens_by_keyboard_and_its_charts_are_drawn(browser: Browser, file: Path) -> None:
    seen = Watched(browser, file, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    seen.page.locator("#power .all > summary").focus()
    seen.page.keyboard.press("Enter")
    figure = seen.page.locator("#power .all > figure.chart")
    figure.scroll_into_view_if_needed()
    figure.locator("svg").wait_for()
    assert seen.trouble == []
    seen.context.close()


def test_paper_has_what_to_do_and_the_cards_alone(browser: Browser, file: Path) -> None:
    seen = Watched(browser, file, viewport={"width": 1280, "height": 900})
    seen.page.emulate_media(media="print")
    assert seen.page.locator(".verdict li:visible").count() == 3
    assert seen.page.locator(".card:visible").count() == 4
    assert seen.page.locator(".bar:visible, .contents:visible, summary:visible, .tools:visible").count() == 0
    seen.context.close()


def column(page: Page, table: str, number: int) -> list[str]:
    return page.locator(f"{table} tbody tr td:nth-child({number})").all_inner_texts()


def test_tables_are_sorted_by_click_and_by_keyboard(wide: Watched, report: Report) -> None:
    table = 'table[aria-label="power"]'
    unfold(wide.page, "#power")
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
    unfold(wide.page, "#names")
    table = wide.page.locator('table[aria-label="names, long"]')
    assert table.locator("tbody tr:visible").count() == 15
    button = wide.page.get_by_role("button", name="Show 100 rows of names, long")
    button.click()
    assert table.locator("tbody tr:visible").count() == 100
    wide.page.get_by_role("button", name="Show fewer rows of names, long", expanded=True).click()
    assert table.locator("tbody tr:visible").count() == 15


def test_paper_has_the_rows_that_are_unfolded_and_says_how_many_there_are(wide: Watched) -> None:
    table = wide.page.locator('table[aria-label="names, long"]')
    part = wide.page.locator(".table", has=table)
    said = part.locator("caption, .cut span, .cut")
    seen = []
    for name in ("Show 100 rows", "Show fewer rows"):
        assert not part.locator("caption").is_visible()  # on a screen a button says it
        wide.page.emulate_media(media="print")
        seen.append(
            (table.locator("tbody tr:visible").count(), [s.inner_text() for s in said.all() if s.is_visible()])
        )
        wide.page.emulate_media(media="screen")
        wide.page.get_by_role("button", name=f"{name} of names, long").click()
    where = "all of them by the command below, with its --table"
    assert seen[0] == (15, ["15 of 150 rows", where])
    assert seen[1] == (100, [f"100 of 150 rows; {where}", "100 of 150 rows; "])


def test_a_copy_of_a_cut_table_says_so(wide: Watched) -> None:
    for what in ("Copy CSV", "Copy LaTeX"):
        wide.page.get_by_role("button", name=f"{what} of names, long").click()
        wide.page.get_by_role("button", name="100 of 150 rows copied").wait_for()
        wide.page.get_by_role("button", name=f"{what} of names, long").wait_for()
    assert wide.page.evaluate("navigator.clipboard.readText()").count("\n% 100 of 150 rows; all of them") == 1


def test_no_two_buttons_that_do_different_things_have_one_name(wide: Watched, report: Report) -> None:
    unfold(wide.page)
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
    names = ["<b>a</b>", "b", "c", "d", "e", "f", "g"]  # more than have room for a name where they end
    ends = [(m, float(x), 1 / 3 * x if i == 0 else i) for i, m in enumerate(names) for x in (0, 1)]
    table = pl.DataFrame(ends, schema=["m", "x", "y"], orient="row").select("x", "y", "m")
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
    seen.page.wait_for_function("query => document.querySelectorAll(query).length === 6", arg=faded)
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
    assert seen.page.locator("#power th", has_text="n_significant").first.is_visible()
    assert seen.trouble == []
    seen.context.close()


def test_few_lines_are_named_where_they_end(browser: Browser, tmp_path: Path) -> None:
    table = pl.DataFrame(
        {"x": [0.0, 1.0] * 3, "y": [0.0, 0.1, 0.0, 0.1, 0.0, 1.0], "m": ["<b>a</b>"] * 2 + ["b"] * 2 + ["c"] * 2}
    )
    drawing = lines(field("x"), field("y"), category("m", title="kind"))
    path = tmp_path / "x.html"
    path.write_text(page(Result("made", table, charts=(Chart("one", "One", table, drawing),))), encoding="utf-8")
    seen = Watched(browser, path)
    assert seen.page.locator("figure .role-legend").count() == 0
    boxes = {}
    for name in ("<b>a</b>", "b", "c"):
        boxes[name] = seen.page.locator(
            "figure .mark-text.role-mark text", has_text=re.compile(f"^{name}$")
        ).bounding_box()
    assert all(boxes.values())
    tops = sorted(box["y"] for box in boxes.values() if box)
    assert tops[1] - tops[0] > 50  # c ends far above
    assert 12 <= tops[2] - tops[1] < 40  # the others end at one place, and are apart
    assert seen.trouble == []
    seen.context.close()


def test_without_scripts_there_are_cards_with_pictures_and_all_else_opens(
    browser: Browser, file: Path, report: Report
) -> None:
    seen = Watched(browser, file, java_script_enabled=False, viewport={"width": 400, "height": 800})
    assert seen.page.locator("figure.chart svg:visible").count() == seen.page.locator(".card").count() == 4
    assert seen.page.locator(".verdict li:visible").count() == 3
    assert seen.page.locator("#page-decide abbr[title]").count() > 0
    seen.page.locator("#names .all > summary").click()
    seen.page.locator("#names .all details", has_text="long").locator("summary").click()
    assert seen.page.locator('table[aria-label="names, long"] tbody tr:visible').count() == 100
    assert seen.page.locator("button").count() == 0
    assert seen.trouble == []
    seen.context.close()


def test_names_that_mean_harm_did_none(wide: Watched) -> None:
    assert "<script>alert(1)</script>" in wide.page.locator("#names > h3").inner_text()
    assert wide.page.get_by_text("two\\nlines").count() > 0
    assert wide.trouble == []
