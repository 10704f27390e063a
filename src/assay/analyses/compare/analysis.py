"""Which of a few systems is better: every pair decided by one procedure, with the queries that decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from assay.analyses.compare.charts import comparison_charts
from assay.analyses.compare.comparisons import Comparisons
from assay.analyses.compare.contradictions import contradiction_notes, contradiction_table
from assay.analyses.compare.efficiency import efficiency_notes, efficiency_table
from assay.analyses.compare.evidence import hole_table, list_table, most_different, query_table
from assay.analyses.compare.families import Family, cluster_index, pairing
from assay.analyses.compare.gate import PASS, UNDECIDED, VIOLATED, gate_table, overall, read_gates
from assay.analyses.compare.replicates import Replicates, read_replicates
from assay.analyses.compare.reversals import flippable
from assay.analyses.compare.sequential import sequence_notes, sequence_tables, watched
from assay.analyses.compare.slices import slice_notes, slice_table
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import listed
from assay.core.thresholds import Threshold
from assay.data.formats.topic_tables import topic_attributes, topic_texts
from assay.data.provenance import shown_path
from assay.results.analysis import Section, analysis
from assay.results.result import Result, Screen
from assay.results.sentences import one_topic
from assay.scoring.scores import Scores

FEWEST_CLUSTERS = Threshold(
    "fewest_clusters", 6, unit="clusters", meaning="below which an interval of clustered queries is refused"
)
_NAMED = 3  # queries, or pairs, that a note names


@analysis(
    name="compare",
    group="decide",
    place=1,
    section=Section(n_runs=2, few={}, only_few=True, shown_few=("queries", "contradictions", "efficiency")),
    fractions=True,
    screen=Screen(
        columns=(
            "measure", "run_a", "run_b", "verdict", "difference", "low", "high", "p", "n_topics", "wins", "losses",
            "topics_needed",
        )
    ),
)  # fmt: skip
def compare(
    data: Scores,
    *,
    baseline: Sequence[str] = (),
    margin: float | None = None,
    difference: float | None = None,
    queries: str | None = None,
    slices: str | None = None,
    clusters: str | None = None,
    replicates: str | None = None,
    gate: Sequence[str] = (),
    inconclusive: Literal["pass", "fail"] | None = None,
    sequential: bool = False,
    alpha: float = 0.05,
    rng: int = 0,
) -> Result:
    """Which of these systems is better, on which queries, and what would it take to be sure?

    Every pair of systems (or every system against the baselines) is decided by the first measure. The sample is the
    queries: each counts once, and seeds are averaged within it. p and interval are those of the paired t test; of
    scores that are 0 or 1, McNemar's exact test and the interval of Agresti and Min (agresti2005). Both are corrected
    for the number of pairs by Bonferroni's method, so that the words and the intervals say the same and all intervals
    hold at once. Further measures are tested only for the pairs that the first has decided; their intervals are those
    of a single comparison.

    On few differing queries nothing can be significant: with m of them p is at least 2 / 2^m. Then the verdict is
    unresolvable, and `topics_needed` says how many queries would change that.

    Parameters
    ----------
    baseline
        A system that the others are compared with; repeats (default: every pair). It is `run_b` of its rows.
    margin
        A difference by the first measure, in its units, below which two systems count as equivalent, such as 0.01.
    difference
        A difference between two systems, in the units of the measures: adds how many queries it takes to find it.
    queries
        The text of each query, shown wherever one is named: a table (TSV, CSV, JSON lines) with a column of queries
        and one of their text.
    slices
        What is known of each query (intent, language, tenant, ...): a table with a column of queries and any others.
        Adds the comparison within every slice, and whether a slice moves against the rest.
    clusters
        Which queries belong together (paraphrases, sessions, users): a table with a column of queries and one of
        clusters. Intervals and p then allow for it (bell2002); fewer than {fewest_clusters} clusters are refused.
    replicates
        Which runs are replicates, such as seeds, of one system: a table with the column run and one of systems, or a
        pattern of names in which SYSTEM stands for the system and * for anything, such as SYSTEM-seed*.
    gate
        A condition that every system but the baselines is to meet, such as 'nDCG@10 > -0.01': a number with a sign is
        a difference from the baseline (with % relative to its mean), one without the mean itself; repeats. It passes
        where the one-sided interval at alpha lies wholly inside, and is violated where wholly outside (corrected by
        Holm). The exit code is 0 if all pass, 1 if any is violated, else 3.
    inconclusive
        What a gate that is neither passed nor violated counts as: pass (exit code 0) or fail (1).
    sequential
        Adds after how many queries, in random order, each decision would have stood had somebody looked after every
        one, by intervals that hold at all times (waudbysmith2024). Their estimand is the mean over queries like
        these (unlimited ones, of which these are a sample). For scores from 0 to 1 only.
    alpha
        Significance level; the intervals are at 1 - alpha.
    rng
        Seed of the random order of queries, with `sequential`.

    Returns
    -------
    measure, run_a, run_b
        The first measure decides.
    difference, low, high
        The mean of a minus the mean of b over the queries that both have, and its interval.
    p
        After correction; empty where nothing was tested.
    effect
        The mean difference over its deviation.
    n_topics, wins, ties, losses
        Queries that both have, and on how many of them run_a is better, equal and worse.
    verdict
        Of run_a: better, worse, inconclusive, unresolvable (fewer queries differ than can ever be significant) or,
        with `margin`, equivalent (two one-sided tests: the interval at 1 - 2 alpha lies inside the margin), which may
        be a significant difference that is smaller than the margin.
    topics_needed
        At least how many queries in all would decide it with a chance of {target_power}, where it is not decided: at
        the upper end of the interval, because the observed difference itself says little. Empty where that is no more
        than there are.
    flippable
        With runs and judgments: whether unjudged documents could reverse the difference, if those of the run ahead
        were not relevant and those of the other were; empty for measures without such a bound.
    interval
        What the interval holds for: all pairs at once, or a single comparison.

    Notes
    -----
    tables.queries: measure, run_a, run_b, topic, query (its text, with `queries`), score_a, score_b, difference,
    better (the system that is better there): the {shown_queries} queries on either side on which the two differ most.
    tables.lists, with runs and judgments: run_a, run_b, topic, query, rank, doc_a, grade_a, doc_b, grade_b: both
    ranked lists of the {shown_lists} queries on which run_a is most behind, by the first measure; a document without
    judgment has the grade ?, and no name, because only its code is kept.
    tables.holes, with runs and judgments: run, depth, unjudged: the share of the documents returned down to the
    cutoff of the first measure that nobody judged.
    tables.efficiency, with two measures or more: measure_a, measure_b (the first), ratio, low, high, n_topics: how
    many queries measure_a needs for each one that measure_b needs, to separate these pairs of systems as often. That
    is the ratio of their noncentralities per query: squared differences, less their sampling variance, over the
    variances over queries, both summed over pairs. The interval is the jackknife's, of its logarithm, and holds for
    all further measures at once. Empty where the systems differ too little by either measure. A measure that needs
    fewer queries need not be one of what users want.
    tables.contradictions, with two measures or more: measure_a (the first), measure_b, run_a, run_b, difference_a,
    difference_b (the means of run_a less run_b by each measure), status, topic, query, topic_difference_a,
    topic_difference_b, grades_a, grades_b: pairs of systems of which the two measures prefer different ones, and the
    {shown_contradictions} queries that add most to it, those on which the measures have opposite signs before others.
    status is significant where both are significant after correction, else sign only. grades_a, grades_b, with runs
    and judgments: the grades of both lists by rank, a dot for a document that is not relevant, ? for one without
    judgment.
    tables.needed, with `difference`: measure, run_a, run_b, difference, n_topics, low, high: how many queries make
    such a difference significant with a chance of {target_power} (paired t test at alpha over the number of pairs),
    if it varies over queries as the observed one does; the interval is that of this variance, by the jackknife.
    tables.slices, with `slices`: measure, column, slice, run_a, run_b, n_topics, difference, low, high, p, rest (the
    difference on all other queries), interaction (difference less rest), interaction_low, interaction_high,
    p_interaction, moves (against, where the slice differs significantly from the rest and the other way; otherwise,
    where only by more or less): by the first measure, what moves against the rest first. Intervals are those of a
    single slice; p and p_interaction are corrected by Holm over all rows.
    tables.gates, with `gate`: gate, run, baseline, measure, value, low, high, threshold, p_pass, p_violated, verdict,
    n_topics: the ends of the two one-sided intervals at alpha; p_violated is corrected by Holm over all rows.
    tables.sequence, with `sequential`: gate, measure, run_a, run_b, value, low, high, threshold, n_topics,
    decided_after (queries, until the interval left out the threshold; empty where it never did), saved (n_topics less
    these), verdict: every pair by the first measure, held against 0 at alpha over the number of pairs, and every
    condition of a gate that is not relative, at alpha for a pass and alpha over the number of conditions for a
    violation, one-sided; the interval is that after the last query, and is wider than one for a fixed number.
    tables.running, with `sequential`: gate, measure, run_a, run_b, n_topics, low, high: the same intervals after some
    numbers of queries.
    """
    _check(margin, difference)
    source = data.made_of
    seeds = None if replicates is None else read_replicates(replicates, data.runs)
    single = data
    data = data if seeds is None else seeds.averaged(data)
    if len(data.runs) < 2:
        raise UsageError(f"one system ({data.runs[0]}) has no other to be compared with; give at least two")
    pairs = pairing(data.runs, tuple(dict.fromkeys(baseline)))
    gates = read_gates(gate, data, baseline)
    if inconclusive is not None and not gates:
        raise UsageError("--inconclusive says what a --gate that is undecided counts as; give a --gate")
    texts = {} if queries is None else topic_texts(queries, data.topics)
    if sequential and clusters is not None:
        raise UsageError("--sequential takes queries one by one, and --clusters says that they belong together")
    known = None if slices is None else topic_attributes(slices, data.topics)
    cluster = None if clusters is None else _clusters(clusters, data.topics)
    working = data.working()
    compared = [
        Comparisons.of(
            x,
            pairs.first,
            pairs.second,
            clusters=cluster,
            seeds=None if seeds is None else seeds.seed_error(by_run, pairs.first, pairs.second),
        )
        for x, by_run in zip(working, single.working(), strict=True)
    ]
    if not (compared[0].n > 0).any():
        raise UsageError(
            f"{data.conditions[0]}: no two of these systems have a query in common; are their queries named alike?"
        )
    family = Family.of_pairs(pairs, compared, alpha=alpha, margin=margin)
    flips = np.full((len(compared), pairs.first.size), np.nan)
    tables: dict[str, pl.DataFrame] = {}
    baselines = tuple(dict.fromkeys(baseline))
    if gates:
        tables["gates"] = gate_table(gates, data, baselines, alpha=alpha, clusters=cluster)
    if known is not None:
        sign = -1 if data.lower_of(0) else 1
        tables["slices"] = slice_table(data.conditions[0], known, compared[0], pairs, alpha=alpha, sign=sign)
    asked = [] if not sequential else watched(data, family, gates, baselines, alpha=alpha, seed=rng)
    if sequential:
        tables |= sequence_tables(asked)
    tables["queries"] = query_table(data, compared, pairs, texts)
    if source is not None:
        if seeds is None:
            flips = flippable(data, source, compared, pairs)
            tables["lists"] = list_table(data, source, compared[0], pairs, texts)
        tables["holes"] = hole_table(single, source)
    if len(compared) > 1:
        tables["efficiency"] = efficiency_table(data.conditions, working, pairs, clusters=cluster, alpha=alpha)
        tables["contradictions"] = contradiction_table(data, None if seeds else source, family, texts)
    if difference is not None:
        tables["needed"] = family.needed(data, difference, level=1 - alpha)
    table = family.table(data, flips)
    word = overall(tables["gates"]["verdict"].to_list()) if gates else PASS
    notes = (
        *data.notes,
        *one_topic(int(compared[0].n.max())),
        *_notes(data, family, flips, texts, alpha=alpha, margin=margin),
        *_seed_notes(seeds, gated=bool(gates), sequential=sequential),
        *([] if known is None else slice_notes(shown_path(str(slices)), known)),
        *(efficiency_notes(tables["efficiency"]) if len(compared) > 1 else ()),
        *(contradiction_notes(tables["contradictions"]) if len(compared) > 1 else ()),
        *(sequence_notes(data, gates, tables["sequence"], asked) if sequential else ()),
    )
    given: dict[str, Any] = {
        "baseline": list(baseline) or None,
        "margin": margin,
        "difference": difference,
        "queries": queries and shown_path(queries),
        "slices": slices and shown_path(slices),
        "clusters": clusters and shown_path(clusters),
        "replicates": replicates,
        "gate": list(gate) or None,
        "inconclusive": inconclusive,
    }
    settings = {"alpha": alpha, "level": 1 - alpha, "correction": "bonferroni"}
    settings |= {name: value for name, value in given.items() if value is not None}
    settings |= {"sequential": True, "rng": rng} if sequential else {}
    basis = replace(data.basis, runs=len(data.runs), topics=len(data.topics))
    return Result(
        "compare",
        table,
        tables,
        basis,
        settings,
        notes,
        charts=tuple(comparison_charts(table, tables.get("slices"), basis, level=1 - alpha)),
        failed=word == VIOLATED or (word == UNDECIDED and inconclusive == "fail"),
        undecided=word == UNDECIDED and inconclusive is None,
    )


def _check(margin: float | None, difference: float | None) -> None:
    if margin is not None and not margin > 0:
        raise UsageError(f"--margin is a difference below which systems are equivalent, above 0; not {margin:g}")
    if difference is not None and not difference > 0:
        raise UsageError(f"--difference is by how much two systems differ, above 0; not {difference:g}")


def _clusters(path: str, topics: Sequence[str]) -> Index:
    """Read which queries belong together. [query]"""
    known = topic_attributes(path, topics)
    usual = (name for name in ("cluster", "group", "session", "user") if name in known.columns)
    index = cluster_index(known[next(usual, known.columns[1])])
    n = int(index.max(initial=-1)) + 1
    if n < FEWEST_CLUSTERS.value:
        raise UsageError(
            f"--clusters {path}: {n} clusters are too few for an interval; at least {FEWEST_CLUSTERS} are needed"
        )
    return index


# --- what to beware of


def _notes(
    data: Scores,
    family: Family,
    flips: Array,
    texts: Mapping[str, str],
    *,
    alpha: float,
    margin: float | None,
) -> Iterator[Note]:
    pairs = family.pairing
    n = int((~np.isnan(family.of[0].p)).sum())
    if n > 1:
        text = f"p and intervals by {data.conditions[0]} hold for {n} pairs at once (Bonferroni's correction)"
        yield Note("multiplicity", "info", text)
    if binary := [m for m, of in zip(data.conditions, family.of, strict=True) if of.is_binary]:
        yield Note("binary", "info", f"{listed(binary)}: differences of 0 and 1, by McNemar's exact test")
    if len(data.conditions) > 1:
        text = f"further measures than {data.conditions[0]} are tested only where it decides; single intervals"
        yield Note("further_measures", "info", text)
    decided = family.decisions[0].is_decided
    if margin is not None:
        yield from _small_differences(family, data.conditions[0], alpha)
    yield from _shared(data, family)
    yield from _reversible(family, data.conditions[0], flips)
    if decided.size <= _NAMED:
        worst = [(i, a, b) for i, a, b in pairs if family.of[0].losses[i]]
        yield from (_regressions(data, family, texts, *one) for one in worst)


def _small_differences(family: Family, measure: str, alpha: float) -> Iterator[Note]:
    """Say of which equivalent systems a difference exists."""
    made = family.decisions[0]
    both = [f"{a} against {b}" for i, a, b in family.pairing if made.verdict[i] == "equivalent" and made.p[i] < alpha]
    if both:
        text = f"{listed(both)}: equivalent by {measure}: a difference exists but is smaller than the margin"
        yield Note("small_difference", "info", text)


def _reversible(family: Family, measure: str, flips: Array) -> Iterator[Note]:
    """Warn of decided pairs that unjudged documents could reverse."""
    decided = family.decisions[0].is_decided
    if named := [f"{a} against {b}" for i, a, b in family.pairing if decided[i] and flips[0, i] == 1]:
        text = f"unjudged documents could reverse the decision by {measure} on {listed(named)}"
        yield Note("reversible", "caution", text)


def _shared(data: Scores, family: Family) -> Iterator[Note]:
    """Where runs lack queries, say on how many pairs were compared."""
    n = family.of[0].n
    if (n < len(data.topics)).any():
        text = f"pairs are compared on the queries that both have: {n.min()} to {n.max()} of {len(data.topics)}"
        yield Note("shared_queries", "info", text)


def _regressions(data: Scores, family: Family, texts: Mapping[str, str], i: int, a: str, b: str) -> Note:
    """Name the queries on which the first of a pair is most behind."""
    sign = -1 if data.lower_of(0) else 1
    of = family.of[0]
    worst = most_different(of, i)[1][:_NAMED]
    names = [f"{name} ({texts[name]})" if (name := data.topics[t]) in texts else name for t in worst]
    named = [f"{name} {sign * of.difference[i, t]:+.3f}" for name, t in zip(names, worst, strict=True)]
    return Note("regressions", "info", f"{a} is most behind {b} on {listed(named)} ({data.conditions[0]})")


def _seed_notes(seeds: Replicates | None, *, gated: bool, sequential: bool) -> Iterator[Note]:
    if seeds is None:
        return
    alone = [name for name, n in zip(seeds.systems, seeds.n, strict=True) if n < 2]
    if alone:
        text = f"one seed says nothing about seeds: {listed(alone)}; intervals are over queries only"
        yield Note("one_seed", "caution", text)
    else:
        yield Note("seeds", "info", "intervals are over queries and seeds: others of either kind would do as well")
        if gated:
            yield Note("gate_of_seeds", "caution", "the gate's intervals are over queries, for these seeds alone")
        if sequential:
            yield Note("sequence_of_seeds", "caution", "what is watched are queries, for these seeds alone")
