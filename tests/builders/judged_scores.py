"""Several judges from arrays of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.core.arrays import Array
from assay.measures.declare import Average
from assay.scoring.judges.judges import Judges
from assay.scoring.scores import Scores


def judges_of_arrays(
    by_judge: Mapping[str, Array],
    *,
    measures: Sequence[str] = ("score",),
    averages: tuple[Average, ...] = (),
    lower: tuple[bool, ...] = (),
    runs: Sequence[str] = (),
) -> Judges:
    """Name the runs r0, r1, ... and the topics t0, t1, ...; scores are [run, topic], or [measure, run, topic]."""
    scores = []
    for value in by_judge.values():
        x = value if value.ndim == 3 else value[None]
        names = tuple(runs) or tuple(f"r{i}" for i in range(x.shape[1]))
        topics = tuple(f"t{i}" for i in range(x.shape[2]))
        scores.append(Scores(tuple(measures), names, topics, x, averages=averages, lower=lower))
    return Judges(tuple(by_judge), scores=tuple(scores))
