"""What all splits at once save over a loop over scipy.stats.kendalltau: `python -m bench.predictivity`.

2,000 splits of 50 topics, five measures, all 25 ordered pairs, the best 96 runs of TREC-8 by AP: P@10, RR and AP, and
two made of them, where the real collections are (`$ASSAY_DATA`, else ../shared/data), else synthetic scores of that
shape. Seconds are of the processor, the better of several rounds in which both take turns, with one BLAS thread for
both. The loop is timed on a part of the splits, and scaled; its means are taken with ours, outside its time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import scipy.stats

from assay.core.arrays import Array
from assay.data.files import read_bytes
from assay.stats.correlation.bitwise_tau import every_tau_b
from assay.stats.prediction import ranked
from assay.stats.splits import Splits, means, splits

N_RUNS, N_TOPICS, N_SPLITS, PART, SEED, ROUNDS, TARGET = 96, 50, 2000, 40, 1, 3, 10
_STEP = 64


def scores() -> tuple[str, Array]:
    """Find the scores of five measures, or draw synthetic ones. [measure, run, topic]"""
    folder = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    files = [folder / "score-matrices" / "urbano" / f"adhoc8.{m}.tsv.gz" for m in ("ap", "p10", "rr")]
    if all(file.is_file() for file in files):
        tables = [pl.read_csv(read_bytes(str(file)), separator="\t").drop("topic").cast(pl.Float64) for file in files]
        ap, p10, rr = (table.to_numpy().T for table in tables)
        best = np.argsort(-ap.mean(-1), kind="stable")[:N_RUNS]
        name = "TREC-8"
    else:
        rng = np.random.default_rng(SEED)
        spread = rng.beta(0.6, 2.0, size=N_TOPICS) + rng.normal(0, 0.05, size=(N_RUNS, 1))
        ap, p10, rr = (
            np.clip(spread + rng.normal(0, 0.1, size=(N_RUNS, N_TOPICS)), 0, 1).round(k) for k in (4, 1, 2)
        )
        best, name = np.arange(N_RUNS), "synthetic scores"
    return name, np.stack([ap, p10, rr, np.sqrt(ap), (ap + p10) / 2])[:, best]


def at_once(x: Array, chosen: Splits) -> Array:
    """Correlate every measure on one set with every other on the other. [split, a, b]"""
    return np.concatenate([every_tau_b(*ranked(x, part)) for part in chosen.blocks(_STEP)])


def loop(first: Array, second: Array) -> Array:
    """What most people write. Means are [split, measure, run]; gives [split, a, b]"""
    return np.array(
        [
            [[scipy.stats.kendalltau(a, b).statistic for b in there] for a in here]
            for here, there in zip(first, second, strict=True)
        ]
    )


def main() -> int:
    """Print the ratio; 1 if it is below its target, or the results differ."""
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        return subprocess.run([sys.executable, "-m", "bench.predictivity"], env=environment, check=False).returncode
    name, x = scores()
    chosen = splits(N_TOPICS, N_TOPICS // 2, N_SPLITS, SEED)
    # rounded, because scipy counts numbers as different that differ by rounding only
    first, second = (means(x, mask).round(12) for mask in chosen.head(PART).masks())
    at_once(x, chosen.head(_STEP))
    ours, theirs = [], []
    for _ in range(ROUNDS):
        start = time.process_time()
        tau = at_once(x, chosen)
        middle = time.process_time()
        expected = loop(first, second)
        ours.append(middle - start)
        theirs.append((time.process_time() - middle) * N_SPLITS / PART)
    far = float(np.abs(tau[:PART] - expected).max())
    ratio = min(theirs) / min(ours)
    passed = ratio >= TARGET and far < 1e-12
    print(f"{name}: {N_SPLITS:,} splits, 25 pairs of measures, {N_RUNS} runs, {N_TOPICS} topics, one BLAS thread")
    print(
        f"at once {min(ours):.3f} s, loop over scipy.stats.kendalltau {min(theirs):.1f} s ({PART} splits, scaled): "
        f"{ratio:.0f} x  {'PASS' if passed else 'FAIL'} (>= {TARGET}); tau-b agree to {far:.0e}"
    )
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
