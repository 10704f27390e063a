"""trec_eval's own regression outputs: every measure that Assay has, to the last printed digit.

Provenance: the `test` folder of usnistgov/trec_eval 10.0, commit f4253652c8efd0d86ddffd0d163cc0a0f813111a; the
options beside each file are those of its own `make quicktest`. Not used, because Assay has none of their measures:
the preference outputs (`out.test.prefs`, `.qrels_prefs`), several judgment sets at once (`.qrels_jg`) and z-scores
(`.aqZ`); `out.test.a` is the `all` part of `out.test.aq`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assay.core.errors import MeasureError
from assay.data.judged import judge
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs
from assay.measures.declare import Measure
from assay.measures.grammar import parse
from assay.scoring.engine import score

Cells = dict[tuple[str, str], str]  # (trec_eval's measure, topic or "all") -> the text printed

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
NOT_OURS = {
    *("runid", "num_q", "num_nonrel_judged_ret", "relstring"),
    *("G", "binG", "Rndcg", "ndcg_rel", "utility", "set_relative_P", "gm_bpref", "rbp_resid"),
    *(f"relative_P_{k}" for k in CUTOFFS),
    *(f"unj_{k}" for k in (5, 10, 20)),
}
"""What `-m all_trec` prints and Assay has no measure for."""

WITH_PARAMETERS = {
    "11pt_avg_.25,.5,.75": "IAP(points=(0.25, 0.5, 0.75))",
    "ndcg_1=3,2=9,4=4.5": "nDCG(gains={1: 3, 2: 9, 4: 4.5})",
}
"""trec_eval names of measures with parameters that are not numbers at the end; these are ours for them."""


@dataclass(frozen=True)
class Folder:
    """The regression files, opened by name."""

    path: Path

    def qrels(self, name: str) -> Qrels:
        return read_qrels(self.path / f"{name}.gz")

    def runs(self, name: str) -> Runs:
        return read_runs(self.path / f"{name}.gz")

    def output(self, name: str) -> Cells:
        lines = (line.split("\t") for line in (self.path / name).read_text().splitlines())
        return {(measure.strip(), topic): value for measure, topic, value in lines}


@pytest.fixture(scope="module")
def folder(data: Path) -> Folder:
    return Folder(data / "trec_eval-conformance")


@pytest.fixture
def truncated(folder: Folder) -> Runs:
    """`results.trunc` has tags of several words, set apart by tabs; trec_eval reads their first word only."""
    return folder.runs("results.trunc")


def measures_in(cells: Cells, without: set[str]) -> dict[str, Measure]:
    names = dict.fromkeys(measure for measure, _ in cells)
    return {name: parse(WITH_PARAMETERS.get(name, name)) for name in names if name not in without}


def at_level(m: Measure, rel: int) -> Measure:
    """Count as relevant from this grade on, as trec_eval's -l does; NumRet(rel=...) would count relevant ones."""
    return m(rel=rel) if "rel" in m.declaration.parameters and m.name != "NumRet" else m


def scored(runs: Runs, qrels: Qrels, measures: dict[str, Measure]) -> Cells:
    """Score one run as trec_eval prints it, by trec_eval's names; each measure once, under all its names."""
    scores = score(judge(runs, qrels), dict.fromkeys(measures.values()))
    means = scores.mean()
    cells: Cells = {}
    for name, m in measures.items():
        form = "%d" if name.startswith("num_") else "%.4f"
        i = scores.conditions.index(str(m))
        cells[name, "all"] = form % means[i, 0]
        cells |= {(name, topic): form % scores.value[i, 0, t] for t, topic in enumerate(scores.topics)}
    return cells


def compare(ours: Cells, theirs: Cells, without: set[str]) -> int:
    """Hold every printed cell of our measures against ours; return how many there were."""
    expected = {cell: text for cell, text in theirs.items() if cell[0] not in without}
    assert {cell: ours[cell] for cell in expected} == expected
    return len(expected)


@pytest.mark.parametrize("judgments", ["qrels.test", "qrels.test.with-comments"])
def test_default_measures(folder: Folder, judgments: str) -> None:
    """`trec_eval qrels.test results.test`: averages only."""
    theirs = folder.output("out.test")
    without = {"runid", "num_q"}
    ours = scored(folder.runs("results.test"), folder.qrels(judgments), measures_in(theirs, without))
    assert compare(ours, theirs, without) == 28


def test_comment_lines_and_hashes_in_ids(folder: Folder) -> None:
    """`trec_eval qrels.comment.test results.comment.test`: grades 0 to 3, ids that contain #."""
    theirs = folder.output("out.comment.test")
    without = {"runid", "num_q"}
    measures = measures_in(theirs, without)
    ours = scored(folder.runs("results.comment.test"), folder.qrels("qrels.comment.test"), measures)
    assert compare(ours, theirs, without) == 28


def test_every_measure_on_every_topic(folder: Folder) -> None:
    """`trec_eval -m all_trec -q qrels.test results.test`."""
    theirs = folder.output("out.test.aq")
    ours = scored(folder.runs("results.test"), folder.qrels("qrels.test"), measures_in(theirs, NOT_OURS))
    assert compare(ours, theirs, NOT_OURS) == 301


def test_a_missing_topic_counts_as_zero(folder: Folder, truncated: Runs) -> None:
    """`trec_eval -m all_trec -q -c qrels.test results.trunc`: topic 302 is not in the run."""
    theirs = folder.output("out.test.aqc")
    assert "302" not in truncated.topics
    ours = scored(truncated, folder.qrels("qrels.test"), measures_in(theirs, NOT_OURS))
    assert compare(ours, theirs, NOT_OURS) == 301


def test_runs_cut_at_100(folder: Folder, truncated: Runs) -> None:
    """`trec_eval -m all_trec -q -c -M100 qrels.test results.trunc`: the run is cut, the measures are not."""
    theirs = folder.output("out.test.aqcM")
    ours = scored(truncated.head(100), folder.qrels("qrels.test"), measures_in(theirs, NOT_OURS))
    assert compare(ours, theirs, NOT_OURS) == 301


def test_measures_cut_at_100(folder: Folder, truncated: Runs) -> None:
    """The same numbers from measures cut at 100 on whole runs: -M100 ndcg is enDCG@100, its ideal not cut."""
    theirs = folder.output("out.test.aqcM")
    uncut = ("map", "Rprec", "bpref", "recip_rank", "infAP", "11pt_avg", "set_P", "set_recall", "set_F", "set_map")
    measures = {name: parse(name) @ 100 for name in uncut} | {"ndcg": parse("enDCG@100")}
    measures |= {name: parse(name) @ 100 for name in ("num_ret", "num_rel", "num_rel_ret", "rbp")}
    ours = scored(truncated, folder.qrels("qrels.test"), measures)
    assert compare(ours, theirs, {name for name, _ in theirs} - set(measures)) == 4 * len(measures)
    assert parse("enDCG@100") != parse("ndcg_cut_100")


def test_relevant_from_grade_2_with_negative_grades(folder: Folder) -> None:
    """`trec_eval -m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test`: grades -1 to 4.

    rbp is left out here: see the next test.
    """
    theirs = folder.output("out.test.aql")
    without = NOT_OURS - {"relstring"} | {"relstring_20", "rbp"}
    measures = {name: at_level(m, 2) for name, m in measures_in(theirs, without).items()}
    ours = scored(folder.runs("results.test"), folder.qrels("qrels.rel_level"), measures)
    assert compare(ours, theirs, without) == 297


@pytest.mark.parametrize(("topic", "highest"), [("301", 4), ("302", 3), ("303", 2)])
def test_graded_rbp_there_has_a_scale_for_each_topic(folder: Folder, topic: str, highest: int) -> None:
    """The same output: with grades, version 10's rbp divides by the highest grade *of the topic*, ours of the scale.

    Not an oracle elsewhere: asked for by default, it reads the least and greatest gain before they are set, and one
    run got 0.2844 or 0.0678 depending on the measures asked for beside it (0.3361 is right).
    """
    theirs = folder.output("out.test.aql")
    qrels = folder.qrels("qrels.rel_level")
    assert qrels.top == 4
    rescaled = replace(qrels.select([topic]), top=highest)
    ours = scored(folder.runs("results.test"), rescaled, {"rbp": parse("RBP(p=0.9)")})
    assert ours["rbp", topic] == theirs["rbp", topic]


def test_measures_with_parameters(folder: Folder) -> None:
    """`trec_eval -q` with parameters, such as -m 11pt_avg..25,.5,.75 and -m ndcg.1=3,2=9,4=4.5."""
    theirs = folder.output("out.test.meas_params")
    without = {"utility_2,-1,0,0"}
    ours = scored(folder.runs("results.test"), folder.qrels("qrels.test"), measures_in(theirs, without))
    assert compare(ours, theirs, without) == 84


OUTPUTS = {
    "out.test": {"runid", "num_q"},
    "out.comment.test": {"runid", "num_q"},
    "out.test.aq": NOT_OURS,
    "out.test.aqc": NOT_OURS,
    "out.test.aqcM": NOT_OURS,
    "out.test.aql": NOT_OURS - {"relstring"} | {"relstring_20"},
    "out.test.meas_params": {"utility_2,-1,0,0"},
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_is_left_out_is_exactly_what_assay_has_no_name_for(folder: Folder, name: str) -> None:
    unknown = set()
    for measure, _ in folder.output(name):
        try:
            parse(WITH_PARAMETERS.get(measure, measure))
        except MeasureError:
            unknown.add(measure)
    assert unknown == OUTPUTS[name]
