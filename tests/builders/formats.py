"""One run, its judgments and scores in every format that can be read, by the names that the page on formats uses."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tests.reference.exported_files import FOLDER

NAME = "bm25"
Row = dict[str, Any]


def write_formats(run: str | Path, qrels: str | Path, scores: str | Path) -> None:
    """Write all formats into the working directory: a packed TREC run, judgments, and a long table of AP."""
    lines = [line.split() for line in gzip.decompress(Path(run).read_bytes()).decode().splitlines()]
    lists: list[Row] = [{"qid": t, "docid": d, "score": float(s)} for t, _, d, _, s, _ in lines]
    judged: list[Row] = [
        {"query_id": t, "doc_id": d, "relevance": int(g)}
        for t, _, d, g in (line.split() for line in Path(qrels).read_text().splitlines())
    ]
    Path("run.txt").write_text("".join(" ".join([*line[:5], NAME]) + "\n" for line in lines))
    _write_runs(lists)
    _write_judgments(judged)
    _write_scores(pl.read_csv(scores, infer_schema=False).with_columns(pl.col("value").cast(pl.Float64)))
    for tool in ("ragas", "langsmith", "trulens", "mteb"):
        shutil.copytree(FOLDER / tool, tool)


def _write_runs(rows: Sequence[Row]) -> None:
    _table("run.csv", rows)
    _table("run.tsv", rows, separator="\t")
    Path("excel.csv").write_bytes(b"\xef\xbb\xbfsep=;\r\n" + _text(rows, ";").replace("\n", "\r\n").encode())
    pl.DataFrame(rows).write_parquet("run.parquet")
    _lines("run.jsonl", rows)
    Path("run.json").write_text(json.dumps(rows, indent=1))
    by_topic = _nested(rows, "qid", "docid", "score")
    Path("beir.json").write_text(json.dumps(by_topic))
    Path("runs.json").write_text(json.dumps({NAME: by_topic}))
    _lines(
        "results.ndjson",
        [{"qid": t, "results": [{"id": d, "score": s} for d, s in of.items()]} for t, of in by_topic.items()],
    )
    ranked = [(t, d, str(rank)) for t, of in by_topic.items() for rank, d in enumerate(of, 1)]
    Path("msmarco.tsv").write_text("".join("\t".join(row) + "\n" for row in ranked))
    places = [
        row | {"docno": row["docid"], "rank": int(rank) - 1} for row, (_, _, rank) in zip(rows, ranked, strict=True)
    ]
    _table("pyterrier.csv", [{name: row[name] for name in ("qid", "docno", "rank", "score")} for row in places])
    predictions = {"mteb_model_meta": {"model_name": NAME, "revision": "1"}, "default": {"test": by_topic}}
    Path("predictions.json").write_text(json.dumps(predictions))


def _write_judgments(rows: Sequence[Row]) -> None:
    _table("qrels.csv", rows)
    _lines("qrels.jsonl", rows)
    Path("qrels-rows.json").write_text(json.dumps(rows))
    pl.DataFrame(rows).write_parquet("qrels.parquet")
    Path("qrels.json").write_text(json.dumps(_nested(rows, "query_id", "doc_id", "relevance")))
    names = {"query_id": "query-id", "doc_id": "corpus-id", "relevance": "score"}
    _table("beir.tsv", [{names[name]: value for name, value in row.items()} for row in rows], separator="\t")
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    _table("pyterrier-qrels.csv", [{names[name]: value for name, value in row.items()} for row in rows])
    Path("qrels-3.tsv").write_text("".join("\t".join(map(str, row.values())) + "\n" for row in rows))


def _write_scores(long: pl.DataFrame) -> None:
    """Write the AP of two runs; whatever is rounded on the way is said by the format."""
    two = long.filter(pl.col("run").is_in(long["run"].unique(maintain_order=True)[:2].to_list()))
    two.write_csv("long.csv")
    two.select("run", "topic", AP="value").write_csv("measures.csv")
    two.select(name="run", qid="topic", measure=pl.lit("map"), value="value").write_csv("perquery.csv")
    two.select(case="topic", bot="run", quality="value").write_csv("own.csv")
    two.pivot("run", index="topic", values="value").write_csv("matrix.ap.csv")
    by_run = {str(run): part for (run,), part in two.group_by("run", maintain_order=True)}
    result = {run: {t: {"map": v} for t, v in part.select("topic", "value").rows()} for run, part in by_run.items()}
    Path("pytrec_eval.json").write_text(json.dumps(result))
    Path("evaluated").mkdir()
    for run, part in by_run.items():
        lines = [f"map\t{topic}\t{value!r}\n" for topic, value in part.select("topic", "value").rows()]
        Path("evaluated", f"{run}.eval").write_text("".join([*lines, f"runid\tall\t{run}\n", "map\tall\t0\n"]))
        Path(f"{run}.txt").write_text("".join(f"{t}\tAP\t{v!r}\n" for t, v in part.select("topic", "value").rows()))


def _nested(rows: Iterable[Row], outer: str, inner: str, value: str) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    for row in rows:
        nested.setdefault(row[outer], {})[row[inner]] = row[value]
    return nested


def _lines(path: str, rows: Iterable[Row]) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


def _table(path: str, rows: Sequence[Row], *, separator: str = ",") -> None:
    Path(path).write_text(_text(rows, separator))


def _text(rows: Sequence[Row], separator: str) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(rows[0]), delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
