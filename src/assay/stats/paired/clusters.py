"""The mean of values that come in clusters, such as paraphrases of one query, with an error that says so.

CR2 (bell2002): residuals of a cluster are added up, and scaled by what the mean takes from them, so that the variance
is unbiased where values are independent. Of a mean all of it has a closed form. Degrees of freedom are
Satterthwaite's: few or uneven clusters leave few. With every value its own cluster all of it is Student's.
"""

from __future__ import annotations

import numpy as np

from assay.core.arrays import Array, Index


def clustered_mean(x: Array, cluster: Index) -> tuple[float, float, float]:
    """The mean of values [value], its standard error and its degrees of freedom; values that are NaN do not count.

    `cluster` [value] is from 0 up. NaN for both below two clusters.

    >>> mean, error, dof = clustered_mean(np.array([1.0, 2.0, 6.0]), np.array([0, 1, 2]))
    >>> round(mean, 3), round(error, 3), round(dof, 3)
    (3.0, 1.528, 2.0)
    """
    there = ~np.isnan(x)
    x, cluster = x[there], cluster[there]
    n = np.bincount(cluster)
    share = n / max(x.size, 1)
    if np.count_nonzero(n) < 2:
        return (float(x.mean()) if x.size else float("nan")), float("nan"), float("nan")
    mean = float(x.mean())
    residual = np.bincount(cluster, weights=x - mean)
    variance = (residual**2 / (1 - share)).sum() / x.size**2
    own = share**2
    joint = own / (1 - share)  # of two clusters the product, squared: the off-diagonal of the quadratic form
    dof = 1 / (own.sum() + joint.sum() ** 2 - (joint**2).sum())
    return mean, float(np.sqrt(variance)), float(dof)
