"""How many topics are still needed: planned widths against widths that samples really have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.analyses.judges.correction.planning import (
    DIFFERENCE,
    LabelledPilot,
    on_budget,
    topics_for_width,
    width_of_budget,
)
from assay.analyses.judges.correction.prediction_powered import corrected
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.stats.paired.sample_size import interval_topics
from tests.analyses.judges.simulated import dl2023, judges


def samples(n: int, total: int, agreement: float, *, times: int = 4000, seed: int = 8) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    human = rng.standard_normal((times, total))
    model = 3 + 0.5 * (agreement * human + np.sqrt(1 - agreement**2) * rng.standard_normal(human.shape))
    human[:, n:] = np.nan
    return human, model


@pytest.mark.parametrize("agreement", [0.9, 0.6, 0.3])
@pytest.mark.parametrize("n", [25, 60, 120, 150])
def test_planned_widths_are_those_that_samples_have(agreement: float, n: int) -> None:
    """Planned from pilots of 25 topics, of 150 that the model scored; in the mean over pilots and samples."""
    pilot = LabelledPilot.of(corrected(*samples(25, 150, agreement), level=0.95))
    planned = pilot.corrected_width(np.full(4000, float(n)), level=0.95)
    real = corrected(*samples(n, 150, agreement, seed=9), level=0.95)
    assert np.mean(planned) == pytest.approx(real.tuned.width.mean(), rel=0.03)
    alone = pilot.human_width(np.full(4000, float(n)), level=0.95)
    assert np.mean(alone) == pytest.approx(real.human.width.mean(), rel=0.015)


@pytest.mark.parametrize("agreement", [0.9, 0.6])
def test_the_topics_that_are_said_to_be_needed_reach_the_width_and_one_fewer_do_not(agreement: float) -> None:
    pilot = LabelledPilot.of(corrected(*samples(300, 400, agreement, times=50), level=0.95))
    needed = pilot.corrected_topics(0.5, level=0.95)
    assert (pilot.corrected_width(needed, level=0.95) <= 0.5).all()
    assert (pilot.corrected_width(needed - 1, level=0.95) > 0.5).all()
    assert (needed <= pilot.human_topics(0.5, level=0.95)).all()
    real = corrected(*samples(int(np.median(needed)), 400, agreement), level=0.95)
    assert real.tuned.width.mean() == pytest.approx(0.5, rel=0.03)


def test_where_the_models_topics_are_not_enough_people_judge_as_many_as_alone() -> None:
    pilot = LabelledPilot.of(corrected(*samples(25, 60, 0.8, times=20), level=0.95))
    alone = interval_topics(pilot.sd, 0.3, level=0.95)
    assert (alone > 60).all()
    assert pilot.corrected_topics(0.3, level=0.95).tolist() == alone.tolist()


def test_tables_name_the_median_difference_and_every_run() -> None:
    human, model = samples(25, 150, 0.8, times=4)
    both = judges(human, model)
    table = topics_for_width(both, 0.8)["topics_for_width"]
    assert table["of"].to_list()[0] == DIFFERENCE
    assert table["run"].to_list() == [None, "r0", "r1", "r2", "r3"]
    assert (table["corrected_topics"] < table["human_topics"]).all()
    ends = table.select("human_topics_low", "human_topics", "human_topics_high").rows()
    assert all(low < middle < high for low, middle, high in ends)
    sd = np.nanstd(human[1], ddof=1)
    assert table["sd"][2] == pytest.approx(sd)
    assert table["human_topics"][2] == interval_topics(sd, 0.8, level=0.95)
    reached = width_of_budget(both, 40)["width_of_budget"]
    assert (reached["corrected_width"] < reached["corrected_now"]).all()
    assert (reached["corrected_width"] < reached["human_width"]).all()
    assert reached["more"].to_list() == [40] * 5
    assert not list(on_budget(both, 125))
    assert [note.code for note in on_budget(both, 126)] == ["budget_beyond_extra"]


def test_a_width_is_above_0_and_a_budget_of_one_topic_or_more() -> None:
    both = judges(*samples(25, 150, 0.8, times=4))
    with pytest.raises(UsageError, match="above 0"):
        topics_for_width(both, 0.0)
    with pytest.raises(UsageError, match="at least one"):
        width_of_budget(both, 0)


def test_on_dl2023_the_model_saves_a_third_of_the_topics_of_a_median_difference(data: Path) -> None:
    """1/(1 - rho^2) is 1.5 for a median difference: 82 topics are worth at most 123."""
    row = (
        topics_for_width(dl2023(data), 0.1)["topics_for_width"].filter(pl.col("of") == DIFFERENCE).row(0, named=True)
    )
    assert 1 / (1 - row["correlation"] ** 2) == pytest.approx(1.52, abs=0.02)
    assert row["corrected_topics"] / row["human_topics"] == pytest.approx(0.70, abs=0.03)
