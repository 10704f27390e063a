"""The model fitted to a matrix of scores: how good its runs are, how hard its topics, how the two interact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.simulate.model import Model, Size, simulate_runs
from assay.analyses.simulate.scoring import QuickScores, quick_scores
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.thresholds import Threshold
from assay.scoring.scores import Scores

FEWEST_FITTED = Threshold(
    "fewest_fitted", 5, unit="runs and topics", meaning="below which no model is fitted to a matrix of scores"
)
SEEDS = 4  # collections whose mean features are compared with those of the matrix
FEATURES = ("mean", "deviation of runs", "deviation of topics", "deviation of the rest", "skewness of runs")
_FREE = ("quality", "difficulty", "interaction", "skew")  # beside the centre; all above 0
_LOW, _HIGH = (0.02, 0.02, 0.02, 0.1), (6.0, 6.0, 6.0, 6.0)
_SKEWNESS = 0.03  # what one unit of skewness weighs beside one of score
_STEPS = 6
_MOST = 50  # runs and topics of the synthetic collections: more would add little

_READ: dict[str, Callable[[QuickScores], Array]] = {
    "AP": lambda scores: scores.ap,
    "P@10": lambda scores: scores.p10,
    "nDCG": lambda scores: scores.ndcg,
}


@dataclass(frozen=True, slots=True)
class FittedModel:
    """The model whose scores are like those of a matrix, and how like they are."""

    model: Model
    real: Array  # [feature]
    synthetic: Array  # [feature], mean over seeds


def features(value: Array) -> Array:
    """Margins and dependence of a matrix of scores, [run, topic]: see FEATURES."""
    by_run, by_topic = value.mean(1), value.mean(0)
    rest = value - by_run[:, None] - by_topic + value.mean()
    spread = by_run.std()
    skewness = ((by_run - by_run.mean()) ** 3).mean() / spread**3 if spread > 0 else 0.0
    return np.array([value.mean(), spread, by_topic.std(), rest.std(), skewness])


def fit(scores: Scores, size: Size) -> FittedModel:
    """Find the model whose scores have the features of the first measure of the matrix.

    Runs and topics are as many as in the matrix, up to 50; documents, lists and pool are those of `size`.
    """
    from scipy.optimize import least_squares

    name = scores.conditions[0]
    if name not in _READ:
        raise UsageError(f"the model is fitted to scores of {', '.join(_READ)}, not of {name} (--name says which)")
    value = scores.value[0][:, ~np.isnan(scores.value[0]).any(0)]
    if min(value.shape) < FEWEST_FITTED.value:
        few = f"{value.shape[0]} runs and {value.shape[1]} topics are too few to fit"
        raise UsageError(f"{few}; give at least {FEWEST_FITTED} of each")
    n_runs, n_topics = (min(n, _MOST) for n in value.shape)
    share = size.n_contributors / size.n_runs
    like = replace(size, n_runs=n_runs, n_topics=n_topics, n_contributors=max(1, round(share * n_runs)), n_equal=0)
    real, weight = features(value), np.array([1, 1, 1, 1, _SKEWNESS])
    start = Model()
    fitted = least_squares(
        lambda x: weight * (_synthetic(_model(x), like, name) - real),
        [start.centre, *(np.log(getattr(start, trait)) for trait in _FREE)],
        bounds=([-15.0, *np.log(_LOW)], [15.0, *np.log(_HIGH)]),
        diff_step=0.03,
        max_nfev=_STEPS,
        xtol=1e-3,
    )
    return FittedModel(_model(fitted.x), real, _synthetic(_model(fitted.x), like, name))


def _model(x: Array) -> Model:
    """The model of some numbers: the centre, and logarithms of the others."""
    return replace(Model(), centre=float(x[0]), **dict(zip(_FREE, np.exp(x[1:]).tolist(), strict=True)))


def _synthetic(model: Model, size: Size, name: str) -> Array:
    """Features of synthetic scores, on the mean of some seeds; the same ones for every model."""
    scores = [quick_scores(model, size, simulate_runs(model, size, seed), seed, even=True) for seed in range(SEEDS)]
    return np.mean([features(_READ[name](each)) for each in scores], axis=0)
