"""`make validity`: how often intervals hold the truth and sentences are false, written into one table.

Parts that were done stay done (`--folder`); the table has one row per interval or sentence, truth and size. With
`--update` a study of some analyses leaves the rows of all others as they are, each with the seed of its samples.
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import polars as pl

import assay.results.error_rates
from bench.validity.checks import MODULES
from bench.validity.populations import EVERY, population
from bench.validity.study import SCHEMA, SEED, Part, parts, run_part, table, updated, without_rates
from bench.validity.summary import summary

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "validity.tsv"
SUMMARY = Path(assay.results.error_rates.__file__).with_name(assay.results.error_rates.FILE)
REPLICATES, TOPICS = 200, (10, 25, 50, 200)
_ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")


def _done(folder: Path) -> list[Part]:
    """Every part that is kept, now or from before."""
    every = parts({name: population(name).kind for name in EVERY}, TOPICS)
    return [part for part in every if (folder / f"{part.name}.json").is_file()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.validity", description=__doc__)
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    parser.add_argument("--topics", type=int, nargs="+", default=TOPICS)
    parser.add_argument("--truth", action="append", choices=list(EVERY), help="repeats (default: all)")
    parser.add_argument("--analysis", action="append", choices=list(MODULES), help="repeats (default: all)")
    parser.add_argument("--seed", type=int, default=SEED, help="of the samples; another one needs its own --folder")
    parser.add_argument("--folder", type=Path, default=Path("build/validity"), help="where parts are kept")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=TABLE)
    parser.add_argument("--update", action="store_true", help="keep the rows of cells that were not studied again")
    asked = parser.parse_args()
    truths = {name: population(name) for name in asked.truth or EVERY}
    every = parts({name: truth.kind for name, truth in truths.items()}, asked.topics)
    every = [part for part in every if part.analysis in (asked.analysis or MODULES)]
    os.environ.update(_ONE_THREAD)  # of the processes that follow: each has a core
    # polars' threads do not survive a fork
    with ProcessPoolExecutor(asked.processes, get_context("spawn")) as pool:
        jobs = [pool.submit(run_part, part, asked.replicates, asked.folder, seed=asked.seed) for part in every]
        for i, job in enumerate(as_completed(jobs), 1):
            print(f"{i} of {len(jobs)}: {job.result()}", flush=True)
    done = _done(asked.folder)
    studied = table(done, {part.truth: population(part.truth) for part in done}, asked.folder, seed=asked.seed)
    rows = pl.concat([studied, without_rates()])
    if asked.update:
        rows = updated(pl.read_csv(TABLE, separator="\t", schema=SCHEMA), rows)
    rows.write_csv(asked.output, separator="\t", float_precision=4)
    if asked.output == TABLE:
        summary(rows).write_csv(SUMMARY, separator="\t", float_precision=4)
    print(summary(rows))
    cpu = sum(json.loads((asked.folder / f"{part.name}.json").read_text())["cpu"] for part in done)
    print(f"{cpu / 3600:.1f} hours of CPU")


if __name__ == "__main__":
    main()
