"""What is scored: the 129 real TREC-8 runs where they are at hand, else a synthetic set of their shape.

Nothing here imports numpy or polars: a child's peak memory is counted from the size of the process that starts it.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_MAKE = """
import sys
from tests.builders.dense import collection
collection(n_runs=int(sys.argv[2]), n_topics=50, n_docs=1000, top=1, rng=8).write(sys.argv[1])
"""


@dataclass(frozen=True, slots=True)
class Files:
    """One form, plain or packed, of a collection's files."""

    qrels: str
    runs: tuple[str, ...]

    def spread(self, n: int) -> Files:
        """Keep n runs, spread evenly over the set."""
        return Files(self.qrels, tuple(self.runs[i * len(self.runs) // n] for i in range(n)))

    def megabytes(self) -> float:
        """How large the runs are."""
        return sum(Path(path).stat().st_size for path in self.runs) / 1e6


@dataclass(frozen=True, slots=True)
class Forms:
    """A collection as plain files, as .gz, and with mixed white space."""

    name: str
    plain: Files
    gz: Files
    mixed: Files  # plain, fields apart by this and that


@contextmanager
def forms(n_runs: int) -> Iterator[Forms]:
    """Lay a collection of some runs out in both forms; what had to be written is removed afterwards."""
    data = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "trec8-adhoc"
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as scratch:
        if data.is_dir():
            name, packed = "TREC-8 ad hoc", _files(data / "qrels.gz", data / "runs").spread(n_runs)
        else:
            name, packed = "a synthetic set of TREC-8's shape", _synthetic(Path(scratch) / "made", n_runs)
        plain = _unpacked(packed, Path(scratch) / "plain")
        yield Forms(name, plain, packed, _mixed(plain, Path(scratch) / "mixed"))


def _files(qrels: Path, runs: Path) -> Files:
    return Files(str(qrels.resolve()), tuple(sorted(str(path.resolve()) for path in runs.glob("*.gz"))))


def _synthetic(folder: Path, n_runs: int) -> Files:
    subprocess.run([sys.executable, "-c", _MAKE, str(folder), str(n_runs)], check=True)
    (folder / "qrels.gz").write_bytes(gzip.compress((folder / "qrels.txt").read_bytes()))
    return _files(folder / "qrels.gz", folder / "runs")


def _unpacked(packed: Files, folder: Path) -> Files:
    folder.mkdir()
    return Files(_unpack(packed.qrels, folder), tuple(_unpack(path, folder) for path in packed.runs))


def _unpack(path: str, folder: Path) -> str:
    plain = folder / Path(path).name.removesuffix(".gz")
    with gzip.open(path, "rb") as source, plain.open("wb") as target:
        shutil.copyfileobj(source, target)
    return str(plain)


def _mixed(files: Files, folder: Path) -> Files:
    """Write runs with other blanks in each line than in the one before."""
    folder.mkdir()
    gaps = (b" ", b"\t", b"   ", b" \t")
    paths = []
    for path in map(Path, files.runs):
        lines = path.read_bytes().splitlines()
        text = b"\n".join(gaps[i % len(gaps)].join(line.split()) for i, line in enumerate(lines))
        paths.append(folder / path.name)
        paths[-1].write_bytes(text + b"\n")
    return Files(files.qrels, tuple(map(str, paths)))


def first_of(files: Files, n_lines: int) -> str:
    """Find the first run of at least so many lines, or the longest."""
    longest = ("", 0)
    for path in files.runs:
        n = Path(path).read_bytes().count(b"\n")
        if n >= n_lines:
            return path
        longest = max(longest, (path, n), key=lambda found: found[1])
    return longest[0]
