"""The pages: every block does what it says, reference pages are current, and the site builds and needs no network.

Blocks run page by page, in order, as a reader would type them, in a folder that holds a small synthetic collection
under the names the pages use; the tutorial has that of the demo. A `sh` block is commands; a `python` block is run,
in one namespace a page, or, where its first line is a comment with a file name, written to that file. A `text` block
right after one of them is what it printed: spaces do not count, and a line `...` stands for what is left out.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import runpy
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from assay.analyses.demo.analysis import demo_collection
from assay.cli import main
from assay.results.analysis import analysis, index
from assay.results.error_rates import error_rates
from assay.results.result import Result
from assay.scoring.scores import Scores
from tests import ROOT
from tests.builders.dense import Collection, collection
from tests.builders.formats import write_formats

DOCS = ROOT / "docs"
README = ROOT / "README.md"
GENERATOR = runpy.run_path(str(DOCS / "generate.py"))
FORMULAS = runpy.run_path(str(DOCS / "formulas.py"))
ALL = [*sorted(DOCS.rglob("*.md")), README]
WRITTEN = [page for page in ALL if page.parent.name != "reference"]

LANGUAGES = {"sh", "python", "text", "yaml"}  # what is yaml is run in tests/test_action.py
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
NOT_RUN = {
    "make test": "runs these very tests",
    "make docs": "builds the site, which a test below does",
    "make demo": "makes the collection, which is there, and the report, which has tests of its own",
    "make bench": "takes minutes, and needs the other tools",
    "make validity": "takes hours, and needs the public collections",
    "make atlas": "takes minutes, and needs the public collections",
    "source .venv/bin/activate": "changes a shell and nothing else",
}
SLOW = {
    *("tutorial.md", "evaluate-measures.md", "weights.md", "properties.md", "disagreement.md", "simulate.md"),
    *("jones2015.md", "kanoulas2009.md", "robertson2007.md", "webber2008.md"),
}
"""Pages whose commands make whole reports, search all rankings, sample or optimise: they run in `make test-full`."""
MAY_FAIL = {
    "audit",  # leaves with code 1 where a claim is unsupported, as on its page
    "reproduce",  # and where numbers are not the paper's: those of a synthetic collection are not
}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    text: str
    start: int  # where it stands in the page
    end: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m[1], m[2], m.start(), m.end()) for m in FENCE.finditer(text)]


def shown_after(page: Path) -> list[tuple[Block, str | None]]:
    """Every block, with the text that follows it at once as what it prints."""
    text = page.read_text(encoding="utf-8")
    found = blocks(page)
    follows = {
        one.start: other.text
        for one, other in pairwise(found)
        if other.language == "text" and not text[one.end : other.start].strip()
    }
    return [(block, follows.get(block.start)) for block in found]


class Reader:
    """Someone who does what a page says, in the working directory."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "page"}

    def do(self, block: Block) -> str:
        """Run a block; return what it printed."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if block.language == "sh":
                for line in block.text.replace("\\\n", " ").splitlines():
                    self.command(line)
            elif block.language == "python":
                self.program(block.text)
        return printed.getvalue()

    def command(self, line: str) -> None:
        words = shlex.split(line, comments=True)
        if not words or shlex.join(words) in NOT_RUN:
            return
        assert words[0] == "assay", f"not a command that can be tried: {line}"
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = main(words[1:])
        assert code in ({0, 1} if words[1] in MAY_FAIL else {0}), f"{line}: {said.getvalue()}"

    def program(self, text: str) -> None:
        if file := re.match(r"# (\w+\.py)\n", text):
            Path(file[1]).write_text(text)
        else:
            exec(compile(text, "page", "exec"), self.names)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def missing(shown: str, printed: str) -> str:
    """The first part of what a page shows that was not printed in this place; nothing if all was."""
    rest = squeezed(printed)
    for part in filter(str.strip, re.split(r"(?m)^\.\.\.$", shown)):
        _, found, rest = rest.partition(squeezed(part))
        if not found:
            return f"{part}\n--- is not in ---\n{printed}"
    return ""


@pytest.fixture(scope="session")
def small() -> Collection:
    return collection(n_runs=12, n_topics=12, n_docs=120)


@pytest.fixture
def folder(
    tmp_path: Path, small: Collection, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Work in a folder with all that pages mention."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    small.write(".")
    if request.node.callspec.params["page"].name == "tutorial.md":
        demo_collection("demo")
    else:
        small.write("demo")
    write_files(small)
    if request.node.callspec.params["page"].name == "formats.md":
        write_formats("runs/run01.gz", "qrels.txt", "scores.csv")
    return tmp_path


def write_files(small: Collection) -> None:
    """Write what else pages read: tables, scores, lists of names."""
    rows = list(table_rows(small))
    Path("table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    plain = pl.DataFrame(rows)
    plain.rename({"query_id": "q", "system": "model", "doc_id": "id", "relevance": "label"}).write_csv("table.csv")
    plain.drop("relevance").with_columns(plain["relevance"] / 2).write_csv("halves.csv")
    runs, names = [f"runs/{name}.gz" for name in small.runs], small.runs
    score = ["score", *runs, "--qrels", "qrels.txt", "-m", "AP", "--per-topic"]
    assert main([*score, "-o", "ap.csv"]) == main([*score, "-o", "scores.csv"]) == 0
    assert main([*score, "--format", "trec_eval", "-o", "trec_eval.out"]) == 0
    long = pl.read_csv("ap.csv")
    long.pivot("run", index="topic", values="value").write_csv("map.tsv", separator="\t")
    long.select("run", "topic", latency=pl.col("value") * 100).write_parquet("latency.parquet")
    write_judgments(small)
    Path("pooled.txt").write_text("\n".join(names[:8]) + "\n")
    groups = "".join(f"{name}\tgroup{i // 2}\tautomatic\t{int(i < 8)}\n" for i, name in enumerate(names))
    Path("runs.tsv").write_text("run\tgroup\ttype\tpooled\n" + groups)


def write_judgments(small: Collection) -> None:
    """Write what a second assessor says, judgments that were added later, and a directory of both kinds."""
    second = np.where(np.arange(small.grade.size).reshape(small.grade.shape) % 7 == 0, 1, small.grade)
    lines = [
        f"{topic} 0 doc{doc:04d} {grade}\n"
        for topic, grades in zip(small.topics, second.tolist(), strict=True)
        for doc, grade in enumerate(grades)
    ]
    Path("second.txt").write_text("".join(lines))
    Path("added.txt").write_text("".join(f"{topic} 0 added1 1\n" for topic in small.topics))
    Path("judgments").mkdir()
    Path("judgments/first.txt").write_text(Path("qrels.txt").read_text())
    Path("judgments/added.tsv").write_text("query-id\tcorpus-id\tscore\n" + f"{small.topics[0]}\tadded1\t1\n")
    Path("judgments/README").write_text("These are the judgments of two assessors.\n")


def table_rows(small: Collection) -> Iterator[dict[str, object]]:
    """Four systems, the first ten documents of each, as an export would have them."""
    for run in range(4):
        for i, topic in enumerate(small.topics):
            order = np.argsort(-small.score[run, i])[:10]
            for rank, doc in enumerate(order.tolist(), start=1):
                where = {"query_id": topic, "system": small.runs[run], "doc_id": f"doc{doc:04d}"}
                yield {**where, "rank": rank, "relevance": int(small.grade[i, doc])}


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow if page.name in SLOW else ()) for page in WRITTEN],
    ids=map(name_of, WRITTEN),
)
@pytest.mark.usefixtures("folder", "declarations")
def test_every_block_of_a_page_does_what_the_page_says(page: Path) -> None:
    reader = Reader()
    for block, shown in shown_after(page):
        printed = reader.do(block)
        assert shown is None or not (wrong := missing(shown, printed)), wrong


@pytest.mark.parametrize("page", ALL, ids=name_of)
def test_every_block_is_fenced_and_says_its_language(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert {block.language for block in blocks(page)} <= LANGUAGES
    outside = FENCE.sub("", text)
    assert "```" not in outside
    assert re.findall(r"(?m)\n\n {4,}\S.*$", re.sub(r"(?m)^[-*\d].*(\n( .*)?)*", "", outside)) == []


def whole_lines(text: str) -> list[str]:
    """The lines of a shell, where a backslash goes on with the next."""
    return text.replace("\\\n", " ").splitlines()


def test_what_is_not_run_is_said_on_some_page() -> None:
    lines = {line for page in WRITTEN for b in blocks(page) if b.language == "sh" for line in whole_lines(b.text)}
    commands = {shlex.join(shlex.split(line, comments=True)) for line in lines}
    assert set(NOT_RUN) <= commands


@pytest.mark.parametrize("file", GENERATOR["PAGES"])
def test_a_generated_page_is_current(file: str) -> None:
    written = (DOCS / "reference" / file).read_text(encoding="utf-8")
    assert written == GENERATOR["PAGES"][file](), "run `make docs`"


def test_the_page_on_error_rates_has_the_tables_of_the_committed_study() -> None:
    rates = GENERATOR["ERROR_RATES"]
    written = rates["PAGE"].read_text(encoding="utf-8")
    assert written == rates["page"](), "run `make docs`"
    single = [name for name, rate in error_rates().items() if rate.kind != "report"]
    assert all(f"| {name} |" in written or f"[{name}]" in written for name in single)


@pytest.mark.usefixtures("declarations")
def test_an_analysis_declared_by_the_decorator_alone_is_in_the_reference() -> None:
    @analysis(name="toy", group="trust")
    def toy(data: Scores, *, size: int = 3) -> Result:
        """Is this a toy?

        Parameters
        ----------
        size
            How large it is.
        """
        return Result("toy", data.frame().head(size))

    _, _, added = GENERATOR["commands_page"]().partition("\n## toy\n\n")
    assert added.startswith("```text\nusage: assay toy ")
    assert "--size SIZE               How large it is (default: 3)" in added.partition("\n## ")[0]


@pytest.mark.parametrize("page", ALL, ids=name_of)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).is_file()] == []


def test_the_table_of_commands_in_the_readme_has_every_command_and_what_it_asks() -> None:
    rows = re.findall(r"(?m)^\| \w* *\| `assay (\w+)` +\| (.*?) +\|$", README.read_text(encoding="utf-8"))
    assert rows == [(name, command.question) for name, command in index().items()]


def test_every_formula_becomes_mathml() -> None:
    text = (DOCS / "reference" / "measures.md").read_text(encoding="utf-8")
    drawn = re.findall(r"<math.*?</math>", FORMULAS["on_page_markdown"](text))
    assert len(drawn) == len(re.findall(r"\$\$.*?\$\$|\$[^$\n]+\$", text, re.DOTALL)) > 40
    for formula in drawn:
        assert "\\" not in "".join(ElementTree.fromstring(formula.replace("&nbsp;", " ")).itertext())


@pytest.mark.parametrize(
    ("tex", "drawn"),
    [
        (r"2^g - 1", "<msup><mn>2</mn><mi>g</mi></msup><mo>−</mo><mn>1</mn>"),
        (r"\frac{1}{R}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>R</mi></mrow></mfrac>"),
        (
            r"\sum_{i<k} DCG@k",
            "<munder><mo>∑</mo><mrow><mi>i</mi><mo>&lt;</mo><mi>k</mi></mrow></munder><mi>DCG@k</mi>",
        ),
        (r"\left(a\right)^2", "<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>2</mn></msup>"),
        (r"cg^*_i", "<msubsup><mi>cg</mi><mi>i</mi><mo>∗</mo></msubsup>"),
    ],
)
def test_a_formula_is_translated_sign_by_sign(tex: str, drawn: str) -> None:
    assert FORMULAS["mathml"](tex) == drawn


def test_tex_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"does not know: \\sqrt"):
        FORMULAS["mathml"](r"\sqrt{2}")
    assert FORMULAS["on_page_markdown"]("`$HOME` and ```\n$$x$$\n```") == "`$HOME` and ```\n$$x$$\n```"


def test_the_site_builds_without_a_warning_and_needs_no_network(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the site's generator, not ours
        from mkdocs.commands.build import build
        from mkdocs.config import load_config

        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site")))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    built = {str(file.relative_to(tmp_path / "site")): file for file in (tmp_path / "site").rglob("*.html")}
    assert {str(page.relative_to(DOCS).with_suffix(".html")) for page in DOCS.rglob("*.md")} <= set(built)
    fetched = re.compile(
        r"<(?:script|img|iframe)[^>]*src=\"(?:https?:)?//|<link[^>]*href=\"(?:https?:)?//|url\(['\"]?http"
    )
    sheets = (tmp_path / "site").rglob("*.css")
    assert [f.name for f in [*built.values(), *sheets] if fetched.search(f.read_text(encoding="utf-8"))] == []
