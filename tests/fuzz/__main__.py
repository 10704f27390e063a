"""`make fuzz`: many mutated inputs over all readers, and many measures, conditions and command lines.

The cases run in a process of their own. Where one ends it, that case is reported, and the next process goes on behind
it; what a known defect of another library ends is counted. A case depends on nothing but its kind, its number and the
seed, so that each can be tried again.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.fuzz.cases import KINDS, outcome
from tests.fuzz.phrases import PHRASES
from tests.fuzz.readers import READERS

_SHOWN = 5  # failures of one kind that are printed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=300_000, help="mutated files, over all readers")
    parser.add_argument("--strings", type=int, default=300_000, help="measures, conditions and command lines")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(KINDS), help="one reader or kind of string")
    parser.add_argument("--case", type=int, help="one case of it, with its outcome")
    parser.add_argument("--from", dest="first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--to", dest="last", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.last is not None:
        return _worker(asked.only, asked.first, asked.last, asked.seed)
    if asked.case is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(*outcome(asked.only, asked.case, asked.seed, Path(folder)))
            print(*(file.read_bytes() for file in Path(folder).iterdir()))
        return 0
    print(f"seed {asked.seed}; one case again: python -m tests.fuzz --seed {asked.seed} --only KIND --case NUMBER")
    shares = {reader.name: asked.inputs // len(READERS) for reader in READERS}
    shares |= {phrase.__name__: asked.strings // len(PHRASES) for phrase in PHRASES}
    failures = [_kind(kind, n, asked.seed) for kind, n in shares.items() if asked.only in (None, kind)]
    return int(any(failures))


def _worker(kind: str, first: int, last: int, seed: int) -> int:
    """Try cases, and print the outcome of each as soon as it is known."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            accepted, wrong = outcome(kind, number, seed, Path(folder))
            print(f"{number}\t{int(accepted)}\t{wrong!r}", flush=True)
    return 0


def _kind(kind: str, n: int, seed: int) -> int:
    """Try all cases of a kind; say how many were accepted, and what was wrong."""
    seen: Counter[str] = Counter()
    known = getattr(KINDS[kind], "aborts", "")
    first = 0
    while first < n:
        words = ["--only", kind, "--from", str(first), "--to", str(n), "--seed", str(seed)]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            number, accepted, wrong = line.rstrip("\n").split("\t", 2)
            first = int(number) + 1
            _count(seen, kind, first - 1, accepted == "1", wrong if wrong != "''" else "")
        if process.wait():
            aborted = known and process.returncode == -signal.SIGABRT
            seen["aborted"] += bool(aborted)
            _count(seen, kind, first, False, "" if aborted else f"the process ended with code {process.returncode}")
            first += 1
    ended = f", {seen['aborted']:,} ended by {known}" if known else ""
    print(f"{kind}: {n:,} cases, {seen['accepted']:,} accepted, {seen['wrong']:,} wrong{ended}", flush=True)
    return seen["wrong"]


def _count(seen: Counter[str], kind: str, number: int, accepted: bool, wrong: str) -> None:
    seen["accepted"] += accepted
    seen["wrong"] += bool(wrong)
    if wrong and seen["wrong"] <= _SHOWN:
        print(f"{kind} --case {number}: {wrong[:1500]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
