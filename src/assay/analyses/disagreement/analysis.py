"""Disagreement: the share of all pairs of rankings on which two measures do not prefer the same one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from assay.analyses.disagreement.answers import agreement_with_people
from assay.analyses.disagreement.cases import CASES, RankingPair
from assay.analyses.disagreement.cells import (
    cell_notes,
    cell_tables,
    cells_basis,
    cells_of_paper,
    compare_cell,
    contention_table,
    features_of_paper,
    notes_of_paper,
)
from assay.analyses.disagreement.charts import charts
from assay.analyses.disagreement.on_runs import disagreement_on_runs
from assay.analyses.disagreement.preference_task import PAIRS, cases_of_universe, check_export, write_task
from assay.analyses.disagreement.preferences import ON_ALL_RANKINGS, FeatureCounts, meanings
from assay.analyses.disagreement.ranked_lists import RankedLists
from assay.analyses.disagreement.request import Request, shortened_measures
from assay.analyses.disagreement.topic_means import (
    DisagreementOfMeans,
    disagreement_of_means,
    disagreement_of_run_means,
)
from assay.core.errors import UsageError
from assay.core.progress import steps
from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.measures.declare import Measure
from assay.measures.grammar import parse_open
from assay.measures.universe.exhaustive import UniverseName
from assay.measures.universe.exhaustive import universe as every_ranking
from assay.measures.universe.features import features_of
from assay.results.analysis import Section, analysis
from assay.results.result import Result, Screen

_IN_TEXT = 3  # pairs of measures whose meaning stands before the table


@analysis(
    name="disagreement",
    group="understand",
    place=1,
    section=Section(
        n_measures=2,
        passed=("measure", "level", "rng"),
        settings={"depth": "10", "n_rel": "10"},
        fast=None,
        shown=("weighted", "real_meanings", "cases"),
    ),
    screen=Screen(by="disagreement"),
)
def disagreement(
    data: Collection | None = None,
    *,
    measure: Sequence[str | Measure] = (),
    depth: str = "1-10",
    n_rel: str = "1-10",
    universe: UniverseName = "distinct",
    n_topics: int | None = None,
    export: str | None = None,
    answers: Sequence[str] = (),
    key: str | None = None,
    level: float = 0.95,
    rng: int = 0,
) -> Result:
    """On which rankings do measures disagree?

    Takes all rankings of k documents with at most R relevant ones, each once, and compares all pairs of them
    (jones2015). Two measures disagree on a pair unless both prefer the same ranking or neither has a preference. Ties
    are exact; a note counts those that rounding might decide, if there are any: only deep universes have some. A
    measure has no preference where it has no score for a ranking, as SNAP for one that has nothing relevant. It needs
    no data: the shares are counted, not estimated, and have no interval.

    Not a verdict on measures: disagreement says that two of them reward different things, not which is right. Nor
    are all rankings equally likely: deep universes weigh most (depth 10 has 72% of all pairs up to 10), and shares
    change with depth (AP and DCG: 3.0% at 10, 4.6% at 20, R = k). With runs and judgments the same is weighted by
    the rankings that runs really produce.

    Parameters
    ----------
    measure
        Measures without a cutoff, such as AP or RBP(p=0.8), cut at each depth; repeats (default: the 15 of the
        paper, with universe paper in the forms and the order of its table 2; with `answers` those of the key). One
        with a cutoff of its own looks at so many ranks only; where runs are given, at no more than `depth`.
    depth
        Lengths k of the rankings: numbers, or ranges such as 1-10.
    n_rel
        Numbers R of relevant documents: numbers, or ranges such as 1-10. For rankings over several grades, how many
        documents of grade 1, 2, ... there are: 5/3 is five of grade 1 and three of grade 2.
    universe
        distinct: every ranking once. paper: the lists, pairs and roundings that the tables of jones2015 come from,
        with its table 2, and by `--table features` its table 4.
    n_topics
        Compare means over this many topics, too, at most {topics_of_means:,}: of pairs of runs with random rankings,
        k and R sampled for each topic from `depth` and `n_rel`; where runs are given, of all pairs of these over all
        sets of so many of their topics, or of a sample where there are more of them than would be sampled.
    export
        Write the rankings on which these measures disagree most as a blind preference task for people: pairs.jsonl,
        and its key beside it, pairs.key.jsonl. Of runs where these are given, else of the deepest universe.
    answers
        Answers to such a task: the table then says which measures agree with them, and nothing else is counted. The
        task with every answer filled in (left, right or neither), or lines or a CSV file of pair, answer and person;
        repeats, a file each person.
    key
        The key of the task that was answered (default: the one beside the first file of answers).
    level
        Confidence of the intervals, where there are runs, means, answers or a sample of rankings.
    rng
        Seed of means over topics, of the sides of a preference task, and of the sample of rankings whose features
        are counted where a universe has more than {feature_sample:,}.

    Returns
    -------
    measure_a, measure_b
        The measures, in the order asked.
    disagreement
        The share of pairs of rankings on which they disagree, in percent, over all k and R together.
    n_disagree, n_opposite, n_tie_only
        How many pairs that are: those on which they prefer opposite rankings, and those on which one prefers a
        ranking and the other none (in the paper's universe also those on which only one has a score).
    n_pairs
        All pairs.

    Notes
    -----
    tables.cells: depth, n_rel, measure_a, measure_b and the same columns, for every k and R; with several grades
    also grades: how many documents of each.
    tables.matrix: the shares as a square, measures that agree side by side (average linkage).
    tables.features: measure, against, feature, percent, low, high, n_disagree, lead, lead_low, lead_high, p: of the
    pairs on which the two disagree, the share where `measure` prefers the ranking that has more relevant documents,
    its first relevant one earlier, its first non-relevant one earlier, more relevant ones in a row, its last relevant
    one lower down; with several grades also higher grades, and the first one of the highest grade earlier; and the
    features that `--declare` adds. Rankings that have as much of a feature count for neither. The interval is over a
    sample of rankings, empty where all are counted, or where all or none of the sample have a feature. lead: by how
    many percentage points `measure` prefers the feature more often than `against` does; p is empty here.
    tables.meanings: measure, against, sentence: which of recall and an early first hit (and of declared features)
    `measure` prefers more often than `against` does, and which less, by the larger difference of these shares, if
    above {preference_margin} in percentage points; hits in a row and high grades only where none is. These come first
    on purpose: between AP and DCG at k = R = 10 hits in a row differ by 51 points, recall by 30, and a sum of grades
    ties less often than recall, also for measures that look at no grade. See features for all. Below
    {explained_pairs} pairs on which two disagree nothing is said.
    tables.vectors, without runs from universes of at most {contended_rankings:,} rankings: ranking, n_relevant,
    uniform: every ranking of the deepest k with the most relevant documents, and in percent of the other rankings how
    often measures disagree about it, the mean over all pairs of measures, those that order all rankings alike
    counting once; the most contentious first.

    tables.means, with `n_topics`: measure_a, measure_b, disagreement, low, high, n_disagree, n_opposite, n_tie_only,
    n_pairs: the same of pairs of runs and their means, on which DCG, SDCG and nDCG disagree; an undefined score
    counts as 0. The interval is over samples alone (Wilson's), empty where all pairs of runs and sets of topics are
    counted.

    tables.answers, with `answers`: measure, agreement, low, high, n_answers, n_pairs: in percent, how many answers it
    agrees with: prefers the same ranking, or neither as they do; best: whether it may be the one that agrees with
    most, the level being shared among comparisons (Bonferroni); decided, n_decided: the same of answers and pairs on
    which both have a preference. The interval is Wilson's for one person; for several,
    answers are taken as alike by pair, and from {answering_people} people on also by person (two-way clusters).
    tables.answers_compared, with `answers`: measure_a, measure_b, for_a, low, high, n_answers, n_pairs: of answers
    that agree with one of the two measures only, the share that agree with the first; not corrected for the number of
    pairs.
    tables.people, with `answers`: person_a, person_b, agreement, kappa, n_pairs: of pairs that both answered, how
    often they gave the same answer, and Cohen's kappa.

    tables.weighted, with runs, as all that follow, to the deepest k: measure_a, measure_b; uniform: disagreement in
    percent over all 2^k rankings, each once, where there are as many relevant documents as ranks; weighted: each as
    often as the runs produced it (both empty beyond {enumerated_depth} ranks); same_topic, low, high: over all pairs
    of runs on a topic whose rankings differ, with an interval over topics (jackknife; of 0 or 100% Clopper and
    Pearson's, each topic being one vote); most: whether the two may be those that disagree most often, by multiple
    comparisons with the best (hsu1984; empty below {halved_topics} topics); opposite: the part of it where the two
    prefer opposite runs; n_pairs. Of a topic with more than {compared_lists:,} different rankings as many are
    compared, evenly spaced.
    tables.vectors, with runs: ranking, n_relevant, n_lists, percent, uniform, weighted: the rankings that occur, the
    most frequent first, and how often measures disagree about each, in percent of all other rankings, each once and
    each as often as it occurs; the mean over all pairs of measures, as above.
    tables.lists, with runs: run, topic, n_rel, ranking, n_relevant, first_relevant (rank), disagreement, opposite,
    n_others: the list of every run on every topic, and in percent of the other runs' lists there that differ from it
    how often measures disagree about the two, the mean over all pairs of measures, those that never disagree here
    counting once; the most contentious first.
    tables.runs, with runs: run, n_topics, disagreement, low, high, opposite, n_pairs: the same over all lists of a
    run and those that they are compared with, with an interval over topics (jackknife): how much its evaluation
    depends on the measure.
    tables.topics, with runs: topic, n_rel, n_lists (different ones), disagreement, opposite, n_pairs: the same over
    all pairs of runs on a topic.
    tables.real_features, with runs: as features, of the pairs of runs on a topic, the intervals being over topics
    (jackknife, the topics as the sample, these runs); p: of both measures preferring a feature as often (Student's t
    over topics, Holm's correction over all features and pairs of measures).
    tables.real_meanings, with runs: as meanings, of the pairs of runs on a topic, by features that are significant at
    1 - `level`.
    tables.cases, with runs: case, of, run, topic, n_rel and ranking of each side (? is an unjudged document), and the
    measures that prefer a, b or neither: the rankings of two runs on one topic, and of one run on two topics, on
    which measures disagree most: most pairs of measures prefer opposite ones, of measures that never disagree here
    one counting.
    tables.verdicts, with runs: case, measure, score_a, score_b, prefers.

    Pairs are counted by sorting, without comparing each (knight1966): n log n steps for n rankings. At most
    {universe_memory} GB are used; what would take more is refused.

    References
    ----------
    jones2015: Jones, Thomas, Scholer, Sanderson. Features of disagreement between retrieval effectiveness measures.
    SIGIR 2015. knight1966: Knight. A computer method for calculating Kendall's tau with ungrouped data. JASA 61.
    """
    if answers:
        if data is not None or n_topics is not None or export is not None or universe == "paper":
            raise UsageError("--answers are of a task: leave out runs, --n-topics, --export and --universe paper")
        return _of_people(answers, key, measure, level)
    asked = Request.read(measure, depth, n_rel, universe=universe, with_runs=data is not None)
    settings: dict[str, object] = {"depth": depth, "n_rel": n_rel, "universe": universe}
    if export is not None:
        if data is not None and len(data.asked.names) < 2:
            raise UsageError("--export: one run has no pair; give at least two, or no runs for pairs of all rankings")
        check_export(export, () if data is None else data.origin.files)
    if key is not None:
        raise UsageError("--key is that of a task that people answered: give their answers, too (--answers FILE)")
    if universe == "paper":
        if data is not None or n_topics is not None or export is not None:
            raise UsageError("universe paper is the paper's own: leave out runs, --n-topics and --export")
        return _as_in_the_paper(asked, settings)
    means = None if n_topics is None else _means(asked, data, n_topics, level, rng)
    generator = np.random.default_rng(rng)
    preferred = FeatureCounts(len(asked.names), generator, list(features_of(graded=asked.graded).values()))
    depths = steps(asked.depths, doing="rankings of length ", lines=False)
    cells = [compare_cell(asked, k, n, preferred) for k in depths for n in asked.n_rels]
    features = preferred.table(asked.names, level=level)
    tables = cell_tables(asked, cells) | {"features": features, "meanings": meanings(features, ON_ALL_RANKINGS)}
    if data is None and (vectors := contention_table(asked)) is not None:
        tables["vectors"] = vectors
    notes, basis, pictures = list(cell_notes(asked, cells, preferred)), Basis(), charts(tables)
    if means is not None:
        tables["means"], notes = means.table, [*notes, *means.notes]
    cases: list[RankingPair] = []
    if data is not None:
        most = CASES if export is None else PAIRS
        on_runs = disagreement_on_runs(data, asked.measures, depth=asked.depths[-1], level=level, most=most)
        tables, basis, cases = tables | on_runs.tables, on_runs.basis, on_runs.cases
        notes, pictures = [*on_runs.notes, *notes, *shortened_measures(measure, asked)], (*pictures, *on_runs.charts)
    if export is not None:
        if data is None:
            cases = cases_of_universe(every_ranking(*asked.cells[-1]), asked.measures, rng=generator)
        notes.append(write_task(export, cases, asked.names, rng=generator))
    settings |= {"n_topics": n_topics} if n_topics is not None else {}
    settings |= {"rng": rng} if preferred.sampled or n_topics is not None or export is not None else {}
    settings |= {"level": level} if {"means", "weighted"} & tables.keys() or preferred.sampled else {}
    table = tables.pop("table")
    text = _choices_in_words(tables.get("real_meanings", tables["meanings"]))
    return Result(
        "disagreement", table, tables, cells_basis(cells, basis), settings, tuple(notes), text=text, charts=pictures
    )


def _means(asked: Request, data: Collection | None, n_topics: int, level: float, rng: int) -> DisagreementOfMeans:
    """Compare means over topics: of real runs where there are some, else of random rankings."""
    if data is None:
        return disagreement_of_means(
            asked.measures, n_topics=n_topics, depths=asked.depths, n_rels=asked.n_rels, level=level, rng=rng
        )
    lists = RankedLists.of(data, asked.depths[-1])
    return disagreement_of_run_means(lists, asked.measures, n_topics=n_topics, level=level, rng=rng)


def _of_people(answers: Sequence[str], key: str | None, measure: Sequence[str | Measure], level: float) -> Result:
    """See which measures agree with the answers to a task."""
    measures = list(dict.fromkeys(parse_open(m) for m in measure))
    people = agreement_with_people(answers, key=key, measures=measures, level=level)
    settings = {"answers": [Path(path).name for path in answers], "level": level}
    return Result(
        "disagreement",
        people.tables["answers"],
        people.tables,
        settings=settings,
        notes=people.notes,
        text=people.sentence.text,
        charts=(people.chart,),
        sentences=(people.sentence,),
    )


def _choices_in_words(meanings: pl.DataFrame) -> str:
    """Say what the choice between measures means, where these are few."""
    sentences: dict[frozenset[str], str] = {}
    for a, b, sentence in meanings.iter_rows():
        sentences.setdefault(frozenset((a, b)), f"{sentence}.")
    return "\n".join(sentences.values()) if len(sentences) <= _IN_TEXT else ""


def _as_in_the_paper(asked: Request, settings: dict[str, object]) -> Result:
    """Count in the universe of jones2015."""
    cells = cells_of_paper(asked)
    tables = cell_tables(asked, cells)
    features = features_of_paper(asked, cells)
    if features is not None:
        tables |= {"features": features, "meanings": meanings(features, ON_ALL_RANKINGS)}
    pictures, notes = charts(tables), tuple(notes_of_paper(asked, features))
    text = _choices_in_words(tables["meanings"]) if "meanings" in tables else ""
    table = tables.pop("table")
    return Result(
        "disagreement", table, tables, cells_basis(cells, Basis()), settings, notes, text=text, charts=pictures
    )
