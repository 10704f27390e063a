"""`make validity`: how often intervals hold the truth and sentences are false, written into one table.

Parts that were done stay done (`--folder`); the table has one row per interval or sentence, truth and size.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from bench.validity.study import Part, parts, run_part, table
from bench.validity.truths import CHOICE, CONFIRMATION, Truth

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "validity.tsv"
REPLICATES, SIZES = 200, (10, 25, 50)
EVERY = CHOICE | CONFIRMATION


@cache
def truth(name: str) -> Truth:
    """Make a truth, once in each process."""
    return EVERY[name]()


def _done(part: Part, replicates: int, folder: Path) -> str:
    run_part(part, truth(part.truth), replicates, folder)
    return part.name


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.validity", description=__doc__)
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    parser.add_argument("--topics", type=int, nargs="+", default=SIZES)
    parser.add_argument("--truth", action="append", choices=list(EVERY), help="repeats (default: all)")
    parser.add_argument("--folder", type=Path, default=Path("build/validity"), help="where parts are kept")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=TABLE)
    asked = parser.parse_args()
    every = parts(asked.truth or EVERY, asked.topics)
    with ProcessPoolExecutor(asked.processes) as pool:
        jobs = [pool.submit(_done, part, asked.replicates, asked.folder) for part in every]
        for i, job in enumerate(jobs, 1):
            print(f"{i} of {len(jobs)}: {job.result()}", flush=True)
    found = table(every, {name: truth(name) for name in asked.truth or EVERY}, asked.folder)
    found.write_csv(asked.output, separator="\t", float_precision=4)
    print(found)


if __name__ == "__main__":
    main()
