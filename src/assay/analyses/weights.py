"""The gain and the discount with which nDCG is most reliable, and whether that is worth anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from assay import runlists
from assay.analyses.depth import numbers
from assay.analyses.weights_caveats import with_caveats
from assay.analyses.weights_charts import charts
from assay.analyses.weights_evidence_charts import evidence_charts
from assay.analyses.weights_fits import By, Fits, Over, Way, Worst
from assay.analyses.weights_study import UNBOUND, Asked, Found, nearest
from assay.analysis import Result, Section, analysis
from assay.errors import UsageError
from assay.inputs import Collection, collection
from assay.judged import Judged, judge
from assay.measures.gain import DiscountName, GainName
from assay.numeric.weighing import Coefficient, Lists
from assay.numeric.weightspace import Free
from assay.scores import Undefined
from assay.tables import check_depth, counted
from assay.weighed import lists_of

FEW = 10  # runs below which a coefficient says almost nothing
DEEPEST = 1000
NAMES: dict[Coefficient, str] = {"e_rho2": "E-rho^2", "phi": "Phi"}


@analysis(
    name="weights",
    group="trust",
    section=Section(
        n_runs=FEW,
        n_topics=4,
        graded=True,
        passed=("undefined", "alpha", "level", "rng"),
        fast=None,
        settings={"draws": 20},
        shown=("held_out",),
    ),
)
def weights(
    data: Collection,
    *,
    depth: int = 20,
    free: Free | None = None,
    unconstrained: bool = False,
    coefficient: Coefficient = "phi",
    gain: GainName = "linear",
    discount: DiscountName = "log2",
    ridge: float = 0.0,
    worst_over: Over | None = None,
    worst_by: By = "loss",
    other: Sequence[str] = (),
    cutoffs: str = "3,10,20,100,200",
    folds: int = 5,
    groups: str | None = None,
    draws: int = 50,
    resamples: int = 1000,
    undefined: Undefined = "zero",
    alpha: float = 0.05,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """Which gain and discount make nDCG most reliable on these runs?

    The gain of each grade and the discount of each rank are unknowns; those are found with which most of the variance
    of nDCG lies between runs (kanoulas2009). The discount is searched for with the gain given, the gain with the
    discount given, both together, and the first two (the discount to depth 200) also without the constraint that
    gains must not fall with the grade and discounts not rise with the rank. `-o best.json` writes the result, and
    `-m "nDCG(weights='best.json')@20"` scores with it.

    Stability is not truth: weights that separate these runs reliably need not say what users want. An optimum is
    judged here by the topics that it was fitted on, and is too good; tables.held_out says what remains on others, and
    the notes say when it does not survive, and when the discount only draws the depth of the pool. Do not take the
    weights of one collection to another without that.

    Gains and discounts have no scale: discounts are shown with a sum of 1, gains with 1 for the lowest relevant
    grade. The ideal ranking is sorted by gain, not by grade; where gains must not fall with the grade this is the
    same. The search starts from four points and ends at a point where no weight can rise (kkt below 1e-8); the
    coefficient is not concave, so that no proof is given that there is no better point.

    Parameters
    ----------
    depth
        The cutoff k of nDCG, up to 1,000.
    free
        Which optimum is called the best, is held against the others and is read from the file: discount, gain or
        both (default: both; discount where there is one relevant grade only).
    unconstrained
        Let gains fall with the grade and discounts rise with the rank in the best; neither is ever negative. Beyond
        depth 200 this takes minutes.
    coefficient
        What is maximised, at one topic: phi, stability of scores, or e_rho2, stability of rankings.
    gain
        The gain that is given while the discount is searched for: linear or exp.
    discount
        The discount that is given while the gain is searched for: log2, jk, zipf, linear or none.
    ridge
        Shrink the best towards linear gain and log2 by this much: 0.001 hardly matters, 1 leaves little else.
    worst_over
        Let the best be what is best in the worst of several cases: cutoffs (those below, as far as depth; one
        discount, cut at each), folds of the topics, or collections (this one, and each `other`).
    worst_by
        Which case is the worst: that with the largest loss against its own optimum, or that with the lowest value of
        the coefficient, which tends to be decided by one case alone: of cutoffs, the smallest.
    other
        Another collection, as RUNS,QRELS; repeats. Goes with `worst_over` collections.
    cutoffs
        Where the ratio of gains is told, as in table 2 of the paper: numbers, or ranges such as 1-10.
    folds
        Sets of topics of which one at a time is held out.
    groups
        A table with columns run and group: then the runs are held out too, half of the groups at a time.
    draws
        How often topics are drawn anew to see how far the weights wander.
    resamples
        Bootstrap samples for the significance levels of figure 9.
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    alpha
        Significance level.
    level
        Confidence of the intervals.
    rng
        Seed of everything that is drawn.

    Returns
    -------
    variant, gain, discount
        A variant of nDCG@k: what was taken for the gain, and for the discount. `optimal` was fitted; `unconstrained`,
        too, without the constraint; `shrunk` with a ridge; `worst-case` for the worst of several cases.
    phi, low, high
        The share of the variance of scores, at one topic, that lies between runs, and its interval (arteaga1982),
        which treats runs and topics as samples and the weights as given.
    e_rho2
        The same without the variance of topics, which moves all runs alike.
    topics_90, topics_95
        Topics for which Phi reaches .90 and .95; empty where none are enough.
    ratio
        The gain of the highest relevant grade over that of the lowest.
    kkt, converged
        Of fitted variants: the largest slope by which the coefficient could still rise, and whether it is below 1e-8.
    loss
        How much of the coefficient is lost against the optimum that `free` asks for: how flat it is.

    Notes
    -----
    tables.held_out: variant, statistic, in_sample, in_sample_gain, held_out, standard, difference, low, high,
    verdict: what fitted variants gain over linear gain and log2, on the topics of the fit and on topics (with
    `groups` also runs) that the fit knew nothing of; there with its interval over topics. Statistics: phi, e_rho2,
    power, topics_90, topics_95. Variances are estimated fold by fold: `standard` is not quite the phi above.
    tables.topics: variant, target, n_topics, low, high: topics needed for Phi, with intervals; tables 1 and 3.
    tables.discounts: variant, rank, discount; figures 2, 3 and 6.
    tables.gains: variant, grade, gain, which is 1 for the lowest relevant grade.
    tables.search: variant, kkt, converged, n_starts, n_short, gain_falls, discount_rises, sum_off: of fits,
    how many starts there were, how many of them ended at a lower optimum, and how far the weights are off the
    constraints: the most that gains (of the highest) fall from grade to grade, that discounts rise from rank to rank,
    and how far discounts sum from 1.
    tables.cutoffs: depth, unconstrained, log2, optimal, linear, exp: the ratio of gains at several cutoffs: without
    constraint, with, with the optimal discount, and of the gains that people use; table 2.
    tables.ranks: of, rank, share: the share of judged documents, and of each grade, by rank; figure 5.
    tables.means: variant, run, mean; figures 7 and 8.
    tables.likeness: variant, other, tau, low, high, rms: how alike two variants rank the runs, with an interval over
    topics, and the root mean square of the differences of means; figures 7 and 8, table 4.
    tables.powers: variant, runs, power, low, high, n_pairs, difference, difference_low, difference_high: pairs of
    runs found different, of all runs and of the best 30, and the difference from linear gain and log2.
    tables.asl: variant, pair, p: significance levels of the pairs of the best 30 runs, largest first; figure 9.
    tables.sweep: ratio, tau, low, high, tau_linear, phi, power: as the highest grade is worth 1 to 1,000 times the
    lowest: tau of the runs with the ranking of ratio 1, and with that of linear gain.
    tables.variants: variant, phi, e_rho2, power, power_top: of many variants; the last is of the best 30 runs.
    tables.thesis: stability, power_of, n_variants, tau, low, high, verdict: whether those of the variants that are
    more stable separate more runs.
    tables.discount_bands: rank, discount, low, median, high: the best discount, and where it lies when topics are
    drawn anew.
    tables.gain_bands: grade, gain, low, median, high: the same of gains, with 1 for the lowest relevant grade.
    tables.ridge: with `ridge`: ridge, in_sample, held_out, standard, difference, low, high, verdict.
    tables.worst: with `worst_over`: problem, value, standard, own_optimum, loss, decides: the coefficient in every
    case with the best, with linear gain and log2, and with the optimum of that case alone; how far the first is below
    the last; whether the case is one of those that decide.
    tables.pool_edge: rank, share_before, share_after, fall, fall_log2, elsewhere: the last rank before the judged
    share of documents falls, that share there and one below, what the best discount and log2 lose over the next two
    ranks, and the share of other ranks at which the discount falls as much beside log2. Empty where nothing falls.

    For gain and discount together the paper maximises the worst of several values of stability, and does not say
    which. Here `both` is the maximum over both; `worst_over` with `worst_by` value is the form with a worst case. The
    mean over the cases counts there, too, by 0.001, so that what the worst cases leave open is not left to chance.

    References
    ----------
    kanoulas2009: Kanoulas, Aslam. Empirical justification of the gain and discount function for nDCG. CIKM 2009,
    611-620.
    arteaga1982: Arteaga, Jeyaratnam, Graybill. Confidence intervals for proportions of total variance in the two-way
    cross component of variance model. Communications in Statistics 11(15), 1982, 1643-1658.
    """
    judged = judge(data.runs, data.qrels, negative=data.negative)
    _check(judged, depth, folds, ridge)
    _check_worst(worst_over, worst_by, other)
    judged, about = _chosen(judged, undefined)
    depth, far = _depths(judged, depth, cutoffs)
    deep = lists_of(judged, max(depth, *far))
    n_folds = min(folds, deep.n_topics // 2)
    worst = Worst(worst_over, worst_by, far, n_folds, _others(other, deep.head(depth)), rng) if worst_over else None
    asked = Asked(
        fits=Fits(deep.top, gain, discount, coefficient, rng),
        way=Way(_free(deep, free), monotone=not unconstrained, ridge=ridge, worst=worst),
        cutoffs=far,
        folds=n_folds,
        groups=None if groups is None else tuple(runlists.groups(groups, judged.runs)),
        draws=draws,
        resamples=resamples,
        alpha=alpha,
        level=level,
        rng=rng,
    )
    found = Found.of(deep, depth, asked)
    table, tables = found.table(), found.tables(judged.runs)
    settings = asked.settings(depth) | {"undefined": undefined}
    notes = (*_notes(found, table, tables, folds), *about, *judged.notes)
    drawn = (*charts(table, tables, asked.best), *evidence_charts(tables))
    result = Result("weights", table, tables, judged.basis, settings, notes, text=_few(judged), charts=drawn)
    return with_caveats(result)


def _check(judged: Judged, depth: int, folds: int, ridge: float) -> None:
    """Refuse what has no answer before any work is done."""
    check_depth(depth)
    if folds < 2:
        raise UsageError(f"folds {folds} is not a whole number from 2 up, such as 5")
    if depth > DEEPEST:
        raise UsageError(f"depth {depth} is more than {DEEPEST:,}, the deepest that weights are fitted to")
    if not ridge >= 0:
        raise UsageError(f"ridge {ridge:g} is not a number from 0 up, such as 0.01")
    if len(judged.runs) < 2:
        raise UsageError("one run has no variance between runs; give at least two")
    if not judged.pool[:, 1:].any():
        raise UsageError("no judged document has a grade above 0: there is nothing to weigh")
    if len(judged.topics) < 2:
        raise UsageError("one topic does not tell runs from luck; give at least two")


def _check_worst(over: Over | None, by: By, other: Sequence[str]) -> None:
    """Refuse settings of a worst case that do not go together."""
    if over is None and by != "loss":
        raise UsageError("--worst-by says which of several cases is the worst; it goes with --worst-over")
    if other and over != "collections":
        raise UsageError("--other names a further collection; it goes with --worst-over collections")
    if over == "collections" and not other:
        raise UsageError("--worst-over collections takes at least one more: --other RUNS,QRELS")


def _chosen(judged: Judged, undefined: Undefined) -> tuple[Judged, tuple[str, ...]]:
    """Settle topics without relevant documents."""
    there = judged.pool[:, 1:].sum(1) > 0
    if there.all():
        return judged, ()
    n = counted(int((~there).sum()), "topic")
    if undefined == "zero":
        return judged, (f"{n} without a relevant document; scores there count as 0",)
    kept = [topic for topic, held in zip(judged.topics, there, strict=True) if held]
    if len(kept) < 2:
        raise UsageError("only one topic has a relevant document; it takes two to tell runs from luck")
    return judged.select(topics=kept), (f"{n} without a relevant document left out",)


def _depths(judged: Judged, depth: int, cutoffs: str) -> tuple[int, tuple[int, ...]]:
    """The cutoff, and those of table 2, as far as the deepest list goes."""
    longest = max(1, int(judged.source.count.max(initial=0)))
    far = numbers(cutoffs, "cutoff", least=1)
    if far[-1] > DEEPEST:
        raise UsageError(f"cutoff {far[-1]} is more than {DEEPEST:,}, the deepest that weights are fitted to")
    return min(depth, longest), tuple(k for k in far if k <= longest) or (longest,)


def _free(lists: Lists, free: Free | None) -> Free:
    """What is searched for in the best; gains only where they can matter."""
    if lists.grades.size > 1:
        return free or "both"
    if free in ("gain", "both"):
        only = f"all relevant documents are of grade {lists.grades[0]}"
        raise UsageError(f"{only}: one gain cancels out of nDCG and cannot be fitted; ask for --free discount")
    return "discount"


def _others(other: Sequence[str], lists: Lists) -> tuple[tuple[str, Lists], ...]:
    """Read the further collections, to the depth and on the scale of these lists."""
    return tuple((text, _other(text, lists)) for text in other)


def _other(text: str, lists: Lists) -> Lists:
    runs, _, qrels = text.rpartition(",")
    if not runs or not qrels:
        raise UsageError(f"other '{text}' is not RUNS,QRELS")
    read = collection([runs], qrels=qrels)
    judged = judge(read.runs, read.qrels, negative=read.negative) if isinstance(read, Collection) else None
    if judged is None or len(judged.runs) < 2 or len(judged.topics) < 2:
        raise UsageError(f"other '{text}' has less than two runs and two topics")
    if judged.top > lists.top:
        raise UsageError(f"other '{text}' has grades up to {judged.top}, these judgments only up to {lists.top}")
    return lists_of(judged, lists.depth)


def _few(judged: Judged) -> str:
    if (n := len(judged.runs)) >= FEW:
        return ""
    return f"{n} runs are too few for a coefficient to say much: with other runs all of this could look different."


def _notes(found: Found, table: pl.DataFrame, tables: Mapping[str, pl.DataFrame], folds: int) -> Iterator[str]:
    asked, lists = found.asked, found.lists
    name, loss = nearest(table)
    of = NAMES[asked.fits.coefficient]
    yield f"of what people use, '{name}' comes nearest to the optimum and loses {loss:.4f} of {of} at one topic"
    if not found.graded:
        yield f"all relevant documents are of grade {lists.grades[0]}: gains cancel out; only discounts are fitted"
    yield "phi, its interval and topics needed of fitted variants are on the topics of the fit: too good"
    yield "the ideal ranking is sorted by gain"
    if lists.depth > UNBOUND and asked.way.monotone:
        yield f"beyond depth {UNBOUND} an unconstrained discount is fitted only where asked for (--unconstrained)"
    search = tables["search"]
    for row in search.filter(pl.col("n_short") > 0).iter_rows(named=True):
        yield f"{row['variant']}: {row['n_short']} of {row['n_starts']} starts ended at a lower optimum"
    if "worst" in tables:
        names = tables["worst"].filter("decides")["problem"].to_list()
        yield f"the worst case is decided by {', '.join(names)}{' alone' if len(names) == 1 else ''}"
    for variant in search.filter(pl.col("converged").not_())["variant"]:
        yield f"{variant}: the search did not converge (kkt is not below 1e-8); it may not be an optimum"
    if missing := sorted(set(range(1, lists.top + 1)) - set(lists.grades.tolist())):
        yield f"no document has grade {missing[0]}: it gains as the grade below it, which means nothing"
    single = int(((lists.pool[:, 1:] > 0).sum(1) == 1).sum())
    if found.graded and single > 0:
        yield f"{counted(single, 'topic')} with one relevant grade only; gains cancel out there"
    if asked.folds < 2:
        yield f"{counted(lists.n_topics, 'topic')} are too few to hold some out"
    elif asked.folds < folds:
        yield f"{asked.folds} folds, not {folds}: each takes two topics"
    yield f"""`-o best.json` writes '{asked.best}'; -m "nDCG(weights='best.json')@{lists.depth}" scores with it"""
