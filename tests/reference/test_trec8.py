"""TREC-8 ad hoc, 129 runs x 50 topics: every number that trec_eval printed, to its last digit.

Provenance: isoboroff/trec8-scores, commit 2d3c9555462f326b435413c90b7bc14d720e0b96. `trec_eval-per-topic.tsv.gz` is
what trec_eval printed for every run and topic (four decimals; its rbp has p = 0.9); `depth10.map` and
`official-scores.map` are mean average precisions made at NIST, the first with `trec_eval -J` under judgments of
the depth-10 pool of all 129 runs, in which grade -1 means pooled but never judged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from assay.data.judged import Collection, Judged, judge
from assay.data.read import read_qrels
from assay.data.tables import Runs
from assay.measures.grammar import parse, trec_name
from assay.scoring.engine import score
from assay.scoring.scores import Scores

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
COUNTS = ("num_ret", "num_rel", "num_rel_ret")
MEASURES = (
    *("map", "ndcg", "Rprec", "recip_rank", "bpref", "infAP", "11pt_avg", "rbp"),
    *("set_P", "set_recall", "set_F", "set_map"),
    *COUNTS,
    *(f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut") for k in CUTOFFS),
    *(f"Rprec_mult_{m / 10:.2f}" for m in range(2, 21, 2) if m != 10),
    *(f"iprec_at_recall_{x / 10:.2f}" for x in range(11)),
    *(f"success_{k}" for k in (1, 5, 10)),
)
"""The 74 columns that Assay has by trec_eval's name; Rprec_mult_1.00 is Rprec under another name."""

WITHOUT = {
    *("G", "binG", "Rndcg", "ndcg_rel", "rbp_resid", "utility", "set_relative_P", "gm_bpref"),
    *(f"relative_P_{k}" for k in CUTOFFS),
    *(f"unj_{k}" for k in (5, 10, 20)),
    *("runid", "relstring", "num_q", "num_nonrel_judged_ret"),
}
"""What trec_eval printed and Assay has no measure for; unj_k is checked through Judged@k."""

pytestmark = pytest.mark.xdist_group("trec8")


@pytest.fixture(scope="module")
def runs(adhoc8: Collection) -> Runs:
    return adhoc8.runs


@pytest.fixture(scope="module")
def judged(adhoc8: Collection) -> Judged:
    return judge(adhoc8.runs, adhoc8.qrels)


@pytest.fixture(scope="module")
def scores(judged: Judged) -> Scores:
    return score(judged, MEASURES)


@pytest.fixture(scope="module")
def printed(data: Path) -> pl.DataFrame:
    """Read what trec_eval printed, every value as the text it is."""
    file = data / "trec8-adhoc" / "trec_eval-per-topic.tsv.gz"
    return pl.read_csv(file, separator="\t", infer_schema=False, quote_char=None)


def printed_cells(printed: pl.DataFrame, measure: str, scores: Scores) -> list[str]:
    """Lay one measure's printed values out in the order of our runs and topics; a missing cell is an error."""
    rows = printed.filter((pl.col("measure") == measure) & (pl.col("topic") != "all"))
    value = {(run, topic): text for run, topic, text in rows.select("run", "topic", "value").iter_rows()}
    return [value[run, topic] for run in scores.runs for topic in scores.topics]


def printed_averages(printed: pl.DataFrame, measure: str, scores: Scores) -> list[str]:
    rows = printed.filter((pl.col("measure") == measure) & (pl.col("topic") == "all"))
    value = dict(rows.select("run", "value").iter_rows())
    return [value[run] for run in scores.runs]


def as_printed(measure: str, values: NDArray[np.float64]) -> list[str]:
    form = "%d" if measure in COUNTS else "%.4f"
    return [form % x for x in values.ravel()]


def differences(ours: list[str], theirs: list[str]) -> int:
    return sum(a != b for a, b in zip(ours, theirs, strict=True))


def test_all_477300_cells_equal_what_trec_eval_printed(scores: Scores, printed: pl.DataFrame) -> None:
    n_cells, wrong = 0, {}
    for i, measure in enumerate(MEASURES):
        theirs = printed_cells(printed, measure, scores)
        n_cells += len(theirs)
        if n := differences(as_printed(measure, scores.value[i]), theirs):
            wrong[measure] = n
    assert wrong == {}
    assert n_cells == 74 * 129 * 50 == 477_300


def test_every_printed_measure_is_compared_or_named_as_missing(printed: pl.DataFrame) -> None:
    assert set(printed["measure"].unique()) == {*MEASURES, "Rprec_mult_1.00", "gm_map"} | WITHOUT


def test_precision_at_once_r_is_r_precision(scores: Scores, printed: pl.DataFrame) -> None:
    assert parse("Rprec_mult_1.00") == parse("Rprec")
    theirs = printed_cells(printed, "Rprec_mult_1.00", scores)
    assert differences(as_printed("Rprec", scores.value[MEASURES.index("Rprec")]), theirs) == 0


def test_averages_over_topics_equal_what_trec_eval_printed(scores: Scores, printed: pl.DataFrame) -> None:
    assert set(printed_averages(printed, "num_q", scores)) == {"50"}
    means = scores.mean()
    wrong = {
        measure: n
        for i, measure in enumerate(MEASURES)
        if (n := differences(as_printed(measure, means[i]), printed_averages(printed, measure, scores)))
    }
    assert wrong == {}


def test_the_geometric_mean_equals_gm_map(judged: Judged, printed: pl.DataFrame) -> None:
    scores = score(judged, ["gm_map"])
    assert scores.conditions == ("GMAP",)
    assert differences(as_printed("gm_map", scores.mean()), printed_averages(printed, "gm_map", scores)) == 0


def test_unjudged_is_what_judged_leaves(judged: Judged, printed: pl.DataFrame) -> None:
    """trec_eval divides the unjudged documents of a short list by k, Judged@k the judged by the list's length."""
    for k in (5, 10, 20):
        scores = score(judged.head(k), [f"Judged@{k}", "NumRet"])
        share, n = scores.value
        assert differences(as_printed("", (1 - share) * n / k), printed_cells(printed, f"unj_{k}", scores)) == 0


def test_our_names_are_trec_evals_names() -> None:
    assert [trec_name(parse(name)) for name in MEASURES] == list(MEASURES)


def means_in(file: Path, scores: Scores) -> list[str]:
    value = dict(line.split() for line in file.read_text().splitlines())
    return [value[run] for run in scores.runs]


def test_the_official_means_are_rebuilt(scores: Scores, data: Path) -> None:
    theirs = means_in(data / "trec8-extras" / "official-scores.map", scores)
    assert len(theirs) == 129
    assert differences(as_printed("map", scores.mean()[MEASURES.index("map")]), theirs) == 0


def test_judged_only_means_under_the_depth_10_pool_are_rebuilt(runs: Runs, data: Path) -> None:
    """`trec_eval -J` drops what has grade -1 as it drops what is not in the pool; so does judged_only."""
    qrels = read_qrels(data / "trec8-extras" / "depth10.qrels.gz")
    scores = score(judge(runs, qrels), ["AP(judged_only=True)"])
    theirs = means_in(data / "trec8-extras" / "depth10.map", scores)
    assert differences(as_printed("map", scores.mean()), theirs) == 0
    as_nonrelevant = score(judge(runs, qrels, negative="nonrelevant"), ["AP(judged_only=True)"])
    assert differences(as_printed("map", as_nonrelevant.mean()), theirs) == 125
