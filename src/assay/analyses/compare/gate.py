"""Conditions on systems that a build may fail on: read from a line, decided by one-sided intervals.

A signed number is a difference from the baseline, with % relative to the baseline's mean; an unsigned one is the mean
itself. A condition passes where the one-sided interval at 1 - alpha lies wholly inside, and is violated where it lies
wholly outside, after Holm's correction over the conditions. All pass together as an intersection-union test, which
needs no correction: one that truly fails passes in at most alpha of samples, however many there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from assay.analyses.compare.comparisons import Comparisons
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError, suggestion
from assay.core.text import first_few
from assay.results.schemas import schema, table
from assay.scoring.conditions import recognised_condition
from assay.scoring.scores import Scores, spelled_as
from assay.stats.paired.clusters import clustered_mean
from assay.stats.paired.proportions import clopper_pearson
from assay.stats.significance.pairs import corrected

PASS, VIOLATED, UNDECIDED = "pass", "violated", "inconclusive"
_FORM = re.compile(
    r"\s*(?P<measure>.*?[^\s=<>])\s*(?P<than>>=?|<=?)"
    r"\s*(?P<sign>[+\-\u2212]?)(?P<number>(?:\d{1,15}\.?\d{0,15}|\.\d{1,15})(?:[eE][+-]?\d{1,2})?)\s*(?P<percent>%?)\s*",
    re.ASCII,
)
_EXAMPLES = "such as 'nDCG@10 > -0.01', 'latency_ms < +5%' or 'nDCG@10 >= 0.45'"
_HALVINGS = 50  # of a bracket of alpha
_LEAST = 1e-12  # alpha that is looked at
GATES = schema(
    "gate", "run", "baseline", "measure", "value", "low", "high", "threshold", "p_pass", "p_violated", "verdict",
    "n_topics", gate=pl.String, baseline=pl.String,
)  # fmt: skip

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition: on which measure, on which side of which number, and of what that number is."""

    text: str
    measure: str
    above: bool  # whether it is met above the threshold; below it otherwise
    equal: bool  # whether it is met at the threshold, too
    threshold: float  # of a relative difference a share
    relative: bool  # to the baseline's mean
    difference: bool  # from the baseline, and not the mean itself


def read_gates(written: Sequence[str], data: Scores, baselines: Sequence[str]) -> list[Gate]:
    """Read conditions; a malformed one is an error that says how it would be right; so are contradictions."""
    gates = [_read(text, data, baselines) for text in dict.fromkeys(written)]
    for one, other in combinations(gates, 2):
        if _is_contradiction(one, other) or _is_contradiction(other, one):
            raise UsageError(f"--gate '{one.text}' and --gate '{other.text}': no number meets both")
    return gates


def _is_contradiction(lower: Gate, upper: Gate) -> bool:
    """Whether what one condition asks to be above lies where the other, on the same number, asks to be below."""
    same = all(getattr(lower, name) == getattr(upper, name) for name in ("measure", "relative", "difference"))
    if not same or not lower.above or upper.above:
        return False
    at_once = lower.equal and upper.equal
    return lower.threshold > upper.threshold or (lower.threshold == upper.threshold and not at_once)


def _read(text: str, data: Scores, baselines: Sequence[str]) -> Gate:
    match = _FORM.fullmatch(text)
    if match is None:
        turned = next((f"; did you mean {sign[::-1]}?" for sign in ("=>", "=<") if sign in text), "")
        raise UsageError(f"--gate '{text}': expected a measure, > or <, and a number, {_EXAMPLES}{turned}")
    measure = spelled_as(match["measure"], data.conditions)
    if measure is None:
        name = match["measure"]
        there = suggestion(name, data.conditions) or f" (there is {first_few(data.conditions)})"
        raise UsageError(f"--gate '{text}': no measure '{name}'{there}{_added(name, data)}")
    if data.average_of(data.conditions.index(measure)) != "mean":
        raise UsageError(f"--gate '{text}': {measure} is no mean over queries; take a measure that is, as AP is")
    signed, percent = bool(match["sign"]), bool(match["percent"])
    if percent and not signed:
        raise UsageError(f"--gate '{text}': a share of what? +{match['number']}% is relative to the baseline")
    if signed and not baselines:
        raise UsageError(f"--gate '{text}': a difference, from which baseline? give --baseline NAME, or no sign")
    number = float(match["sign"].replace("\u2212", "-") + match["number"]) / (100 if percent else 1)
    return Gate(text.strip(), measure, match["than"][0] == ">", "=" in match["than"], number, percent, signed)


def _added(name: str, data: Scores) -> str:
    """That a measure could be asked for, where runs were scored here and it is one."""
    return f"; -m {name} would add it" if data.made_of is not None and recognised_condition(name) is not None else ""


def gate_table(
    gates: Sequence[Gate], data: Scores, baselines: Sequence[str], *, alpha: float, clusters: Index | None
) -> pl.DataFrame:
    """Decide every condition for every system that is no baseline, one row each."""
    asked = [one for gate in gates for one in _asked(gate, data, baselines, clusters)]
    p_pass = [_least_alpha(one, above=one.gate.above, equal=one.gate.equal) for one in asked]
    outside = [_least_alpha(one, above=not one.gate.above, equal=False) for one in asked]
    p_violated = corrected(np.array(outside), "holm")
    rows = []
    for one, inside, out in zip(asked, p_pass, p_violated, strict=True):
        word = PASS if inside < alpha else VIOLATED if out < alpha else UNDECIDED
        low, high = one.ends(alpha)
        known = (one.gate.text, one.run, one.baseline, one.gate.measure, one.value, low, high, one.gate.threshold)
        rows.append((*known, inside, float(out), word, one.n))
    return table(rows, GATES)


def overall(verdicts: Sequence[str]) -> str:
    """What conditions say together: violated where one is, pass where all do."""
    if VIOLATED in verdicts:
        return VIOLATED
    return PASS if all(one == PASS for one in verdicts) else UNDECIDED


@dataclass(frozen=True, slots=True)
class _Asked:
    """A condition of one system: the number that it is about, and the ends of its one-sided intervals by alpha."""

    gate: Gate
    run: str
    baseline: str | None
    value: float
    n: int
    ends: Callable[[float], Ends]


def _asked(gate: Gate, data: Scores, baselines: Sequence[str], clusters: Index | None) -> Iterator[_Asked]:
    value = data.value[data.conditions.index(gate.measure)]
    at = {name: i for i, name in enumerate(data.runs)}
    for run in (name for name in data.runs if name not in baselines):
        own = value[at[run]]
        if not gate.difference:
            yield _Asked(gate, run, None, *_mean(own, clusters))
            continue
        for baseline in baselines:
            other = value[at[baseline]]
            made = _relative(own, other, clusters) if gate.relative else _difference(own, other, clusters)
            yield _Asked(gate, run, baseline, *made)


Made = tuple[float, int, Callable[[float], Ends]]


def _difference(a: Array, b: Array, clusters: Index | None) -> Made:
    of = Comparisons.of(np.stack([a, b]), np.array([0]), np.array([1]), clusters=clusters)

    def ends(alpha: float) -> Ends:
        low, high = of.one_sided(alpha)
        return float(low[0]), float(high[0])

    return float(of.mean[0]), int(of.n[0]), ends


def _mean(x: Array, clusters: Index | None) -> Made:
    """A mean: exactly of 0 and 1 (clopper1934), else Student's, or that of clusters."""
    there = ~np.isnan(x)
    own, n = x[there], int(there.sum())
    if clusters is None and n and np.isin(own, (0.0, 1.0)).all():

        def exact(alpha: float) -> Ends:
            low, high = clopper_pearson(own.sum(), n, level=1 - 2 * alpha)
            return float(low), float(high)

        return float(own.mean()), n, exact
    mean, error, dof = clustered_mean(own, np.arange(n) if clusters is None else clusters[there])
    return mean, n, lambda alpha: _student(mean, error, dof, alpha)


def _student(mean: float, error: float, dof: float, alpha: float) -> Ends:
    from scipy.special import stdtrit

    half = -float(stdtrit(dof, alpha)) * error
    return mean - half, mean + half


def _relative(a: Array, b: Array, clusters: Index | None) -> Made:
    """The difference as a share of the baseline's mean, by Fieller's method (fieller1954).

    A share r is in the interval if the mean of a - (1 + r) b may be 0: the baseline's mean is an estimate, too.
    """
    there = ~np.isnan(a - b)
    a, b = a[there], b[there]
    n = a.size
    cluster = np.arange(n) if clusters is None else clusters[there]
    if n and np.array_equal(a, b):
        return 0.0, n, lambda _: (0.0, 0.0)
    mean_a, error_a, dof = clustered_mean(a, cluster)
    mean_b, error_b, _ = clustered_mean(b, cluster)
    joint = clustered_mean(a + b, cluster)[1]
    covariance = (joint**2 - error_a**2 - error_b**2) / 2

    def ends(alpha: float) -> Ends:
        from scipy.special import stdtrit

        t = float(stdtrit(dof, alpha))
        square = mean_b**2 - (t * error_b) ** 2
        if not (square > 0 and mean_b > 0):  # the baseline may be 0: no share of it is known
            return float("-inf"), float("inf")
        half = mean_a * mean_b - t**2 * covariance
        root = np.sqrt(max(half**2 - square * (mean_a**2 - (t * error_a) ** 2), 0.0))
        return float((half - root) / square - 1), float((half + root) / square - 1)

    return (mean_a / mean_b - 1 if mean_b > 0 else float("nan")), n, ends


def _least_alpha(of: _Asked, *, above: bool, equal: bool) -> float:
    """The least alpha at which a one-sided interval lies wholly on one side of the threshold: 1 where none does.

    `equal` says whether the threshold itself is on that side.
    """
    threshold = of.gate.threshold

    def is_beyond(alpha: float) -> bool:
        low, high = of.ends(alpha)
        end = low if above else high
        return bool((end > threshold if above else end < threshold) or (equal and end == threshold))

    low, high = np.log(_LEAST), np.log(0.5 - 1e-9)
    if not is_beyond(float(np.exp(high))):
        return 1.0
    if is_beyond(_LEAST):
        return _LEAST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_beyond(float(np.exp(middle))) else (middle, high)
    return float(np.exp(high))
