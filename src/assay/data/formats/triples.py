"""Three columns without a header: topic, document, and its rank, as MS MARCO asks for it, or its score."""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from assay.core.errors import InputError
from assay.core.notes import Note
from assay.data.formats.delimited import RawTable, read_table
from assay.data.formats.recognition import NotRunsError
from assay.data.long.table import LongTable

WIDTH = 3
_ALL = "all"  # the topic of averages
_MEASURED = re.compile(
    r"runid|num_\w+|(gm_)?(map|bpref)(_cut_\d+)?|R?prec(_mult_.+)?|recip_rank|(iprec_at_recall|P|recall|success)_[\d.]+"
    r"|R?ndcg(_cut_\d+|_rel)?|(set|relative|utility|relstring|11pt)_\w+|infAP|binG|G|utility|yaap",
    re.IGNORECASE,
)


def ranked_triples(data: bytes, source: str, names: Mapping[str, str], *, asked: bool) -> LongTable:
    """Read three columns as one run; whether the last holds ranks or scores, its numbers say.

    What a user has not `asked` for by its name, but a directory holds, may be judgments and is then refused.
    """
    raw = read_table(data, source)
    if len(raw.header) != WIDTH:
        raise InputError(f"{source}: {len(raw.header)} columns, expected topic, doc and rank")
    raw = raw.with_header("topic", "doc", "rank")
    _refuse_scores(raw)
    last = "rank" if _are_ranks(raw) else "score"
    if last == "rank" and not asked and raw.columns["2"].str.strip_chars().is_in(["0", "1"]).all():
        raise NotRunsError(f"{source}: no number but 0 and 1 in the third column, as in judgments")
    columns = raw.columns.get_columns()
    table = LongTable.build(("topic", "doc", last), columns, names, source=source, where=raw.where)
    note = Note(
        "three_columns", "caution", f"{source}: three columns without a header, read as topic, doc and {last}"
    )
    return LongTable(source, table.header, table.columns, table.where, (*table.notes, note))


def _refuse_scores(raw: RawTable) -> None:
    """Refuse the output of trec_eval and its like: measure, topic and value, or topic, measure and value."""
    first = raw.columns["0"].unique()
    if (first == _ALL).any() or all(_MEASURED.fullmatch(str(word).strip()) for word in first):
        raise NotRunsError(
            f"{raw.source}: scores of topics, as trec_eval writes them, and no run (--scores reads them)"
        )


def _are_ranks(raw: RawTable) -> bool:
    """Whether the last column counts the documents of every topic, from 1 or from 0; fractions are scores."""
    number = raw.columns["2"].str.strip_chars()
    if not number.str.contains(r"^\d+$").fill_null(value=False).all():
        return False
    rank = number.cast(pl.Int64, strict=False).fill_null(-1)  # what does not fit is no rank
    ranks = pl.DataFrame({"topic": raw.columns["0"], "rank": rank})
    lists = ranks.group_by("topic").agg(
        n=pl.len(), n_ranks=pl.col("rank").n_unique(), low=pl.col("rank").min(), high=pl.col("rank").max()
    )
    counts = (pl.col("n") == pl.col("n_ranks")) & pl.col("low").is_in([0, 1])
    if not lists.select((counts & (pl.col("high") - pl.col("low") == pl.col("n") - 1)).all()).item():
        what = "whole numbers that are not the ranks 1, 2, 3, ... of every topic"
        raise InputError(
            f"{raw.source}: the third column holds {what}; a first line `topic doc score`, or rank, would tell"
        )
    return True
