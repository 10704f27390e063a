"""What `assay compare` costs beyond reading: `python -m bench.compare [--quick]`.

20 systems on 10,000 queries, 100 documents each, a fifth of them judged, as TREC files; with nDCG@10 and with the
default measures. CPU seconds of the whole process less those of reading, user and system, and their ratio to a floor:
the grades of all documents looked up, and nDCG@10 of them computed, in plain numpy.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.processes import cost_of

N_SYSTEMS, N_QUERIES, N_QUICK = 20, 10_000, 500
_MAKE = """
import sys
from pathlib import Path
import numpy as np, polars as pl
folder, n_systems, n_queries, depth, n_docs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), 100, 300
(folder / "runs").mkdir()
rng = np.random.default_rng(5)
gain = rng.gamma(0.3, 1, (n_queries, n_docs))
first, query = n_docs * np.arange(n_queries)[:, None], np.repeat(np.arange(n_queries), depth)
def write(path, template, **columns):
    lines = pl.DataFrame(columns).select(pl.format(template, *columns))
    lines.write_csv(path, include_header=False, quote_style="never")
for r in range(n_systems):
    score = gain * (0.5 + 0.02 * r) + rng.normal(size=gain.shape)
    order = np.argsort(-score, axis=1)[:, :depth]
    ordered = np.take_along_axis(score, order, 1).round(4)
    rank = np.tile(np.arange(1, depth + 1), n_queries)
    own = {"t": query, "d": (order + first).ravel(), "rank": rank, "score": ordered.ravel()}
    write(folder / "runs" / f"r{r:02d}.txt", "{} Q0 doc{} {} {} " + f"r{r:02d}", **own)
query, doc = np.nonzero(rng.random(gain.shape) < 0.2)
grade = np.digitize(gain, [1, 2, 3])[query, doc]
write(folder / "qrels.txt", "{} 0 doc{} {}", t=query, d=doc + n_docs * query, g=grade)
"""
_COMPARE = """
import resource, sys
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
from assay.scoring import loaders
read, spent = loaders.collection, []
from functools import wraps
@wraps(read)
def timed(*args, **kwargs):
    began = cpu()
    answer = read(*args, **kwargs)
    spent.append(cpu() - began)
    return answer
loaders.collection = timed
from assay.cli import main
try:
    main(["compare", *sys.argv[2:], "-o", sys.argv[1] + "/answer.csv"])
except SystemExit:
    pass
print([cpu() - sum(spent), sum(spent)])
"""
_FLOOR = """
import resource, sys
import numpy as np
n_systems, n_queries = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(1)
judged = np.sort(rng.integers(0, 2**63, 60 * n_queries, dtype=np.uint64))
grade = rng.integers(0, 4, judged.size).astype(np.int8)
docs = rng.integers(0, 2**63, (n_systems, n_queries * 100), dtype=np.uint64)
slot = np.zeros((1 << 23) + 1, dtype=np.int32)
slot[judged >> np.uint64(40)] = np.arange(judged.size)
began = resource.getrusage(resource.RUSAGE_SELF)
for own in docs:
    at = slot[own >> np.uint64(40)]
    found = np.where(judged[at] == own, grade[at], 0).reshape(n_queries, 100)[:, :10]
    dcg = found @ (1 / np.log2(np.arange(2, 12)))
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime - began.ru_utime - began.ru_stime)
"""


def main() -> None:
    n_queries = N_QUICK if "--quick" in sys.argv else N_QUERIES
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        cost_of("-c", _MAKE, folder, str(N_SYSTEMS), str(n_queries))
        floor = cost_of("-c", _FLOOR, str(N_SYSTEMS), str(n_queries)).answer
        data = (str(Path(folder) / "runs"), "--qrels", str(Path(folder) / "qrels.txt"))
        for name, measures in (("nDCG@10", ("-m", "nDCG@10")), ("default measures", ())):
            rest, reading = cost_of("-c", _COMPARE, folder, *data, *measures).answer
            print(f"{name}: {rest:.2f} s of CPU beyond reading ({reading:.2f} s), {rest / floor:.1f} x the floor")


if __name__ == "__main__":
    main()
