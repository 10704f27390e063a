"""How long and how heavy whole pages are: what to do on the first screen, all else within a few, little at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Collection, Report, read_qrels, read_runs, report
from assay.data.judgments.merging import OtherJudgments
from assay.render.page.document import page
from tests.builders.dense import collection
from tests.render.test_browser import BROKEN, Watched, sideways

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCREEN = {"width": 1280, "height": 900}
NARROW = {"width": 400, "height": 900}
MOST_BYTES = 6_000_000
MOST_ELEMENTS = 10_000  # that a browser makes before it shows anything; a page with all its tables has 60,000


def check_page(browser: Browser, data: Collection, path: Path, *, screens: int) -> None:
    """A page of a report is as short as promised, wide and narrow, and draws itself in silence."""
    made = report(data)
    assert isinstance(made, Report)
    path.write_text(page(made), encoding="utf-8")
    assert path.stat().st_size <= MOST_BYTES
    wide = Watched(browser, path, viewport=SCREEN)
    assert wide.page.locator("*").count() <= MOST_ELEMENTS
    assert wide.page.evaluate("typeof vegaEmbed") == "undefined"  # read when a card's chart is near
    assert int(wide.page.evaluate("document.documentElement.scrollHeight")) <= screens * SCREEN["height"]
    first = wide.page.locator("#page-decide").bounding_box()
    assert first is not None
    assert first["y"] + first["height"] <= SCREEN["height"]
    assert wide.page.locator(".evidence .scroll.still").count() > 0
    cut = "els => els.filter((el) => el.scrollWidth > el.clientWidth).map((el) => el.innerText)"
    assert wide.page.eval_on_selector_all(".evidence .scroll.still", cut) == []
    assert wide.trouble == []
    wide.context.close()
    narrow = Watched(browser, path, viewport=NARROW)
    assert sideways(narrow.page) <= 0
    assert narrow.page.evaluate(BROKEN) == []
    narrow.context.close()


def test_the_page_of_four_runs_has_four_screens_at_most(browser: Browser, tmp_path: Path) -> None:
    runs, qrels = collection(n_runs=4, n_topics=40, n_docs=100, rng=1).write(tmp_path)
    data = Collection(read_runs(runs), read_qrels(qrels))
    check_page(browser, data, tmp_path / "few.html", screens=4)


def test_the_page_of_four_runs_and_two_judges_has_one_card_more_and_less_than_a_screen(
    browser: Browser, tmp_path: Path
) -> None:
    runs, qrels = collection(n_runs=4, n_topics=40, n_docs=100, rng=1).write(tmp_path)
    human = read_qrels(qrels)
    lines = (line.split() for line in qrels.read_text(encoding="utf-8").splitlines())
    stricter = "".join(f"{t} 0 {d} {max(0, int(g) - 1)}\n" for t, _, d, g in lines)
    (tmp_path / "model.txt").write_text(stricter, encoding="utf-8")
    others = OtherJudgments({"human": human, "model": read_qrels(tmp_path / "model.txt")})
    check_page(browser, Collection(read_runs(runs), human, others=others), tmp_path / "judges.html", screens=5)


@pytest.mark.slow
def test_the_page_of_129_runs_has_eight_screens_at_most(browser: Browser, adhoc8: Collection, tmp_path: Path) -> None:
    check_page(browser, adhoc8, tmp_path / "many.html", screens=8)
