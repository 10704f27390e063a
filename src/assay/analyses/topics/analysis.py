"""Topics: how many topics a comparison needs, and how small a difference so many topics show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from assay.analyses.topics.designs import MOST_TOPICS, Design, Name, pair_variance, whole_topics
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.data.provenance import Basis
from assay.results import schemas
from assay.results.analysis import analysis
from assay.results.charts import Chart, category, field, lines
from assay.results.result import Result, Screen
from assay.results.sentences import one_topic
from assay.scoring.scores import Scores
from assay.stats.paired.sample_size import TARGET_POWER

STATED = "stated"  # in place of a measure, where a deviation is stated
_SIZES = (10, 25, 50, 100, 250, 500, 1000)
_LARGEST = 1e9  # difference, or cost
_HEAD = ("measure", "design", "n_systems")
_WHOLE = dict.fromkeys(("n_systems", "n_topics"), pl.Int64) | {"design": pl.String}
_NEEDED = schemas.schema(
    *_HEAD, "size", "n_topics", "low", "high", "sd", **_WHOLE, **dict.fromkeys(("low", "high"), pl.Int64)
)
_CURVE = schemas.schema(*_HEAD, "n_topics", "size", "low", "high", **_WHOLE)


@analysis(name="topics", group="decide", place=2, screen=Screen(), also=("plan", "sample-size"))
def topics(
    data: Scores | None = None,
    *,
    difference: float = 0.05,
    width: float | None = None,
    systems: int | None = None,
    sd: float | None = None,
    n_topics: str | None = None,
    alpha: float = 0.05,
    power: float = TARGET_POWER.value,
    level: float = 0.95,
    cost_per_judgment: float | None = None,
    cost_per_topic: float = 0.0,
    pool_depth: str | None = None,
    spend: float | None = None,
) -> Result:
    """How many topics does a comparison need, and how small a difference can so many show?

    Three designs (sakai2016). `paired`: a paired t test finds a stated difference between two given runs. `anova`: an
    F test (two-way, without replication) finds that m systems differ, of which best and worst are a stated difference
    apart and the others midway, where the test has the least power. `interval`: the interval of the difference of two
    runs is expected to be no wider than stated, from end to end. Numbers are exact, from the noncentral t and F.

    What they need is how much the difference of two runs varies over topics. It is estimated from this collection's
    runs, or stated as `sd`, and then no data are needed. An estimate has an interval, by the jackknife over topics on
    the logarithm of the variance, which allows for few topics having most of it (hall1992): plan with its upper end.

    What topics cost depends on how deep documents are pooled. With `cost_per_judgment` the runs and judgments are a
    pilot, out of which shallower pools are cut: for every depth, how many topics find the difference, what they cost,
    and which depth may be the cheapest. The difference stays in the units of the measure with all judgments. A
    shallower pool shows a share of it, the slope of the regression through the origin, over all pairs of runs, of
    their mean differences in the pool on those with all judgments; and it varies over topics as it does in the pool.
    The slope is that of all pairs: two given runs may differ by more or less in a shallow pool. A few runs that
    hardly differ do not show it: of four neighbours among 24 (TREC-8, AP, samples of 25, three such groups), the cost
    had an interval in 72 to 99% of 200 samples, which held it in 92 to 99% of those; of all 24 see below.

    Not for the difference that was observed: put in as if it were true it says little more than p did. Not for runs
    unlike these: near-identical ones vary less, those of other kinds more. Normal theory is close for
    means of a few dozen topics; for scores of 0 and 1 that are mostly alike it is not.

    Parameters
    ----------
    difference
        The difference that is to be found.
    width
        How wide an interval of a difference may be, from end to end: adds that design.
    systems
        How many systems an analysis of variance compares (default: all runs, where there are three or more).
    sd
        The standard deviation over topics of the difference of two runs, in place of data.
    n_topics
        How many topics to show the smallest difference for: numbers, or ranges (default: as many as there are, and
        10, 25, 50, 100, 250, 500, 1000).
    alpha
        Significance level, two-sided.
    power
        Chance of a significant difference, if it is real.
    level
        Confidence of the intervals.
    cost_per_judgment
        What the judgment of one document costs, in any unit: adds the cheapest mix of topics and pool depth.
    cost_per_topic
        What a topic costs in the same unit, whatever is judged: to write it, and to begin with it.
    pool_depth
        Pool depths of the mix: numbers, or ranges such as 1-10, as far as the deepest run goes (default:
        5,10,20,50,100, as far as such pools are judged, as for `assay budget`).
    spend
        How much may be spent, in the same unit: adds the smallest difference that it finds in a pool of each depth.

    Returns
    -------
    measure, design, n_systems, size
        The measure (`stated` without data), the design, how many systems it compares, and the difference that is to
        be found, or the width.
    n_topics, low, high
        The fewest topics, and their interval over topics: that of the variance.
    sd
        The deviation that they are for: of the median pair, or of all pairs together (anova).

    Notes
    -----
    tables.needed: the table.
    tables.curve: measure, design, n_systems, n_topics, size (the smallest difference that so many topics find, or the
    width that is expected of their interval), low, high: its interval over topics.
    tables.mix: measure, pool_depth, size, n_topics, low, high: the topics that find the difference in a pool of that
    depth, and their interval over topics; per_topic: the documents that a topic takes, judged or not, the mean; cost,
    cost_low, cost_high: what all of it costs; cheapest: whether it may be the cheapest depth of the measure, which
    all are but those that cost significantly more than another, paired over topics (multiple comparisons with the
    best, hsu1984); slope: the share of a difference that the pool shows; sd: that of the median pair there.
    tables.spend: measure, pool_depth, n_topics (that the money pays for), size (the smallest difference that they
    find, with all judgments), low, high.
    tables.pools: pool_depth, n_judged, n_relevant, n_empty (topics without a relevant document), coverage (share of
    the contributors' documents down to that depth that are judged), n_documents (in the pool, judged or not),
    per_topic.

    References
    ----------
    hall1992: Hall. On the removal of skewness by transformation. Journal of the Royal Statistical Society B 54(1),
    1992, 221-228.
    sakai2016: Sakai. Topic set size design. Information Retrieval Journal 19, 2016, 256-283.
    """
    costs = {"cost-per-judgment": cost_per_judgment, "spend": spend}
    for name, value in {"difference": difference, "width": width, "sd": sd, **costs}.items():
        if value is not None and not 0 < value <= _LARGEST:
            raise UsageError(f"--{name} is a number above 0 and up to {_LARGEST:g}, such as 0.05; not {value:g}")
    if not 0 <= cost_per_topic <= _LARGEST:
        raise UsageError(f"--cost-per-topic is a number from 0 to {_LARGEST:g}; not {cost_per_topic:g}")
    if cost_per_judgment is None and (cost_per_topic or pool_depth is not None or spend is not None):
        alone = "--cost-per-topic" if cost_per_topic else "--spend" if pool_depth is None else "--pool-depth"
        raise UsageError(f"{alone} goes with --cost-per-judgment, which says what a judgment costs")
    if not 0 < power < 1:
        raise UsageError(f"power {power:g} is not between 0 and 1")
    if systems is not None and systems < 2:
        raise UsageError(f"--systems {systems}: a comparison is of two or more")
    if (data is None) is (sd is None):
        raise UsageError("give runs with judgments, or scores, or state --sd; not both" if sd else _NOTHING)
    if data is not None and len(data.runs) < 2:
        raise UsageError("one run has no other to be compared with; give at least two, or state --sd")
    there = 0 if data is None else len(data.topics)
    sizes = sorted({*_SIZES, there} - {0, 1}) if n_topics is None else whole_numbers(n_topics, "n-topics", least=2)
    designs = list(
        _designs(difference, width, systems or (0 if data is None else len(data.runs)), alpha, power, level)
    )
    rows, curve = [], []
    for measure, design, variance in _variances(data, designs, sd):
        head = (measure, design.name, design.n_systems)
        rows.append((*head, design.size, *map(whole_topics, design.topics(variance)), float(np.sqrt(variance[0]))))
        curve += [(*head, n, *design.smallest(variance, n).tolist()) for n in sizes]
    table = schemas.table(rows, _NEEDED)
    tables = {"needed": table, "curve": schemas.table(curve, _CURVE)}
    charts = _charts(tables["curve"])
    settings = {"difference": difference, "width": width, "sd": sd, "alpha": alpha, "power": power, "level": level}
    basis = Basis() if data is None else replace(data.basis, runs=len(data.runs), topics=len(data.topics))
    kept = {name: x for name, x in settings.items() if x is not None}
    notes = (*(() if data is None else (*data.notes, *one_topic(there))), *(_notes(table) if there != 1 else ()))
    if cost_per_judgment is None:
        return Result("topics", table, tables, basis, kept, notes, charts=charts)
    from assay.analyses.topics.mix import Aim, Prices
    from assay.analyses.topics.mix_tables import SCREEN, Mix, mix_chart

    if data is None or data.made_of is None:
        raise UsageError(
            "--cost-per-judgment needs runs and judgments, of which pools are cut: --sd or scores are not enough"
        )
    prices = Prices(cost_per_judgment, cost_per_topic)
    mix = Mix.of(data, data.made_of, Aim(difference, alpha, power, level), prices, pool_depth)
    tables |= mix.tables(spend)
    kept |= {"cost_per_judgment": cost_per_judgment, "cost_per_topic": cost_per_topic}
    kept |= {} if spend is None else {"spend": spend}
    charts = (*mix_chart(tables["mix"], level), *charts)
    return Result("topics", table, tables, basis, kept, (*notes, *mix.notes()), charts=charts, screen=SCREEN)


_NOTHING = "nothing to plan by; give runs with --qrels, or --scores, or state --sd 0.2"


def _designs(
    difference: float, width: float | None, systems: int, alpha: float, power: float, level: float
) -> Iterator[Design]:
    """What is asked for, and an analysis of variance where there are systems enough for one."""
    asked: list[tuple[Name, int, float]] = [("paired", 2, difference)]
    asked += [("anova", systems, difference)] if systems > 2 else []
    asked += [("interval", 2, width)] if width is not None else []
    for name, m, size in asked:
        yield Design(name, m, size, alpha, power, level)


def _variances(
    data: Scores | None, designs: Sequence[Design], sd: float | None
) -> Iterator[tuple[str, Design, Array]]:
    """The variance of the difference of two runs, with its interval, for every measure and design."""
    if data is None:
        stated = np.array([(sd or 0.0) ** 2, np.nan, np.nan])
        yield from ((STATED, design, stated) for design in designs)
        return
    for measure, x in zip(data.conditions, data.working(), strict=True):
        yield from ((measure, design, pair_variance(x, design)) for design in designs)


def _notes(needed: pl.DataFrame) -> Iterator[Note]:
    """Say of which measures there is no number of topics, and why."""
    without = needed.filter(pl.col("n_topics").is_null()).unique("measure", maintain_order=True)
    for measure, sd, size in without.select("measure", "sd", "size").rows():
        if sd:
            text = f"{measure}: {size:g} takes more than {MOST_TOPICS:,.0f} topics; it is in the units of the measure"
            yield Note("too_many_topics", "caution", text)
        else:
            text = f"{measure}: no two runs differ from topic to topic; nothing to plan by"
            yield Note("nothing_varies", "caution", text)


def _charts(curve: pl.DataFrame) -> tuple[Chart, ...]:
    """Draw the smallest difference that a paired comparison finds, by the number of topics."""
    rows = curve.filter(design="paired").drop_nulls("size")
    if not rows.height:
        return ()
    drawing = lines(
        field("n_topics", title="topics", scale={"type": "log", "nice": False}),
        field("size", title="smallest difference that is found", scale={"type": "log", "nice": False}),
        category("measure", rows["measure"].unique(maintain_order=True).to_list()),
        points=True,
    )
    text = "The smallest difference between two runs against the number of topics, a line for every measure."
    return (Chart("detectable", "The smallest difference that so many topics find", rows, drawing, text),)
