"""Factors of other runs, read for the measures that are asked for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.scoring.factor_files import read_factors


@pytest.mark.parametrize("asked", ["RBP", "RBP(p=0.8)"])
@pytest.mark.parametrize("written", ["RBP", "RBP(p=0.8)", "rbp(p=.80)"])
def test_factors_are_found_under_any_spelling_of_a_measure(asked: str, written: str, tmp_path: Path) -> None:
    path = tmp_path / "factors.jsonl"
    path.write_text(f'{{"topic": "1", "measure": "{written}", "mean": 0.25, "sd": 0.5}}\n')
    factors = read_factors(str(path), [asked], ["1"])
    assert (factors.mean.tolist(), factors.deviation.tolist()) == ([[0.25]], [[0.5]])


MEANS = '"","SP","AP","nDCG","nVDCG","P@10","RBP.8","RP"\n"1",1.5,0.5,0.1,0.2,0.3,0.4,0.6\n"2",2.5,0.25,0,0,0,0,0\n'
DEVIATIONS = MEANS.replace("1.5,0.5,0.1", "3.5,0.75,0.11")


@pytest.fixture
def pair(tmp_path: Path) -> str:
    """Two tables as Webber, Moffat and Zobel published them."""
    (tmp_path / "x.mn.csv").write_text(MEANS)
    (tmp_path / "x.sd.csv").write_text(DEVIATIONS)
    return str(tmp_path / "x.mn.csv")


@pytest.mark.parametrize("cutoff", ["", "@1000"])
def test_published_measures_are_ours_to_depth_1000(pair: str, cutoff: str) -> None:
    ours = ["SP", "AP", "nDCG(discount='jk')", "nDCG", "RBP(p=0.8)", "Rprec"]
    factors = read_factors(pair, [*(f"{name}{cutoff}" for name in ours), "P@10"], ["2", "1", "9"])
    assert factors.mean[:, 1].tolist() == [1.5, 0.5, 0.1, 0.2, 0.4, 0.6, 0.3]
    assert factors.deviation[:3, 1].tolist() == [3.5, 0.75, 0.11]
    assert factors.mean[:2, 0].tolist() == [2.5, 0.25]
    assert np.isnan(factors.mean[:, 2]).all()


def test_the_pair_may_be_two_files_of_any_name(pair: str, tmp_path: Path) -> None:
    other = tmp_path / "deviations.csv"
    other.write_text(DEVIATIONS)
    both, beside = (read_factors(path, ["AP"], ["1"]) for path in (f"{pair},{other}", pair))
    assert both.mean.tolist() == beside.mean.tolist() == [[0.5]]
    assert both.deviation.tolist() == beside.deviation.tolist() == [[0.75]]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("AP@100", "no factors of AP@100; did you mean 'AP@1000'?"),
        ("ERR@20", "no factors of ERR@20; there are SP@1000, AP@1000, nDCG"),
        ("RBP(p=0.9)", "no factors of RBP"),
    ],
)
def test_measures_that_were_not_published_are_refused(pair: str, measure: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_factors(pair, [measure], ["1"])


def test_half_a_pair_and_pairs_that_do_not_belong_together_are_refused(pair: str, tmp_path: Path) -> None:
    other = pair.replace(".mn.", ".sd.")
    for path, text, message in (
        (other, None, "x.sd.csv: these are deviations; give the file of means"),
        (f"{other},{pair}", None, "the means come first"),
        (f"{pair},{pair}", None, "x.mn.csv: given for means and for deviations; give both files"),
        (f"{pair},", None, "one of two files is missing; give both"),
        (f",{pair}", None, "one of two files is missing; give both"),
        (
            f"{pair},{tmp_path}/y.csv",
            DEVIATIONS.replace('"2"', '"3"'),
            "y.csv: not of the same topics and measures as",
        ),
        (f"{pair},{tmp_path}/y.csv", DEVIATIONS.replace("0.75", "-0.75"), "sd -0.75 is negative"),
        (f"{tmp_path}/y.csv", MEANS, "y.csv: means of topics, without deviations; give both files"),
        (f"{tmp_path}/y.mn.csv", MEANS, "y.mn.csv: no deviations y.sd.csv beside it; give both files"),
    ):
        if text is not None:
            Path(path.split(",")[-1]).write_text(text)
        with pytest.raises(InputError, match=re.escape(message)):
            read_factors(path, ["AP"], ["1"])
