"""Looking at runs and topics in a real browser: choosing, comparing, linking, by pointer and by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from assay.analyses.score.analysis import score
from assay.core.text import visible
from assay.render.formats import to_file
from assay.results.result import Part, Report
from assay.scoring.scores import Scores
from assay.stats.significance.paired_difference import PairedDifference, paired_difference
from tests.builders.arrays import measure_scores
from tests.render.test_browser import Watched, luminance, sideways
from tests.render.test_look import HOSTILE, bound, scored

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


N_RUNS, N_TOPICS = 16, 20


def made(n_runs: int = N_RUNS, *, kinds_of: dict[str, list[str]] | None = None, **names: Any) -> Report:
    """Three measures: one with few ties, one with many, one of which the lowest is best; runs lack some scores."""
    value = measure_scores(3, n_runs, N_TOPICS)
    value[0, 3, :4] = np.nan
    value[0, min(5, n_runs - 1), 2:9] = np.nan
    value[2] *= 100
    names = {"conditions": ("AP", "P@10", "latency"), "lower": (False, False, True)} | names
    scores = scored(value, **names)
    kinds = ["manual" if i % 3 else "automatic" for i in range(n_runs)]
    counts = {"topic": list(scores.topics), "n_judged": range(100, 100 + N_TOPICS), "n_relevant": range(N_TOPICS)}
    judged = pl.DataFrame(counts) if "topics" not in names else None
    groups = pl.DataFrame({"run": list(scores.runs), **({"type": kinds} if kinds_of is None else kinds_of)})
    whole = bound(scores, groups=groups, **({} if judged is None else {"judged": judged}))
    return replace(whole, parts=(Part("score", "Which scores?", "assay score", score(scores)),))


def scores_of(report: Report) -> Scores:
    assert report.scores is not None
    return report.scores


@pytest.fixture(scope="module")
def report() -> Report:
    return made()


@pytest.fixture(scope="module")
def file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("look") / "report.html"
    path.write_bytes(to_file(report, str(path)))
    return path


@pytest.fixture
def seen(browser: Browser, file: Path) -> Iterator[Watched]:
    """The page, which must be as quiet at the end as at the beginning."""
    watched = Watched(browser, file, viewport={"width": 1280, "height": 900})
    yield watched
    assert watched.trouble == []
    watched.context.close()


def rows(page: Page) -> list[str]:
    return page.locator("#page-look .look-board .name").all_inner_texts()


def ranked(report: Report, measure: str) -> list[str]:
    return report.tables["leaderboard"].filter(measure=measure)["run"].to_list()


def exact(report: Report, measure: int, a: str, b: str) -> PairedDifference:
    scores = scores_of(report)
    x = scores.working()[measure]
    return paired_difference(x[scores.runs.index(a)], x[scores.runs.index(b)], level=0.95)


def panel(page: Page) -> dict[str, float]:
    found = page.eval_on_selector("#look-difference", "el => ({...el.dataset})")
    return {name: float(value) for name, value in found.items()}


def test_the_best_run_stands_against_the_second_at_first(seen: Watched, report: Report) -> None:
    first, second = ranked(report, "AP")[:2]
    assert rows(seen.page) == ranked(report, "AP")[:12]
    assert seen.page.locator("#look-run option:checked").inner_text() == first
    assert seen.page.locator("#look-against option:checked").inner_text() == second
    assert "#look" not in seen.page.url  # nothing was chosen yet


@pytest.mark.parametrize("measure", [0, 1, 2])
def test_the_numbers_of_two_runs_are_those_of_python(seen: Watched, report: Report, measure: int) -> None:
    runs = scores_of(report).runs
    seen.page.select_option("#look-measure", str(measure))
    sign = -1 if scores_of(report).lower_of(measure) else 1
    for a, b in [(0, 1), (3, 5), (15, 2), (7, 8)]:
        seen.page.select_option("#look-run", label=runs[a])
        seen.page.select_option("#look-against", label=runs[b])
        one, shown = exact(report, measure, runs[a], runs[b]), panel(seen.page)
        assert shown["value"] == pytest.approx(sign * float(one.difference), abs=1e-4)
        ends = sorted([sign * float(one.low), sign * float(one.high)])
        assert [shown["low"], shown["high"]] == pytest.approx(ends, abs=1e-4)
        assert [shown[n] for n in ("n", "wins", "ties", "losses")] == [one.n, one.wins, one.ties, one.losses]
        said = seen.page.locator("#look-wins").inner_text()
        assert said.split(" ")[0] == str(int(one.wins))
        better = runs[a] if one.low > 0 else runs[b] if one.high < 0 else "inconclusive"
        assert better in seen.page.locator(".look-pair .look-fact b").last.inner_text()


def test_the_leaderboard_stands_before_what_draws_charts_is_run_or_a_card_is_unpacked(
    browser: Browser, file: Path
) -> None:
    seen = Watched(browser, file, viewport={"width": 1280, "height": 400})
    page = seen.page
    assert page.locator(".look-board .track .dot").count() == 12
    assert page.evaluate("typeof vegaEmbed") == "undefined"
    assert page.locator(".card .all > *:not(summary)").evaluate_all("els => els.map((el) => el.tagName)") == [
        "NOSCRIPT"
    ]
    page.locator(".card figure.chart").first.scroll_into_view_if_needed()
    page.locator(".card figure.live").first.wait_for()
    assert page.evaluate("typeof vegaEmbed") == "function"
    page.locator(".card .all > summary").click()
    page.locator(".card .all pre code", has_text="assay score").wait_for()
    assert page.locator(".card .all > noscript").count() == 0
    assert seen.trouble == []
    seen.context.close()


def test_another_measure_ranks_the_runs_anew(seen: Watched, report: Report) -> None:
    for i, name in [(2, "latency"), (1, "P@10")]:
        seen.page.select_option("#look-measure", str(i))
        assert rows(seen.page)[:12] == ranked(report, name)[:12]
    seen.page.get_by_role("button", name="Show all 16 runs").click()
    assert rows(seen.page) == ranked(report, "P@10")


def test_a_run_is_shown_on_every_topic_against_the_median(seen: Watched, report: Report) -> None:
    run = ranked(report, "P@10")[4]
    seen.page.select_option("#look-measure", "1")
    seen.page.get_by_role("button", name=run, exact=True).first.click()
    scores = scores_of(report)
    x = scores.value[1]
    own, middle = x[scores.runs.index(run)].astype(np.float32), np.median(x.astype(np.float32), axis=0)
    above, below = int((own > middle).sum()), int((own < middle).sum())
    said = seen.page.locator("#look-above").inner_text()
    assert [int(word) for word in said.split() if word.isdigit()] == [above, below]
    assert seen.page.locator("#look-mean").inner_text() == f"{scores.mean()[1, scores.runs.index(run)]:.3f}"


def test_two_runs_are_picked_in_the_table(seen: Watched, report: Report) -> None:
    third, sixth = ranked(report, "AP")[2], ranked(report, "AP")[5]
    for run in (third, sixth):
        seen.page.get_by_role("checkbox", name=f"Compare {run}", exact=True).click()
    assert panel(seen.page)["value"] == pytest.approx(float(exact(report, 0, third, sixth).difference), abs=1e-4)
    assert seen.page.locator("tr.is-a .name").inner_text() == third
    assert seen.page.locator("tr.is-b .name").inner_text() == sixth


def test_a_topic_has_its_counts_and_its_place_among_topics(seen: Watched, report: Report) -> None:
    scores = scores_of(report)
    mean, spread = np.nanmean(scores.value[0], 0), np.nanstd(scores.value[0], 0, ddof=1)
    hardest, separating = int(mean.argmin()), int(spread.argmax())
    seen.page.select_option("#look-topic", str(hardest))
    said = seen.page.locator("#look-counts").inner_text()
    assert f"{hardest} relevant document" in said
    assert f"of {100 + hardest} judged" in said
    assert "the hardest" in seen.page.locator("#look-place").inner_text()
    seen.page.locator(".look-lists div").nth(1).locator("button").first.click()
    assert seen.page.locator("#look-topic").input_value() == str(separating)
    assert "the most separating" in seen.page.locator("#look-place").inner_text()
    assert seen.page.locator(".look-one circle.run").count() == int((~np.isnan(scores.value[0, :, separating])).sum())


def test_a_click_on_the_bars_and_on_the_map_chooses(seen: Watched, report: Report) -> None:
    scores = scores_of(report)
    a, b = ranked(report, "AP")[:2]
    d = scores.value[0, scores.runs.index(a)] - scores.value[0, scores.runs.index(b)]
    seen.page.locator(".look-pair svg").click(position={"x": 2, "y": 80})
    assert seen.page.locator("#look-topic").input_value() == str(int(np.nanargmax(d)))
    box = seen.page.locator(".look-map canvas").bounding_box()
    assert box is not None
    seen.page.locator(".look-map canvas").click(position={"x": 2, "y": box["height"] - 2})
    assert seen.page.locator("#look-run option:checked").inner_text() == ranked(report, "AP")[-1]
    assert seen.page.locator("#look-topic").input_value() == str(int(np.nanmean(scores.value[0], 0).argmin()))


def test_search_and_groups_filter_the_runs(seen: Watched, report: Report) -> None:
    seen.page.fill("#look-search", "RUN1")
    assert rows(seen.page) == [run for run in ranked(report, "AP") if "run1" in run]
    seen.page.keyboard.press("Enter")
    assert seen.page.locator("#look-run option:checked").inner_text() == rows(seen.page)[0]
    seen.page.fill("#look-search", "nobody")
    assert rows(seen.page) == []
    seen.page.fill("#look-search", "")
    seen.page.select_option("#look-only", label="automatic")
    assert rows(seen.page) == [run for run in ranked(report, "AP") if int(run[3:]) % 3 == 0]


def test_the_address_restores_the_view(seen: Watched, report: Report, browser: Browser) -> None:
    a, b = ranked(report, "P@10")[3], ranked(report, "P@10")[9]
    seen.page.select_option("#look-measure", "1")
    seen.page.select_option("#look-run", label=a)
    seen.page.select_option("#look-against", label=b)
    seen.page.select_option("#look-topic", "7")
    seen.page.select_option("#look-only", label="manual")
    again = seen.context.new_page()
    again.goto(seen.page.url)
    chosen = {name: f"#look-{name}" for name in ("measure", "run", "against", "topic", "only")}
    for query in chosen.values():
        assert again.locator(query).input_value() == seen.page.locator(query).input_value()
    assert panel(again) == panel(seen.page)
    again.goto(seen.address + "#look?measure=nothing&run=&topic=%E0%A4%A")  # a link that somebody broke
    again.reload()
    assert rows(again) == ranked(report, "AP")[:12]


def test_the_keyboard_alone_is_enough(seen: Watched, report: Report) -> None:
    page = seen.page
    page.locator("#look-measure").focus()
    page.keyboard.press("ArrowDown")
    assert rows(page)[:12] == ranked(report, "P@10")[:12]
    page.locator(".look-board .name").nth(2).focus()
    page.keyboard.press("Enter")
    third = ranked(report, "P@10")[2]
    assert page.locator("#look-run option:checked").inner_text() == third
    assert page.evaluate("document.activeElement.innerText") == third  # drawn again, and still there
    page.locator(".look-board input").nth(4).focus()
    page.keyboard.press("Space")
    assert page.locator("#look-against option:checked").inner_text() == ranked(report, "P@10")[4]
    before = page.locator("#look-topic").input_value()
    page.locator(".look-pair svg").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator("#look-topic").input_value() != before
    page.locator(".look-map canvas").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#look-run option:checked").inner_text() == ranked(report, "P@10")[3]


def test_few_runs_lead_with_one_against_another(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "few.html"
    path.write_bytes(to_file(made(5), str(path)))
    few = Watched(browser, path)
    pair, board = (few.page.locator(query).bounding_box() for query in (".look-pair", ".look-board"))
    assert pair is not None
    assert board is not None
    assert pair["y"] < board["y"]
    assert few.trouble == []
    few.context.close()


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (2, 1)])
def test_hardly_any_scores_are_no_trouble(browser: Browser, tmp_path: Path, shape: tuple[int, int]) -> None:
    path = tmp_path / "tiny.html"
    scores = scored(np.full((1, *shape), 0.5))
    whole = replace(bound(scores), parts=(Part("score", "Which scores?", "assay score", score(scores)),))
    path.write_bytes(to_file(whole, str(path)))
    tiny = Watched(browser, path)
    assert rows(tiny.page) == list(scores.runs)
    assert tiny.trouble == []
    tiny.context.close()


def test_names_that_mean_harm_do_none_wherever_they_are_shown(browser: Browser, tmp_path: Path) -> None:
    runs = (*HOSTILE, *(f"more{i}" for i in range(N_RUNS - len(HOSTILE))))
    topics = (*HOSTILE[1:], *(f"more{i}" for i in range(N_TOPICS - len(HOSTILE) + 1)))
    path = tmp_path / "names.html"
    groups = {HOSTILE[1]: [*HOSTILE, *["more"] * (N_RUNS - len(HOSTILE))]}
    named = made(runs=runs, topics=topics, conditions=(HOSTILE[1], "b", HOSTILE[0]), kinds_of=groups)
    path.write_bytes(to_file(named, str(path)))
    seen = Watched(browser, path, viewport={"width": 400, "height": 800})
    page = seen.page
    page.select_option("#look-measure", "1")  # by which every run has a score on every topic
    for i, name in enumerate(HOSTILE):
        page.select_option("#look-run", str(i))
        page.select_option("#look-topic", str(i))
        assert page.locator("#look-run option:checked").text_content() == (
            visible(name) if i != 7 else f"{'x' * 199}…"
        )
        page.locator(".look-pair svg").hover()
        page.locator(".look-tip").wait_for()
        page.locator(".look-one circle.a").hover(force=True)
        assert sideways(page) <= 0
        restored = seen.context.new_page()
        restored.goto(page.url)
        assert restored.locator("#look-run").input_value() == str(i)
        assert restored.locator("#look-topic").input_value() == str(i)
        restored.close()
        page.fill("#look-search", visible(name)[:150])
        assert rows(page) == [visible(name) if i != 7 else f"{'x' * 199}…"]
        page.fill("#look-search", "")
    named_groups = page.locator("#look-only option").all_inner_texts()
    assert len(set(named_groups) & {visible(name) for name in HOSTILE}) >= 5
    for group in range(len(named_groups) - 1):
        page.select_option("#look-only", str(group))
        assert rows(page)
        assert sideways(page) <= 0
    assert page.locator("#page-look img, #page-look script, .look-tip *:not(span)").count() == 0
    assert seen.trouble == []
    seen.context.close()


def test_light_dark_narrow_and_paper(browser: Browser, file: Path) -> None:
    dark = Watched(browser, file, color_scheme="dark", viewport={"width": 400, "height": 800})
    assert luminance(dark.page, ".look-fact", "color") > 200
    assert luminance(dark.page, "#look-measure", "background-color") < 60
    assert sideways(dark.page) <= 0
    dark.page.emulate_media(media="print")
    assert dark.page.locator(".look-board tbody tr:visible").count() == 12
    assert dark.page.locator(".look-controls:visible, .look-panels:visible").count() == 0
    assert dark.trouble == []
    dark.context.close()


def test_without_scripts_the_leaderboard_is_a_table(browser: Browser, file: Path, report: Report) -> None:
    still = Watched(browser, file, java_script_enabled=False, viewport={"width": 400, "height": 800})
    assert still.page.locator("#page-look tbody bdi:visible").all_inner_texts() == ranked(report, "AP")[:12]
    assert sideways(still.page) <= 0
    still.context.close()
