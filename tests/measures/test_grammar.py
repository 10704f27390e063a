"""Names of measures as people write them, and what is said when they slip."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from assay.cli import main
from assay.core.arrays import Array
from assay.core.declarations import load
from assay.core.errors import MeasureError
from assay.data.rankings import Rankings
from assay.measures import AP, RBP, IPrec, P, nDCG
from assay.measures.declare import Measure, measure
from assay.measures.grammar import find, parse, trec_name


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("nDCG@10", "nDCG@10"),
        (" ndcg @ 10 ", "nDCG@10"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("P(rel=1, cutoff=5)", "P(rel=1)@5"),
        ("RBP(p=0.8)", "RBP(p=0.8)"),
        ("rbp(rel=1, p=.80)", "RBP(p=0.8, rel=1)"),
        ("RBP( p = 0.5 )", "RBP(p=0.5)"),
        ("AP(judged_only=True, rel=2)@100", "AP(rel=2, judged_only=True)@100"),
        ("nDCG(dcg='log2')@10", "nDCG(gain='linear')@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp')@10"),
        ("nDCG(gains={1: 3, 2: 7})@10", "nDCG(gain={1: 3.0, 2: 7.0})@10"),
        ('nDCG(discount="jk", base=10)', "nDCG(discount='jk', base=10.0)"),
        ("IPrec@0.1", "IPrec@0.1"),
        ("IPrec(recall=0.1)", "IPrec@0.1"),
        ("NumRet(rel=1)", "NumRet(rel=1)"),
        ("MAP", "AP"),
        ("mrr@10", "RR@10"),
        ("Precision@5", "P@5"),
        ("SN-AP@5", "SNAP@5"),
        ("sn-dcg", "SNDCG"),
        ("BPref", "Bpref"),
    ],
)
def test_what_people_write_is_understood(written: str, meant: str) -> None:
    m = parse(written)
    assert str(m) == meant
    assert parse(str(m)) == parse(str(m.canonical)) == m


def test_a_measure_stands_for_itself() -> None:
    assert parse(AP @ 10) == AP @ 10
    with pytest.raises(MeasureError, match=r"^P needs a cutoff, as in P@10$"):
        parse(P)


# the names that trec_eval 10 prints, with what they are here
TREC_EVAL = {
    "map": "AP",
    "map_cut_100": "AP@100",
    "gm_map": "GMAP",
    "Rprec": "Rprec",
    "Rprec_mult_0.20": "Rprec(mult=0.2)",
    "Rprec_mult_1.60": "Rprec(mult=1.6)",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "iprec_at_recall_0.00": "IPrec@0.0",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "11pt_avg": "IAP",
    "P_5": "P@5",
    "P_1000": "P@1000",
    "recall_10": "R@10",
    "success_1": "Success@1",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "infAP": "infAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_map": "SetAP",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "rbp": "RBP(p=0.9, rel=1)",
}


@pytest.mark.parametrize(("theirs", "ours"), TREC_EVAL.items())
def test_the_spellings_of_trec_eval_are_understood_and_given_back(theirs: str, ours: str) -> None:
    assert str(parse(theirs)) == ours
    assert trec_name(parse(theirs)) == theirs
    assert trec_name(parse(ours)) == theirs


@pytest.mark.parametrize("ours", ["AP(rel=2)", "nDCG(gain='exp')@10", "RBP", "aAP@10", "RR@10", "Rprec(mult=0.125)"])
def test_what_trec_eval_has_no_name_for_keeps_ours(ours: str) -> None:
    assert trec_name(parse(ours)) == ours


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("NDGC@10", "no measure 'NDGC'; did you mean 'nDCG'?"),
        ("zzz", "no measure 'zzz'; `assay measures` lists them"),
        ("ndcg_cut10", "no measure 'ndcg_cut10'; did you mean 'ndcg_cut_10'?"),
        ("recip_rnk", "no measure 'recip_rnk'; did you mean 'recip_rank'?"),
        ("AP-5", "no measure 'AP-5'; did you mean 'AP'?"),
        ("P", "P needs a cutoff, as in P@10"),
        ("R(rel=2)", "R(rel=2) needs a cutoff, as in R(rel=2)@10"),
        ("IPrec", "IPrec needs recall, as in IPrec@0.1"),
        ("RBP(q=0.5)", "RBP: no parameter 'q'"),
        ("AP(reel=2)", "AP: no parameter 'reel'; did you mean 'rel'?"),
        ("AP(rel=high)", "'AP(rel=high)': write words in quotes: 'high'"),
        ("nDCG(gain=exp)@10", "'nDCG(gain=exp)@10': write words in quotes: 'exp'"),
        ("AP(rel='2')", "AP: rel='2' is not a whole number"),
        ("nDCG(gain='ex')@10", "nDCG: gain='ex' is not 'linear', 'exp', a list; did you mean 'exp'?"),
        ("nDCG(dcg='exp-log')@10", "dcg='exp-log' is not 'log2' or 'exp-log2'; did you mean 'exp-log2'?"),
        ("RBP(0.5)", "'RBP(0.5)': parameters need names, as in RBP(p=0.8)"),
        ("AP@ten", "AP@ten: a cutoff is a whole number from 1 up"),
        ("IPrec@low", "IPrec: recall='low' is not a number"),
        ("AP,P@10", "'AP,P@10': one measure each: -m AP -m P@10"),
        ("map, RBP(p=0.8)", "'map, RBP(p=0.8)': one measure each: -m map -m 'RBP(p=0.8)'"),
        ("AP@0", "AP@0: a cutoff is a whole number from 1 up"),
        ("AP@2.5", "AP@2.5: a cutoff is a whole number from 1 up"),
        ("AP@'10'", "AP@10: a cutoff is a whole number from 1 up"),
        ("IPrec@'low'", "IPrec: recall='low' is not a number"),
        ("AP@10/standardised", "'AP@10/standardised': a measure without conditions is asked for here: AP@10"),
        ("map/pool=10", "'map/pool=10': a measure without conditions is asked for here: map"),
        ("P@5/qrels=a/b.txt", "'P@5/qrels=a/b.txt': a measure without conditions is asked for here: P@5"),
        ("AP@", "'AP@' is not a measure, such as nDCG@10 or RBP(p=0.8)"),
        ("AP@1@2", "'AP@1@2' is not a measure"),
        ("AP + P@5", "'AP + P@5' is not a measure"),
        ("", "'' is not a measure"),
        ("10", "'10' is not a measure"),
        ("AP(rel=1)(rel=2)", "'AP(rel=1)(rel=2)' is not a measure"),
        ("RBP(p=0.8, p=0.5)", "'RBP(p=0.8, p=0.5)': p twice; give it once"),
        ('RBP(**{"p": 0.5})', """'RBP(**{"p": 0.5})': parameters need names, as in RBP(p=0.8)"""),
        ("RBP(*[0.5])", "'RBP(*[0.5])': parameters need names, as in RBP(p=0.8)"),
        ("P(cutoff=5)@10", "'P(cutoff=5)@10': cutoff twice; give it once"),
        ("IPrec(recall=0.1)@0.2", "'IPrec(recall=0.1)@0.2': recall twice; give it once"),
        ("nDCG(gain={1: 3, 1: 5})", "'nDCG(gain={1: 3, 1: 5})': a grade twice; give it once"),
        ("nDCG(dcg='log2', gain='exp')", "'nDCG(dcg='log2', gain='exp')': gain and dcg say the same"),
        ("nDCG(gains={1: 2}, gain='exp')", "'nDCG(gains={1: 2}, gain='exp')': gain and gains say the same"),
        ("nDCG(dcg=[1])", "dcg=[1] is not 'log2' or 'exp-log2'"),
        ("nDCG(gain={[]: 1})", "'nDCG(gain={[]: 1})' is not a measure"),
        ("nDCG(gain={1: 1e999})", "nDCG: gain={1: inf} is not a finite number"),
        ("nDCG(discount=[1, 1e13])", "nDCG: discount=[1, 10000000000000.0] is beyond 1e+12, the most there is"),
        ("AP(rel=99999999999999999999)", "AP: rel=99999999999999999999 is beyond 1e+12, the most there is"),
        (f"RBP(p={'9' * 400})", f"RBP: p={'9' * 400} is not a number"),
        (f"AP@{'9' * 20}", f"AP@{'9' * 20}: a cutoff is at most 10,000,000"),
        (f"AP@{'9' * 5000}", "'AP@999"),
        (f"P_{'9' * 5000}", "P@10000001: a cutoff is at most 10,000,000"),
        ("AP\udcff", "'AP\udcff' is not a measure"),
        ("AP\0", "'AP\0' is not a measure"),
        ("AP(rel=" + "(" * 5000, "'AP(rel=((("),
        ("AP(rel=" + "-" * 50_000 + "1)", "'AP(rel=---"),
        ("AP(rel=1" + "+1" * 40_000 + ")", "'AP(rel=1+1"),
        ("AP@" + "9" * 200_000, "'AP@9999999999999999999999999999999999999...' is too long for a measure"),
    ],
)
def test_a_slip_is_answered_with_what_would_be_right(written: str, said: str) -> None:
    with pytest.raises(MeasureError) as problem:
        parse(written)
    assert str(problem.value).startswith(said)
    assert "\n" not in str(problem.value)


def test_a_name_that_could_be_two_measures_is_not_guessed(catalogue: dict[str, Measure]) -> None:
    @measure(claims=(), cite="mine2024")
    def ap(j: Rankings) -> Array:
        return j.total(j.hit(1)) * 0

    assert find("AP") == AP
    assert find("ap") == ap
    with pytest.raises(MeasureError, match=r"^'Ap' may be AP or ap; write it as declared$"):
        find("Ap")


MINE = '''
from assay import measure

@measure(claims={"monotone", "convergent", "localised", "complete"}, cite="mine2024", range=(0.0, float("inf")))
def Found(j, *, rel: int = 1):
    """How many relevant documents were found.

    .. math:: c_k
    """
    return j.total(j.hit(rel))
'''


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A run, its judgments, and a file that declares a measure."""
    (tmp_path / "run.txt").write_text("1 Q0 a 1 3 mine\n1 Q0 b 2 2 mine\n1 Q0 c 3 1 mine\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 c 2\n")
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_a_measure_declared_in_a_file_scores_runs(
    catalogue: dict[str, Measure], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "score",
        str(files / "run.txt"),
        "--qrels",
        str(files / "qrels.txt"),
        "--declare",
        str(files / "mine.py"),
    ]
    code = main([*words, "-m", "found", "-m", "Found(rel=2)@2", "--per-topic", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)["table"]
    assert code == 0
    assert [(row["measure"], row["value"]) for row in rows] == [("Found", 2.0), ("Found(rel=2)@2", 0.0)]


def test_a_measure_declared_in_a_file_has_a_card(
    catalogue: dict[str, Measure], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measures", "Found", "--declare", str(files / "mine.py")]) == 0
    shown = capsys.readouterr().out
    assert "How many relevant documents were found." in shown
    assert "source     mine2024" in shown
    assert "@2, R = 1: [0 1] scores 1, [1 0] scores 1" in shown
    assert "Found is declared" not in shown
    assert "Found is not declared" not in shown


def test_a_card_doubts_a_false_claim(
    catalogue: dict[str, Measure], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "mine.py").write_text(MINE.replace('"monotone"', '"top_weighted"'))
    assert main(["measures", "Found", "--declare", str(files / "mine.py")]) == 0
    shown = capsys.readouterr().out
    assert "caution: Found is declared to be top_weighted, but @2, R = 1: [0 1] scores 1, [1 0] scores 1" in shown
    assert "caution: Found is not declared to be monotone, but no short ranking refutes it" in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def broken(:\n", "mine.py:1: SyntaxError: "),
        ("\nraise ValueError('no luck')\n", "mine.py:2: ValueError: no luck"),
        ("import nowhere_to_be_found\n", "mine.py:1: ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        (MINE.replace("monotone", "monoton"), "mine.py: no property 'monoton'; did you mean 'monotone'?"),
    ],
)
def test_a_file_that_cannot_be_run_is_one_line(
    catalogue: dict[str, Measure], files: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (files / "mine.py").write_text(dedent(text))
    assert main(["measures", "--declare", str(files / "mine.py")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"assay: {files / 'mine.py'}"[: -len("mine.py")] + said)
    assert shown.err.count("\n") == 1


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match=r"mine\.py: no such file$"):
        load(tmp_path / "mine.py")


@pytest.mark.parametrize(
    ("asked", "title"),
    [("RBP", "RBP"), ("RBP(p=0.5)", "RBP(p=0.5)"), ("ndcg_cut_10", "nDCG@10"), ("P", "P"), ("sn-ap", "SNAP")],
)
def test_a_card_is_found_by_name_or_expression(asked: str, title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", asked]) == 0
    assert capsys.readouterr().out.splitlines()[0] == title


def test_a_card_shows_formula_parameters_range_and_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "nDCG(gain='exp')"]) == 0
    shown = capsys.readouterr().out
    assert "\n    \\frac{DCG@k}{\\max DCG@k}\n" in shown
    assert ".. math" not in shown
    assert "written    nDCG(gain='exp', discount='log2', base=2.0, weights=None)[@k]" in shown
    assert "range      0 to 1" in shown
    assert "average    mean over topics" in shown
    assert "trec_eval  ndcg, ndcg_cut_k" in shown
    assert "source     Järvelin, Kekäläinen. Cumulated gain-based evaluation of IR techniques." in shown
    assert "R = 2: [1] scores 1 (@1), [1 0] scores 0.613147 (@2)" in shown


@pytest.mark.parametrize("words", [["measures"], ["measures", "DCG"], ["measures", "IPrec"]])
def test_the_catalogue_and_its_cards_are_valid_json(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A range without a limit is null: JSON knows no infinity."""
    assert main([*words, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    if words == ["measures"]:
        assert {row["measure"]: row["high"] for row in shown["table"]}["DCG"] is None
        assert {row["measure"]: row["high"] for row in shown["table"]}["AP"] == 1.0
    else:
        assert list(shown["table"][0]) == ["property", "holds", "counter_example", "meaning"]


def test_the_equality_of_parsed_and_built_measures() -> None:
    assert parse("RBP(p=0.5)@10") == RBP(p=0.5) @ 10
    assert parse("IPrec@0.25") == IPrec @ 0.25
    assert parse("nDCG(gains={1: 1})") == nDCG(gain={1: 1})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RBP(p=2)", "RBP: p=2 is not from 0 to below 1"),
        ("IPrec@1.5", "IPrec: recall=1.5 is not from 0 to 1"),
        ("ERR(max_rel=0)", "ERR: max_rel=0 is not from 1 to 127"),
        ("DCG(base=1)", "DCG: base=1 is not from 1.001 up"),
    ],
)
def test_a_parameter_outside_its_limits_is_refused(text: str, said: str) -> None:
    with pytest.raises(MeasureError) as problem:
        parse(text)
    assert str(problem.value) == said


@pytest.mark.parametrize(("alias", "name"), [("F1", "SetF"), ("Hit@5", "Success@5"), ("HitRate@5", "Success@5")])
def test_names_of_other_fields_are_understood(alias: str, name: str) -> None:
    assert parse(alias) == parse(name)
