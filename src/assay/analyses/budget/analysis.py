"""Budget: what a budget of judgments is best spent on, many topics judged shallowly or few judged deeply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from assay.analyses.budget.budgets import (
    DesignPowers,
    affordable,
    answers,
    budget_chart,
    compare_budget,
    curve_rows,
    design_charts,
    design_table,
)
from assay.analyses.budget.designs import (
    JudgingDesign,
    PilotPools,
    asked_depths,
    judged_pools,
    pool_notes,
    unjudged_pools,
)
from assay.analyses.budget.phi import shuffled_halves
from assay.analyses.predictivity.comparisons import LEAST_SPLITS
from assay.core.arrays import Array
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.core.text import counted
from assay.data import run_lists as runlists
from assay.data.judged import Collection, judge
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.results.analysis import Section, analysis
from assay.results.result import Result, Screen
from assay.results.sentences import MANY_RUNS, few_runs
from assay.scoring.default_measures import taking_grades
from assay.scoring.engine import check_asked, check_means
from assay.scoring.scores import check_ranking
from assay.stats.splits import SPLIT_TOPICS, Splits
from assay.stats.splits import splits as split_topics

MEASURES = ("P@10", "RR", "AP", "nDCG", "RBP(p=0.95)")
_STEPS = 5  # points of the curve that are observed
_BEYOND = (1, 2)  # times the topics there are, extrapolated


@analysis(
    name="budget",
    group="decide",
    place=3,
    section=Section(
        n_runs=MANY_RUNS,
        n_topics=SPLIT_TOPICS,
        passed=("contributors", "level", "rng"),
        settings={"splits": 200},
        fast=None,
        shown=("pools",),
    ),
    fractions=True,
    screen=Screen(
        columns=(
            "measure",
            "pool_depth",
            "depth",
            "n_topics",
            "n_judged",
            "phi",
            "low",
            "high",
            "best",
            "extrapolated",
        )
    ),
)
def budget(
    data: Collection,
    *,
    budget: Sequence[str] = (),
    measure: Sequence[str | Measure] = (),
    pool_depth: str | None = None,
    target: str | None = None,
    contributors: Sequence[str] = (),
    splits: int = 500,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """How many topics, judged to which depth, is a budget of judgments best spent on?

    The runs and judgments are a pilot: a pool of every depth is cut out of the judgments, and a topic costs the
    mean number of documents in it, judged or not. For a budget, each design (a measure in a pool of some depth) has
    as many topics as it can pay for, and its predictive power says how well it ranks the runs: phi, the mean tau-b
    with the ranking by the target, with all judgments, on half of the topics, none of them the design's
    (webber2008, which ends on this question). The target is the same for every design, so that only how well it is
    predicted differs. phi_self is the design's power over itself, as `assay predictivity --n-topics` has it: how
    reliable it is, not how right.

    At most half of the topics can predict the other half. Beyond that phi is extrapolated, by Spearman and Brown's
    formula on the scale of correlations (r = sin(pi phi / 2)), and marked; the interval does not hold the error of
    that model. Extrapolated from 50 topics (25 per half) to 100, phi_self is .829 for .838 observed (AP of robust
    2004), .740 for .728 (P@10) and .795 for .771 (AP of million query 2007): means of 200 samples of topics, with
    deviations of .023, .030 and .044.

    The best design is picked on the same data as its phi is estimated: `best` marks all that are not significantly
    behind it, paired over topics, one-tailed, with the level shared among the comparisons. It often marks many.

    The intervals treat the topics as the sample: the estimand is the mean of phi over samples of as many topics,
    these runs. They come from a jackknife on Fisher's scale that leaves out groups of topics, two each of 50. Each
    tau jumps when a topic goes, but phi is a mean over many random sets of topics, which is smooth; halves of the
    topics, as `power` has them, would have designs with half as many topics, whose phi is another. Of 150 samples
    of 50 topics of robust 2004 (AP, P@10 and AP with noise predict AP), nominal 95% intervals held the phi of the
    other 199 topics in 89 to 95% with 5 to 100 topics, those extrapolated among them, and in 86 to 89% with two:
    that phi has an error of its own, so that exact ones would in 92%. `best` marked the truly best of eight
    designs, which is ahead by .05, in all of them (`python -m bench.designs`).

    Not for designs with other runs: pools of more, or other, runs cost more, and weak runs raise phi. Assessors'
    time is not only documents: a topic must be written, and its first document takes longest; a budget that counts
    that favours fewer topics.

    Parameters
    ----------
    budget
        How many documents can be judged: numbers, separated by commas; repeats (default: half of what the
        shallowest of the pools holds, so that no design has more than half of the topics).
    measure
        Measures; one without a cutoff is evaluated down to the depth of the pool (default: P@10, RR, AP, nDCG,
        RBP(p=0.95), and the target to the end of the lists).
    pool_depth
        Pool depths: numbers, or ranges such as 1-10, as far as the deepest run goes (default: 5,10,20,50,100, where
        {pool_judged} of the contributors' documents down to that depth are judged).
    target
        The measure that is to be predicted, scored with all judgments (default: AP, or nDCG where relevance is
        graded).
    contributors
        The runs that fill the pools: a name, or a file of names; repeats (default: all runs).
    splits
        Random splits of the topics. A twentieth of them, at least 25, carry the intervals; the noise of so few is
        measured and taken off.
    level
        Confidence of the intervals.
    rng
        Seed of the splits.

    Returns
    -------
    budget
        The budget.
    measure, pool_depth, depth
        The measure, how deep the pool is, and how deep the lists are evaluated (none: to their end).
    n_topics, n_judged
        The most topics that the budget pays for, and what they cost on average.
    phi, low, high
        Predictive power for the target, and its interval with the topics as the sample; no interval from one
        topic, nor below {split_topics} topics in all.
    extrapolated
        Whether these are more topics than half of those there are.
    best
        Whether the design may be the best of its budget.
    phi_self, self_low, self_high
        Predictive power of the design for itself on other topics, as many.

    Notes
    -----
    tables.budget: the table.
    tables.curve: the table's columns for every design with numbers of topics up to half of those there are, as many
    as there are, and twice as many; `budget` and `best` are empty.
    tables.pools: pool_depth, n_judged, n_relevant, n_empty (topics without a relevant document), coverage (share of
    the contributors' documents down to that depth that are judged, one that two runs have counted twice), n_documents
    (in the pool, judged or not), per_topic: what a topic costs.

    References
    ----------
    webber2008: Webber, Moffat, Zobel, Sakai. Precision-at-ten considered redundant. SIGIR 2008: section 4.
    spearman1910: Spearman. Correlation calculated from faulty data. British Journal of Psychology 3, 1910, 271-295.
    brown1910: Brown. Some experimental results in the correlation of mental abilities. British Journal of Psychology
    3, 1910, 296-322.
    """
    check_ranking(data.runs.names)
    data, unanswered = _answered(data)
    asked_for = sorted({n for text in budget for n in _budgets(str(text))})
    depths = asked_depths(pool_depth, data.runs)
    whole = judge(data.runs, data.qrels, negative=data.negative)
    aim = parse(("nDCG" if data.qrels.top > 1 or data.fractions else "AP") if target is None else target)
    asked = [m if isinstance(m, Measure) else parse(m) for m in measure or taking_grades(MEASURES, data.fractions)]
    check_asked(asked)
    check_means([*asked, aim], averages=("mean", "geometric"))
    fill = np.isin(np.array(data.runs.names, dtype=object), runlists.contributors(contributors, data.runs.names))
    pools = PilotPools.of(data, whole, depths, fill)
    of_pools = pl.DataFrame(list(pools.rows()))
    compared = of_pools if pool_depth is not None else judged_pools(of_pools)
    per_topic = {int(d): float(cost) for d, cost in compared.select("pool_depth", "per_topic").iter_rows()}
    budgets = asked_for or [-(-int(compared["n_documents"][0]) // 2)]
    _check_budgets(budgets, per_topic)
    powers, halves = _powers(pools.to(list(per_topic)), asked, aim, splits, rng)
    curve = design_table(list(curve_rows(powers, per_topic, _curve_sizes(halves.n), level)))
    chosen = {b: list(affordable(powers.designs, per_topic, b)) for b in budgets}
    table = design_table([row for b, own in chosen.items() for row in compare_budget(powers, own, b, level=level)])
    settings: dict[str, object] = {"target": str(aim), "contributors": int(fill.sum()), "splits": splits}
    return Result(
        "budget",
        table,
        {"budget": table, "curve": curve, "pools": of_pools},
        whole.basis,
        {**settings, "budget": budgets, "level": level, "rng": rng},
        (
            *whole.notes,
            *unanswered,
            *([] if asked_for else [_default_budget(budgets[0], compared)]),
            *_notes(table, halves.n, len(data.runs.names), str(aim)),
            *pool_notes(of_pools, compared),
            *_few_splits(halves),
        ),
        text="\n".join([*(f"{text}." for text in unjudged_pools(compared)), *answers(table, str(aim), level)]),
        charts=(
            *budget_chart(table, str(aim), level),
            *design_charts(curve, str(aim), {str(d.measure) for d in powers.designs if d.to_pool}),
        ),
    )


def _answered(data: Collection) -> tuple[Collection, tuple[Note, ...]]:
    """Leave out the judged topics that no run answers: nothing was pooled there, and they would cost nothing."""
    there = {topic for topic, n in zip(data.runs.topics, data.runs.count.sum(0).tolist(), strict=True) if n}
    answered = [topic for topic in data.qrels.topics if topic in there]
    if not answered:
        raise UsageError("no run answers a judged topic; are the judgments of the same collection?")
    if len(answered) < 2:
        raise UsageError("1 topic cannot be split in two; give at least two")
    if not (n := len(data.qrels.topics) - len(answered)):
        return data, ()
    text = f"{counted(n, 'judged topic')} that no run answers {'is' if n == 1 else 'are'} left out"
    return replace(data, qrels=data.qrels.select(answered)), (Note("unanswered_topics", "caution", text),)


def _powers(
    pools: PilotPools, measures: Sequence[Measure], target: Measure, splits: int, rng: int
) -> tuple[DesignPowers, Splits]:
    """Score designs and target on the topics on which all of them have scores, and split these in halves."""
    designs, value = _without_gaps(list(pools.designs(measures, target)), pools.target(target))
    n = value.shape[1]
    if n < 2:
        raise UsageError(f"{counted(n, 'topic')} cannot be split in two; give at least two")
    halves = shuffled_halves(split_topics(n, n // 2, splits, rng), rng)
    return DesignPowers(designs, value, halves, replicates=max(25, splits // 20)), halves


def _budgets(text: str) -> list[int]:
    """Read numbers of judgments; a range would be thousands of budgets."""
    for part in text.split(","):
        if not part.strip().isdecimal():
            raise UsageError(f"budget '{part.strip()}' is not a whole number; give one, or several as in 1000,5000")
    if ",0" in text:
        raise UsageError(f"budget '{text}': commas separate budgets; give {text.replace(',', '')}")
    return whole_numbers(text, "budget", least=1)


def _few_splits(halves: Splits) -> Iterator[Note]:
    if len(halves) < LEAST_SPLITS.value and not halves.complete:
        text = f"{counted(len(halves), 'split')}, fewer than {LEAST_SPLITS}: phi and its interval depend on the seed"
        yield Note("least_splits", "caution", text)


def _without_gaps(designs: Sequence[JudgingDesign], target: Array) -> tuple[list[JudgingDesign], Array]:
    """Keep the topics on which every design scores every run."""
    gap = np.isnan(np.stack([*(design.value for design in designs), target])).any((0, 1))
    return [replace(d, value=d.value[:, ~gap]) for d in designs], target[:, ~gap]


def _curve_sizes(n: int) -> list[int]:
    """Numbers of topics up to half of them, which are observed, then all of them and more."""
    return sorted({-(-k * (n // 2) // _STEPS) for k in range(1, _STEPS + 1)} | {times * n for times in _BEYOND})


def _check_budgets(budgets: Sequence[int], per_topic: Mapping[int, float]) -> None:
    """Refuse a budget that pays for nothing."""
    cheapest = min(per_topic.values())
    if budgets[0] < cheapest:
        raise UsageError(
            f"budget {budgets[0]}: one topic in the shallowest pool takes {cheapest:.1f} judgments; give more"
        )


def _default_budget(budget: int, pools: pl.DataFrame) -> Note:
    of = f"half of the documents in the pools of depth {pools['pool_depth'][0]}, so that all designs are observed"
    return Note(
        "default_budget", "info", f"{budget:,} judgments are {of}; --budget N compares designs at another cost"
    )


def _notes(table: pl.DataFrame, n: int, n_runs: int, target: str) -> Iterator[Note]:
    others = f"{counted(n // 2, 'topic')} that the design does not have"
    text = f"phi is of predicting {target}, with all judgments, on {others}"
    yield Note("target_topics", "info", text)
    if beyond := table.filter(pl.col("extrapolated")).height:
        text = f"{counted(beyond, 'row')} of {table.height} extrapolated: more than {n // 2} of the {n} topics"
        yield Note("extrapolated", "caution", text)
    if n < SPLIT_TOPICS.value:
        yield Note("split_topics", "caution", f"{n} topics are too few for an interval")
    yield from few_runs(n_runs, "a correlation")
