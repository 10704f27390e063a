"""The model fitted to a matrix of scores: how good its runs are, how hard its topics, how the two go together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.errors import UsageError
from assay.scores import Scores
from assay.synthetic.model import Array, Model, Size, draw_field
from assay.synthetic.scoring import QuickScores, quick_scores

SEEDS = 4  # collections whose mean features are held against those of the matrix
FEATURES = ("mean", "deviation of runs", "deviation of topics", "deviation of the rest", "skewness of runs")
_FREE = ("quality", "difficulty", "interaction", "skew")  # beside the centre; all above 0
_LOW, _HIGH = (0.02, 0.02, 0.02, 0.1), (6.0, 6.0, 6.0, 6.0)
_SKEWNESS = 0.03  # what one unit of skewness weighs beside one of score
_STEPS = 6
_MOST = 50  # runs and topics of the made-up collections: more would tell little more

_READ: dict[str, Callable[[QuickScores], Array]] = {
    "AP": lambda made: made.ap,
    "P@10": lambda made: made.p10,
    "nDCG": lambda made: made.ndcg,
}


@dataclass(frozen=True, slots=True)
class Fitted:
    """The model that makes scores like those of a matrix, and how like they are."""

    model: Model
    real: Array  # [feature]
    made: Array  # [feature], mean over seeds


def features(value: Array) -> Array:
    """Margins and dependence of a matrix of scores, [run, topic]: see FEATURES."""
    by_run, by_topic = value.mean(1), value.mean(0)
    rest = value - by_run[:, None] - by_topic + value.mean()
    spread = by_run.std()
    skewness = ((by_run - by_run.mean()) ** 3).mean() / spread**3 if spread > 0 else 0.0
    return np.array([value.mean(), spread, by_topic.std(), rest.std(), skewness])


def fit(scores: Scores, size: Size) -> Fitted:
    """Find the model whose scores have the features of the first measure of the matrix.

    Runs and topics are as many as in the matrix, up to 50; documents, lists and pool are those of `size`.
    """
    from scipy.optimize import least_squares

    name = scores.conditions[0]
    if name not in _READ:
        raise UsageError(f"the model is fitted to scores of {', '.join(_READ)}, not of {name} (--name says which)")
    value = scores.value[0][:, ~np.isnan(scores.value[0]).any(0)]
    if min(value.shape) < 5:
        raise UsageError(
            f"{value.shape[0]} runs and {value.shape[1]} topics are too few to fit; give at least 5 of each"
        )
    n_runs, n_topics = (min(n, _MOST) for n in value.shape)
    share = size.n_contributors / size.n_runs
    like = replace(size, n_runs=n_runs, n_topics=n_topics, n_contributors=max(1, round(share * n_runs)), n_equal=0)
    real, weight = features(value), np.array([1, 1, 1, 1, _SKEWNESS])
    start = Model()
    found = least_squares(
        lambda x: weight * (_made(_model(x), like, name) - real),
        [start.centre, *(np.log(getattr(start, trait)) for trait in _FREE)],
        bounds=([-15.0, *np.log(_LOW)], [15.0, *np.log(_HIGH)]),
        diff_step=0.03,
        max_nfev=_STEPS,
        xtol=1e-3,
    )
    return Fitted(_model(found.x), real, _made(_model(found.x), like, name))


def _model(x: Array) -> Model:
    """The model of some numbers: the centre, and logarithms of the others."""
    return replace(Model(), centre=float(x[0]), **dict(zip(_FREE, np.exp(x[1:]).tolist(), strict=True)))


def _made(model: Model, size: Size, name: str) -> Array:
    """Features of made-up scores, on the mean of some seeds; the same ones for every model."""
    made = [quick_scores(model, size, draw_field(model, size, seed), seed, even=True) for seed in range(SEEDS)]
    return np.mean([features(_READ[name](each)) for each in made], axis=0)
