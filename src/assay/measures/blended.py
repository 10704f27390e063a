"""The blended ratio: precision and cumulated gain in one."""

from __future__ import annotations

from functools import partial

import numpy as np

from assay.core.arrays import Array
from assay.measures.declare import Rankings, measure, ratio
from assay.measures.gain import Gain, GainName, gain_values
from assay.measures.unjudged import Bounds, Extremes, tried


def _extremes(j: Rankings, *, rel: int, beta: float, gain: Gain | GainName) -> Bounds | None:
    """The least and the most of Q over all grades of the unjudged.

    Exact with one relevant grade. With more, the best places for some gains are not the highest ones; all
    completions are tried where they are few, and elsewhere the range is an outer one.
    """
    from assay.measures.bounds.blend import Blend

    value = gain_values(gain, j.scale)
    value[: max(rel, 0)] = 0.0
    if rel > j.top:
        return np.zeros(j.grade.shape[0]), np.zeros(j.grade.shape[0])
    if value.min() < 0 or beta < 0:
        return None
    blend = Blend(j, rel, beta, value)
    score = partial(Q.declaration.formula, rel=rel, beta=beta, gain=gain)
    return blend.bounds() if blend.exact else tried(lambda lists: np.nan_to_num(score(lists)), j, blend.bounds())


@measure(
    claims={"bounded", "convergent", "top_weighted", "realisable"},
    cite="sakai2004",
    unjudged=Extremes(_extremes),
    limits={"beta": (0, np.inf)},
)
def Q(j: Rankings, *, rel: int = 1, beta: float = 1.0, gain: Gain | GainName = "linear") -> Array:
    r"""Q-measure: average precision that counts gain as well as documents.

    .. math:: \frac{1}{\min(k, R)}\sum_{i:\,g_i \ge rel}
              \frac{c_i + \beta\, cg_i}{i + \beta\, cg^*_i}

    with :math:`cg` the cumulated gain and :math:`cg^*` the ideal ranking's. At beta = 0 it is aAP.
    On graded judgments it is not strictly top-weighted: lifting a document of a low grade can lower it.

    >>> round(Q.of([1, 0, 2], n_rel=2), 6)
    0.75
    """
    value = gain_values(gain, j.scale)
    value[: max(rel, 0)] = 0.0
    cumulated = np.cumsum(j.gain(value), axis=-1)
    blended = (j.n_hits(rel) + beta * cumulated) / (j.rank + beta * j.ideal_total(value, np.ones_like(j.rank)))
    return ratio(j.total(blended * j.hit(rel)), np.minimum(j.n_rel(rel), j.cutoff))
