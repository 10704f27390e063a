"""The gain and the discount with which nDCG is most reliable, and whether that survives on held-out topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from assay.analyses.weights.charts import charts
from assay.analyses.weights.fits import By, FitOptions, Fitter, MaximinCases, Over
from assay.analyses.weights.graded_lists import GradedLists, lists_of
from assay.analyses.weights.notes import weights_notes
from assay.analyses.weights.optimise.ndcg import CriterionName
from assay.analyses.weights.optimise.variables import Free
from assay.analyses.weights.study import Plan, WeightStudy
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.ranges import whole_numbers
from assay.core.settings import check_depth
from assay.core.thresholds import Threshold
from assay.data import run_lists as runlists
from assay.data.judged import Collection, Judged, judge
from assay.data.judgments.grades import check_whole
from assay.measures.gain import DiscountName, GainName
from assay.measures.grammar import parse
from assay.results.analysis import Section, analysis
from assay.results.result import Result, Screen
from assay.results.sentences import MANY_RUNS
from assay.scoring.best_runs import best_runs
from assay.scoring.engine import empty_topics, score
from assay.scoring.loaders import collection
from assay.scoring.scores import Undefined
from assay.stats.variance import check_size

DEEPEST_WEIGHTS = Threshold("deepest_weights", 1000, unit="ranks", meaning="the deepest that weights are fitted to")


@analysis(
    name="weights",
    group="trust",
    place=10,
    section=Section(
        n_runs=MANY_RUNS,
        n_topics=4,
        graded=True,
        passed=("undefined", "alpha", "level", "rng"),
        fast=None,
        settings={"draws": 20},
        shown=("held_out",),
    ),
    screen=Screen(columns=("variant", "phi", "low", "high", "e_rho2", "topics_90", "topics_95", "loss")),
)
def weights(
    data: Collection,
    *,
    depth: int = 20,
    top: str | None = None,
    free: Free | None = None,
    unconstrained: bool = False,
    coefficient: CriterionName = "phi",
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

    The gain of each grade and the discount of each rank are fitted so that most of the variance of nDCG lies
    between runs (kanoulas2009). The discount is fitted with the gain fixed, the gain with the discount
    fixed, both together, and the first two (the discount to depth {unconstrained_depth}) also without the constraint
    that gains must not fall with the grade and discounts not rise with the rank. `-o best.json` writes the result,
    and `-m "nDCG(weights='best.json')@20"` scores with it.

    Stability is not truth: weights that separate these runs reliably need not say what users want. An optimum is
    evaluated here on the topics that it was fitted on, and is too good; tables.held_out says what remains on held-out
    topics, and the notes say when the gain does not survive there, and when the discount only follows the edge of the
    pool. Do not take the weights of one collection to another without that. With fewer than {many_runs} runs a
    coefficient says almost nothing, and the output begins with that.

    Gains and discounts have no scale: discounts are shown with a sum of 1, gains with 1 for the lowest relevant
    grade. The ideal ranking is sorted by gain, not by grade; where gains must not fall with the grade this is the
    same. The search starts from four points and ends at a stationary point (kkt below {kkt_converged}); the
    coefficient is not concave, so that no proof is given that there is no better point.

    Parameters
    ----------
    depth
        The cutoff k of nDCG, up to {deepest_weights:,}.
    top
        Only the best runs by nDCG@k, linear gain and log2: a number, or a share such as 75%. They are
        the best on all topics, the held-out ones included. Runs near 0 make any weights look stable.
    free
        Which optimum is called the best, is compared with the others and is read from the file: discount, gain or
        both (default: both; discount where there is one relevant grade only).
    unconstrained
        Let gains fall with the grade and discounts rise with the rank in the best; neither is ever negative. Beyond
        depth {unconstrained_depth} this takes minutes.
    coefficient
        What is maximised: phi, stability of scores at one topic; e_rho2, stability of rankings at one topic; or
        power, the share of pairs of runs that a paired t test separates at `alpha`, smoothed so that it can be
        climbed: each pair counts t^4 / (t^4 + c^4), c the critical value, which is 1/2 there. tables.contest then
        says what it gains.
    gain
        The gain that stays fixed while the discount is fitted: linear or exp.
    discount
        The discount that stays fixed while the gain is fitted: log2, jk, zipf, linear or none.
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
        Where the ratio of gains is shown, as in table 2 of the paper: numbers, or ranges such as 1-10.
    folds
        Sets of topics of which one at a time is held out.
    groups
        A table with columns run and group: then the runs are held out too, half of the groups at a time.
    draws
        Bootstrap samples of the topics, to which the weights are fitted again to see how far they vary.
    resamples
        Bootstrap samples for the significance levels of figure 9.
    undefined
        What to do with topics without relevant documents: zero, as trec_eval does, or skip.
    alpha
        Significance level.
    level
        Confidence of the intervals.
    rng
        Seed of everything random.

    Returns
    -------
    variant, gain, discount
        A variant of nDCG@k: its gain, and its discount. `optimal` was fitted; `unconstrained`,
        too, without the constraint; `shrunk` with a ridge; `worst-case` for the worst of several cases; `phi-optimal`
        and `e_rho2-optimal` for stability, where all else is fitted for power.
    phi, low, high
        The share of the variance of scores, at one topic, that lies between runs, and its interval for these very
        runs and weights: a jackknife of the logarithm of variance over error, one topic left out at a time, as in
        `reliability`. Mean squares are smooth in every topic, so that this holds.
    e_rho2
        The same without the variance of topics, which moves all runs alike.
    topics_90, topics_95
        Topics for which Phi reaches .90 and .95; empty where none are enough.
    ratio
        The gain of the highest relevant grade over that of the lowest.
    kkt, converged
        Of fitted variants: the largest slope by which the coefficient could still rise, and whether it is below
        {kkt_converged}.
    loss
        How much of the coefficient (of smoothed power, where that is maximised) is lost against the optimum that
        `free` asks for: how flat it is.

    Notes
    -----
    tables.held_out: variant, statistic, in_sample, in_sample_gain, held_out, standard, difference, low, high,
    verdict: what fitted variants gain over linear gain and log2, on the topics of the fit and on topics (with
    `groups` also runs) that were held out; there with its interval over topics: one left out at a time; of power,
    which jumps, from halves of the topics. Verdict: survives where the interval is on the better side of 0, lost
    where no part of it is, else inconclusive. Statistics: phi, e_rho2, power, topics_90, topics_95 (inf
    where no number of topics is enough, from which no difference is known). Variances are estimated fold by fold:
    `standard` is not quite the phi above.
    tables.contest: with coefficient power: other, statistic, in_sample, other_in_sample, held_out, other_held_out,
    difference, low, high, verdict: the best against fits for stability and standard functions, in power and in Phi,
    on the topics of the fit and on held-out ones, with the interval of the held-out difference over topics. Verdict:
    more where it is above 0, less where it is below, else inconclusive; not corrected for the number of others.
    tables.topics: variant, target, n_topics, low, high: topics needed for Phi, with intervals; tables 1 and 3.
    tables.stability: variant, n_topics, phi, e_rho2: both coefficients by the number of topics; figure 4.
    tables.discounts: variant, rank, discount; figures 2, 3 and 6.
    tables.gains: variant, grade, gain, which is 1 for the lowest relevant grade.
    tables.search: variant, kkt, converged, n_starts, n_short, gain_falls, discount_rises, sum_off: of fits,
    how many starts there were, how many of them ended at a lower optimum, and how far the weights are off the
    constraints: the most that gains (of the highest) fall from grade to grade, that discounts rise from rank to rank,
    and how far discounts sum from 1.
    tables.cutoffs: depth, unconstrained, log2, optimal, linear, exp, low, high: the ratio of gains at several
    cutoffs: without constraint, with, with the optimal discount, and of the standard gains; table 2. The interval is
    of `log2`, over topics, with the gain fitted again without each.
    tables.ranks: of, rank, share: the share of judged documents, and of each grade, by rank; figure 5.
    tables.means: variant, run, mean; figures 7 and 8.
    tables.likeness: variant, other, tau, low, high, rms, same_first: how alike two variants rank the runs, with an
    interval over topics, the root mean square of the differences of means, and how many of the best runs stand in
    exactly the same order (without interval); figures 7 and 8, table 4.
    tables.powers: variant, runs, power, low, high, n_pairs, difference, difference_low, difference_high: pairs of
    runs that differ significantly, of all runs and of the best 30, and the difference from linear gain and log2.
    tables.asl: variant, pair, p: significance levels of the pairs of the best 30 runs, largest first; figure 9.
    tables.asl_shares: variant, statistic, value, low, high, difference, difference_low, difference_high: of these
    curves the share of pairs below alpha, and `curve`, that share averaged over all alpha up to .15; with intervals
    over topics (from halves of them, tested by Student's t), and the difference from linear gain and log2.
    tables.sweep: ratio, tau, low, high, tau_linear, phi, power: as the highest grade is worth 1 to 1,000 times the
    lowest: tau of the runs with the ranking of ratio 1, and with that of linear gain.
    tables.variants: variant, phi, e_rho2, power, power_top: of many variants, and of the fitted ones; the last is of
    the best 30 runs.
    tables.thesis: stability, power_of, n_variants, tau, low, high, verdict: whether those of the many variants that
    are more stable separate more runs (fitted ones do not count: they were chosen for stability): together where the
    interval of tau is above 0, apart where it is below, else inconclusive.
    tables.discount_bands: rank, discount, low, median, high: the best discount, and where it lies over bootstrap
    samples of the topics.
    tables.gain_bands: grade, gain, low, median, high: the same of gains, with 1 for the lowest relevant grade.
    tables.ridge: with `ridge`: ridge, in_sample, held_out, standard, difference, low, high, verdict.
    tables.worst: with `worst_over`: problem, value, standard, own_optimum, loss, decides: the coefficient in every
    case with the best, with linear gain and log2, and with the optimum of that case alone; how far the first is below
    the last; whether the case is one of those that decide.
    tables.pool_edge: rank, share_before, share_after, fall, fall_log2, elsewhere: the last rank before the judged
    share of documents falls, that share there and one below, what the best discount and log2 lose over the next two
    ranks, and the share of other ranks at which the discount falls as much beside log2. Empty where nothing falls.

    Charts: the figures of the paper are discounts (2), fitted (3 and 6: the discounts that were fitted, with and
    without constraint, alone and with the gain), stability (4), ranks (5), means (7 and 8) and asl (9); `--table
    fitted -o figure.png` draws one. Others: topics, held_out, contest, cutoffs, discount_bands, ridge, variants and
    sweep.

    For gain and discount together the paper maximises the worst of several values of stability, and does not say
    which. Here `both` is the maximum over both; `worst_over` with `worst_by` value is the form with a worst case. The
    mean over the cases counts there, too, by 0.001, so that what the worst cases leave open is not left to chance.

    References
    ----------
    kanoulas2009: Kanoulas, Aslam. Empirical justification of the gain and discount function for nDCG. CIKM 2009,
    611-620.
    """
    judged = judge(data.runs, data.qrels, negative=data.negative)
    _check(judged, depth, folds, ridge)
    _check_worst(worst_over, worst_by, other)
    judged, on_empty = _without_empty(judged, undefined)
    judged = judged if top is None else _best(judged, depth, top)
    depth, far = _depths(judged, depth, cutoffs)
    deep = lists_of(judged, max(depth, *far))
    n_folds = min(folds, deep.n_topics // 2)
    others = _others(other, deep.head(depth))
    worst = MaximinCases(worst_over, worst_by, far, n_folds, others, rng) if worst_over else None
    plan = Plan(
        fitter=Fitter(deep.top, gain, discount, coefficient, rng, alpha),
        options=FitOptions(_free(deep, free), monotone=not unconstrained, ridge=ridge, worst=worst),
        cutoffs=far,
        folds=n_folds,
        groups=None if groups is None else tuple(runlists.groups(groups, judged.runs)),
        draws=draws,
        resamples=resamples,
        alpha=alpha,
        level=level,
        rng=rng,
    )
    study = WeightStudy.of(deep, depth, plan)
    table, tables = study.table(), study.tables(judged.runs)
    return Result(
        "weights",
        table,
        tables,
        judged.basis,
        plan.settings(depth) | {"undefined": undefined},
        (*weights_notes(study, table, tables, folds), *on_empty, *judged.notes),
        text=_few_runs(len(judged.runs)),
        charts=charts(table, tables, plan.best, study.gain_names),
    )


def _check(judged: Judged, depth: int, folds: int, ridge: float) -> None:
    """Refuse what has no answer before any work is done."""
    check_depth(depth)
    if folds < 2:
        raise UsageError(f"folds {folds} is not a whole number from 2 up, such as 5")
    _check_deepest("depth", depth)
    if not 0 <= ridge < inf:
        raise UsageError(f"ridge {ridge:g} is not a number from 0 up, such as 0.01")
    check_size(len(judged.runs), len(judged.topics))
    if not judged.pool[:, 1:].any():
        raise UsageError("no judged document has a grade above 0: there is no gain to fit")


def _check_deepest(name: str, k: int) -> None:
    if k > DEEPEST_WEIGHTS.value:
        raise UsageError(f"{name} {k} is more than {DEEPEST_WEIGHTS:,}, the deepest that weights are fitted to")


def _check_worst(over: Over | None, by: By, other: Sequence[str]) -> None:
    """Refuse settings of a worst case that do not go together."""
    if over is None and by != "loss":
        raise UsageError("--worst-by says which of several cases is the worst; it goes with --worst-over")
    if other and over != "collections":
        raise UsageError("--other names a further collection; it goes with --worst-over collections")
    if over == "collections" and not other:
        raise UsageError("--worst-over collections takes at least one more: --other RUNS,QRELS")


def _without_empty(judged: Judged, undefined: Undefined) -> tuple[Judged, tuple[Note, ...]]:
    """Apply the policy for undefined scores to topics without relevant documents: keep them, or leave them out."""
    empty = judged.n_rel(1) == 0
    if not empty.any():
        return judged, ()
    if undefined == "zero":
        return judged, (empty_topics(int(empty.sum()), "scores there count as 0"),)
    topics = [topic for topic, is_empty in zip(judged.topics, empty, strict=True) if not is_empty]
    if len(topics) < 2:
        raise UsageError("only one topic has a relevant document; it takes two to separate runs from chance")
    return judged.select(topics=topics), (empty_topics(int(empty.sum()), "left out"),)


def _best(judged: Judged, depth: int, top: str) -> Judged:
    """Keep the best runs by nDCG with linear gain and log2; the basis says so."""
    by = f"nDCG@{depth}"
    names = best_runs(score(judged, [parse(by)]), top)
    check_size(len(names), len(judged.topics))
    best = judged.select(runs=names)
    choice = f"best {len(names)} of {len(judged.runs)} by {by}"
    return replace(best, basis=replace(best.basis, chosen=choice))


def _depths(judged: Judged, depth: int, cutoffs: str) -> tuple[int, tuple[int, ...]]:
    """The cutoff, and those of table 2, as far as the deepest list goes."""
    longest = max(1, int(judged.source.count.max(initial=0)))
    far = whole_numbers(cutoffs, "cutoff", least=1)
    _check_deepest("cutoff", far[-1])
    return min(depth, longest), tuple(k for k in far if k <= longest) or (longest,)


def _free(lists: GradedLists, free: Free | None) -> Free:
    """What is free in the best; gains only where they can matter."""
    if lists.grades.size > 1:
        return free or "both"
    if free in ("gain", "both"):
        only = f"all relevant documents are of grade {lists.grades[0]}"
        raise UsageError(f"{only}: one gain cancels out of nDCG and cannot be fitted; ask for --free discount")
    return "discount"


def _others(other: Sequence[str], lists: GradedLists) -> tuple[tuple[str, GradedLists], ...]:
    """Read the further collections, to the depth and on the scale of these lists."""
    return tuple((text, _other(text, lists)) for text in other)


def _other(text: str, lists: GradedLists) -> GradedLists:
    runs, _, qrels = text.rpartition(",")
    if not runs or not qrels:
        raise UsageError(f"other '{text}' is not RUNS,QRELS")
    read = collection([runs], qrels=qrels)
    judged = judge(read.runs, read.qrels, negative=read.negative) if isinstance(read, Collection) else None
    if judged is None or len(judged.runs) < 2 or len(judged.topics) < 2:
        raise UsageError(f"other '{text}' has less than two runs and two topics")
    check_whole(judged.fractions, f"other '{text}' needs whole grades")
    if judged.top > lists.top:
        raise UsageError(f"other '{text}' has grades up to {judged.top}, these judgments only up to {lists.top}")
    return lists_of(judged, lists.depth)


def _few_runs(n: int) -> str:
    if n >= MANY_RUNS.value:
        return ""
    return f"{n} runs are too few for a coefficient to say much: with other runs all of this could look different."
