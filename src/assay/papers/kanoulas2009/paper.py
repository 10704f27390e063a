"""kanoulas2009: which gain and discount make nDCG most stable? TREC 9 and 10 web, TREC 12 robust.

The runs are any graded ones, for those of its three collections are not public: its tables are listed as published,
compared where the data is given (--data T9=DIR,QRELS), and computed on whatever graded runs are given instead.
Sizes are also counted in public files (--data T9.qrels=FILE:451-500, T9.means=FILE).
Readings where the paper says nothing: the ideal ranking is sorted by gain; both together means that gain and
discount maximise one Phi, where the paper's minimax takes several objectives that it does not name; discounts are
very close if less than {close_discounts:.0%} of their weight differs, ratios of gains if they differ by less than
{close_ratios}, topics needed are almost identical if their logarithms differ by less than {close_needs}, and rankings
from a tau of {equivalent_tau} on; a discount levels off where it lies furthest below the line from its first to its
last rank. Intervals leave out one topic at a time, of more than 30 topics one of 25 groups, and fit again. The item
error is of what is wrong in the paper itself.

tables.figure_2: depth, curve, rank, discount: optimal and standard discounts on the runs given.
tables.ratio_by_cutoff: depth, ratio, low, high, top_share, judged_share: the ratio of optimal gains, the share of the
top grade among the relevant documents listed to the cutoff, and the share of documents listed that were judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from assay.core.arrays import Array
from assay.papers.kanoulas2009.claims import CLAIMS, EVERYWHERE, EXP, LINEAR, MAIN, graded_runs
from assay.papers.kanoulas2009.errors import errors
from assay.papers.kanoulas2009.figures import SAID, figures
from assay.papers.kanoulas2009.fits import BOTH, DISCOUNT, GAIN, SEED, STANDARD, NdcgFits, Weighting, fits
from assay.papers.kanoulas2009.published import (
    COLLECTIONS,
    CUTOFFS,
    DEPTH,
    DISCOUNTS,
    GAINS,
    GRADES,
    LEVELS_OFF,
    OTHER_TRIANGLE,
    POWER_DEPTH,
    PUBLIC_FILES,
    RATIOS,
    SAME_FIRST,
    SECTION_3_4,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TARGET,
    TAU_OF_GAINS,
    TRACKS,
)
from assay.results.papers import ERROR, Number, Paper, Sources, is_numbered, paper, sizes, without_data
from assay.scoring.scored_collection import MissingDataError
from assay.stats.estimates import Estimate, Interval, JackknifeEstimate

NAMES = {key: name for key, (name, _, _) in COLLECTIONS.items()} | {MAIN: "the runs given"}

_HERE = "not in the paper: the runs that are given"
_CAPTION = f"for Phi = {TARGET:.2f}, which the numbers fit; the caption says .95"
_WEIGHTS = "assay weights RUNS --qrels QRELS"


def _of(key: str, sources: Sources) -> NdcgFits:
    return fits(graded_runs(sources) if key == MAIN else sources.of(key))


def _sizes() -> Iterator[Number]:
    for cell in sizes("kanoulas2009", "section 3", COLLECTIONS, main=MAIN):
        note = (
            "the public table of run means lists 104, one fewer" if cell.cell == "runs of TREC 9 web" else cell.note
        )
        yield replace(cell, note=note)


def _grades() -> Iterator[Number]:
    for key, n in GRADES.items():
        note = "not relevant, relevant, highly relevant"
        yield Number("section 3", f"grades of {NAMES[key]}", n, 0, partial(_n_grades, key), note)


def _n_grades(key: str, sources: Sources) -> int:
    try:
        return int(fits(sources.of(key)).lists(1).grades.size) + 1
    except MissingDataError as lack:
        if key in sources.margins and (grades := sources.margins[key].grades):
            return len(grades)
        raise MissingDataError(f"{lack}; or its judgments: --data {key}.qrels=FILE") from None


def _topics_needed(
    item: str, printed: Mapping[str, tuple[int, ...]], names: Mapping[str, Weighting], free: str
) -> Iterator[Number]:
    """Topics needed on every collection; off by one is rounding."""
    command = f"{_WEIGHTS} --depth {DEPTH} --free {free} --table topics"
    for key in NAMES:
        for i, (name, of) in enumerate(names.items()):
            value, tolerance, note = (None, None, _HERE) if key == MAIN else (printed[key][i], 1.0, _CAPTION)
            compute, at = partial(_needed, key, of), (NAMES[key], name)
            yield Number(item, f"{NAMES[key]}: {name}", value, tolerance, compute, note, at=at, command=command)


def _needed(key: str, weighting: Weighting, sources: Sources) -> Array:
    return np.asarray(_of(key, sources).topics(DEPTH, weighting, TARGET))


def _figure_2() -> Iterator[Number]:
    """The rank from which on the discount of nDCG@100 is constant, as section 3.1 reads it off figure 2."""
    for key in NAMES:
        value, tolerance, note = (None, None, _HERE)
        if key != MAIN:
            value, tolerance, note = LEVELS_OFF[key], 5.0, "the ranks that matter, read off the figure; no interval"
        cell = f"{NAMES[key]}: rank at which the optimal discount levels off"
        command = f"{_WEIGHTS} --depth {DEPTH} --free discount --table discounts"
        yield Number("figure 2", cell, value, tolerance, partial(_levels_off, key), note, command=command)


def _levels_off(key: str, sources: Sources) -> float:
    return _of(key, sources).levels_off(DEPTH, DISCOUNT)


def _table_2() -> Iterator[Number]:
    for key in NAMES:
        for i, k in enumerate(CUTOFFS):
            for j, name in enumerate(RATIOS):
                value, tolerance, note = (None, None, _HERE) if key == MAIN else (TABLE_2[key][i][j], 0.05, "")
                row = f"{NAMES[key]}: nDCG@{k}"
                compute = partial(_ratio, key, k, name)
                command = f"{_WEIGHTS} --cutoffs {k} --table cutoffs"
                yield Number(
                    "table 2", f"{row}, {name}", value, tolerance, compute, note, at=(row, name), command=command
                )


def _ratio(key: str, k: int, name: str, sources: Sources) -> Estimate | float:
    of = _of(key, sources)
    if not of.reaches(k):
        raise MissingDataError(f"lists of {k} documents")
    if name == RATIOS[0]:
        return of.free_ratio(k)
    return _ConstrainedRatio(of.ratio(k, GAIN if name == RATIOS[1] else BOTH))


class _ConstrainedRatio(JackknifeEstimate):
    """A ratio of gains that must not fall with the grade; neither does its interval go below 1."""

    def interval(self, level: float) -> Interval | None:
        ends = JackknifeEstimate.interval(self, level)
        return ends and (max(ends[0], 1.0), ends[1])


def _section_3_3() -> Iterator[Number]:
    note = "what the paper calls very close: the margin of the claim about ratios; needs no data"
    cell = "largest change of the ratio in table 2 when fitted with the discount, TREC 9 at 100 and 200 excepted"
    yield Number("section 3.3", cell, None, None, without_data(largest_joint_change), note)


def largest_joint_change() -> float:
    """The joint ratio less that with log2, as printed; the paper excepts deep cutoffs of TREC 9 (0.7 and 1.6)."""
    cells = [(key, k, cell) for key, rows in TABLE_2.items() for k, cell in zip(CUTOFFS, rows, strict=True)]
    changes = [abs(joint - alone) for key, k, (_, alone, joint) in cells if key != "T9" or k < DEPTH]
    return round(max(changes), 1)


def _table_4() -> Iterator[Number]:
    command = f"{_WEIGHTS} --depth {DEPTH} --free discount --table likeness"
    for key in NAMES:
        for one, other in TABLE_4["T9"]:
            value, tolerance, note = (None, None, _HERE) if key == MAIN else (TABLE_4[key][one, other], 0.00005, "")
            cell, at = f"{NAMES[key]}: {one}, {other}", (f"{NAMES[key]}: {one}", other)
            compute = partial(_tau, key, one, other)
            yield Number("table 4", cell, value, tolerance, compute, note, at=at, command=command)
    (key, (one, other)), value = OTHER_TRIANGLE
    note = f"an error: the other triangle has {TABLE_4[key][one, other]:.4f}, and tau is symmetric"
    cell = f"table 4, {NAMES[key]}: {other}, {one}"
    yield Number(ERROR, cell, value, 0.00005, partial(_tau, key, one, other), note, command=command)


def _tau(key: str, one: str, other: str, sources: Sources) -> Array:
    a, b = (Weighting(discount=DISCOUNTS[name]) for name in (one, other))
    return _of(key, sources).tau(DEPTH, a, b)


def _section_3_4() -> Iterator[Number]:
    stability = f"{_WEIGHTS} --depth {DEPTH} --free discount --table stability"
    for key in NAMES:
        for name in ("Zipfian", "Optimal"):
            value, tolerance, note = (None, None, _HERE)
            if key != MAIN:
                value, tolerance, note = SECTION_3_4[key, name], 0.01, "read off figure 4, to a hundredth"
            compute = partial(_phi_at_50, key, Weighting(discount=DISCOUNTS[name]))
            cell = f"{NAMES[key]}: Phi at 50 topics, {name}"
            yield Number("section 3.4", cell, value, tolerance, compute, note, command=stability)
    likeness = f"{_WEIGHTS} --depth {DEPTH} --free gain --table likeness"
    key, tau = TAU_OF_GAINS
    for where in (MAIN, key):
        printed, tolerance, note = (tau, 0.005, "") if where == key else (None, None, _HERE)
        cell = f"{NAMES[where]}: tau of optimal and exponential gains"
        compute = partial(_tau_of_gains, where)
        yield Number("section 3.4", cell, printed, tolerance, compute, note, command=likeness)
    for where in (MAIN, key):
        printed, tolerance, note = (None, None, _HERE)
        if where == key:
            printed, tolerance, note = SAME_FIRST, 0.5, "the paper says 6-7; no interval"
        cell = f"{NAMES[where]}: first runs in the same order by optimal and exponential gains"
        yield Number("section 3.4", cell, printed, tolerance, partial(_same_first, where), note, command=likeness)


def _phi_at_50(key: str, weighting: Weighting, sources: Sources) -> Array:
    return _of(key, sources).phi(DEPTH, weighting, 50)


def _tau_of_gains(key: str, sources: Sources) -> Array:
    return _of(key, sources).tau(DEPTH, GAIN, EXP)


def _same_first(key: str, sources: Sources) -> float:
    return _of(key, sources).same_first(DEPTH, GAIN, EXP)


def _figure_9() -> Iterator[Number]:
    """What the curves of figure 9, which is only drawn, come to on the runs given."""
    command = f"{_WEIGHTS} --depth {POWER_DEPTH} --table asl_shares"
    for of in (BOTH, STANDARD, EXP, LINEAR):
        cell = f"{NAMES[MAIN]}: share of pairs of the best 30 runs with a bootstrap level below .05, {of}"
        yield Number("figure 9", cell, None, None, partial(_asl_share, of), _HERE, command=command)


def _asl_share(weighting: Weighting, sources: Sources) -> Array:
    return _of(MAIN, sources).asl(POWER_DEPTH, weighting, "share")


paper(
    Paper(
        key="kanoulas2009",
        about=__doc__,
        main=MAIN,
        collections=NAMES,
        topics={"T12": partial(is_numbered, 601, 650)},  # the new ones of that year, which have grades
        tracks=TRACKS,
        public_files=PUBLIC_FILES,
        stand_in="TREC-COVID round 1, a stand-in: the runs of the paper's collections are not public",
        ranked_lists=True,
        settings={"ideal": "sorted by gain", "folds": 5, "rng": SEED},
        figures=figures,
        said_of_figures=SAID,
        everywhere=EVERYWHERE,
        cells=(
            *_sizes(),
            *_grades(),
            *_figure_2(),
            *_topics_needed(
                "table 1", TABLE_1, {n: Weighting(discount=of) for n, of in DISCOUNTS.items()}, "discount"
            ),
            *_table_2(),
            *_topics_needed("table 3", TABLE_3, {n: Weighting(gain=of) for n, of in GAINS.items()}, "gain"),
            *_section_3_3(),
            *_table_4(),
            *_section_3_4(),
            *_figure_9(),
            *errors(),
            *CLAIMS,
        ),
    )
)
