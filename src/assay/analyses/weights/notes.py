"""Notes on an optimum: whether it follows the pool, if its gain survives on held-out topics, how it was fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from assay.analyses.weights.graded_lists import GradedLists
from assay.analyses.weights.held_out_gain import MORE, gain_in
from assay.analyses.weights.optimise.optimum import CONVERGED
from assay.analyses.weights.pool_edge import edge_of
from assay.analyses.weights.study import UNCONSTRAINED_DEPTH, Plan, WeightStudy, nearest_standard
from assay.analyses.weights.variants import STANDARD
from assay.core.notes import Note
from assay.core.text import counted, known, listed, percent
from assay.results.sentences import MANY_RUNS
from assay.stats.variance import COEFFICIENT_NAMES

Tables = Mapping[str, pl.DataFrame]


def weights_notes(study: WeightStudy, table: pl.DataFrame, tables: Tables, folds: int) -> Iterator[Note]:
    """All notes on a study, the caveats first; `folds` is how many were asked for."""
    plan, lists = study.plan, study.lists
    yield from _caveats(plan, lists, tables)
    name, loss = nearest_standard(table)
    asked = plan.fitter.coefficient
    of = "smoothed power" if asked == "power" else f"{COEFFICIENT_NAMES[asked]} at one topic"
    if known(loss):
        near = f"of the standard functions, '{name}' comes nearest to the optimum: it loses {loss:.4f} of {of}"
        yield Note("nearest_standard", "info", near)
    yield from _contest_notes(plan, tables)
    if not study.graded:
        only = f"all relevant documents are of grade {lists.grades[0]}"
        yield Note("one_relevant_grade", "info", f"{only}: gains cancel out; only discounts are fitted")
    too_good = "phi, its interval and topics needed of fitted variants are on the topics of the fit: too good"
    yield Note("in_sample", "caution", too_good)
    yield Note("ideal_sorted_by_gain", "info", "the ideal ranking is sorted by gain")
    yield from _search_notes(plan, lists, tables)
    yield from _grade_notes(study)
    if plan.folds < 2:
        yield Note("nothing_held_out", "caution", f"{counted(lists.n_topics, 'topic')} are too few to hold some out")
    elif plan.folds < folds:
        yield Note("fewer_folds", "info", f"{plan.folds} folds, not {folds}: each takes two topics")
    use = f"""`-o best.json` writes '{plan.best}'; -m "nDCG(weights='best.json')@{lists.depth}" scores with it"""
    yield Note("weights_file", "info", use)


def _caveats(plan: Plan, lists: GradedLists, tables: Tables) -> Iterator[Note]:
    """What the sentences of these names say, for who sees notes only."""
    edge = edge_of(tables["pool_edge"])
    gain = gain_in(tables.get("held_out"), plan.best, plan.fitter.coefficient)
    if edge is not None and edge.is_followed:
        follows = f"the optimal discount follows the edge of the pool: {edge.clause}"
        yield Note("discount_follows_pool", "caution", follows)
    if gain is not None and not gain.survives and lists.n_runs >= MANY_RUNS.value:
        lost = f"on held-out topics {gain.clause(f'nDCG@{lists.depth}', plan.level)}"
        yield Note("lost_gain", "caution", lost)


def _contest_notes(plan: Plan, tables: Tables) -> Iterator[Note]:
    """Say whether weights fitted for power separate more pairs than others do on held-out topics."""
    contest = tables.get("contest")
    if contest is None:
        return
    rows = contest.filter(statistic="power").to_dicts()
    beaten = sum(row["verdict"] == MORE for row in rows)
    shown = [row for row in rows if row["other"] == STANDARD or row is rows[0]]
    shares = listed([f"'{row['other']}' {percent(row['other_held_out'])}" for row in shown])
    text = (
        f"on held-out topics '{plan.best}', fitted for power, separates {percent(rows[0]['held_out'])} of the pairs, "
        f"{shares}: significantly more than {beaten} of {len(rows)} others (--table contest)"
    )
    yield Note("power_optimum", "info" if beaten == len(rows) else "caution", text)


def _search_notes(plan: Plan, lists: GradedLists, tables: Tables) -> Iterator[Note]:
    if lists.depth > UNCONSTRAINED_DEPTH.value and plan.options.monotone:
        unasked = "an unconstrained discount is fitted only where asked for (--unconstrained)"
        yield Note("unconstrained_left_out", "info", f"beyond depth {UNCONSTRAINED_DEPTH} {unasked}")
    search = tables["search"]
    for row in search.filter(pl.col("n_short") > 0).iter_rows(named=True):
        short = f"{row['variant']}: {row['n_short']} of {row['n_starts']} starts ended at a lower optimum"
        yield Note("lower_optima", "info", short)
    if "worst" in tables and (names := tables["worst"].filter("decides")["problem"].to_list()):
        decided = f"the worst case is decided by {', '.join(names)}{' alone' if len(names) == 1 else ''}"
        yield Note("worst_case", "info", decided)
    for variant in search.filter(pl.col("converged").not_())["variant"]:
        unsure = f"the search did not converge (kkt is not below {CONVERGED}); it may not be an optimum"
        yield Note("not_converged", "caution", f"{variant}: {unsure}")


def _grade_notes(study: WeightStudy) -> Iterator[Note]:
    lists = study.lists
    if missing := sorted(set(range(1, lists.top + 1)) - set(lists.grades.tolist())):
        unseen = f"no document has grade {missing[0]}: it gains as the grade below it, which means nothing"
        yield Note("grade_without_documents", "caution", unseen)
    single = int(((lists.pool[:, 1:] > 0).sum(1) == 1).sum())
    if study.graded and single > 0:
        cancel = f"{counted(single, 'topic')} with one relevant grade only; gains cancel out there"
        yield Note("single_grade_topics", "info", cancel)
