"""`make validity`: how often intervals hold the truth and sentences are false, written into one table.

Parts that were done stay done (`--folder`); the table has one row per interval or sentence, truth and size.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import assay.results.error_rates
from bench.validity.checks import MODULES
from bench.validity.populations import EVERY, population
from bench.validity.study import parts, run_part, table
from bench.validity.summary import summary

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "validity.tsv"
SUMMARY = Path(assay.results.error_rates.__file__).with_name(assay.results.error_rates.FILE)
REPLICATES, SIZES = 200, (10, 25, 50)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.validity", description=__doc__)
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    parser.add_argument("--topics", type=int, nargs="+", default=SIZES)
    parser.add_argument("--truth", action="append", choices=list(EVERY), help="repeats (default: all)")
    parser.add_argument("--analysis", action="append", choices=list(MODULES), help="repeats (default: all)")
    parser.add_argument("--folder", type=Path, default=Path("build/validity"), help="where parts are kept")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=TABLE)
    asked = parser.parse_args()
    truths = {name: population(name) for name in asked.truth or EVERY}
    every = parts({name: truth.kind for name, truth in truths.items()}, asked.topics)
    every = [part for part in every if part.analysis in (asked.analysis or MODULES)]
    # polars' threads do not survive a fork
    with ProcessPoolExecutor(asked.processes, get_context("spawn")) as pool:
        jobs = [pool.submit(run_part, part, asked.replicates, asked.folder) for part in every]
        for i, job in enumerate(as_completed(jobs), 1):
            print(f"{i} of {len(jobs)}: {job.result()}", flush=True)
    rows = table(every, truths, asked.folder)
    rows.write_csv(asked.output, separator="\t", float_precision=4)
    if asked.output == TABLE:
        summary(rows).write_csv(SUMMARY, separator="\t", float_precision=4)
    print(summary(rows))


if __name__ == "__main__":
    main()
