"""Whether topics that only a model judged look like the others: against scipy, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analyses.judges.correction.extra_topics import MEAN, POOL, SPREAD, extra_topics, on_extra_topics
from assay.scoring.judges.side_by_side import read_judges
from tests.analyses.judges.simulated import dl2023, judges


def shifted(by: float, *, wider: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    model = np.random.default_rng(6).standard_normal((2, 60))
    model[:, 20:] = by + wider * model[:, 20:]
    human = model + 0.1
    human[:, 20:] = np.nan
    return human, model


def test_means_and_spreads_are_compared_as_by_scipy() -> None:
    human, model = shifted(0.4, wider=1.5)
    table = extra_topics(judges(human, model))["extra_topics"]
    assert table["what"].to_list() == [MEAN, SPREAD]
    score = model.mean(0)
    judged, extra = score[:20], score[20:]
    test = stats.ttest_ind(extra, judged, equal_var=False)
    ends = test.confidence_interval(0.95)
    got = table.row(0, named=True)
    assert (got["judged"], got["extra"]) == pytest.approx((judged.mean(), extra.mean()))
    assert (got["p"], got["low"], got["high"]) == pytest.approx((test.pvalue, ends.low, ends.high))
    assert (got["sd_judged"], got["sd_extra"]) == pytest.approx((judged.std(ddof=1), extra.std(ddof=1)))
    away = [np.abs(part - np.median(part)) for part in (extra, judged)]
    assert table["p"][1] == pytest.approx(stats.ttest_ind(*away, equal_var=False).pvalue)


def code(by: float, *, wider: float = 1.0) -> list[tuple[str, str]]:
    return [(note.code, note.severity) for note in on_extra_topics(judges(*shifted(by, wider=wider)))]


def test_what_differs_is_a_warning_what_may_differ_a_caution_and_the_rest_an_assumption() -> None:
    assert code(2.0) == [("extra_topics_differ", "warning")]
    assert code(0.3, wider=6.0) == [("extra_topics_differ", "warning")]
    assert code(0.0) == [("extra_topics_doubted", "caution")]
    assert code(0.3) == [("extra_topics_assumed", "info")]


def test_dl2023s_extra_topics_score_higher_and_that_is_said(data: Path) -> None:
    (note,) = on_extra_topics(dl2023(data))
    assert note.severity == "caution"
    assert "0.749 against 0.713" in note.text


def test_shallower_pools_of_extra_topics_are_seen_in_the_labels() -> None:
    rng = np.random.default_rng(5)
    sizes = [*rng.integers(40, 60, 10), *rng.integers(20, 30, 30)]  # documents that the model judged
    rows = [(f"t{t}", f"d{d}", int(rng.integers(4))) for t, n in enumerate(sizes) for d in range(n)]
    model = pl.DataFrame(rows, schema=["topic", "doc", "grade"], orient="row")
    human = model.filter(pl.col("topic").is_in([f"t{t}" for t in range(10)]))
    runs = {
        f"r{r}": {f"t{t}": {f"d{d}": float(rng.random()) for d in range(n)} for t, n in enumerate(sizes)}
        for r in range(3)
    }
    both = read_judges({"human": human, "model": model}, runs=runs)
    row = extra_topics(both)["extra_topics"].filter(what=POOL).row(0, named=True)
    assert (row["n_topics"], row["n_extra"]) == (10, 30)
    assert (row["judged"], row["extra"]) == pytest.approx((np.mean(sizes[:10]), np.mean(sizes[10:])))
    (note,) = on_extra_topics(both)
    assert note.severity == "warning"
    assert POOL in note.text
