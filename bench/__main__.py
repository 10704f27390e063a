"""The bench: `python -m bench [--quick] [--json FILE]`.

All contenders run in turn, the whole round several times over, so that a busy moment of the machine meets them all.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench.contenders import CONTENDERS
from bench.forms import Files, Forms, first_of, forms
from bench.processes import Cost, Repeats, cost_of
from bench.report import FORMS, OURS, OWN, Bench, report

N_RUNS, N_QUICK = 129, 10
SIZES = (1, 10, 33, 65, 129)
N_LINES = 50_000

_IMPORT = "import assay; assay.read_runs, assay.judge, assay.score"
_COMMAND = "import sys; from assay.cli import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Job:
    """Something to be timed."""

    name: tuple[str, ...]
    words: tuple[str, ...]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write JSON if asked to."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{N_QUICK} runs and one repeat: does it work?")
    parser.add_argument("--repeats", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured")
    options = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the unpacked files are removed then too
    n_runs, repeats = (N_QUICK, 1) if options.quick else (N_RUNS, options.repeats)
    with forms(n_runs) as given:
        bench = measure(given, repeats)
    print(report(bench, judged=not options.quick))
    if options.json:
        options.json.write_text(json.dumps(bench.to_dict(), indent=1) + "\n")
    return 0


def measure(given: Forms, repeats: int) -> Bench:
    """Run everything: once untimed, so that caches are warm for all, then in rounds."""
    absent = {name: reason for name in CONTENDERS if (reason := _warm_up(name, given))}
    present = [name for name in CONTENDERS if name not in absent]
    sizes = [n for n in SIZES if n <= len(given.plain.runs)]
    costs = _rounds(_jobs(present, given, sizes), repeats)
    return Bench(
        collection=given.name,
        n_runs=len(given.plain.runs),
        absent=absent,
        contenders={(form, name): costs[form, name] for form in FORMS for name in present if (form, name) in costs},
        scaling={n: costs["scaling", str(n)] for n in sizes},
        sizes={n: given.plain.spread(n).megabytes() for n in sizes},
        single={name: costs["single", name] for name in ("import", "help", "one run")},
        rejudging=costs["single", "rejudging"],
    )


def _warm_up(name: str, given: Forms) -> str | None:
    """Let a contender score one run, untimed; say why if it cannot."""
    _say(f"warming up {name}")
    if find_spec(OURS if name in OWN else name) is None:
        return "not installed"
    try:
        for files in (given.plain, given.gz):
            cost_of(*_contender(name, files.spread(1)).words)
    except RuntimeError as problem:
        if name == OURS:
            raise
        return str(problem)
    return None


def _jobs(present: Sequence[str], given: Forms, sizes: Sequence[int]) -> list[Job]:
    """List what is timed; the name of a job says where its cost belongs."""
    one = first_of(given.plain, N_LINES)
    jobs = [
        Job((form, name), _contender(name, files).words)
        for form, files in (("plain", given.plain), ("gz", given.gz), ("mixed", given.mixed))
        for name in present
        if form != "mixed" or name in OWN
    ]
    jobs += [Job(("scaling", str(n)), _contender(OURS, given.plain.spread(n)).words) for n in sizes]
    return [
        *jobs,
        Job(("single", "import"), ("-c", _IMPORT)),
        Job(("single", "help"), ("-c", _COMMAND, "--help")),
        Job(("single", "one run"), ("-c", _COMMAND, "score", one, "--qrels", given.plain.qrels, "-m", "map")),
        Job(("single", "rejudging"), ("-m", "bench.rejudging", given.plain.qrels, *given.plain.runs)),
    ]


def _contender(name: str, files: Files) -> Job:
    return Job((name,), ("-m", "bench.contenders", name, files.qrels, *files.runs))


def _rounds(jobs: Sequence[Job], repeats: int) -> dict[tuple[str, ...], Repeats]:
    """Do all jobs in turn, some times over."""
    costs: dict[tuple[str, ...], list[Cost]] = {job.name: [] for job in jobs}
    for i in range(repeats):
        for job in jobs:
            _say(f"round {i + 1} of {repeats}: {', '.join(job.name)}")
            costs[job.name].append(cost_of(*job.words))
    return {name: Repeats(found) for name, found in costs.items()}


def _say(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    code = main()
    _say("")
    sys.exit(code)
