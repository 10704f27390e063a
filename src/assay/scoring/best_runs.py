"""The best runs by a measure, as --top and --drop ask for them."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from assay.core.errors import UsageError
from assay.core.settings import MAX_RANK
from assay.core.text import counted
from assay.scoring.scores import Scores
from assay.stats.best import best_positions


def best_runs(scores: Scores, top: str | int) -> list[str]:
    """Name the best runs by the first condition, in their own order; ties go by name.

    `top` is a number of runs, or a share such as "75%", which keeps floor(share x n) runs.
    """
    n = len(scores.runs)
    kind, number = _share(str(top), "top")
    keep = math.floor(number * n / 100 + 1e-9) if kind == "%" else int(number)
    if not 1 <= keep <= n:
        raise UsageError(f"top '{top}' of {n} runs keeps {keep}; give a number from 1 to {n}, or a share")
    return [scores.runs[run] for run in best_positions(scores.quality()[0], keep, scores.runs)]


def keep_best(scores: Scores, ranking: Scores, *, top: str | None = None, drop: str | None = None) -> Scores:
    """Keep the best runs by the first condition of `ranking`, or drop the worst; the basis says so."""
    names = best_runs(ranking, top or _rest(drop or "", len(ranking.runs)))
    best = scores.select(runs=names)
    choice = f"best {len(names)} of {len(scores.runs)} by {ranking.conditions[0]}"
    if ranking.basis.topics_left_out:
        choice = f"{choice} on {counted(len(ranking.topics), 'topic')} that all have"
    return replace(best, basis=replace(best.basis, chosen=choice))


def _rest(drop: str, n: int) -> str:
    """Say how many stay when some are dropped."""
    kind, number = _share(drop, "drop")
    return f"{100 - number:g}%" if kind == "%" else f"{n - number:g}"


def _share(text: str, what: str) -> tuple[str, float]:
    """Read a number of runs, or a share of them."""
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text.strip())
    if parts is None or not 0 < float(parts[1]) <= (100 if parts[2] else MAX_RANK):
        raise UsageError(f"{what} '{text}' is not a number of runs, or a share such as 75%")
    if not parts[2] and "." in parts[1]:
        hint = f"; did you mean {float(parts[1]) * 100:g}%?" if float(parts[1]) < 1 else ""
        raise UsageError(f"{what} '{text}' is not a whole number of runs{hint}")
    return parts[2], float(parts[1])
