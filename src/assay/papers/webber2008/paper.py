"""webber2008: do complex measures predict P@10 on new topics as well as P@10 does? TREC-8 and TREC 2004 terabyte.

The runs are those of TREC-8 ad hoc. The conventions that match: the best 96 of 129 runs (floor of three quarters) by
AP over all topics, tau-b, halves of the topics, nDCG with log2(max(2, i)), depth 1,000. Predictive power is the mean
of 2,000 splits of the topics; its interval takes topics out of the first 100 of them, and the noise of so few is
taken off. "As well as" is by a margin of {phi_margin} of phi, "like" within {phi_likeness}. On other collections
(--everywhere) there are 500 splits, 50 of them with topics left out; nDCG has the form that is there, and what is
said of complex measures is the average over those that are there.

Halving is compared with independent draws on a collection of at least {large_population} topics (--data
LARGE=FILE,FILE: AP and P@10, as robust 2004 has them for 249). The item "table 2, rough" has what run means and topic
factors say of phi on the diagonal (--data TB04.means=FILE --data TB04.factors=MN,SD), as if the effects of runs and
topics were normal, tau = 2 / pi arcsin(r): .05 too low for AP of TREC-8, where the scores are there, and never
counted as met or missed.

tables.figure_1: curve, n_topics, phi, low, high: predictive power by the number of topics.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import polars as pl

from assay.analyses.reproduce.decisions import CLAIM_LEVEL
from assay.papers.webber2008.claims import CLAIMS
from assay.papers.webber2008.commands import CURVE, MATRIX, REDUNDANCY, predictivity
from assay.papers.webber2008.comparisons import mean_score, n_relevant, rough_phi
from assay.papers.webber2008.criteria import PHI_MARGIN
from assay.papers.webber2008.errors import ERRORS
from assay.papers.webber2008.everywhere import EVERYWHERE
from assay.papers.webber2008.phi import (
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
    LARGE,
    MEASURES,
    POINTS,
    PUBLIC_FILES,
    ROUGH,
    SIMPLE,
    TOLERANCE,
    TRACKS,
    published,
)
from assay.results.charts import Chart, category, field, lines
from assay.results.papers import Number, Paper, Sources, Tables, from_margins, paper, sizes
from assay.scoring.scored_collection import MissingDataError
from assay.stats.estimates import SplitEstimate

MAIN = "T8"
_DRAWN = "drawn in the figure, not printed"
_ROUGH = "rough: from run means and topic factors, as if effects were normal"
_SAID_OF_FIGURES = {
    "figure_1": (
        "with 5 topics all curves are low, nDCG and P@10 predict themselves about equally well, and P@10 predicts "
        "itself better than nDCG does; nDCG's power over itself rises faster, and gradually nDCG becomes a "
        "(marginally) better predictor of P@10 than P@10 is"
    )
}


def _section_2() -> Iterator[Number]:
    yield from sizes("webber2008", "section 2", COLLECTIONS, main=MAIN)
    note = "the best three quarters; 97 would be the other custom"
    cell = "runs kept of TREC-8 ad hoc"
    yield Number("section 2", cell, None, None, lambda s: n_best(s.of()), note, command=MATRIX)


def _table(item: str, collection: str) -> Iterator[Number]:
    names = list(MEASURES)
    for i, one in enumerate(names):
        for other in names[i:]:
            value = published(collection, one, other)
            compute = partial(_phi, collection, one, other)
            shown = predictivity((one, other))
            yield Number(item, f"{one}, {other}", value, TOLERANCE, compute, at=(one, other), command=shown)


def _phi(collection: str, one: str, other: str, sources: Sources) -> SplitEstimate:
    return phi(sources.of(collection), one, other)


def _rough() -> Iterator[Number]:
    """What public margins say of the diagonals: of table 2, whose runs are not public, and of table 1, as a check."""
    for key, names in ROUGH.items():
        for name in names:
            notes = {
                "T8": f"{_ROUGH}; with the scores, it is 0.63, as printed",
                "AP": f"{_ROUGH}; and the means of runs (0.153) and of topics (0.166) are not of the same scores",
            }
            note = notes.get(key) or notes.get(name) or _ROUGH
            cell = f"{name}, {name}, {COLLECTIONS[key][0]}, from run means and topic factors"
            value = published(key, name, name)
            compute, shown = partial(_rough_phi, key, name), from_margins("webber2008", key, "table 2, rough")
            yield Number("table 2, rough", cell, value, None, compute, note, command=shown)


def _rough_phi(key: str, name: str, sources: Sources) -> float:
    return rough_phi(sources.margins_of(key), name)


def _section_3() -> Iterator[Number]:
    """What there is to the explanation that relevant documents flood the top of runs on terabyte."""
    for key, (name, _, _) in COLLECTIONS.items():
        cell = f"relevant documents per topic of {name}"
        yield Number("section 3", cell, None, None, partial(_n_relevant, key), "from public judgments")
    note = "from topic factors; terabyte has no fuller first ten ranks than TREC-8, but a fuller top as RBP sees it"
    for key, (name, _, _) in COLLECTIONS.items():
        for measure in ("P@10", "RBP(p=0.95)"):
            cell = f"mean {measure} of all runs on {name}"
            yield Number("section 3", cell, None, None, partial(_mean_score, key, measure), note)


def _n_relevant(key: str, sources: Sources) -> float:
    return n_relevant(sources, key)


def _mean_score(key: str, measure: str, sources: Sources) -> float:
    return mean_score(sources, key, measure)


def _figure_1() -> Iterator[Number]:
    for one, other in FIGURE_1:
        for k in POINTS:
            end = k == POINTS[-1]
            value, tolerance = (published(MAIN, one, other), TOLERANCE) if end else (None, None)
            note = "printed in table 1" if end else _DRAWN
            compute = partial(_point, one, other, k)
            shown = predictivity((one, other), f"--n-topics {k}")
            cell = f"{one}, {other}, {k} topics"
            yield Number("figure 1", cell, value, tolerance, compute, note, command=shown)
    cell = "topics from which nDCG predicts P@10 at least as well as P@10 does"
    yield Number("figure 1", cell, None, None, lambda s: crossing(s.of()), _DRAWN, command=CURVE)


def _section_4() -> Iterator[Number]:
    note = f"not in the paper: phi of the best mix less that without; below {PHI_MARGIN} it counts as nothing"
    for measure in SIMPLE:
        for predictor in DEEP:
            cell = f"what {measure} adds to {predictor} in predicting {measure}"
            compute = partial(_added, measure, predictor)
            yield Number("section 4", cell, None, None, compute, note, command=REDUNDANCY)


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
        collections={key: name for key, (name, _, _) in COLLECTIONS.items()} | {"LARGE": LARGE},
        sizes={key: (n_runs, n_topics) for key, (_, n_runs, n_topics) in COLLECTIONS.items()},
        tracks=TRACKS,
        public_files=PUBLIC_FILES,
        settings={"splits": SPLITS, "rng": SEED},
        figures=figures,
        said_of_figures=_SAID_OF_FIGURES,
        everywhere=EVERYWHERE,
        cells=(
            *_section_2(),
            *_table("table 1", "T8"),
            *_table("table 2", "TB04"),
            *_rough(),
            *_section_3(),
            *_figure_1(),
            *_section_4(),
            *CLAIMS,
            *ERRORS,
        ),
    )
)
