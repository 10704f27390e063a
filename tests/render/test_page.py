"""The page: its structure, what it holds, and names that mean harm."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from assay.analyses.agreement.analysis import agreement
from assay.analyses.power.analysis import power
from assay.analyses.score.analysis import score
from assay.core.glossary import GLOSSARY
from assay.core.notes import Note
from assay.core.text import visible
from assay.data.provenance import Basis
from assay.render.docstrings import Documentation, documentation
from assay.render.formats import to_file, to_files, to_json
from assay.render.html import MOST, OPEN
from assay.render.page.document import page
from assay.render.page.glossary import glossed
from assay.render.pictures import figures
from assay.render.text import plain, show
from assay.results.charts import Chart, category, field, intervals
from assay.results.result import Part, Report, Result
from assay.results.sentences import STANDING, Sentence, load_sentences
from assay.scoring.loaders import as_scores, collection
from tests.builders.dense import collection as made_up

EVIL = ["<script>alert(1)</script>", "../../x", "two\nlines", "\x1b[31mred", "\u202eright to left", "a&b\"c'd"]
VOID = {"meta", "br", "link", "img", "input"}


class Outline(HTMLParser):
    """What a page is made of, as far as tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.data: dict[str, list[str]] = {}
        self.unbalanced: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.data.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.data[tag][-1] += data

    def all(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name)) is not None]

    def names(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for found, attrs in self.tags if found == tag]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return hand_made(tmp_path_factory.mktemp("collection"))


def hand_made(folder: Path) -> Report:
    """A report on a small collection, bound by hand; a run's name means harm."""
    runs, qrels = made_up(n_runs=12, n_topics=20, n_docs=60).write(folder)
    data = collection([str(runs)], qrels=str(qrels))
    scores = as_scores(data, measure=["AP", "nDCG@10", "P@10"])
    results = {"score": score(scores), "power": power(scores), "agreement": agreement(scores)}
    wicked = Result(
        "names",
        pl.DataFrame({"run": EVIL, "mean": [0.1 * i for i in range(len(EVIL))], "low": 0.0, "high": 1.0}),
        tables={"long": pl.DataFrame({"topic": [f"Ωμέγα{i}" for i in range(MOST + 50)], "n": range(MOST + 50)})},
        notes=(Note("made", "warning", EVIL[0]), Note("made", "info", EVIL[3])),
        basis=Basis(judgments=EVIL[0]),
        settings={"level": 0.95},
    )
    dots = intervals(field("mean"), category("run", EVIL), low="low", high="high")
    wicked = replace(wicked, charts=(Chart("../../x", EVIL[0], wicked.table, dots),))
    parts = tuple(
        Part(name, f"What of {name}?", f"assay {name} runs --qrels qrels.txt", r) for name, r in results.items()
    )
    parts += (
        Part("names", EVIL[0], f"assay names '{EVIL[0]}'", wicked, shown=("long",)),
        Part("depth", "How deep?", why_not="needs at least 10 runs"),
    )
    rows: list[dict[str, object]] = [
        {
            "sentence": "Report AP: its power is highest.",
            "action": "Report AP",
            "why": "its power is highest",
            "status": "decided",
            "value": 0.8,
            "low": 0.75,
            "high": 0.85,
            "shown": "80% of pairs",
            "between": "75 to 85%",
            "section": "power",
            "rule": "best_measures",
        },
        {"sentence": "To depth 500.", "action": "To depth 500", "shown": "depth 500", "section": "score"},
        {
            "sentence": EVIL[0],
            "action": EVIL[0],
            "why": EVIL[2],
            "shown": EVIL[5],
            "section": "names",
            "rule": EVIL[0],
        },
        {
            "sentence": f"whether {EVIL[0]} is redundant",
            "action": f"whether {EVIL[0]} is redundant",
            "status": "inconclusive",
            "settled_by": "about 200 topics",
        },
        {"sentence": "lists have ties", "action": "lists have ties", "status": "beware", "severity": "caution"},
        {"sentence": EVIL[4], "action": EVIL[4], "status": "beware", "severity": "warning"},
    ]
    load_sentences("power")
    rules = {
        "rule": ["best_measures"],
        "says": ["Which separate best."],
        "thresholds": ["alpha 0.05"],
        "cite": ["webber2010"],
    }
    inputs = {"file": [EVIL[0]], "bytes": [12], "sha256": ["0" * 64]}
    tables = {f"{p.name}.{n}": t for p in parts if p.result for n, t in p.result.tables.items()}
    return Report(
        "report",
        pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col("status").fill_null("decided")),
        tables={**tables, "rules": pl.DataFrame(rules), "inputs": pl.DataFrame(inputs)},
        basis=Basis(runs=12, topics=20),
        settings={"version": "0.1.0", "command": "assay report runs -o report.html", "rng": 0},
        notes=(Note("made", "caution", "beware"), Note("made", "info", "good to know")),
        parts=parts,
    )


def n_charts(report: Report) -> int:
    return sum(len(part.result.charts) for part in report.parts if part.result)


CUT = 1  # charts of the report whose card shows the first rows, and which stand whole in the fold


@pytest.fixture(scope="module")
def text(report: Report) -> str:
    return page(report)


@pytest.fixture(scope="module")
def outline(text: str) -> Outline:
    return Outline(text)


def test_every_tag_is_closed_where_it_was_opened(outline: Outline) -> None:
    assert outline.unbalanced == []
    assert outline.open == []


def test_headings_go_down_one_step_at_a_time(outline: Outline, report: Report) -> None:
    single = [Outline(page(part.result)) for part in report.parts[1:3] if part.result]
    for made in (outline, *single):
        levels = [int(tag[1]) for tag, _ in made.tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert max(levels) == 3


def test_ids_are_unique_and_every_link_has_its_target(outline: Outline) -> None:
    ids = outline.all("id")
    assert len(ids) == len(set(ids))
    links = outline.all("href")
    assert links
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    assert all(name in ids for name in outline.all("aria-labelledby"))


def test_nothing_is_fetched_and_the_policy_forbids_it(outline: Outline, text: str) -> None:
    assert outline.all("src") == []
    assert outline.names("link") == []
    policy = next(a["content"] or "" for a in outline.names("meta") if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def decide_layer(text: str) -> str:
    return text.partition('id="page-decide"')[2].partition("</section>")[0]


def unmarked(text: str) -> str:
    """A page as if no word were explained."""
    return re.sub("</?abbr[^>]*>", "", text)


def test_what_is_decided_comes_first_with_number_interval_and_links(text: str) -> None:
    first = decide_layer(text)
    figures = re.findall(r'<p class="figure">(.*?)</p>', first)
    assert figures[0] == (
        '80% of pairs, 75 to 85% · <a href="#power">why</a> · <a href="#page-rule-best_measures">rule</a>'
    )
    assert figures[1] == 'depth 500 · <a href="#score">why</a>'
    assert figures[2].startswith("a&amp;b&quot;c&#x27;d · ")
    assert "<b>Report AP.</b> Its power is highest." in unmarked(first)
    assert STANDING in first
    assert text.index('id="page-decide"') < text.index('id="page-evidence"') < text.index('id="power"')


def test_what_is_inconclusive_is_one_line_with_what_would_settle_it(text: str) -> None:
    line = unmarked(decide_layer(text)).partition('<p class="box"><b>Incon')[2].partition("</p>")[0]
    assert line.startswith("clusive on these topics:</b> whether &lt;script&gt;")
    assert line.endswith("(about 200 topics would settle it).")


def test_warnings_are_loud_cautions_less_so_and_what_is_good_to_know_is_folded(text: str) -> None:
    first = unmarked(decide_layer(text))
    warning, caution = (
        first.partition(f'<div class="box {severity}">')[2].partition("</div>")[0]
        for severity in ("warning", "caution")
    )
    assert r"\u202eright to left" in warning
    assert "Lists have ties." in caution
    assert "Beware." in caution  # a note of the report
    folded = first.partition('<details class="quiet">')[2]
    assert "1 note on the data" in folded
    assert "Good to know." in folded


def test_of_many_caveats_the_first_stand_open() -> None:
    notes = tuple(Note(f"made{i}", "warning", f"warning number {i}") for i in range(9))
    box = decide_layer(page(Report("report", pl.DataFrame(), notes=notes))).partition('<div class="box warning">')[2]
    seen, _, folded = box.partition("<details")
    assert seen.count("Warning number") == 6
    assert "3 more" in folded
    assert folded.count("Warning number") == 3


def card_of(text: str, name: str) -> tuple[str, str]:
    """A card: what stands open, and what is folded."""
    inner = text.partition(f'id="{name}" aria-labelledby')[2].partition("</section>")[0]
    seen, _, folded = inner.partition('<details class="all">')
    return seen, folded


def test_a_card_has_its_question_one_chart_and_a_small_table_and_folds_all_else(text: str, report: Report) -> None:
    seen, folded = card_of(text, "power")
    result = report.parts[1].result
    assert result is not None
    assert "What of power?" in seen
    assert (seen.count("<figure"), seen.count("<svg"), seen.count("<table")) == (1, 1, 1)
    assert seen.index("<figure") < seen.index("<table")
    assert "<svg" not in folded  # what is folded is drawn when it opens
    assert folded.count("<figure") == len(result.charts) - 1
    for piece in ("assay power runs --qrels qrels.txt", "How it was computed", "<dt>test</dt>"):
        assert piece in folded
    assert "<summary><h3>pairs</h3> <small>198 rows</small></summary>" in folded


def test_a_card_shows_the_chart_that_the_analysis_declares(report: Report) -> None:
    part = replace(report.parts[1], chart="asl")
    seen, folded = card_of(page(replace(report, parts=(part,))), "power")
    assert 'data-name="power-asl"' in seen
    assert 'data-name="power-power"' in folded


def test_a_table_on_a_card_has_few_rows_and_stands_whole_only_where_it_is_short(text: str, report: Report) -> None:
    seen, folded = card_of(text, "names")
    assert f"4 of {MOST + 50} rows" in seen
    assert seen.count("<tr>") == 1 + 4
    assert 'aria-label="names, long"' in folded
    wide, rest = card_of(text, "agreement")  # as few rows as stand there, but more columns
    assert 'aria-label="agreement, first rows"' in wide
    assert re.search(r'<p class="cut">\d of 8 columns</p>', wide)
    assert 'aria-label="agreement"' in rest
    short = Part(
        "short", "What?", "assay short", Result("short", pl.DataFrame({"run": ["a", "b"], "mean": [0.5, 0.4]}))
    )
    seen, folded = card_of(page(replace(report, parts=(short,))), "short")
    assert 'aria-label="short"' in seen
    assert 'aria-label="short"' not in folded


def test_of_many_sentences_a_card_shows_two_and_folds_the_others(report: Report) -> None:
    part = report.parts[1]
    assert part.result is not None
    said = tuple(Sentence(f"Say {i}", name=f"rule{i}") for i in "xyz")
    made = replace(part, result=replace(part.result, sentences=said))
    seen, folded = card_of(page(replace(report, parts=(made,))), "power")
    assert re.findall("Say [xyz]", seen) == ["Say x", "Say y"]
    assert re.findall("Say [xyz]", folded) == ["Say z"]


def test_a_brief_card_holds_its_sentences_alone_and_folds_its_chart(report: Report) -> None:
    seen, folded = card_of(page(replace(report, parts=(replace(report.parts[1], brief=True),))), "power")
    assert "<figure" not in seen
    assert "<table" not in seen
    assert folded.count("<figure") == 2


def test_what_every_card_would_repeat_is_said_above_alone(report: Report) -> None:
    note = Note("scores", "warning", "ranks contradict scores")
    noted = tuple(replace(p, result=replace(p.result, notes=(note,))) for p in report.parts[:2] if p.result)
    made = page(replace(report, parts=noted, notes=(note,)))
    assert "Ranks contradict scores." in unmarked(decide_layer(made))
    for name in ("score", "power"):
        seen, folded = card_of(made, name)
        assert "ranks contradict" not in seen
        assert "ranks contradict" in folded


def test_words_are_explained_at_their_first_use_and_listed_at_the_end(text: str) -> None:
    assert f'<abbr tabindex="0" title="{GLOSSARY["power"]}">power</abbr>' in decide_layer(text)
    assert glossed("power, power").count("<abbr") == 1
    assert glossed(f"{EVIL[0]} power").startswith("&lt;script&gt;")
    listed = text.partition('id="page-glossary"')[2].partition("</details>")[0]
    assert f"<dt>power</dt><dd>{GLOSSARY['power']}</dd>" in listed
    assert "<dt>tau</dt>" not in page(replace_parts(Result("made", pl.DataFrame({"a": [1]})))).partition("<main>")[2]


def replace_parts(result: Result) -> Report:
    return Report("report", pl.DataFrame(), parts=(Part(result.analysis, "What?", result=result),))


def test_a_collection_with_a_name_gives_it_to_its_page() -> None:
    named = Report("report", pl.DataFrame(), basis=Basis(judgments="irds:cranfield"))
    assert "<h1>cranfield</h1>" in page(named)
    assert "<h1>Retrieval evaluation</h1>" in page(replace(named, basis=Basis(judgments="qrels.txt")))


def test_contents_lead_to_every_layer_and_every_card(outline: Outline) -> None:
    links = outline.all("href")
    for target in ("page-decide", "page-evidence", "page-data", "page-glossary", "score", "power", "names"):
        assert f"#{target}" in links


def test_what_was_left_out_is_one_line(text: str) -> None:
    assert '<dt id="depth">depth</dt><dd>How deep? <em>needs at least 10 runs</em></dd>' in text


def test_the_rules_and_where_it_came_from_stand_at_the_end(text: str) -> None:
    end = text.partition('id="page-rules"')[2]
    assert '<dt id="page-rule-best_measures">best measures</dt>' in end
    for piece in ("Which separate best.", "Webber, Moffat, Zobel.", "assay report runs -o report.html", "0" * 64):
        assert piece in end


def test_images_have_words(outline: Outline, report: Report) -> None:
    figures = outline.names("figure")
    labels = [a["aria-label"] for a in outline.names("div") if a.get("role") == "img"]
    assert len(labels) == len(figures) == n_charts(report) + CUT
    assert all(label and len(label) > 20 for label in labels)
    assert any("against" in (label or "") for label in labels)


def test_a_long_table_is_cut_and_says_so(text: str) -> None:
    long = text.partition('aria-label="names, long"')[2].partition("</div>")[0]
    assert long.count("<tr>") == MOST + 1
    assert f"<caption>{OPEN} of {MOST + 50} rows</caption>" in long
    assert f'<p class="cut"><span>{MOST} of {MOST + 50} rows; </span>all of them by the command below' in text


def test_a_long_list_of_files_is_cut_and_says_so() -> None:
    many = pl.DataFrame({"file": [f"run{i}" for i in range(MOST + 1)], "bytes": 1, "sha256": "0"})
    made = page(Report("report", pl.DataFrame(schema={"sentence": pl.String}), tables={"inputs": many}))
    assert f"{MOST} of {MOST + 1} rows; </span>all of them in the JSON file beside this page" in made
    assert f'aria-label="Files read" data-of="{MOST + 1}"' in made


def test_numbers_keep_all_their_digits_beside_what_is_shown() -> None:
    result = Result("made", pl.DataFrame({"x": [1 / 3, float("nan"), float("inf")], "k": [1, 2, 3], "b": True}))
    assert f'<td class="n" data-v="{1 / 3!r}">0.333</td><td class="n">1</td><td data-v="true">yes</td>' in page(
        result
    )
    assert '<td class="n">inf</td><td class="n">3</td>' in page(result)


def test_names_that_mean_harm_are_text_everywhere(text: str, outline: Outline, report: Report) -> None:
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert r"two\nlines" in text
    assert "Ωμέγα7" in text
    assert (
        len(outline.names("script")) == 4 + n_charts(report) + CUT
    )  # early, Vega, page, LaTeX's rules; one spec a chart


def test_specs_are_json_that_cannot_end_their_element(text: str, report: Report) -> None:
    specs = re.findall(r'<script type="application/json">(.*?)</script>', text)
    assert len(specs) == n_charts(report) + CUT
    assert not any("<" in spec for spec in specs)
    names = [row["run"] for row in json.loads(specs[-1])["data"]["values"]]
    assert names == [
        "<script>alert(1)</script>",
        "../../x",
        r"two\nlines",
        r"\x1b[31mred",
        r"\u202eright to left",
        EVIL[5],
    ]


def test_a_page_of_one_result_has_its_question_as_heading() -> None:
    made = page(
        Result("power", pl.DataFrame({"a": [1]}), basis=Basis(runs=3), notes=(Note("made", "caution", "beware"),))
    )
    assert "<h1>Which measures separate these runs, and which only look as if they do?</h1>" in made
    assert "beware" in made
    assert len(made) < 100_000  # nothing is drawn, so nothing that draws is carried


def test_a_page_of_one_table_or_one_chart_holds_only_that(report: Report, tmp_path: Path) -> None:
    result = report.parts[1].result
    assert result is not None
    path = str(tmp_path / "x.html")
    table = Outline(to_file(result, path, table="differences").decode())
    assert len(table.names("table")) == 1
    assert table.names("figure") == []
    chart = Outline(to_file(result, path, table="asl").decode())  # a table and a chart: the table, as in all media
    assert len(chart.names("table")) == 1
    drawn = Outline(to_file(report, path, table="power.power").decode())
    assert len(drawn.names("figure")) == 1


def test_a_report_becomes_a_page_and_its_tables_beside_it(report: Report, tmp_path: Path) -> None:
    (first, html), (second, data) = to_files(report, str(tmp_path / "report.html"))
    assert Path(first).name == "report.html"
    assert Path(second).name == "report.json"
    assert html.startswith(b"<!DOCTYPE html>")
    assert json.loads(data) == json.loads(json.dumps(report.to_dict(), default=str))
    assert [name for name, _ in to_files(report, str(tmp_path / "r.json"))] == [str(tmp_path / "r.json")]


def test_the_json_of_a_report_names_its_sections_and_repeats_no_table(report: Report) -> None:
    data = json.loads(to_json(report))
    assert list(data) == ["analysis", "settings", "basis", "table", "tables", "sentences", "notes", "sections"]
    assert [one["name"] for one in data["sections"]] == ["score", "power", "agreement", "names", "depth"]
    assert data["sections"][1]["settings"]["test"] == "t"
    assert data["sections"][4]["why_not"] == "needs at least 10 runs"
    assert data["tables"]["names.long"][1] == {"topic": "Ωμέγα1", "n": 1}


def test_a_report_in_a_terminal_is_its_verdict(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    said = plain(report)
    assert "1. Report AP: its power is highest (80% of pairs, 75 to 85%). [power]" in said
    assert f"3. {EVIL[0]} (a&b\"c'd). [names]" in said
    assert STANDING in " ".join(said.split())
    assert "depth: left out; needs at least 10 runs" in said
    assert said.endswith("caution: beware\nnote: good to know")
    assert "sentence" not in said
    show(report)
    assert "1. Report AP: its power is highest (80% of pairs, 75 to 85%). [power]" in capsys.readouterr().out


def test_a_terminal_is_not_steered_by_names(
    report: Report, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wicked = report.parts[3].result
    assert wicked is not None
    show(wicked)
    for shown in (plain(wicked), capsys.readouterr().out):
        for piece in (r"two\nlines", r"\x1b[31mred", r"\u202eright to left", "../../x"):
            assert piece in shown
        assert "\x1b[31m" not in shown
        assert "\u202e" not in shown


def test_json_and_parquet_keep_names_as_they_are_and_csv_spells_out_what_cannot_be_seen(
    report: Report, tmp_path: Path
) -> None:
    wicked = report.parts[3].result
    assert wicked is not None
    back = pl.read_csv(to_file(wicked, str(tmp_path / "x.csv")))
    assert back["run"].to_list() == [visible(name) for name in EVIL]
    assert pl.read_parquet(to_file(wicked, str(tmp_path / "x.parquet")))["run"].to_list() == EVIL
    assert [row["run"] for row in json.loads(to_json(wicked))["table"]] == EVIL


def test_figures_have_names_that_stay_in_their_folder(report: Report, tmp_path: Path) -> None:
    few = Report("report", report.table, parts=report.parts[3:4] * 2)
    two = Report("report", report.table, parts=(few.parts[0], Part("names.", "", result=few.parts[0].result)))
    written = figures(two, tmp_path / "out")
    assert sorted(path.name for path in written) == sorted(
        f"{name}{end}" for name in ("names-x", "names-x-2") for end in (".svg", ".png", ".pdf")
    )
    assert sorted((tmp_path / "out").iterdir()) == sorted(written)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_the_same_result_gives_the_same_page(report: Report, text: str) -> None:
    assert page(report) == text


def test_a_section_speaks_in_the_words_of_its_analysis(text: str) -> None:
    assert power.question == documentation("power").question
    assert documentation("power").prose[0].startswith("Discriminative power is the share of pairs of runs")
    assert "measure, power, low, high" in dict(documentation("power").columns)
    assert documentation("power").tables["asl"].startswith("measure, pair, p: ")
    assert documentation("nobody") == Documentation()
    section = text.partition('id="power"')[2].partition("</section>")[0]
    assert '<p class="lead">Discriminative power is the share' in section
    assert "<dt>measure, power, low, high</dt>" in section


def test_a_note_that_was_said_as_a_sentence_is_not_repeated() -> None:
    notes = (Note("shallow", "warning", "the pool is shallow"), Note("few", "caution", "runs are few"))
    said = Sentence("Judge deeper: the pool is shallow.", name="shallow")
    noted = Result("power", pl.DataFrame({"measure": ["AP"]}), notes=notes, sentences=(said,))
    part = Part("power", "Which?", "assay power", noted)
    found = unmarked(page(Report("report", pl.DataFrame(), parts=(part,))))
    assert found.count("pool is shallow") == 1
    assert '<li class="caution">runs are few</li>' in found


def test_the_severity_of_a_note_is_seen_and_only_cautions_and_warnings_are_marked() -> None:
    notes = tuple(Note("made", severity, f"a {severity}") for severity in ("info", "caution", "warning"))
    found = page(Result("power", pl.DataFrame({"measure": ["AP"]}), notes=notes))
    for severity in ("info", "caution", "warning"):
        assert f'<li class="{severity}">a {severity}</li>' in found
    marked = re.findall(r"^\.notes li\.(\w+)", found, re.MULTILINE)
    assert set(marked) == {"caution", "warning"}


def test_nothing_at_all_still_makes_a_page() -> None:
    empty = pl.DataFrame(schema={"run": pl.String, "mean": pl.Float64, "low": pl.Float64, "high": pl.Float64})
    dots = intervals(field("mean"), category("run", []), low="low", high="high")
    found = Outline(page(Result("made", empty, charts=(Chart("none", "", empty, dots),))))
    assert found.unbalanced == []
    assert len(found.names("figure")) == len(found.names("table")) == 1
    bare = Outline(page(Report("report", pl.DataFrame(schema={"sentence": pl.String, "section": pl.String}))))
    assert bare.unbalanced == []
    assert bare.names("figure") == []
