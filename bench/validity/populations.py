"""Every population of the study by name, each made once in a process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from bench.validity import collections, judge_populations, truths
from bench.validity.truths import Population

CHOICE: dict[str, Callable[[], Population]] = {**truths.CHOICE, **collections.CHOICE, **judge_populations.CHOICE}
CONFIRMATION: dict[str, Callable[[], Population]] = {
    **truths.CONFIRMATION,
    **collections.CONFIRMATION,
    **judge_populations.CONFIRMATION,
    "simulated, scores": lambda: collections.scored(
        collections.simulated("simulated, scores", n_runs=24, top=3, seed=3), "AP", "nDCG@10", "RR", "P@10", "ERR@10"
    ),
}
EVERY = CHOICE | CONFIRMATION


@cache
def population(name: str) -> Population:
    """Make a population, or give the one that was made."""
    return EVERY[name]()
