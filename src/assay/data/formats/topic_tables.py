"""What people know of their topics: the text of a query, its language, intent or tenant, its cluster."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.core.errors import InputError, suggestion
from assay.core.text import first_few
from assay.data.files import read_bytes
from assay.data.formats.delimited import RawTable, read_table
from assay.data.formats.fields import ROLES, ids, plain_column, shown, texts

_IDS = (*ROLES["topic"], "id", "_id")
_TEXTS = ("text", "query_text", "query", "question", "title", "user_input")
_SHOWN = 6  # names listed in a message


def topic_attributes(path: str, topics: Sequence[str]) -> pl.DataFrame:
    """Read what is known of each topic off a table with a column of topics and any others: language, intent, ...

    One row per topic, in their order; nothing where the table has no row for a topic. Rows of others are ignored.
    """
    table = read_table(read_bytes(path), path)
    return _of_topics(table, _topic_column(table, topics), topics)


def topic_texts(path: str, topics: Sequence[str]) -> dict[str, str]:
    """Read the text of each topic off a table (TSV, CSV, JSON lines); a first line that is data is no header.

    The text is in a column called text, query, question or title, else in the first beside that of the topics.
    """
    table = read_table(read_bytes(path), path)
    if table.header and table.header[0] in topics:
        table = table.with_header("topic", "text", *table.header[2:])
    at = _topic_column(table, topics)
    known = _of_topics(table, at, topics)
    beside = {plain_column(name): name for name in known.columns[1:]}
    name = next((beside[usual] for usual in _TEXTS if usual in beside), known.columns[1])
    return {topic: text for topic, text in known.select("topic", name).rows() if text is not None}


def _topic_column(table: RawTable, topics: Sequence[str]) -> int:
    """Where the topics are: in the first column of a usual name that holds some of them."""
    words = [plain_column(word) for word in table.header]
    usual = sorted((i for i, word in enumerate(words) if word in _IDS), key=lambda i: _IDS.index(words[i]))
    if not usual:
        there = first_few([shown(word) for word in table.header], most=_SHOWN)
        raise InputError(f"{table.source}: no column of queries, such as query_id or topic; there are {there}")
    holds = (i for i in usual if not set(texts(table.columns[str(i)], "topic", table.source)).isdisjoint(topics))
    if (at := next(holds, None)) is None:
        column = texts(table.columns[str(usual[0])], "topic", table.source).drop_nulls()
        there = f"none of the queries, such as '{topics[0]}', is in column {table.header[usual[0]]}"
        raise InputError(f"{table.source}: {there}{suggestion(topics[0], column.head(1000))}")
    return at


def _of_topics(table: RawTable, at: int, topics: Sequence[str]) -> pl.DataFrame:
    """The other columns by topic; a topic that has two rows is an error."""
    topic = ids(table.columns[str(at)], "topic", table.source, table.where)
    others = [(i, word.strip()) for i, word in enumerate(table.header) if i != at and word.strip()]
    names = [name for _, name in others]
    if not others:
        raise InputError(f"{table.source}: no column beside that of the queries")
    if len(set(names)) < len(names) or "topic" in names:
        raise InputError(f"{table.source}: two columns of one name; there are {', '.join(table.header)}")
    if (again := topic.is_duplicated() & ~topic.is_first_distinct()).any():
        row = int(again.arg_max() or 0)
        raise InputError(f"{table.where(row)}: query '{topic[row]}' has a row already")
    own = {name: texts(table.columns[str(i)], name, table.source) for i, name in others}
    known = pl.DataFrame({"topic": topic, **own})
    return pl.DataFrame({"topic": list(topics)}).join(known, on="topic", how="left", maintain_order="left")
