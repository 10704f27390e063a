"""Several runs of one system, such as seeds of a model: averaged on every query, with what seeds add to the error.

Queries and seeds are both samples. The variance of a system's mean is that over queries, and what the means of its
seeds vary beyond what the interaction of seeds and queries explains, which the first holds already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assay.analyses.compare.comparisons import SeedError
from assay.core.arrays import Array, Counts, Index
from assay.core.errors import UsageError
from assay.data.run_lists import attributes
from assay.scoring.scores import Scores

_SYSTEM, _ANY = "SYSTEM", "*"


@dataclass(frozen=True, slots=True)
class Replicates:
    """Which runs are replicates of which system."""

    systems: tuple[str, ...]
    member: Index  # [run] its system

    @property
    def n(self) -> Counts:
        """How many runs each system has. [system]"""
        return np.bincount(self.member, minlength=len(self.systems))

    def averaged(self, data: Scores) -> Scores:
        """The scores of systems: on every query the mean over the runs that have one."""
        value = np.full((len(data.conditions), len(self.systems), len(data.topics)), np.nan)
        for i in range(len(self.systems)):
            own = data.value[:, self.member == i]
            n = (~np.isnan(own)).sum(1)
            value[:, i] = np.divide(np.nansum(own, axis=1), n, out=value[:, i], where=n > 0)
        basis = replace(data.basis, runs=len(self.systems), more={"replicates": len(self.member)})
        return replace(data, runs=self.systems, value=value, basis=basis, made_of=None).recounted()

    def seed_error(self, x: Array, first: Index, second: Index) -> SeedError | None:
        """What seeds add to the variance of every pair's mean difference; nothing where a system has one run.

        `x` is [run, query].
        """
        if (self.n < 2).any():
            return None
        own = np.array([_of_seeds(x[self.member == i]) for i in range(len(self.systems))])
        both = own[first] + own[second]
        dof = self.n - 1.0
        parts = own[first] ** 2 / dof[first] + own[second] ** 2 / dof[second]
        joint = np.divide(both**2, parts, out=np.ones(both.shape), where=parts > 0)
        return SeedError(both, joint)


def _of_seeds(x: Array) -> float:
    """The variance of the mean over seeds, the interaction with queries aside, on the queries that all have."""
    x = x[:, ~np.isnan(x).any(0)]
    n_seeds, n_queries = x.shape
    if n_queries < 2:
        return 0.0
    means = x.mean(1)
    rest = x - means[:, None] - x.mean(0) + x.mean()
    interaction = (rest**2).sum() / ((n_seeds - 1) * (n_queries - 1))
    return max(0.0, float(means.var(ddof=1) - interaction / n_queries)) / n_seeds


def read_replicates(written: str, runs: Sequence[str]) -> Replicates:
    """Read which runs are replicates of which system: from a table with a column beside run, or from their names.

    A pattern has the word SYSTEM where a name has that of the system, and * for anything else.

    >>> read_replicates("SYSTEM-seed*", ["bm25", "e5-seed1", "e5-seed2"]).systems
    ('bm25', 'e5')
    """
    if _SYSTEM in written and not Path(written).is_file():
        of = _by_pattern(written, runs)
    elif Path(written).is_file():
        known = attributes(written, runs)
        column = next((name for name in ("system", "model") if name in known.columns), known.columns[1])
        of = [system or run for run, system in known.select("run", column).rows()]
    else:
        raise UsageError(
            f"--replicates {written}: no such file, and no pattern with the word {_SYSTEM}, such as '{_SYSTEM}-seed*'"
        )
    systems = tuple(dict.fromkeys(of))
    if len(systems) == len(runs):
        raise UsageError(f"--replicates {written}: no two runs are of one system")
    return Replicates(systems, np.array([systems.index(one) for one in of], dtype=np.int64))


def _by_pattern(written: str, runs: Sequence[str]) -> list[str]:
    parts = re.split(rf"({_SYSTEM}|{re.escape(_ANY)})", written)
    if parts.count(_SYSTEM) > 1:
        raise UsageError(f"--replicates {written}: {_SYSTEM} stands twice; once is right, and * for anything else")
    words = {_SYSTEM: "(.+)", _ANY: ".*"}
    pattern = re.compile("".join(words.get(part) or re.escape(part) for part in parts), re.DOTALL)
    matches = [pattern.fullmatch(run) for run in runs]
    if not any(matches):
        raise UsageError(f"--replicates {written}: no run is named so, such as '{runs[0]}'")
    return [match[1] if match else run for match, run in zip(matches, runs, strict=True)]
