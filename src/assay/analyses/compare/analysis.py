"""Which of a few systems is better: every pair decided by one procedure, with the queries that decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from textwrap import shorten
from typing import Any, Literal

import numpy as np
import polars as pl

from assay.analyses.compare.charts import comparison_charts
from assay.analyses.compare.comparisons import UNTESTED, Comparisons
from assay.analyses.compare.contradictions import contradiction_notes, contradiction_table
from assay.analyses.compare.efficiency import efficiency_notes, efficiency_table
from assay.analyses.compare.evidence import (
    Lists,
    Pairing,
    hole_table,
    judgments_of,
    list_table,
    most_different,
    query_table,
)
from assay.analyses.compare.families import Family, cluster_index, pairing
from assay.analyses.compare.gate import PASS, UNDECIDED, VIOLATED, gate_table, overall, read_gates
from assay.analyses.compare.replicates import Replicates, read_replicates
from assay.analyses.compare.reversals import flippable
from assay.analyses.compare.sequential.monitoring import Monitored, monitor, sequence_notes
from assay.analyses.compare.sequential.query_order import Estimand, read_order
from assay.analyses.compare.slices import slice_notes, slice_table
from assay.analyses.compare.under_judges import decision_table, judge_notes
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.text import counted, first_few, listed
from assay.core.thresholds import Threshold
from assay.data.formats.topic_tables import topic_attributes, topic_texts
from assay.data.provenance import shown_path
from assay.results.analysis import Section, analysis
from assay.results.logarithms import logarithm_notes
from assay.results.result import Result, Screen
from assay.results.sentences import one_topic
from assay.scoring.judges.beside import judges_beside
from assay.scoring.scores import Scores

FEWEST_CLUSTERS = Threshold(
    "fewest_clusters", 6, unit="clusters", meaning="below which an interval of clustered queries is refused"
)
_NAMED = 3  # queries, or pairs, that a note names
_LONGEST = 40  # characters of a query's text in a note


@analysis(
    name="compare",
    group="decide",
    place=1,
    section=Section(
        n_runs=2,
        few={},
        only_few=True,
        shown_few=("needed", "slices", "queries", "contradictions", "efficiency"),
        passed=("alpha", "rng", "baseline", "margin", "difference", "queries", "slices", "clusters"),
    ),
    fractions=True,
    screen=Screen(
        columns=(
            "measure", "run_a", "run_b", "verdict", "mean_a", "mean_b", "difference", "low", "high", "p", "wins",
            "losses", "n_topics", "topics_needed",
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
    estimand: Estimand | None = None,
    query_order: str | None = None,
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
        Adds after how many queries, in random order, each decision stands for somebody who looks after every one, by
        intervals that hold at all times (waudbysmith2024); a `gate` is then decided by them, too, and may stop as
        soon as it is. For scores from 0 to 1 only.
    estimand
        What the intervals at all times are about, with `sequential`: like-these, the mean over unlimited queries of
        which these are a sample (the default), or these, the mean over these very queries, which is known after the
        last.
    query_order
        A file of the ids of all queries, one per line, in the random order in which they are evaluated, with
        `sequential`: scores may be there of the first ones only, and the command is run again as they come in. All
        that is said of pairs by the first measure then holds however often one looks. Without it the queries that
        are there are put into a random order, and the table of pairs is for one look at all of them.
    alpha
        Significance level; the intervals are at 1 - alpha.
    rng
        Seed of the random order of queries, with `sequential` and without `query_order`.

    Returns
    -------
    measure, run_a, run_b
        The first measure decides.
    mean_a, mean_b
        The means of both over the queries that both have; for GMAP, as for all differences of means, of the natural
        logarithms of the scores, and a note says so.
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
        be a significant difference that is smaller than the margin. By a further measure untested, where the first
        has not decided the pair. With `query_order` all of it by the intervals that hold at all times, as in
        tables.sequence: then it is equal, too, where the mean over these queries is known to be the same, never
        unresolvable, and untested by further measures, or where the first has no bounds to be watched by.
    topics_needed
        At least how many queries in all would decide it with a chance of {target_power}, where it is not decided: at
        the upper end of the interval, because the observed difference itself says little. Empty where that is no more
        than there are.
    flippable
        With runs and judgments: whether unjudged documents could reverse the difference, if those of the run ahead
        were not relevant and those of the other were; empty for measures without such a bound.
    interval
        What the interval holds for: all pairs at once, or a single comparison; with `query_order` at all times.

    Notes
    -----
    tables.queries: measure, run_a, run_b, topic, query (its text, with `queries`), score_a, score_b, difference,
    better (the system that is better there): the {shown_queries} queries on either side on which the two differ most.
    tables.lists, with runs and judgments: run_a, run_b, topic, query, rank, doc_a, grade_a, doc_b, grade_b: both
    ranked lists of the {shown_lists} queries on which run_a is most behind, by the first measure; a document without
    judgment has the grade ?, and no name, because only its code is kept.
    tables.holes, with runs and judgments: run, depth, unjudged: the share of the documents returned down to the
    cutoff of the first measure that nobody judged.
    tables.efficiency, with two measures or more, and neither clusters nor replicates: measure_a, measure_b (the
    first), ratio, low, high, n_topics: how many queries measure_a needs for each one that measure_b needs, to
    separate these pairs of systems as often. That is the ratio of their noncentralities per query: squared
    differences, less their sampling variance, over the variances over queries, both summed over pairs. The interval
    is the jackknife's, of its logarithm, and holds for all further measures at once. Empty where the systems differ
    too little by either measure. A measure that needs fewer queries need not be one of what users want.
    tables.contradictions, with two measures or more: measure_a (the first), measure_b, run_a, run_b, difference_a,
    difference_b (the means of run_a less run_b by each measure), status, topic, query, topic_difference_a,
    topic_difference_b, grades_a, grades_b: pairs of systems of which the two measures prefer different ones, and the
    {shown_contradictions} queries that add most to it, those on which the measures have opposite signs before others.
    status is significant where both are significant after correction, else sign only. grades_a, grades_b, with runs
    and judgments: the grades of both lists by rank, a dot for a document that is not relevant, ? for one without
    judgment.
    tables.judges, with judgments of several names: judge, reference (the main judge), measure, run_a, run_b,
    verdict_reference, verdict_judge (as above, on the queries that both judged), interaction (the difference under
    the judge less that under the reference), low, high (of a single pair), p (corrected by Holm over the pairs of a
    measure): what other judges decide, and whether the difference itself is different under them; all else about
    judges is in `assay judges`. Not with clusters, replicates or `sequential`.
    tables.needed, with `difference`: measure, run_a, run_b, difference, n_topics, low, high: how many queries make
    such a difference significant with a chance of {target_power} (paired t test at alpha over the number of pairs),
    if it varies over queries as the observed one does; the interval is that of this variance, by the jackknife, as of
    `assay topics`.
    tables.slices, with `slices`: measure, column, slice, run_a, run_b, n_topics, difference, low, high, p, rest (the
    difference on all other queries of the column's slices, without those that differ more clearly), interaction
    (difference less rest), interaction_low, interaction_high, p_interaction, moves (against, where the slice differs
    significantly from the rest and the other way; otherwise, where only by more or less; empty, too, where the
    slices that move leave no rest): by the first measure, what moves against the rest first. Intervals are those of
    a single slice; p and p_interaction are corrected by Holm over all rows.
    tables.gates, with `gate`: gate, run, baseline, measure, value, low, high, threshold, p_pass, p_violated, verdict,
    n_topics: the ends of the two one-sided intervals at alpha; p_violated is corrected by Holm over all rows. With
    `sequential` all of these hold at all times.
    tables.sequence, with `sequential`: gate, measure, run_a, run_b, value, low, high, threshold, n_topics (so far),
    decided_after (queries; empty where it is open), saved (queries in all less these), verdict: every pair by the
    first measure, held against 0 at alpha over the number of pairs, two-sided (with `margin` against both its ends,
    too), and every condition of a gate, as in tables.gates; the interval is that after the last query, and is wider
    than one for a fixed number. Of a pair whose mean over these queries is known to be 0 the verdict is equal.
    tables.running, with `sequential`: gate, measure, run_a, run_b, n_topics, low, high: the same intervals after some
    numbers of queries.
    """
    _check(margin, difference)
    if not sequential and (alone := _needs_sequential(estimand, query_order)):
        raise UsageError(f"{alone} is about queries that are watched as they come in; add --sequential")
    order = None
    if sequential:
        order = read_order(data, query_order, estimand=estimand or "like-these", seed=rng)
        data, order = order.so_far(data)
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
    compared = _compared(data.conditions[0], working, single, pairs, cluster, seeds)
    family = Family.of_pairs(pairs, compared, alpha=alpha, margin=margin)
    flips = np.full((len(compared), pairs.first.size), np.nan)
    tables: dict[str, pl.DataFrame] = {}
    baselines = tuple(dict.fromkeys(baseline))
    watched = None
    if order is not None:
        watched = monitor(data, family, gates, baselines, order, alpha=alpha, margin=margin)
        if query_order is not None:  # a fixed number of queries is not what one looks at
            family = family.at_all_times(watched.decisions(family, lower=data.lower_of(0)))
    if gates and watched is not None:
        tables["gates"] = watched.gates()
    elif gates:
        tables["gates"] = gate_table(gates, data, baselines, alpha=alpha, clusters=cluster)
    if known is not None:
        sign = -1 if data.lower_of(0) else 1
        tables["slices"] = slice_table(data.conditions[0], known, compared[0], pairs, alpha=alpha, sign=sign)
    if watched is not None:
        tables |= watched.tables()
    tables["queries"] = query_table(data, compared, pairs, texts)
    lists = None
    if source is not None:
        judged_under = cache(partial(source.judged_for, single))
        as_first = judged_under(judgments_of(data.conditions[0]))
        if seeds is None:
            flips = flippable(data, judged_under, compared, pairs)
            lists = Lists(as_first, source.qrels)
            tables["lists"] = list_table(data, lists, compared[0], pairs, texts)
        tables["holes"] = hole_table(single, as_first)
    if len(compared) > 1 and cluster is None and seeds is None:  # its variances take queries to be independent
        tables["efficiency"] = efficiency_table(data.conditions, working, pairs, alpha=alpha)
    if len(compared) > 1:
        tables["contradictions"] = contradiction_table(data, lists, family, texts)
    if difference is not None:
        tables["needed"] = family.needed(data, difference, level=1 - alpha)
    judges = judges_beside(data) if order is None and cluster is None and seeds is None else None
    if judges is not None:
        tables["judges"] = decision_table(judges, alpha=alpha, level=1 - alpha, baselines=baselines, margin=margin)
    table = family.table(data, flips)
    word = overall(tables["gates"]["verdict"].to_list()) if gates else PASS
    notes = (
        *data.notes,
        *one_topic(int(compared[0].n.max())),
        *logarithm_notes(data, what="means, differences, and a margin"),
        *_notes(data, family, flips, texts, baselines=baselines, gated=bool(gates), alpha=alpha, margin=margin),
        *_seed_notes(seeds, gated=bool(gates), sequential=sequential),
        *_shares_of_nothing(tables.get("gates")),
        *([] if known is None else slice_notes(shown_path(str(slices)), known)),
        *(efficiency_notes(tables["efficiency"]) if "efficiency" in tables else ()),
        *(contradiction_notes(tables["contradictions"]) if len(compared) > 1 else ()),
        *(() if watched is None else sequence_notes(data, gates, watched)),
        *(() if judges is None else judge_notes(judges, tables["judges"], alpha=alpha)),
    )
    files = {"queries": queries, "slices": slices, "clusters": clusters}
    given: dict[str, Any] = {
        "baseline": list(baseline) or None,
        "margin": margin,
        "difference": difference,
        **{name: path and shown_path(path) for name, path in files.items()},
        "replicates": replicates,
        "gate": list(gate) or None,
        "inconclusive": inconclusive,
    }
    settings = {"alpha": alpha, "level": 1 - alpha, "correction": "bonferroni"}
    settings |= {name: value for name, value in given.items() if value is not None}
    settings |= _of_watching(watched, query_order, rng)
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


def _compared(
    measure: str, working: Array, single: Scores, pairs: Pairing, cluster: Index | None, seeds: Replicates | None
) -> list[Comparisons]:
    """Compare every pair by every measure; some pair must have a query in common."""
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
        raise UsageError(f"{measure}: no two of these systems have a query in common; are their queries named alike?")
    return compared


def _of_watching(watched: Monitored | None, query_order: str | None, rng: int) -> dict[str, Any]:
    """The settings of queries that were watched as they came in."""
    if watched is None:
        return {}
    by = {"rng": rng} if query_order is None else {"query_order": watched.order.file}
    return {"sequential": True, "estimand": watched.order.estimand, **by}


def check_request(
    runs: Sequence[str],
    topics: Sequence[str],
    *,
    baseline: Sequence[str] = (),
    margin: float | None = None,
    difference: float | None = None,
    queries: str | None = None,
    slices: str | None = None,
    clusters: str | None = None,
) -> None:
    """Refuse what these systems cannot be asked on these queries, before anything is computed: as `compare` does."""
    _check(margin, difference)
    pairing(runs, tuple(dict.fromkeys(baseline)))
    if queries is not None:
        topic_texts(queries, topics)
    if slices is not None:
        topic_attributes(slices, topics)
    if clusters is not None:
        _clusters(clusters, topics)


def _check(margin: float | None, difference: float | None) -> None:
    if margin is not None and not margin > 0:
        raise UsageError(f"--margin is a difference below which systems are equivalent, above 0; not {margin:g}")
    if difference is not None and not difference > 0:
        raise UsageError(f"--difference is by how much two systems differ, above 0; not {difference:g}")


def _needs_sequential(estimand: Estimand | None, query_order: str | None) -> str | None:
    """A flag that says how queries are watched, if one was given."""
    return "--estimand" if estimand is not None else "--query-order" if query_order is not None else None


def _clusters(path: str, topics: Sequence[str]) -> Index:
    """Read which queries belong together. [query]"""
    known = topic_attributes(path, topics)
    usual = (name for name in ("cluster", "group", "session", "user") if name in known.columns)
    index = cluster_index(known[next(usual, known.columns[1])])
    n = int(index.max(initial=-1)) + 1
    if n < FEWEST_CLUSTERS.value:
        raise UsageError(
            f"--clusters {path}: {counted(n, 'cluster')} {'is' if n == 1 else 'are'} too few for an interval; "
            f"at least {FEWEST_CLUSTERS} are needed"
        )
    return index


# --- what to beware of


def _notes(
    data: Scores,
    family: Family,
    flips: Array,
    texts: Mapping[str, str],
    *,
    baselines: Sequence[str],
    gated: bool,
    alpha: float,
    margin: float | None,
) -> Iterator[Note]:
    yield from _regressions(data, family, texts, baselines)
    n = int((~np.isnan(family.of[0].p)).sum())
    if n > 1:
        text = f"p and intervals by {data.conditions[0]} hold for {n} pairs at once (Bonferroni's correction)"
        yield Note("multiplicity", "info", text)
    tested = zip(data.conditions, family.of, strict=True) if not family.watched else ()
    if binary := [m for m, of in tested if of.is_binary]:
        yield Note("binary", "info", f"{listed(binary)}: differences of 0 and 1, by McNemar's exact test")
    if len(data.conditions) > 1:
        yield _further(data, family, gated=gated)
    if margin is not None:
        yield from _small_differences(family, data.conditions[0], alpha)
    yield from _shared(data, family)
    yield from _reversible(family, data.conditions[0], flips)


def _shares_of_nothing(gates: pl.DataFrame | None) -> Iterator[Note]:
    """Say which conditions are relative to a mean that may be 0."""
    if gates is None:
        return
    unknown = pl.col("low").is_infinite() | (pl.col("high").is_infinite() & (pl.col("verdict") == UNDECIDED))
    if written := gates.filter(unknown)["gate"].unique().to_list():
        text = (
            f"{listed(sorted(written))}: the baseline's mean may be 0, so no share of it is known; state a difference"
        )
        yield Note("share_of_nothing", "caution", f"{text} without %")


def _further(data: Scores, family: Family, *, gated: bool) -> Note:
    """Say what becomes of further measures; a caution where an untested one looks as if it decided."""
    first = data.conditions[0]
    if family.watched:
        text = f"further measures than {first} are not watched, and not tested; single intervals, for one look"
        return Note("further_measures", "info", text)
    apart = {
        measure: None
        for measure, made in zip(data.conditions[1:], family.decisions[1:], strict=True)
        for word, low, high in zip(made.verdict, made.low, made.high, strict=True)
        if word == UNTESTED and (low > 0 or high < 0)
    }
    if gated or not apart:  # a gate tests what it is about
        text = f"further measures than {first} are tested only where it decides; single intervals"
        return Note("further_measures", "info", text)
    text = f"{first} leaves pairs open, and there further measures are untested, though single intervals leave 0 out "
    text += f"({first_few(list(apart))}); to decide by one, name it first (-m); by several, set a --gate"
    return Note("further_measures", "caution", text)


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
        shown = f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"
        text = f"pairs are compared on the queries that both have: {shown} of {len(data.topics):,}"
        yield Note("shared_queries", "info", text)


def _regressions(data: Scores, family: Family, texts: Mapping[str, str], baselines: Sequence[str]) -> Iterator[Note]:
    """Name the queries on which a system is most behind: one that is no baseline, or else the better of each pair.

    Of many pairs, those of the system that is ahead of most.
    """
    of = family.of[0]
    at = {name: i for i, name in enumerate(data.runs)}
    turned = {i: not baselines and of.mean[i] < 0 for i, *_ in family.pairing}
    rows = [(i, b, a) if turned[i] else (i, a, b) for i, a, b in family.pairing]
    ahead = [first for _, first, _ in rows]
    if not baselines and len(rows) > _NAMED:
        best = max(ahead, key=ahead.count)
        rows = sorted((row for row in rows if row[1] == best), key=lambda row: abs(of.mean[row[0]]))
    said = []
    for i, a, b in rows:
        worst = most_different(of, i)[0 if turned[i] else 1][:_NAMED]
        names = [_with_text(data.topics[t], texts) for t in worst]
        size = data.value[0, at[a], worst] - data.value[0, at[b], worst]
        if named := [f"{name} {by:+.3g}" for name, by in zip(names, size, strict=True)]:
            said.append(f"{a} is most behind {b} on {listed(named)}")
    if said:
        text = "; ".join(said[:_NAMED])
        yield Note("regressions", "info", f"{text} ({data.conditions[0]})")


def _with_text(topic: str, texts: Mapping[str, str]) -> str:
    """Name a query with the beginning of its text."""
    if topic not in texts:
        return topic
    return f"{topic} ({shorten(texts[topic], _LONGEST, placeholder=' ...')})"


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
