"""Whether reading got slower than it was: `python -m bench.reading OTHER [--quick]`.

OTHER is the `src` of another version. One process of each version reads the same file in turn, plain and as .gz; the
least CPU seconds of each file are added up, since noise only ever adds. The ratio is this version's to the other's.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.forms import forms

N_RUNS, N_QUICK, ROUNDS = 129, 10, 15
_READ = """
import sys, time
sys.path.insert(0, sys.argv[1])
import assay
for line in sys.stdin:
    began = time.process_time()
    assay.read_runs(line[:-1])
    print(time.process_time() - began, flush=True)
"""


def least_seconds(versions: Sequence[str], files: Sequence[str]) -> list[float]:
    """CPU seconds that each version takes to read all files one by one, the least of some rounds for each file."""
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", _READ, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for path in versions
    ]
    least = [[float("inf")] * len(files) for _ in versions]
    try:
        for _ in range(ROUNDS):
            for i, file in enumerate(files):
                for reader, found in zip(readers, least, strict=True):
                    found[i] = min(found[i], _asked(reader, file))
    finally:
        for reader in readers:
            reader.terminate()
    return [sum(found) for found in least]


def _asked(reader: subprocess.Popen[str], file: str) -> float:
    if reader.stdin is None or reader.stdout is None:
        raise RuntimeError("a reader without its streams")
    print(file, file=reader.stdin, flush=True)
    return float(reader.stdout.readline())


def main() -> None:
    other, *flags = sys.argv[1:]
    here = str(Path(__file__).parents[1] / "src")
    with forms(N_QUICK if "--quick" in flags else N_RUNS) as given:
        for name, files in (("plain", given.plain), (".gz", given.gz)):
            ours, theirs = least_seconds((here, other), files.runs)
            print(f"{given.name}, {name}: {ours:.2f} s of CPU, {ours / theirs:.3f} x the other version's")


if __name__ == "__main__":
    main()
