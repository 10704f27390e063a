"""Judges: whether the conclusions drawn under one set of judgments survive another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.analyses.judges.answer import answer
from assay.analyses.judges.charts import judge_charts
from assay.analyses.judges.correction.next_labels import next_documents, next_topics, write_next
from assay.analyses.judges.correction.sampled_labels import read_inclusion, without_sampled
from assay.analyses.judges.evidence import (
    has_extra,
    on_bias,
    on_conclusions,
    on_correction,
    on_documents,
    on_plans,
    on_sample,
)
from assay.analyses.judges.systems.conclusions import Corrected
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.data.diagnosis.collection import BY_JUDGMENTS
from assay.data.provenance import Basis, shown_path
from assay.data.run_lists import attributes
from assay.results.analysis import Section, analysis
from assay.results.result import Result, Screen
from assay.results.sentences import one_topic
from assay.scoring.judges.judges import Judges

Sampled = Literal["topics", "documents"]

NOT_IDENTIFIED = (
    "which judge is right cannot be known from such data; nor whether a judge prefers its own systems, while the "
    "reference errs too; nor whether a group is favoured or better; nor whether other topics are like these"
)


@analysis(
    name="judges",
    group="decide",
    place=3,
    section=Section(
        n_runs=2,
        judges=True,
        few={},
        passed=("measure", "undefined", "missing", "groups", "level", "alpha", "rng"),
        fast={"splits": 50},
    ),
    fractions=True,
    screen=Screen(
        columns=(
            "judge", "measure", "n_pairs", "changed", "opposite", "same", "tau", "low", "high", "shift", "kappa",
            "only_reference", "only_judge",
        )
    ),
    also=("kappa", "raters", "assessors", "llm"),
)  # fmt: skip
def judges(
    data: Judges,
    *,
    correction: Corrected = "holm",
    groups: str | None = None,
    width: float | None = None,
    budget: int | None = None,
    to_judge: str | None = None,
    sample: Sampled | None = None,
    inclusion: str | None = None,
    splits: int = 200,
    alpha: float = 0.05,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """Do the conclusions survive another set of judgments, such as a language model's?

    Every judge is compared with the first, the reference: on documents (kappa, alpha), on systems (rank
    correlations) and on conclusions. "Significant under one judge only" is no disagreement (gelman2006). What counts
    is whether the difference between two runs is itself different under the two judges: the interaction, a paired t
    test of the differences of differences, corrected for the number of pairs. A judge that is lenient to all runs
    alike changes no conclusion; one with a narrower scale makes all differences smaller.

    Which judge is right cannot be known from such data. A judge's preference for its own systems is not known while
    the reference errs too, nor a preference for a group that may be better.

    Where the reference judged some topics and the model these and more, the model's scores are corrected by the
    difference on the topics of both: prediction-powered inference (angelopoulos2023, angelopoulos2023b).

    Parameters
    ----------
    correction
        What becomes of p-values of all pairs of runs: holm, or none.
    groups
        A table with the column run and others, such as the family of the model behind a run: adds whether a judge
        favours a group. A column `judge` says which judge's model made a run.
    width
        How wide an interval may be, from end to end, by the first measure: adds how many topics the reference is to
        judge for it.
    budget
        How many more topics, or documents, the reference could judge: adds how wide intervals are then.
    to_judge
        Write which to judge next, `budget` of them, into this file: a random sample with the chance that each had,
        for `inclusion`.
    sample
        Whether topics or documents are drawn for `to_judge` (default: topics where a model judged some alone).
    inclusion
        A table with topic, doc and probability: which documents were drawn for the reference to judge, and with what
        chance. Adds scores corrected by document (horvitz1952), for P@k and DCG@k.
    splits
        Random halves of the topics, for the ceiling of agreement.
    alpha
        Significance level.
    level
        Confidence of the intervals.
    rng
        Seed of the halves, and of what is drawn to be judged.

    Returns
    -------
    judge, reference, measure
        Who is compared with whom. Without runs there is no measure, and only columns of documents.
    n_pairs
        Pairs of runs that both judged on two topics or more.
    changed
        Pairs whose difference is significantly different under the two judges.
    same, opposite, only_reference, only_judge, neither
        Pairs by what is concluded of them: significant under both with one sign, or with opposite ones, under one
        judge only, under none.
    tau, low, high
        Kendall's tau-b of the means of runs under both, with its interval over topics.
    shift, shift_low, shift_high
        The mean of the judge's scores less the reference's over all runs: how lenient the judge is.
    kappa, kappa_low, kappa_high
        Cohen's kappa of the labels of both (cohen1960).
    alpha, alpha_low, alpha_high
        Krippendorff's alpha of the labels, ordinal (krippendorff2004).
    leniency, leniency_low, leniency_high
        Without runs: the mean grade by the judge less that by the reference.
    n_runs, n_topics, n_labels
        Runs; topics with scores of both; documents that both labelled.

    Notes
    -----
    tables.profiles: judge, n_labels, n_topics, lowest, highest, mean, n_values, n_repeated (pairs with several
    labels), flags: what is odd about the judge: inverted, constant, other_scale, near_duplicate (a kappa with another
    judge of {near_duplicate_kappa} or more), few_pairs (fewer than {few_common_pairs} documents in common),
    stray_grades (above its scale, at most {stray_share:.0%} of its labels), which agreement leaves out.
    tables.documents: judge, reference, statistic, grade, value, low, high, n_pairs, n_topics: kappa, kappa_linear and
    kappa_quadratic (cohen1968), alpha_nominal, alpha_ordinal and alpha_interval (krippendorff2004), agreement, tau_b,
    leniency, graded_higher, graded_lower, and kappa, precision and recall from a `grade` on. Judges of more than
    {few_grades} different grades are not asked for equal ones.
    tables.overlap: judge, reference, n_common, only_judge, only_reference, topics_common, topics_only_judge,
    topics_only_reference.
    tables.grades: judge, reference, grade_judge, grade_reference, n: how often these meet.
    tables.by_grade: judge, reference, grade (of the reference), mean (grade by the judge), low, high, n, n_topics.
    tables.by_topic: judge, reference, topic, n_pairs, kappa, leniency.
    tables.self: judge, statistic (agreement, alpha), value, low, high, n_pairs, labels_per_pair, n_topics: what a
    judge says of a document that it labels again.
    tables.judge_pairs: judge_a, judge_b, n_common, n_topics, kappa, kappa_quadratic, alpha_ordinal, with intervals.
    tables.all_judges: judges (with the reference and without), statistic, value, low, high, n_judges, n_pairs,
    n_topics: alpha of all together.
    tables.conclusions: judge, reference, measure, n_pairs, significant_reference, significant_judge, same, opposite,
    only_reference, only_judge, neither, changed, share_kept (same over significant_reference), low, high, n_topics.
    tables.pairs: judge, reference, measure, run_a, run_b, n_topics, difference_reference, p_reference,
    difference_judge, p_judge, conclusion, interaction (the second difference less the first), low, high (of this pair
    alone), p_single, p (corrected), changes: opposite conclusions first, then changed differences.
    tables.decisions, with fewer than {many_runs} runs: judge, reference, measure, run_a, run_b, verdict_reference,
    verdict_judge (of `compare`), interaction, low, high, p.
    tables.systems: judge, reference, measure, tau, tau_ap (yilmaz2008), rbo (webber2010rbo, p = .9), each with its
    interval, largest_change (of a rank), run, n_runs, n_topics.
    tables.ranks: judge, measure, run, mean_reference, mean_judge, rank_reference, rank_judge, change.
    tables.ceiling: judge, measure, tau_reference_halves (the reference on one half of the topics with itself on the
    other), tau_judge_halves (with the judge on the other), difference, low, high, n_splits, n_topics: on the same
    topics tau shares their noise, on disjoint halves it does not.
    tables.bias: judge, reference, measure, kind (run, group), name, n_runs, n_topics, shift (beyond that of the
    others), low, high, p_topics (topics random), low_systems, high_systems, dof_systems, p_systems (systems random as
    well), shift_beyond_scale, low_beyond_scale, high_beyond_scale, p_beyond_scale, p_beyond_scale_systems (once a
    change of scale is taken out), p (that decides, corrected by Holm), own (made by the judge's model), verdict. A
    column of more than {most_groups} different values makes no groups.
    tables.scale: judge, reference, measure, n_runs, n_topics, slope, low, high, intercept (of the judge's means on
    the reference's, where runs make up at least {least_reliable_scale:.0%} of the variance of means), shift,
    shift_low, shift_high.
    tables.topics: judge, reference, measure, topic, n_pairs, n_runs, shift, share (of the disagreement on differences
    between runs), grade_shift: the topics that carry it first.
    tables.look: judge, reference, topic, doc, grade_reference, grade_judge, n_runs (that return it), weight: the
    documents that move runs against each other most, for people to look at.
    tables.judge_taus: measure, judge_a, judge_b, tau, n_runs, n_topics.
    tables.spread: measure, run_a, run_b, n_judges, n_topics, difference (mean over judges), error_topics, sd_judges
    (what another judge may add), low, high (judges and topics random).
    tables.correction: judge, reference, measure, run, n_topics, n_extra, human (by the reference's topics alone),
    model, ppi, value (by PPI++), low, high, lambda, width_ratio (to the interval of human), effective_topics, ceiling
    (n / (1 - rho^2)). It is said where people judged fewer than {few_labelled_topics} topics, or fewer than
    {few_outcomes} have the rarer of the scores 0 and 1.
    tables.corrected_differences: the same for pairs, run_a minus run_b.
    tables.extra_topics: judge, reference, measure, what, n_topics, n_extra, judged, extra, difference, low, high, p,
    sd_judged, sd_extra: whether the topics that a model judged alone look like the others, by Welch's t tests: a
    caution where one has p < {extra_topics_doubted}, a warning where it has p < {extra_topics_differ} by Bonferroni.
    tables.topics_for_width, with `width`: judge, reference, measure, of (run, pair), run, n_topics, n_extra, sd,
    correlation, width, human_topics, corrected_topics, with intervals: how many topics people are to judge.
    tables.width_of_budget, with `budget`: judge, reference, measure, of, run, n_topics, n_extra, sd, correlation,
    more, human_now, corrected_now, human_width, corrected_width: the widths now, and with so many more.
    tables.sampled, with `inclusion`: scores estimated from labels of sampled documents; topics of which people
    labelled a sample enter no other table.
    tables.sampled_differences, with `inclusion`: the same for pairs of runs.
    """
    if (to_judge is not None or sample is not None) and budget is None:
        raise UsageError("--to-judge draws what to judge next; --budget says how many")
    drawn = None if inclusion is None else read_inclusion(inclusion)
    whole = data if drawn is None else without_sampled(data, drawn)
    known = None if groups is None else attributes(groups, data.scores[0].runs if data.scores else ())
    found = [
        on_documents(whole, level=level),
        on_conclusions(whole, correction=correction, splits=splits, alpha=alpha, level=level, seed=rng),
        on_bias(whole, known, alpha=alpha, level=level),
        on_correction(whole, level=level),
        on_plans(whole, width=width, budget=budget, level=level),
        on_sample(data, drawn, level=level),
    ]
    tables = {name: table for evidence in found for name, table in evidence.tables.items() if table.height}
    notes = [
        *(note for note in data.notes if drawn is None or note.code not in BY_JUDGMENTS),  # drawn is not all
        *one_topic(_most_topics(whole)),
        *(note for evidence in found for note in evidence.notes),
        Note("not_identified", "caution", NOT_IDENTIFIED),
    ]
    if to_judge is not None and budget is not None:
        notes.append(_written(whole, to_judge, budget, sample, rng))
    basis = _basis(whole)
    of_runs = {"correction": correction, "alpha": alpha} if data.scores else {}
    files = {"groups": groups and shown_path(groups), "inclusion": inclusion and shown_path(inclusion)}
    given = {**files, "width": width, "budget": budget, "sample": sample}
    settings: dict[str, Any] = {**of_runs, "level": level, "splits": splits, "rng": rng}
    settings |= {name: value for name, value in given.items() if value is not None}
    return Result(
        "judges",
        answer(whole, tables),
        tables,
        basis,
        settings,
        tuple(notes),
        charts=tuple(judge_charts(tables, basis, level=level)),
        screen=None if data.scores else Screen(),  # of documents alone all columns
    )


def _basis(data: Judges) -> Basis:
    """How many runs and topics the answer rests on; of documents alone, how many of these."""
    if data.scores:
        return replace(data.basis, runs=len(data.scores[0].runs), topics=len(data.scores[0].topics))
    labels = data.labels
    return data.basis if labels is None else replace(data.basis, topics=len(labels.topics), judged=labels.topic.size)


def _most_topics(data: Judges) -> int:
    """On how many topics two judges have something to compare."""
    if data.scores:
        there = ~np.isnan(np.stack([scores.value for scores in data.scores]))
        return int((there[0] & there[1:].any(0)).any((0, 1)).sum())
    return 0 if data.labels is None else len(data.labels.topics)


def _written(data: Judges, path: str, budget: int, sample: Sampled | None, seed: int) -> Note:
    """Draw what to judge next, and write it."""
    rng = np.random.default_rng(seed)
    drawn: Mapping[str, Any] = {"topics": next_topics, "documents": next_documents}
    chosen = sample or ("topics" if has_extra(data) else "documents")
    write_next(path, drawn[chosen](data, budget, rng))
    text = f"{budget} {chosen} to judge next were drawn at random into {shown_path(path)}; judge all of them"
    return Note("to_judge", "info", text)
