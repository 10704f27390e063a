"""Leave one out of the pool: every cell against a twin that builds the pool again from the others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from assay.analyses.reuse.analysis import reuse
from assay.analyses.reuse.leave_out import Evaluation, sole_contributors
from assay.cli import main
from assay.core.arrays import Array
from assay.core.errors import InputError, UsageError
from assay.data.judged import Collection, Negative, judge
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs
from assay.measures.grammar import parse
from assay.results.result import Result
from assay.scoring.default_measures import default_measures
from assay.scoring.engine import score
from assay.scoring.scores import Undefined
from assay.stats.correlation.subsampled_tau import half_rankings, tau_interval
from assay.stats.subsampling import halves
from tests.builders.dense import collection

pytestmark = pytest.mark.xdist_group("trec8")

Lists = dict[str, dict[str, dict[str, float]]]  # run -> topic -> document -> score
Grades = dict[str, dict[str, int]]  # topic -> document -> grade

MEASURES = (
    "AP",
    "nDCG@20",
    "P@5",
    "RBP",
    "nDCG(judged_only=True)@10",
    "Bpref",
    "infAP",
    "Judged@10",
    "GMAP",
    "AP(rel=2)",
    "Rprec",
)
GROUP = {"a": "x", "b": "x", "c": "y", "d": "z", "e": "z", "f": "z"}


def made(seed: int = 5) -> tuple[Lists, Grades]:
    """Six runs of uneven lists, some missing, with grades -1 (pooled, not judged) to 2."""
    rng = np.random.default_rng(seed)
    runs: Lists = {}
    for name in GROUP:
        runs[name] = {}
        for topic in ("1", "2", "3", "4", "5"):
            docs = rng.permutation(70)[: rng.integers(0, 40)]
            if docs.size:
                runs[name][topic] = {f"d{d}": float(docs.size - i) for i, d in enumerate(docs)}
    grades = {
        t: {f"d{d}": int(rng.integers(-1, 3)) for d in rng.permutation(70)[:55]} for t in ("1", "2", "3", "4", "5")
    }
    return runs, grades


def left_with(runs: Lists, grades: Grades, contributors: Iterable[str], depth: int) -> Qrels:
    """Build a pool by hand, from the documents' names, and keep what it holds."""
    pool = {(t, doc) for run in contributors for t, docs in runs[run].items() for doc in list(docs)[:depth]}
    full = read_qrels(grades)
    return full.thin(np.array([(t, doc) in pool for t, docs in grades.items() for doc in docs]))


def twin(
    runs: Lists, grades: Grades, contributors: Iterable[str], depth: int, negative: Negative, undefined: Undefined
) -> Array:
    """Score under the pool that these contributors fill. [measure, run]"""
    judged = judge(read_runs(runs), left_with(runs, grades, contributors, depth), negative=negative)
    return score(judged, MEASURES, undefined=undefined).mean()


def place(mean: Array, run: int) -> int:
    return 1 + sum(other > mean[run] + 1e-12 for other in mean)


@pytest.fixture(scope="module")
def small() -> Collection:
    runs, grades = made()
    return Collection(read_runs(runs), read_qrels(grades))


@pytest.fixture
def group_file(tmp_path: Path) -> str:
    path = tmp_path / "runs.tsv"
    lines = [f"{run}\t{group}\t{int(run != 'b')}" for run, group in GROUP.items()]
    path.write_text("\n".join(["run\tgroup\tpooled", *lines, "zz\tother\t0"]) + "\n")
    return str(path)


@pytest.mark.parametrize("depth", [1, 7, 1000])
@pytest.mark.parametrize("undefined", ["zero", "skip"])
@pytest.mark.parametrize("negative", ["pooled", "nonrelevant"])
def test_every_cell_equals_a_twin_that_pools_the_others_from_scratch(
    depth: int, undefined: Undefined, negative: Negative, tmp_path: Path
) -> None:
    runs, grades = made()
    contributors = [name for name in runs if name != "b"]
    groups = tmp_path / "groups.csv"
    groups.write_text("run,group\n" + "".join(f"{run},{group}\n" for run, group in GROUP.items()))
    data = Collection(read_runs(runs), read_qrels(grades), negative)
    result = reuse(
        data,
        measure=MEASURES,
        pool_depth=depth,
        contributors=contributors,
        groups=str(groups),
        undefined=undefined,
    )
    means: dict[tuple[str, ...], Array] = {}
    whole = twin(runs, grades, contributors, depth, negative, undefined)
    for table, left_out in ((result.table, {run: {run} for run in runs}), (result.tables["groups"], members())):
        assert table.height == len(runs) * len(MEASURES)
        for row in table.iter_rows(named=True):
            m, r = MEASURES.index(row["measure"]), list(runs).index(row["run"])
            others = tuple(name for name in contributors if name not in left_out[row["run"]])
            if others not in means:
                means[others] = twin(runs, grades, others, depth, negative, undefined)
            mean = means[others]
            assert row["score"] == pytest.approx(whole[m, r], abs=1e-13, nan_ok=True)
            assert row["score_without"] == pytest.approx(mean[m, r], abs=1e-13, nan_ok=True)
            assert (row["rank"], row["rank_without"]) == (place(whole[m], r), place(mean[m], r))


def members() -> dict[str, set[str]]:
    return {run: {other for other in GROUP if GROUP[other] == GROUP[run]} for run in GROUP}


@pytest.mark.parametrize("depth", [1, 7, 1000])
def test_a_runs_own_documents_are_counted_as_by_hand(small: Collection, depth: int) -> None:
    runs, grades = made()
    table = reuse(small, measure=["AP"], pool_depth=depth).table
    for row in table.iter_rows(named=True):
        held = {n: {(t, d) for t, docs in lists.items() for d in list(docs)[:depth]} for n, lists in runs.items()}
        others = set().union(*(pool for name, pool in held.items() if name != row["run"]))
        own = [grades[t][d] for t, d in held[row["run"]] - others if d in grades[t]]
        assert (row["n_unique"], row["n_unique_relevant"]) == (len(own), sum(g > 0 for g in own))


def test_without_a_pool_depth_judgments_stay_and_whole_lists_count(small: Collection) -> None:
    runs, grades = made()
    result = reuse(small, measure=["AP"])
    held = {run: {(t, doc) for t, docs in lists.items() for doc in docs} for run, lists in runs.items()}
    for i, row in enumerate(result.table.iter_rows(named=True)):
        others = set().union(*(docs for run, docs in held.items() if run != row["run"]))
        own = held[row["run"]] - others
        kept = small.qrels.thin(np.array([(t, d) not in own for t, docs in grades.items() for d in docs]))
        expected = score(judge(small.runs, kept), ["AP"]).mean()[0, i]
        assert row["score_without"] == pytest.approx(expected, abs=1e-13)
    assert result.notes[-1].code == "no_pool_depth"
    assert "beyond" not in result.tables


def test_only_what_can_change_is_scored_again_and_the_rest_is_the_same(small: Collection) -> None:
    base = Evaluation.of(small.runs, small.qrels, [parse(m) for m in MEASURES])
    heeding = [str(m) for m in base.measures if base._heeds_nonrelevant(m)]
    assert heeding == ["nDCG(judged_only=True)@10", "Bpref", "infAP", "Judged@10"]
    nobody = np.full(small.qrels.doc.size, -1, dtype=np.int64)
    for left in base.without(nobody, 3):
        np.testing.assert_array_equal(left.value, base.scores.value)


def test_a_run_that_did_not_contribute_loses_nothing(small: Collection) -> None:
    table = reuse(small, measure=["AP"], pool_depth=5, contributors=["a", "c"]).table
    idle = table.filter(~pl.col("contributor"))
    assert idle["run"].to_list() == ["b", "d", "e", "f"]
    assert idle["difference"].to_list() == [0.0] * 4
    assert idle["n_unique"].to_list() == [0] * 4


def test_the_summary_says_tau_and_the_largest_drops(small: Collection, group_file: str) -> None:
    result = reuse(small, measure=["AP", "P@5"], pool_depth=5, groups=group_file)
    summary = result.tables["summary"]
    assert summary.select("measure", "what", "n").rows() == [
        ("AP", "run", 6),
        ("P@5", "run", 6),
        ("AP", "group", 3),
        ("P@5", "group", 3),
    ]
    for row in summary.iter_rows(named=True):
        table = result.table if row["what"] == "run" else result.tables["groups"]
        part = table.filter(pl.col("measure") == row["measure"])
        assert row["tau"] == pytest.approx(
            kendalltau(part["score"].round(12), part["score_without"].round(12)).statistic
        )
        assert row["largest_drop"] == pytest.approx((part["score"] - part["score_without"]).max())
        assert row["largest_fall"] == (part["rank_without"] - part["rank"]).max()


def test_tau_has_an_interval_over_topics(tmp_path: Path) -> None:
    """Each run's scores by topic, with all judgments and without its own documents."""
    runs, qrels = collection(n_runs=5, n_topics=12, n_docs=80, rng=2).write(tmp_path)
    data = Collection(read_runs(runs), read_qrels(qrels))
    row = reuse(data, measure=["AP"], pool_depth=5, level=0.9).tables["summary"].row(0, named=True)
    pool, names = data.qrels.pool(data.runs, depth=5), data.runs.names
    x = score(judge(data.runs, pool), ["AP"]).value[0]
    y = x.copy()
    for i, name in enumerate(names):
        left = data.qrels.pool(data.runs, depth=5, contributors=[other for other in names if other != name])
        y[i] = score(judge(data.runs, left), ["AP"]).value[0, i]
    assert np.abs(x - y).max() > 0
    split = halves(12)
    expected = tau_interval(half_rankings(x, split), half_rankings(y, split), level=0.9)
    assert (row["tau"], row["tau_low"], row["tau_high"]) == pytest.approx(expected, abs=1e-12)


def test_few_topics_have_no_interval(small: Collection) -> None:
    row = reuse(small, measure=["AP"], pool_depth=5).tables["summary"].row(0, named=True)
    assert (row["tau_low"], row["tau_high"]) == (None, None)


def test_contributors_come_from_names_a_file_or_a_table(small: Collection, group_file: str, tmp_path: Path) -> None:
    listed = tmp_path / "names.txt"
    listed.write_text("a\nc\nd\ne\nf\n")
    tables = [
        reuse(small, measure=["AP"], pool_depth=5, contributors=given).table
        for given in (["a", "c", "d", "e", "f"], [str(listed)], [group_file])
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_a_contributor_that_is_not_among_the_runs_is_an_error(small: Collection) -> None:
    with pytest.raises(UsageError, match="contributor 'g' is neither a run nor a file"):
        reuse(small, measure=["AP"], contributors=["a", "g"])


def test_a_file_of_contributors_must_name_runs_or_say_who_is_pooled(small: Collection, tmp_path: Path) -> None:
    names, table = tmp_path / "names", tmp_path / "runs.tsv"
    names.write_text("a\ng\n")
    table.write_text("run\tgroup\na\tone\n")
    with pytest.raises(UsageError, match="contributor 'g' is not among the runs"):
        reuse(small, measure=["AP"], contributors=[str(names)])
    with pytest.raises(InputError, match=r"runs\.tsv: no column 'pooled'; there are run, group$"):
        reuse(small, measure=["AP"], contributors=[str(table)])


def test_a_run_without_a_group_and_a_table_without_groups_are_errors(small: Collection, tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("run,group\na,x\n")
    with pytest.raises(InputError, match="no group for run 'b'"):
        reuse(small, measure=["AP"], groups=str(path))
    path.write_text("run,team\na,x\n")
    with pytest.raises(InputError, match="no column 'group'; there are run, team"):
        reuse(small, measure=["AP"], groups=str(path))


def test_without_measures_those_that_suit_the_runs_are_taken(small: Collection) -> None:
    table = reuse(small, pool_depth=5).table
    asked = default_measures(small)
    assert table["measure"].unique(maintain_order=True).to_list() == [str(parse(name)) for name in asked]
    assert table.equals(reuse(small, measure=asked, pool_depth=5).table)


def test_a_pool_of_depth_0_judges_nothing(small: Collection) -> None:
    result = reuse(small, measure=["AP", "nDCG@5"], pool_depth=0)
    assert result.table["score"].to_list() == [0.0] * 12
    assert result.table["rank_without"].to_list() == [1] * 12
    assert result.basis.judged == 0
    notes = {note.code: note.text for note in result.notes}
    assert "empty_pool" in notes
    assert "undefined" not in result.settings  # the basis says it
    assert notes["outside_pool"].startswith("275 judged documents not in the depth-0 pool of 6 contributors")


def test_a_pool_deeper_than_every_list_is_the_pool_of_whole_lists(small: Collection) -> None:
    longest = int(small.runs.count.max())
    deep, deeper = (reuse(small, measure=["AP"], pool_depth=k) for k in (longest, 10_000))
    assert deep.table.equals(deeper.table)
    (note,) = [note for note in deeper.notes if note.code == "deeper_than_runs"]
    assert note.text == f"no run goes deeper than {longest}: a pool of depth 10,000 holds no more"
    assert "deeper_than_runs" not in {note.code for note in deep.notes}


def test_a_negative_pool_depth_is_an_error(small: Collection) -> None:
    with pytest.raises(UsageError, match="pool depth -1"):
        reuse(small, measure=["AP"], pool_depth=-1)


def test_one_run_alone_loses_all_it_brought() -> None:
    data = Collection(read_runs({"only": {"1": {"x": 2.0, "y": 1.0}}}), read_qrels({"1": {"x": 1, "y": 0}}))
    result = reuse(data, measure=["AP"], pool_depth=5)
    row = result.table.row(0, named=True)
    assert (row["score"], row["score_without"], row["n_unique"], row["rank_without"]) == (1.0, 0.0, 2, 1)
    assert result.tables["summary"]["tau"].to_list() == [None]
    (note,) = [note for note in result.notes if note.code == "one_contributor"]
    assert note.text.startswith("one contributor, only: ")


def test_identical_runs_have_no_documents_of_their_own() -> None:
    lists = {"1": {"x": 2.0, "y": 1.0}}
    data = Collection(read_runs({"p": lists, "q": lists}), read_qrels({"1": {"x": 1, "y": 0}}))
    table = reuse(data, measure=["AP"], pool_depth=5).table
    assert table["n_unique"].to_list() == [0, 0]
    assert table["difference"].to_list() == [0.0, 0.0]
    assert table["rank"].to_list() == [1, 1]


@pytest.mark.parametrize(("name", "flag"), [("beyond", "--pool-depth"), ("groups", "--groups")])
def test_a_table_that_another_flag_gives_is_refused_with_that_flag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, flag: str
) -> None:
    runs, qrels = collection(n_runs=4, n_topics=3, n_docs=40, rng=1).write(tmp_path)
    assert main(["reuse", str(runs), "--qrels", str(qrels), "-m", "AP", "--table", name]) == 2
    assert f"it comes with {flag}" in capsys.readouterr().err


def test_the_command_draws_and_prints_every_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, qrels = collection(n_runs=4, n_topics=5, n_docs=50, rng=2).write(tmp_path)
    groups = tmp_path / "groups.csv"
    groups.write_text("run,group\nrun01,x\nrun02,x\nrun03,y\nrun04,y\n")
    words = ["reuse", str(runs), "--qrels", str(qrels), "-m", "AP", "--pool-depth", "5", "--groups", str(groups)]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["tables"]) == {"summary", "groups", "beyond"}
    assert main([*words, "--table", "beyond", "-o", str(tmp_path / "x.svg")]) == 0
    assert (tmp_path / "x.svg").read_text().startswith("<svg")


@pytest.fixture(scope="module")
def pooled(data: Path) -> list[str]:
    table = pl.read_csv(data / "trec8-adhoc" / "runs.tsv", separator="\t", infer_schema=False)
    return table.filter(pl.col("pooled") == "1")["run"].to_list()


@pytest.fixture(scope="module")
def at_100(adhoc8: Collection, data: Path) -> Result:
    table = str(data / "trec8-adhoc" / "runs.tsv")
    measures = ["AP", "nDCG(discount='jk')@1000"]
    return reuse(adhoc8, measure=measures, pool_depth=100, contributors=[table], groups=table)


def test_the_depth_100_pool_of_the_71_runs_is_the_judgments_of_trec_8(adhoc8: Collection, pooled: list[str]) -> None:
    assert len(pooled) == 71
    kept = adhoc8.qrels.pool(adhoc8.runs, depth=100, contributors=pooled)
    assert kept.doc.size == adhoc8.qrels.doc.size == 86_830
    first = {(t, d) for t, d in pairs(adhoc8.runs.select(pooled).head(100))}
    assert len(first) == 86_830  # every document of the pool is judged, and no other is


def pairs(runs: Runs) -> Iterable[tuple[int, int]]:
    for run in range(len(runs.names)):
        for topic in range(len(runs.topics)):
            start = runs.start[run, topic]
            yield from ((topic, d) for d in runs.doc[start : start + runs.count[run, topic]].tolist())


@pytest.mark.parametrize("left", ["READWARE2", "orcl99man", "cirtrc82"])
def test_a_run_left_out_of_trec_8_equals_the_pool_of_the_other_70(
    adhoc8: Collection, pooled: list[str], at_100: Result, left: str
) -> None:
    assert_equal_to_pool(adhoc8, [run for run in pooled if run != left], at_100.table, left)


def test_a_group_left_out_of_trec_8_equals_the_pool_of_the_other_groups(
    adhoc8: Collection, pooled: list[str], at_100: Result
) -> None:
    mine = {"READWARE", "READWARE2"}  # group miti
    for left in mine:
        assert_equal_to_pool(adhoc8, [run for run in pooled if run not in mine], at_100.tables["groups"], left)


def assert_equal_to_pool(adhoc8: Collection, others: list[str], table: pl.DataFrame, left: str) -> None:
    rest = adhoc8.qrels.pool(adhoc8.runs, depth=100, contributors=others)
    part = table.filter(pl.col("run") == left)
    mean = score(judge(adhoc8.runs, rest), part["measure"].to_list()).mean()
    at = adhoc8.runs.names.index(left)
    np.testing.assert_allclose(part["score_without"], mean[:, at], rtol=0, atol=1e-13)
    assert part["rank_without"].to_list() == [place(m, at) for m in mean]
    assert part["n_unique"].to_list() == [adhoc8.qrels.doc.size - rest.doc.size] * 2


def test_the_second_best_run_of_trec_8_falls_to_the_middle_beyond_the_pool_depth(at_100: Result) -> None:
    """Provenance: webber2010, section 4.1: the second-ranked run (manual) "falls back into the middle"."""
    rows = at_100.tables["beyond"].filter(pl.col("measure") == "nDCG(discount='jk')@1000")
    second = rows.filter(pl.col("rank") == 2).row(0, named=True)
    assert second["run"] == "READWARE"
    assert 43 <= second["rank_deeper"] <= 86  # the middle third of 129
    assert second["fall"] == second["rank_deeper"] - 2
    assert rows["deeper"].unique().to_list() == [1000]


def test_what_only_one_contributor_brought_is_no_other_contributors(adhoc8: Collection, pooled: list[str]) -> None:
    """Provenance: tests/reference/trec8_halves.py."""
    runs = adhoc8.runs.select(pooled)
    owner = sole_contributors(adhoc8.qrels, runs, depth=100, unit=np.arange(71))
    assert int((owner >= 0).sum()) == 54_472
    assert int(((owner >= 0) & (adhoc8.qrels.grade > 0)).sum()) == 950
