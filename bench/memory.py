"""What one large table costs: `python -m bench.memory [--rows 20,100] [--formats parquet,csv,jsonl] [--rounds N]`.

A run table of 20, 100, ... million rows: systems on 10,000 queries, 100 documents each, with ranks and scores;
a fifth of the documents judged. AP, nDCG@10, RR and P@10 by Assay, in a process of its own, and beside it by
polars by hand: all columns in memory, as most would write it, and lazily, by its streaming engine. Neither looks for
documents that stand twice, or for ranks that contradict scores, and the second one keeps nothing but the scores.
CPU seconds, user and system, and peak memory; the mean AP of all must agree.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from bench.processes import Repeats, cost_of

N_QUERIES, DEPTH, MILLION = 10_000, 100, 1_000_000
_MAKE = """
import sys
from pathlib import Path
import numpy as np, polars as pl
folder, n_systems, n_queries, formats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split(",")
depth, n_docs, rng = 100, 300, np.random.default_rng(5)
gain = rng.gamma(0.3, 1, (n_queries, n_docs))
first, query = n_docs * np.arange(n_queries)[:, None], np.repeat(np.arange(n_queries), depth)
def system(r):
    score = gain * (0.5 + 0.02 * r) + rng.normal(size=gain.shape)
    order = np.argsort(-score, axis=1)[:, :depth]
    value = np.take_along_axis(score, order, 1).round(4).ravel()
    rank = np.tile(np.arange(1, depth + 1), n_queries)
    rows = pl.DataFrame({"q": query, "d": (order + first).ravel(), "rank": rank, "score": value})
    name = pl.lit(f"system{r:03d}").alias("system")
    query_id, doc = pl.format("q{}", "q").alias("query"), pl.format("doc{}", "d").alias("doc")
    return rows.select(name, query_id, doc, "rank", "score")
for r in range(n_systems):
    system(r).write_parquet(f"{folder}/part{r:04d}.parquet")
table = pl.scan_parquet(f"{folder}/part*.parquet")
for ending in formats:
    sink = {"parquet": table.sink_parquet, "csv": table.sink_csv, "jsonl": table.sink_ndjson}[ending]
    sink(f"{folder}/runs.{ending}")
for part in Path(folder).glob("part*.parquet"):
    part.unlink()
query, doc = np.nonzero(rng.random(gain.shape) < 0.2)
grade = np.digitize(gain, [1, 2, 3])[query, doc]
judged = pl.DataFrame({"q": query, "d": doc + n_docs * query, "grade": grade})
ids = pl.format("q{}", "q").alias("query"), pl.format("doc{}", "d").alias("doc")
judged.select(*ids, "grade").write_parquet(f"{folder}/qrels.parquet")
"""
_ASSAY = """
import json, sys
import assay
scores = assay.score(assay.read_runs(sys.argv[1]), assay.read_qrels(sys.argv[2]), ["AP", "nDCG@10", "RR", "P@10"])
print(json.dumps(dict(zip(scores.runs, scores.mean()[0].tolist()))))
"""
_POLARS = """
import json, sys
import polars as pl
from polars import col
runs, judged, is_lazy = sys.argv[1], pl.scan_parquet(sys.argv[2]), sys.argv[3] == "lazy"
ending = runs.rsplit(".", 1)[1]
read = {"parquet": pl.scan_parquet, "csv": pl.scan_csv, "jsonl": pl.scan_ndjson}[ending](runs)
ranked = read if is_lazy else read.collect(engine="in-memory").lazy()
ideal = (col("grade").sort(descending=True).head(10) / (pl.int_range(pl.len()).head(10) + 2).log(2)).sum()
topics = judged.group_by("query").agg(n_rel=(col("grade") > 0).sum(), ideal=ideal)
relevant = ranked.join(judged, on=["query", "doc"], how="left").filter(col("grade") > 0)
lists = relevant.sort("system", "query", "rank").group_by("system", "query", maintain_order=True).agg(
    AP=(pl.int_range(1, pl.len() + 1) / col("rank")).sum(),
    P=(col("rank") <= 10).sum() / 10,
    RR=1 / col("rank").min(),
    dcg=pl.when(col("rank") <= 10).then(col("grade") / (col("rank") + 1).log(2)).otherwise(0).sum(),
)
values = lists.join(topics, on="query").with_columns(AP=col("AP") / col("n_rel"), nDCG=col("dcg") / col("ideal"))
n_topics = topics.select(pl.len()).collect().item()
means = values.group_by("system").agg(col("AP", "nDCG", "RR", "P").sum() / n_topics)
done = means.sort("system").collect(engine="streaming" if is_lazy else "in-memory")
print(json.dumps(dict(zip(done["system"].to_list(), done["AP"].to_list()))))
"""
CONTENDERS = {"assay": (_ASSAY, ""), "polars, in memory": (_POLARS, "eager"), "polars, streaming": (_POLARS, "lazy")}


def measured(table: str, qrels: str, rounds: int) -> dict[str, Repeats]:
    """What each contender costs, taken in turns; all must find the same means."""
    costs = {name: Repeats([]) for name in CONTENDERS}
    for _ in range(rounds):
        for name, (script, how) in CONTENDERS.items():
            costs[name] = Repeats([*costs[name].costs, cost_of("-c", script, table, qrels, how)])
    ours, *others = (repeats.costs[0].answer for repeats in costs.values())
    for other in others:
        if other.keys() != ours.keys() or max(abs(ours[run] - other[run]) for run in ours) > 1e-9:
            raise RuntimeError("mean AP differs")
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="20", help="millions of rows, several with commas")
    parser.add_argument("--formats", default="parquet")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    for n_rows in map(int, asked.rows.split(",")):
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            n_systems = n_rows * MILLION // (N_QUERIES * DEPTH)
            cost_of("-c", _MAKE, folder, str(n_systems), str(N_QUERIES), asked.formats)
            for ending in asked.formats.split(","):
                costs = measured(f"{folder}/runs.{ending}", f"{folder}/qrels.parquet", asked.rounds)
                size = Path(f"{folder}/runs.{ending}").stat().st_size / 1e6
                print(f"{n_rows} M rows, {ending}, {size:,.0f} MB")
                for name, repeats in costs.items():
                    ratio = costs["assay"].best / repeats.best
                    took = f"{repeats.best:6.2f} s of CPU, {repeats.peak:6,.0f} MB"
                    print(f"  {name:18} {took}; assay takes {ratio:.2f} x as much CPU", flush=True)


if __name__ == "__main__":
    main()
