"""Markdown that is pasted elsewhere: names that mean harm stay names, in a report and in a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from assay.analyses.compare.analysis import compare
from assay.core.notes import Note
from assay.core.text import visible
from assay.render.formats import FORMATS
from assay.results.sentences import Sentence
from tests.builders.arrays import measure_scores
from tests.render.test_look import HOSTILE, bound, scored

MARKUP = (
    "a|b",
    "||",
    "`code` and ```",
    "[text](javascript:alert(1))",
    "![image](http://evil.example/x.png)",
    "<http://evil.example>",
    "# heading",
    "- item",
    "+ item",
    "> quoted",
    "~~gone~~",
    "**bold** __bold__ _it_ *it*",
    "back\\|slash\\",
    "&lt;script&gt;",
    "<!-- comment",
    "<details open ontoggle=alert(1)>",
    "==\n==",
    "[^1]: note",
)
NAMES = (*(name for name in HOSTILE if len(name) < 100), *MARKUP)
OURS = {"heading_open", "strong_open", "table_open", "ordered_list_open", "bullet_list_open", "fence", "html_block"}


def parsed(text: str) -> list[Token]:
    """What GitHub would make of a text: CommonMark with HTML, tables and strikethrough."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)


def inner(tokens: list[Token]) -> Iterator[Token]:
    """All tokens, those within a line among them."""
    for token in tokens:
        yield token
        yield from inner(token.children or [])


def words(token: Token) -> str:
    """What a reader sees of a line."""
    return "".join(one.content for one in token.children or [] if one.type in ("text", "text_special"))


def table_of(tokens: list[Token]) -> list[list[str]]:
    """The cells of the first table, row by row."""
    rows: list[list[str]] = []
    for before, token in pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "table_close":
            break
        if before.type in ("th_open", "td_open"):
            rows[-1].append(words(token))
    return rows


def kinds(text: str) -> set[str]:
    """What is more than words in a text, by kind."""
    plain = ("inline", "text", "text_special", "softbreak")
    ends = ("_close", "paragraph_open", "list_item_open", "thead_open", "tbody_open", "tr_open", "th_open", "td_open")
    return {token.type for token in inner(parsed(text)) if token.type not in plain and not token.type.endswith(ends)}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_words_in_every_place_of_a_report_to_paste(name: str) -> None:
    made = bound(scored(measure_scores(1, 3, 5), runs=(name, "b", "c"), conditions=(name,)))
    row = {"sentence": f"{name} is the best run.", "section": "power", "shown": name, "between": name, "rule": "x"}
    rows = [row | {"status": status, "severity": "caution", "settled_by": name} for status in ("decided", "beware")]
    open_ = row | {"status": "inconclusive", "severity": "", "settled_by": name}
    made = replace(made, table=pl.DataFrame([*rows, open_]), notes=(Note("made", "warning", name),))
    made = replace(made, settings={"command": f"assay report '{visible(name)}'"}, text=name)
    text = FORMATS["markdown"](made)
    assert kinds(text) <= OURS - {"html_block", "bullet_list_open"}
    tokens = parsed(text)
    assert [words(tokens[i + 1]) for i, one in enumerate(tokens) if one.type == "heading_open"] == [
        "Retrieval evaluation"
    ]
    rows_shown = table_of(tokens)
    assert {len(row) for row in rows_shown} == {6}
    assert visible(name) in [row[1] for row in rows_shown]
    decided = next(words(tokens[i + 2]) for i, one in enumerate(tokens) if one.type == "list_item_open")
    assert decided == f"{visible(name)} is the best run ({visible(name)}, {visible(name)})."


@pytest.mark.parametrize("name", NAMES)
def test_names_are_words_in_every_place_of_a_comparison(name: str) -> None:
    scores = scored(measure_scores(1, 3, 12), runs=(name, "b", "c"), conditions=("AP",))
    result = compare(scores, gate=["AP > -0.5"], baseline="b")
    said = (*result.sentences, Sentence(f"{name} is better than b", name="made"))
    result = replace(result, sentences=said, notes=(*result.notes, Note("made", "caution", name)))
    text = FORMATS["markdown"](result)
    assert kinds(text) <= OURS
    htmls = [one.content.strip() for one in parsed(text) if one.type == "html_block"]
    assert htmls == ["<details><summary>Every comparison</summary>", "</details>"]
    assert [words(parsed(text)[1])] == ["The gate is passed"]
    assert any(visible(name) in row for row in table_of(parsed(text)))
    plain = replace(result, screen=None)
    assert kinds(FORMATS["markdown"](plain)) <= OURS - {"html_block", "heading_open"}
