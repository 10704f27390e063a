"""Features of rankings: what the built-in ones see, and those that users declare, in every table that shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.analyses.case.analysis import case
from assay.analyses.disagreement.analysis import disagreement
from assay.cli import main
from assay.core.declarations import load
from assay.core.errors import MeasureError
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT
from assay.measures.universe.exhaustive import universe
from assay.measures.universe.features import FEATURES, Feature, feature, features_of
from tests.builders.disagreement import collected


def seen(word: str, top: int) -> dict[str, float]:
    """What a person sees in a ranking, read off its letters."""
    hits = [i for i, g in enumerate(word, start=1) if g not in "0?"]
    others = [i for i, g in enumerate(word, start=1) if g in "0?"]
    best = [i for i, g in enumerate(word, start=1) if g == str(top)]
    plain = "".join("1" if g not in "0?" else "0" for g in word)
    return {
        "more_relevant": len(hits),
        "first_relevant_earlier": min(hits, default=math.nan),
        "first_nonrelevant_earlier": min(others, default=math.nan),
        "longer_run_of_relevant": max(map(len, plain.split("0"))),
        "last_relevant_lower": max(hits, default=math.nan),
        "higher_grades": sum(int(g) for g in word if g != "?"),
        "first_of_top_grade_earlier": min(best, default=math.nan),
    }


@pytest.mark.parametrize(("signs", "top"), [("01", 1), ("01?", 1), ("012", 2)])
def test_the_built_in_features_are_those_read_off_the_letters(signs: str, top: int) -> None:
    words = ["".join(w) for w in product(signs, repeat=4)]
    grade = np.array([[-1 if g == "?" else int(g) for g in word] for word in words], dtype=np.int8)
    lists = Rankings(grade, np.full((len(words), top + 1), 4), top)
    for name, one in FEATURES.items():
        assert one.values(lists).tolist() == pytest.approx([seen(w, top)[name] for w in words], nan_ok=True)


def test_a_list_that_ends_has_no_document_after_its_end() -> None:
    lists = Rankings(np.array([[1, 1, ABSENT], [1, 1, 0]], dtype=np.int8), np.full((2, 2), 3), 1)
    assert FEATURES["first_nonrelevant_earlier"].values(lists).tolist() == pytest.approx([math.nan, 3], nan_ok=True)


def test_levels_say_who_has_more_and_nothing_is_least() -> None:
    lists = universe(3, 3).rankings()
    for one in FEATURES.values():
        value, level = one.values(lists), one.levels(lists)
        order = np.where(np.isnan(value), -np.inf, -value if one.lower else value)
        for i, j in product(range(len(level)), repeat=2):
            assert np.sign(level[i] - level[j]) == (0 if order[i] == order[j] else np.sign(order[i] - order[j]))


def test_features_of_grades_are_left_out_where_there_is_one() -> None:
    assert FEATURES.keys() - features_of(graded=False).keys() == {"higher_grades", "first_of_top_grade_earlier"}


@pytest.fixture
def declared() -> Iterator[Feature]:
    """A feature of one's own: relevant documents among the first two."""
    before = dict(FEATURES)

    @feature(name="more_at_the_top", title="relevant in the first two", phrase="the first two ranks")
    def at_the_top(j: Rankings) -> np.ndarray:
        """How many of the first two documents are relevant."""
        return j.hit(1)[:, :2].sum(-1) / 2

    yield FEATURES["more_at_the_top"]
    FEATURES.clear()
    FEATURES.update(before)


def test_a_declared_feature_is_in_every_table_of_features(declared: Feature) -> None:
    """P and RR at k = R = 3, all pairs one by one: how often P prefers more of the first two where they disagree."""
    assert declared.doc == "How many of the first two documents are relevant."
    rows = list(product((0, 1), repeat=3))
    n = times = 0
    for x, y in product(rows, repeat=2):
        if x >= y:
            continue
        p = np.sign(sum(x) - sum(y))
        rr = np.sign(reciprocal(x) - reciprocal(y))
        n += p != rr
        times += p != rr and p == np.sign(sum(x[:2]) - sum(y[:2])) != 0
    found = disagreement(measure=("P", "RR"), depth="3", n_rel="3")
    own = found.tables["features"].filter(pl.col("measure") == "P", pl.col("feature") == declared.name)
    assert own["percent"].to_list() == pytest.approx([100 * times / n])
    assert case("110", "001").tables["features"].row(-1) == (declared.title, 1.0, 0.0)
    half = case("100", "001").tables["features"].row(-1)
    assert half == (declared.title, 0.5, 0.0)
    on_runs = disagreement(
        collected({"a": {"t": "100"}, "b": {"t": "011"}}), measure=("P", "RR"), depth="3", n_rel="3"
    )
    assert declared.name in on_runs.tables["real_features"]["feature"].to_list()


def reciprocal(row: tuple[int, ...]) -> float:
    """One over the rank of the first relevant document."""
    return max((1 / i for i, hit in enumerate(row, start=1) if hit), default=0.0)


def test_a_declared_feature_is_named_in_sentences(declared: Feature) -> None:
    """P@2 has its measure's own feature: nothing else can be nearer to what it prefers."""
    found = disagreement(measure=("P@2", "RR"), depth="4", n_rel="4").tables["meanings"]
    assert declared.phrase in found["sentence"][0]


def test_a_file_declares_a_feature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = dict(FEATURES)
    path = tmp_path / "mine.py"
    path.write_text(
        "from assay import feature\n\n\n"
        '@feature(name="last_hit", title="relevant at the end", phrase="a hit at the end", place=None)\n'
        "def last_hit(j):\n"
        '    """Whether the last document is relevant."""\n'
        "    return j.hit(1)[:, -1]\n"
    )
    try:
        assert main(["case", "10", "01", "-m", "P", "--declare", str(path), "--table", "features"]) == 0
        assert "relevant at the end      0  1" in capsys.readouterr().out
        ask = ["disagreement", "-m", "P", "-m", "RR", "--depth", "3", "--n-rel", "2", "--declare", str(path)]
        assert main([*ask, "--table", "features"]) == 0
        assert "last_hit" in capsys.readouterr().out
    finally:
        FEATURES.clear()
        FEATURES.update(before)


def test_what_is_no_feature_is_refused_in_a_line() -> None:
    lists = universe(2, 2).rankings()
    wrong: list[tuple[Callable[[Rankings], Any], str]] = [
        (lambda j: j.grade, r"'odd' gives an array of shape \(4, 2\) for 4 rankings"),
        (lambda _: 1 / 0, "'odd' fails: ZeroDivisionError"),
        (lambda _: np.full(4, np.inf), "'odd' gives an infinite number; give NaN where there is none"),
    ]
    for function, text in wrong:
        with pytest.raises(MeasureError, match=text):
            Feature("odd", "odd", "odd", function).levels(lists)
    with pytest.raises(MeasureError, match="'More Hits' cannot be a feature's name"):
        feature(name="More Hits", title="hits", phrase="hits")
    with pytest.raises(MeasureError, match="there is a feature 'more_relevant' already"):
        feature(name="more_relevant", title="hits", phrase="hits")(lambda j: j.grade.sum(-1))
    for place in (0, 3, "first"):
        with pytest.raises(MeasureError, match=f"feature 'odd': place {place!r} is not 1, 2 or None"):
            feature(name="odd", title="odd", phrase="odd", place=place)  # type: ignore[arg-type]
    assert assay.feature is feature


@pytest.mark.usefixtures("declarations")
def test_two_features_of_one_name_are_refused(tmp_path: Path) -> None:
    one = "@feature(name='odd', title='odd', phrase='odd')\ndef odd(j):\n    return j.grade.sum(-1)\n\n"
    own = tmp_path / "own.py"
    own.write_text(f"from assay import feature\n\n{one}{one}")
    with pytest.raises(MeasureError, match=r"own\.py: there is a feature 'odd' already"):
        load(own)
