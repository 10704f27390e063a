"""webber2008: do complex measures predict P@10 on new topics as well as P@10 does? TREC-8 and TREC 2004 terabyte.

The runs are those of TREC-8 ad hoc. The conventions that match: the best 96 of 129 runs (floor of three quarters) by
AP over all topics, tau-b, halves of the topics, nDCG with log2(max(2, i)), depth 1,000. Predictive power is the mean
of 2,000 splits of the topics; its interval takes topics out of the first 100 of them, and the noise of so few is
taken off. "As well as" is by a margin of {phi_margin} of phi, "like" within {phi_likeness}. --everywhere holds the
claim that AP predicts P@10 as well as P@10 does against other collections: obtained is phi of AP predicting P@10
less that of P@10.

tables.figure_1: curve, n_topics, phi, low, high: predictive power by the number of topics.
tables.everywhere: one row per collection: collection (its place), n_runs, n_best (the best three quarters by AP,
which are used), n_topics, predictor (AP), phi (of predicting P@10), phi_self (of P@10 predicting itself),
difference, low, high (over topics), verdict: holds where the interval is above -{phi_margin}, fails where it is
below 0, else inconclusive. Collections with fewer than {least_to_predict} runs or topics are left out, and so is one
of two whose P@10 are equal on {same_scores:.0%} of runs and topics.
tables.predictors: the same for every predictor: AP; nDCG, deeper than P@10 looks, and RBP with p from {patient_rbp}
up, where there are scores.
tables.left_out: place, why: what is below the directory and not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import polars as pl

from assay.analyses.reproduce.decisions import CLAIM_LEVEL
from assay.papers.webber2008.claims import CLAIMS
from assay.papers.webber2008.criteria import PHI_MARGIN
from assay.papers.webber2008.everywhere import everywhere
from assay.papers.webber2008.phi import (
    REPLICATES,
    SEED,
    SPLITS,
    crossing,
    gain_by_adding,
    n_best,
    phi,
    phi_on_curve,
)
from assay.papers.webber2008.published import (
    COLLECTIONS,
    DEEP,
    FIGURE_1,
    MEASURES,
    POINTS,
    SIMPLE,
    TOLERANCE,
    published,
)
from assay.results.charts import Chart, category, field, lines
from assay.results.papers import Number, Paper, Sources, Tables, paper, sizes
from assay.scoring.scored_collection import MissingDataError
from assay.stats.estimates import SplitEstimate

MAIN = "T8"
_DRAWN = "drawn in the figure, not printed"


def _section_2() -> Iterator[Number]:
    yield from sizes("section 2", COLLECTIONS)
    note = "the best three quarters; 97 would be the other custom"
    yield Number("section 2", "runs kept of TREC-8 ad hoc", None, None, lambda s: n_best(s.of()), note)


def _table(item: str, collection: str) -> Iterator[Number]:
    names = list(MEASURES)
    for i, one in enumerate(names):
        for other in names[i:]:
            value = published(collection, one, other)
            yield Number(item, f"{one}, {other}", value, TOLERANCE, partial(_phi, collection, one, other))


def _phi(collection: str, one: str, other: str, sources: Sources) -> SplitEstimate:
    return phi(sources.of(collection), one, other)


def _figure_1() -> Iterator[Number]:
    for one, other in FIGURE_1:
        for k in POINTS:
            end = k == POINTS[-1]
            value, tolerance = (published(MAIN, one, other), TOLERANCE) if end else (None, None)
            note = "printed in table 1" if end else _DRAWN
            yield Number(
                "figure 1", f"{one}, {other}, {k} topics", value, tolerance, partial(_point, one, other, k), note
            )
    cell = "topics from which nDCG predicts P@10 at least as well as P@10 does"
    yield Number("figure 1", cell, None, None, lambda s: crossing(s.of()), _DRAWN)


def _section_4() -> Iterator[Number]:
    note = f"not in the paper: phi of the best mix less that without; below {PHI_MARGIN} it counts as nothing"
    for measure in SIMPLE:
        for predictor in DEEP:
            cell = f"what {measure} adds to {predictor} in predicting {measure}"
            yield Number("section 4", cell, None, None, partial(_added, measure, predictor), note)


def _added(measure: str, predictor: str, sources: Sources) -> float:
    return gain_by_adding(sources.of(), measure, predictor)


def _point(one: str, other: str, size: int, sources: Sources) -> SplitEstimate:
    return phi_on_curve(sources.of(), one, other, size)


def figures(sources: Sources) -> tuple[Tables, tuple[Chart, ...]]:
    """Figure 1 at every number of topics, as a table and drawn; nothing without the runs of TREC-8."""
    rows = []
    try:
        c = sources.of()
        for k in range(5, len(c.topics) // 2 + 1):
            for one, other in FIGURE_1:
                point = phi_on_curve(c, one, other, k)
                rows.append((f"{one}, {other}", k, point.value, *(point.interval(CLAIM_LEVEL.value) or (None, None))))
    except MissingDataError:
        return {}, ()
    kinds = {"curve": pl.String, "n_topics": pl.Int64, "phi": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    table = pl.DataFrame(rows, schema=kinds, orient="row")
    names = [f"{one}, {other}" for one, other in FIGURE_1]
    x = field("n_topics", title="topics in each set", scale={"zero": False})
    drawing = lines(x, field("phi"), category("curve", names, title="predictor, target"), band=("low", "high"))
    title = "Predictive power by the number of topics (figure 1), with intervals over topics"
    return {"figure_1": table}, (Chart("figure_1", title, table, drawing),) if rows else ()


paper(
    Paper(
        key="webber2008",
        about=__doc__,
        main=MAIN,
        collections={key: name for key, (name, _, _) in COLLECTIONS.items()},
        settings={"splits": SPLITS, "splits_of_intervals": REPLICATES, "rng": SEED},
        figures=figures,
        everywhere=everywhere,
        cells=(
            *_section_2(),
            *_table("table 1", "T8"),
            *_table("table 2", "TB04"),
            *_figure_1(),
            *_section_4(),
            *CLAIMS,
        ),
    )
)
