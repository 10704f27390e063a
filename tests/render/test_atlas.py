"""The atlas as a page: tables as printed, figures with what the paper says of them, claims, errors, commands."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from assay.render.page.atlas import command_of
from assay.render.page.document import page
from assay.results.atlas import Atlas, Chapter
from assay.results.charts import Chart, field, scatter
from assay.results.papers import ERROR, Claim, Number, Outcome, Paper, Sources, without_data


def number(
    row: str, column: str, published: float | None, tolerance: float | None = 0.005, command: str = ""
) -> Number:
    of = without_data(lambda: 0.5)
    return Number("table 1", f"{row}, {column}", published, tolerance, of, at=(row, column), command=command)


CHART = Chart(
    "figure_1", "A line (figure 1)", pl.DataFrame({"x": [1.0, 2.0], "y": [2.0, 3.0]}), scatter(field("x"), field("y"))
)
PAPER = Paper(
    key="toy2026",
    about="toy2026: is <one> two?",
    cells=(),
    said_of_figures={"figure_1": "the line rises & rises"},
    everywhere=(Claim("AP wins", lambda _: {}),),
)
DECIDED = (
    (number("AP", "T<8>", 0.725, command="assay power RUNS -m 'AP'"), Outcome(0.7251, ok=True)),
    (number("AP", "T5", 0.638), Outcome(0.58, ok=False, note="other runs")),
    (number("P@10", "T5", 0.6), Outcome(needs="TREC-5: --data T5=FILE")),
    (Number("section 2", "runs", 129, 0, without_data(lambda: 129)), Outcome(129, ok=True)),
    (Number("section 2", "unseen", None, None, without_data(lambda: 0.25)), Outcome(0.25, 0.1, 0.4)),
    (
        Claim("AP wins", lambda _: {}, everywhere=("AP wins",)),
        Outcome(0.2, 0.1, 0.3, ok=True, verdict="holds", note="3 of 3"),
    ),
    (Claim("P@10 wins", lambda _: {}), Outcome(-0.2, -0.3, -0.1, ok=False, verdict="fails")),
    (Claim("nothing wins", lambda _: {}), Outcome(verdict="not applicable", note="undefined")),
    (Claim("RBP wins", lambda _: {}), Outcome(needs="TREC-5: --data T5=FILE")),
    (Number(ERROR, "table 3", 30, 0, without_data(lambda: 29)), Outcome(29, ok=False, note="an optimum below it")),
)
EVERYWHERE = pl.DataFrame(
    {
        "paper": ["toy2026"] * 2,
        "claim": ["AP wins"] * 2,
        "collection": ["A & B", "C"],
        "n_runs": [20, 30],
        "n_topics": [50, 60],
        "effect": [0.1, None],
        "low": [0.05, None],
        "high": [0.15, None],
        "verdict": ["holds", "not applicable"],
        "note": ["", "needs AP"],
    }
)
CLAIMS = pl.DataFrame(
    {"paper": ["toy2026"], "claim": ["AP wins"], "sentence": ["AP wins: holds on 1 of 1 collection"]}
)


@pytest.fixture(scope="module")
def shown() -> str:
    chapter = Chapter(PAPER, DECIDED, (CHART,))
    tables = {"everywhere": EVERYWHERE, "claims": CLAIMS}
    return page(Atlas("reproduce", pl.DataFrame(), tables, chapters=(chapter,)))


def cells(shown: str, label: str) -> list[list[str]]:
    """The rows of a table, as text."""
    (table,) = re.findall(rf'<table aria-label="{re.escape(label)}">(.*?)</table>', shown, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [[re.sub(r"<[^>]+>", "", one) for one in re.findall(r"<t[dh][^>]*>.*?</t[dh]>", row)] for row in rows]


def test_a_printed_table_is_set_as_printed_with_what_was_published_beside(shown: str) -> None:
    assert cells(shown, "toy2026, table 1") == [
        ["", "T&lt;8&gt;", "T5"],
        ["AP", "0.73 0.72", "0.58 0.64"],
        ["P@10", "", "\u2013 0.60"],
    ]
    assert "1 of 2 match, 1 needs data that is not here" in shown


def on_page(*decided: tuple[Number | Claim, Outcome]) -> str:
    return page(Atlas("reproduce", pl.DataFrame(), {}, chapters=(Chapter(PAPER, decided),)))


def test_a_number_without_tolerance_is_shown_beside_the_published_one_and_not_counted() -> None:
    text = on_page((number("AP", "rough", 0.6, None), Outcome(0.5727)))
    assert cells(text, "toy2026, table 1")[1] == ["AP", "0.57 0.60"]
    assert " of 1 match" not in text


@pytest.mark.parametrize(
    ("published", "tolerance", "obtained", "shown"),
    [
        (0.486, 1e-6, 0.486, "0.486 0.486"),
        (0.8, 0.005, 0.796, "0.80 0.80"),
        (0.896, 5e-5, 0.896, "0.8960 0.8960"),
        (None, None, 216.6735, "216.7"),
        (None, None, 129.0, "129"),
        (None, None, -0.00001, "0.0000"),
        (45, 0.5, 44.0, "44 45"),
    ],
)
def test_numbers_have_as_many_decimals_as_the_paper_prints(
    published: float | None, tolerance: float | None, obtained: float, shown: str
) -> None:
    cell = Number("section 2", "x", published, tolerance, without_data(lambda: 0.5))
    assert cells(on_page((cell, Outcome(obtained))), "toy2026, section 2")[1][1] == shown


def test_what_is_not_printed_in_a_printed_table_has_the_decimals_of_the_others() -> None:
    decided = ((number("TREC 9", "log", 45, 0.5), Outcome(44)), (number("here", "log", None, None), Outcome(14.53)))
    assert cells(on_page(*decided), "toy2026, table 1")[2] == ["here", "15"]


def test_the_overview_counts_numbers_claims_and_errors(shown: str) -> None:
    head, row = cells(shown, "What comes out")  # no column for inconclusive: no claim is
    assert len(set(head)) == len(head)
    counts = dict(zip(head, row, strict=True))
    numbers = {"match": "2", "off": "1", "open": "1", "no data": "1"}
    claims = {"holds": "1", "fails": "1", "not applicable": "1", "needs data": "1"}
    assert counts == {"paper": "toy2026", "numbers": "5", **numbers, "claims": "4", **claims, "errors": "1"}
    assert "1 paper, 5 numbers, 4 claims, 1 error, 2 collections" in shown


def test_a_number_copies_its_command(shown: str) -> None:
    assert 'data-command="assay power RUNS -m &#x27;AP&#x27;"' in shown
    assert command_of(DECIDED[1][0], PAPER) == 'assay reproduce toy2026 --item "table 1"'


def test_a_command_without_data_would_show_nothing_where_data_is_needed() -> None:
    def compute(sources: Sources) -> float:
        return float(len(sources.of().runs))

    paper = Paper(key="toy2026", cells=(), main="T", collections={"T": "a track"})
    cell = Number("table 1", "runs", 3, 0, compute)
    assert command_of(cell, paper) == 'assay reproduce toy2026 --runs RUNS --qrels QRELS --item "table 1"'
    assert command_of(DECIDED[1][0], paper) == 'assay reproduce toy2026 --item "table 1"'


def test_a_number_that_lacks_data_copies_its_command_too(shown: str) -> None:
    title = "assay reproduce toy2026 --item &quot;table 1&quot;; TREC-5: --data T5=FILE"
    assert f'title="{title}">\u2013</button>' in shown


def test_every_paper_begins_with_links_to_its_parts(shown: str) -> None:
    links = dict(re.findall(r'<a href="#(toy2026-[^"]+)">([^<]+)</a>', shown))
    assert list(links.values()) == [
        "Table 1",
        "Section 2",
        "Figures, drawn again",
        "Claims",
        "On every collection",
        "Errors in the paper",
    ]
    assert all(f'<h3 id="{target}">' in shown for target in links)


def test_figures_say_what_the_paper_says_of_them(shown: str) -> None:
    assert "A line (figure 1)" in shown
    assert "The paper: the line rises &amp; rises" in shown


def test_claims_have_their_verdicts_here_and_everywhere(shown: str) -> None:
    (head, first, second, *_) = cells(shown, "Claims of toy2026")
    assert head == ["claim", "verdict", "effect", "interval", "everywhere", "note"]
    assert first == ["AP wins", "holds", "0.200", "0.100 to 0.300", "holds on 1 of 1 collection", "3 of 3"]
    assert second[4] == ""
    assert second[1] == "fails"
    assert "<li>AP wins: holds on 1 of 1 collection</li>" in shown
    assert [row[1] for row in cells(shown, "toy2026, everywhere")] == ["collection", "A &amp; B"]
    assert "1 claim on 2 collections" in shown
    assert "1 verdict; 1 more are not applicable" in shown
    assert "Claims <small>1 holds, 1 fails, 1 not applicable, 1 needs data</small>" in shown


def test_errors_of_the_paper_are_listed(shown: str) -> None:
    (text,) = re.findall(r"<dt>table 3</dt><dd>(.*?)</dd>", shown)
    assert re.sub(r"<[^>]+>", "", text) == "published 30, obtained 29; an optimum below it"


def test_an_undefined_number_is_a_dash() -> None:
    decided = ((number("AP", "T8", 0.7), Outcome(float(np.nan), ok=False, note="undefined")),)
    text = page(Atlas("reproduce", pl.DataFrame(), {}, chapters=(Chapter(PAPER, decided),)))
    assert cells(text, "toy2026, table 1")[1] == ["AP", "\u2013 0.70"]
