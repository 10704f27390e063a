"""What was measured, as text: ratios first, because seconds belong to one machine and one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.contenders import N_MEASURES, PACKAGES
from bench.processes import Repeats

OURS, PURE = "assay", "assay_pure"
OWN = (OURS, PURE)
FORMS = {"plain": "plain files", "gz": ".gz files", "mixed": "plain files with mixed white space"}
TOLERANCE = 5e-5  # average precision to four decimals, as trec_eval prints it
LESS_CPU = {("plain", OURS): 5, ("gz", OURS): 4, ("plain", PURE): 2.5}  # than pytrec_eval
MIXED = 1.2  # cost with mixed white space, over that of plain files
PEAK = 1500.0  # megabytes
HELP, ONE_RUN = 0.3, 1.0  # CPU seconds
GROWTH = 1.25  # cost of a megabyte among all runs, over that among few


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that one bench measured."""

    collection: str
    n_runs: int
    absent: Mapping[str, str]  # name -> why
    contenders: Mapping[tuple[str, str], Repeats]  # (form, name)
    scaling: Mapping[int, Repeats]  # number of runs, 1 among them
    sizes: Mapping[int, float]  # number of runs -> megabytes of text
    single: Mapping[str, Repeats]
    rejudging: Repeats

    def ratios(self, form: str, name: str) -> list[float]:
        """CPU of a contender over ours, round by round."""
        pairs = zip(self.contenders[form, name].costs, self.contenders[form, OURS].costs, strict=True)
        return [theirs.cpu / ours.cpu for theirs, ours in pairs]

    def ratio(self, form: str, name: str) -> float:
        """CPU of a contender over ours, best against best."""
        return self.contenders[form, name].best / self.contenders[form, OURS].best

    def differences(self, form: str, name: str) -> list[float]:
        """How far each run's average precision is from ours."""
        theirs, ours = (self.contenders[form, who].costs[0].answer for who in (name, OURS))
        return [abs(x - y) for x, y in zip(theirs, ours, strict=True)]

    def per_megabyte(self, n: int) -> float:
        """CPU seconds of each megabyte after the first run's, when n are scored together."""
        return (self.scaling[n].best - self.scaling[1].best) / (self.sizes[n] - self.sizes[1])

    def to_dict(self) -> dict[str, object]:
        """All that was measured, for a machine."""
        return {
            "collection": self.collection,
            "runs": self.n_runs,
            "absent": dict(self.absent),
            "contenders": [
                {"form": form, "contender": name, "ratio": self.ratio(form, name), **costs.to_dict()}
                for (form, name), costs in self.contenders.items()
            ],
            "scaling": [
                {"runs": n, "megabytes": self.sizes[n], **costs.to_dict()} for n, costs in self.scaling.items()
            ],
            "single": {name: costs.to_dict() for name, costs in self.single.items()},
            "rejudging": [cost.answer for cost in self.rejudging.costs],
        }


def report(bench: Bench, *, judged: bool) -> str:
    """Say it all; `judged` adds whether the requirements are met."""
    parts = [_heading(bench), *(_contest(bench, form) for form in FORMS), _scaling(bench), _small(bench)]
    if judged:
        parts.append("\n".join(_verdicts(bench)))
    else:
        parts.append("No verdicts: the requirements are about the whole set, without --quick.")
    return "\n\n".join(parts)


def _heading(bench: Bench) -> str:
    times = len(bench.rejudging.costs)
    lines = [
        f"{bench.collection}, {bench.n_runs} runs: files to per-topic scores, a fresh process each, rounds: {times}.",
        "CPU is user and system time of all threads, best (and range); x is CPU over assay's (range over rounds).",
    ]
    return "\n".join(lines + [f"Left out: {name} ({reason})" for name, reason in bench.absent.items()])


def _contest(bench: Bench, form: str) -> str:
    rows = [("x assay", "(range)", "CPU s", "(range)", "wall s", "peak MB", "measures", "AP equal", "")]
    for where, name in bench.contenders:
        if where == form:
            costs, ratios = bench.contenders[form, name], bench.ratios(form, name)
            equal = sum(d < TOLERANCE for d in bench.differences(form, name))
            rows.append(
                (
                    f"{bench.ratio(form, name):.2f}",
                    _range(min(ratios), max(ratios)),
                    f"{costs.best:.2f}",
                    _range(costs.best, costs.worst),
                    f"{costs.wall:.2f}",
                    f"{costs.peak:.0f}",
                    str(N_MEASURES[name]),
                    f"{equal} of {bench.n_runs}",
                    PACKAGES.get(name, name),
                )
            )
    return _table(f"From {FORMS[form]}", rows)


def _scaling(bench: Bench) -> str:
    rows = [("runs", "MB of text", "CPU s", "ms a further MB", "peak MB", "")]
    for n, costs in bench.scaling.items():
        further = f"{1000 * bench.per_megabyte(n):.2f}" if n > 1 else ""
        rows.append((str(n), f"{bench.sizes[n]:.0f}", f"{costs.best:.2f}", further, f"{costs.peak:.0f}", ""))
    return _table("More runs (assay, plain files)", rows)


def _small(bench: Bench) -> str:
    rows = [("CPU s", "")]
    said = {"import": "import of the library", "help": "assay --help", "one run": "assay score, one run, -m map"}
    rows += [(f"{bench.single[name].best:.2f}", text) for name, text in said.items()]
    best = {
        name: min(cost.answer[name] for cost in bench.rejudging.costs) for name in bench.rejudging.costs[0].answer
    }
    rows += [
        (f"{best['reading']:.2f}", f"reading {bench.n_runs} runs"),
        (f"{best['judging']:.2f}", "judging them"),
        (f"{best['judging again']:.2f}", "judging them again, under a random half of the judgments"),
    ]
    return _table("Small things", rows)


def _verdicts(bench: Bench) -> Iterator[str]:
    for (form, ours), wanted in LESS_CPU.items():
        if (form, "pytrec_eval") in bench.contenders:
            found = bench.contenders[form, "pytrec_eval"].best / bench.contenders[form, ours].best
            less = f"{found:.2f} times less CPU than pytrec_eval-terrier from {FORMS[form]}"
            yield _verdict(f"{PACKAGES.get(ours, ours)}: {less}", f"at least {wanted}", met=found >= wanted)
    mixed = bench.contenders["mixed", OURS].best / bench.contenders["plain", OURS].best
    yield _verdict(f"mixed white space: {mixed:.2f} times plain files", f"up to {MIXED}", met=mixed <= MIXED)
    peak = max(costs.peak for (_, name), costs in bench.contenders.items() if name == OURS)
    yield _verdict(f"peak memory {peak:.0f} MB", f"under {PEAK:.0f}", met=peak < PEAK)
    _, few, *_, many = sorted(bench.scaling)
    growth = bench.per_megabyte(many) / bench.per_megabyte(few)
    said = f"a megabyte costs {growth:.2f} times as much among {many} runs as among {few}"
    yield _verdict(said, f"up to {GROWTH}", met=growth <= GROWTH)
    for name, text, limit in (("help", "assay --help", HELP), ("one run", "assay score of one run", ONE_RUN)):
        seconds = bench.single[name].best
        yield _verdict(f"{text}: {seconds:.2f} CPU s", f"under {limit}", met=seconds < limit)


def _verdict(found: str, wanted: str, *, met: bool) -> str:
    return f"{'PASS' if met else 'FAIL'}  {found} (wanted: {wanted})"


def _range(low: float, high: float) -> str:
    return f"({low:.2f}-{high:.2f})"


def _table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Line columns up: numbers to the right, the last column, which is words, to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return "\n".join([title, *(f"  {line}" for line in lines)])
