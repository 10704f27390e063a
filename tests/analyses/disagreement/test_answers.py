"""Answers to a preference task: read back, scored per measure, refused where they make no sense."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.inter_rater import cohens_kappa, to_table
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups

from assay.analyses.disagreement.analysis import disagreement
from assay.analyses.disagreement.answers import (
    Answers,
    _may_be_best,
    _people,
    _sentence,
    agreement_with_people,
    clustered_interval,
    read_answers,
    read_key,
    scored_key,
)
from assay.analyses.disagreement.preference_task import key_path
from assay.analyses.disagreement.topic_means import wilson_ends
from assay.cli import main
from assay.core.arrays import Array, Index
from assay.core.errors import UsageError
from assay.measures.grammar import parse_open
from assay.stats.intervals import t_quantile
from tests.builders.disagreement import collected
from tests.builders.results import assert_says, left_open

KEY = [
    ("100", "011", ["RR"], ["P", "AP"], []),
    ("110", "001", ["RR", "P", "AP"], [], []),
    ("010", "011", ["RR"], [], ["P", "AP"]),
    ("001", "100", ["P"], ["RR", "AP"], []),
]
"""Left and right ranking, and the measures that prefer left, right and neither: a key by hand."""
SIDES = {"RR": [1, 1, 1, -1], "P": [-1, 1, 0, 1], "AP": [-1, 1, 0, -1]}


@pytest.fixture
def key(tmp_path: Path) -> str:
    """The key of four pairs."""
    path = tmp_path / "pairs.key.jsonl"
    rows = [
        {
            "pair": number,
            "left": {"ranking": left, "run": ""},
            "right": {"ranking": right, "run": ""},
            "prefer_left": of_left,
            "prefer_right": of_right,
            "neither": neither,
        }
        for number, (left, right, of_left, of_right, neither) in enumerate(KEY, start=1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def written(path: Path, answers: Sequence[str | None], **more: str) -> str:
    """A file of answers, pair by pair."""
    rows = [{"pair": i, "answer": answer, **more} for i, answer in enumerate(answers, start=1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_agreement_is_counted_as_by_hand(key: str, tmp_path: Path) -> None:
    paths = [
        written(tmp_path / "anna.jsonl", ["left", "left", "neither", "right"]),
        written(tmp_path / "ben.jsonl", ["right", "left", None, "left"]),
    ]
    found = agreement_with_people(paths, key=key).tables
    said = [(0, 1), (1, 1), (2, 0), (3, -1), (0, -1), (1, 1), (3, 1)]
    for row in found["answers"].to_dicts():
        sides = SIDES[row["measure"]]
        agrees = [sides[pair] == side for pair, side in said]
        decided = [sides[pair] == side for pair, side in said if side and sides[pair]]
        assert row["agreement"] == pytest.approx(100 * np.mean(agrees))
        assert (row["decided"], row["n_decided"]) == (pytest.approx(100 * np.mean(decided)), len(decided))
        assert (row["n_answers"], row["n_pairs"]) == (7, 4)
        assert 0 <= row["low"] < row["agreement"] < row["high"] <= 100
    for row in found["answers_compared"].to_dicts():
        one, other = SIDES[row["measure_a"]], SIDES[row["measure_b"]]
        own = [one[pair] == side for pair, side in said if (one[pair] == side) != (other[pair] == side)]
        assert row["n_answers"] == len(own)
        assert row["for_a"] == pytest.approx(100 * np.mean(own))


def test_one_persons_interval_is_wilsons(key: str, tmp_path: Path) -> None:
    """scipy.stats.binomtest(...).proportion_ci(method="wilson")."""
    path = written(tmp_path / "anna.jsonl", ["left", "left", "neither", "left"])
    found = agreement_with_people([path], key=key)
    for row in found.tables["answers"].to_dicts():
        theirs = stats.binomtest(round(row["agreement"] / 25), 4).proportion_ci(0.95, method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((100 * theirs.low, 100 * theirs.high), abs=1e-7)
    assert found.tables["people"].height == 0
    assert [note.code for note in found.notes] == ["answers", "few_people"]


def simulated(n_people: int, n_pairs: int, seed: int) -> tuple[Array, Index, Index]:
    """Answers that agree more or less by pair and by person: their mean over both is 1/2."""
    rng = np.random.default_rng(seed)
    person, pair = (at.ravel() for at in np.indices((n_people, n_pairs)))
    taste = rng.normal(0, 0.7, n_people)[person] + rng.normal(0, 0.9, n_pairs)[pair]
    return (taste + rng.normal(size=pair.size) > 0).astype(np.float64), pair, person


@pytest.mark.parametrize("n_people", [3, 8])
def test_the_variance_is_that_of_clusters_by_another_program(n_people: int) -> None:
    """statsmodels: answers clustered by pair, and from five people on by pair and by person."""
    y, pair, person = simulated(n_people, 30, 1)
    fit = OLS(y, np.ones((y.size, 1))).fit()
    if n_people < 5:
        variance, clusters = cov_cluster(fit, pair)[0, 0], 30
    else:
        parts = cov_cluster_2groups(fit, pair, person)
        variance, clusters = max(part[0, 0] for part in parts), min(30, n_people)
    n = y.mean() * (1 - y.mean()) / variance
    expected = wilson_ends(float(y.mean()), float(n), t_quantile(0.95, clusters - 1))
    assert clustered_interval(y, pair, person, level=0.95) == pytest.approx(expected)


@pytest.mark.parametrize("n_people", [6, 12])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(n_people: int) -> None:
    """People and pairs both sampled anew, 300 times: the share of 95% intervals that hold 1/2."""
    held = []
    for seed in range(300):
        low, high = clustered_interval(*simulated(n_people, 40, seed), level=0.95)
        held.append(low <= 0.5 <= high)
    assert 0.91 <= np.mean(held) <= 0.99


def test_answers_that_all_agree_are_as_sure_as_their_pairs_are_many() -> None:
    pair, person = (at.ravel() for at in np.indices((10, 3)))
    low, high = clustered_interval(np.ones(30), pair, person, level=0.95)
    assert (low, high) == pytest.approx(wilson_ends(1.0, 10, t_quantile(0.95, 9)))
    assert clustered_interval(np.ones(3), np.zeros(3, dtype=int), np.arange(3), level=0.95) == (0.0, 1.0)


def test_the_agreement_of_people_is_cohens_kappa(key: str, tmp_path: Path) -> None:
    """statsmodels' cohens_kappa; pairs that one of them left open do not count."""
    anna, ben = ["left", "right", "neither", "left"], ["left", "left", "neither", None]
    paths = [written(tmp_path / f"{name}.jsonl", said) for name, said in (("anna", anna), ("ben", ben))]
    row = agreement_with_people(paths, key=key).tables["people"].row(0, named=True)
    codes = {"left": 0, "right": 1, "neither": 2}
    both = [(codes[a], codes[b]) for a, b in zip(anna, ben, strict=True) if b]
    theirs = cohens_kappa(to_table(np.array(both), bins=3)[0]).kappa
    assert row == {
        "person_a": "anna",
        "person_b": "ben",
        "agreement": pytest.approx(200 / 3),
        "kappa": pytest.approx(theirs),
        "n_pairs": 3,
    }


def test_people_who_agree_as_often_as_chance_have_a_kappa_of_nothing() -> None:
    """Of 12 pairs one prefers left on 3, the other on 8: 60 of 144 by chance, and 5 of 12 alike; no rounding."""
    one, other = [1] * 3 + [-1] * 9, [1] * 2 + [-1] + [1] * 6 + [-1] * 3
    assert (other.count(1), sum(a == b for a, b in zip(one, other, strict=True))) == (8, 5)
    person, pair = (at.ravel() for at in np.indices((2, 12)))
    ((_, _, _, kappa, _),) = _people(Answers(["anna", "ben"], person, pair, np.array(one + other)))
    assert kappa == 0


def test_the_measure_that_agrees_with_most_answers_is_named_if_it_does_so_significantly(
    key: str, tmp_path: Path
) -> None:
    agrees = np.ones((3, 40))
    answers = Answers(["anna"], np.zeros(40, dtype=int), np.arange(40), np.ones(40, dtype=int))
    agrees[1, :30] = 0  # 30 of 40 answers agree with the first alone
    agrees[2, :3] = 0
    assert _may_be_best(answers, agrees, 0.95) == [True, False, True]
    path = written(tmp_path / "anna.jsonl", ["left", "left", "neither", "left"])
    found = agreement_with_people([path], key=key)
    assert found.tables["answers"]["best"].to_list() == [True, True, True]
    assert left_open(found.sentence) == ["which measure agrees with most answers of people"]
    some = found.tables["answers"].with_columns(best=pl.col("measure") != "AP")
    assert_says(_sentence(some), "P or RR", "one of them agrees with most answers", "75.0% of 4 answers")
    assert_says(_sentence(some.filter(measure="P")), "P", "it agrees with some answers", "75.0%")


def test_one_person_is_one_person(key: str, tmp_path: Path) -> None:
    found = agreement_with_people([written(tmp_path / "anna.jsonl", ["left"] * 4)], key=key)
    assert "for this person alone" in found.notes[-1].text


def test_any_measure_is_scored_on_the_rankings_that_people_saw(tmp_path: Path) -> None:
    """Those of the key come out as the key has them; others as if they had been among them."""
    lists = {"a": {"1": "210?", "2": "00"}, "b": {"1": "012", "2": "1?"}, "c": {"1": "?201", "2": "01"}}
    path, other = (str(tmp_path / name) for name in ("few.jsonl", "all.jsonl"))
    disagreement(collected(lists, {"1": 7}), measure=("AP", "nDCG", "RR"), depth="4", n_rel="4", export=path)
    disagreement(
        collected(lists, {"1": 7}), measure=("AP", "nDCG", "RR", "ERR", "Bpref"), depth="4", n_rel="4", export=other
    )
    key = read_key(key_path(path))
    again = scored_key(key, [parse_open(m) for m in key.measures])
    assert (again.side == key.side).all()
    larger = read_key(key_path(other))
    for i, rankings in enumerate(key.rankings):
        for j, others in enumerate(larger.rankings):
            if {*rankings} == {*others}:
                sides = scored_key(key, [parse_open(m) for m in larger.measures]).side[:, i]
                assert (sides == larger.side[:, j] * (1 if rankings == others else -1)).all()
                break
        else:
            raise AssertionError(rankings)


def test_a_key_without_what_other_measures_need_is_refused(key: str, tmp_path: Path) -> None:
    path = written(tmp_path / "anna.jsonl", ["left"] * 4)
    with pytest.raises(UsageError, match=r"pairs.key.jsonl: has no pool and depth, .*; leave out -m"):
        agreement_with_people([path], key=key, measures=[parse_open("ERR")])


def test_several_people_may_share_a_file_and_a_table_will_do(key: str, tmp_path: Path) -> None:
    lines = tmp_path / "all.jsonl"
    rows = [{"pair": p, "answer": "left", "person": who} for who in ("anna", "ben") for p in (1, 2, 3, 4)]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = tmp_path / "all.csv"
    table.write_text("person,pair,answer\n" + "".join(f"{r['person']},{r['pair']},{r['answer']}\n" for r in rows))
    one, other = (agreement_with_people([str(path)], key=key).tables for path in (lines, table))
    assert all(one[name].equals(other[name]) for name in one)
    assert one["people"].select("person_a", "person_b", "agreement").row(0) == ("anna", "ben", 100.0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"pair": 1, "answer": "left"}\n{"pair": 9, "answer": "left"}\n', ":2: no pair 9 in"),
        ('{"answer": "left"}\n', ":1: no pair '' in"),
        ('{"pair": 1, "answer": "lef"}\n', ":1: answer 'lef' is not left, right or neither; did you mean 'left'"),
        ('{"pair": 1, "answer": "left"}\n\n{"pair": 1, "answer": "left"}\n', ":3: anna has answered pair 1 before"),
        ("left\n", ':1: not JSON (Expecting value, column 1); expected a line such as {"pair": 1, "answer": "left"}'),
        ('{"pair": 1, "answer": null}\n', ": no pair is answered"),
        (
            '{"pair": 1, "left": [1, 1, 1], "right": [0, 1, 1], "answer": "left"}\n',
            ":1: pair 1 has other rankings than in",
        ),
    ],
)
def test_answers_that_make_no_sense_are_refused_with_their_line(
    key: str, tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "anna.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError) as refused:
        agreement_with_people([str(path)], key=key)
    assert str(refused.value).startswith(str(path) + problem)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("left", ["5", '["x"]', '"1?0"', "[-1]", "{}"])
def test_a_ranking_that_is_none_is_refused_with_its_line(key: str, tmp_path: Path, left: str) -> None:
    path = tmp_path / "anna.jsonl"
    path.write_text(f'{{"pair": 1, "answer": "left", "left": {left}}}')
    with pytest.raises(UsageError, match=r"anna.jsonl:1: pair 1 has other rankings than in"):
        agreement_with_people([str(path)], key=key)


@pytest.mark.parametrize("name", ["anna.jsonl", "anna.csv"])
def test_a_file_that_is_no_text_is_refused(key: str, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=f"{name}: not a text file in UTF-8"):
        agreement_with_people([str(path)], key=key)


@pytest.mark.parametrize(
    ("name", "problem"), [("none.jsonl", "no such file"), (".", "a directory; name the files in it")]
)
@pytest.mark.parametrize("with_key", [True, False])
def test_answers_that_are_no_file_are_refused_as_such(key: str, name: str, problem: str, with_key: bool) -> None:
    with pytest.raises(UsageError, match=f"^{name}: {problem}$"):
        agreement_with_people([name], key=key if with_key else None)


def test_a_table_of_answers_without_its_columns_is_refused_by_their_names(key: str, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text("number,answer\n1,left\n")
    with pytest.raises(
        UsageError, match=r"all.csv: no column pair \(there is number and answer\); a file of answers"
    ):
        agreement_with_people([str(path)], key=key)
    path.write_text("")
    with pytest.raises(UsageError, match=r"all.csv: no column pair or answer \(there is none\)"):
        agreement_with_people([str(path)], key=key)


def test_a_key_that_is_none_is_refused(key: str, tmp_path: Path) -> None:
    path = written(tmp_path / "anna.jsonl", ["left"])
    with pytest.raises(UsageError, match=r"no key beside it .*anna.key.jsonl.*--key FILE"):
        agreement_with_people([path])
    with pytest.raises(UsageError, match=r"anna.jsonl:1: not a line of a key"):
        read_key(path)
    with pytest.raises(UsageError, match="no such file"):
        agreement_with_people([path], key=str(tmp_path / "none.jsonl"))
    twice = tmp_path / "twice.key.jsonl"
    twice.write_text(Path(key).read_text().splitlines()[0] + "\n" + Path(key).read_text())
    with pytest.raises(UsageError, match=r"twice.key.jsonl:2: pair 1 is there twice"):
        read_key(str(twice))


@pytest.mark.parametrize(
    ("ranking", "more"),
    [("1!0", {}), (5, {}), ("120", {"pool": [3, 2], "depth": 3}), ("1000", {"pool": [3, 2], "depth": 3})],
)
def test_a_key_whose_rankings_are_none_is_refused_with_its_line(
    key: str, tmp_path: Path, ranking: object, more: dict[str, object]
) -> None:
    """No word of grades, a grade that the topic does not have, and more ranks than measures look at."""
    first, *rest = Path(key).read_text().splitlines()
    row: dict[str, Any] = {**json.loads(first), **more}
    row["left"]["ranking"] = ranking
    wrong = tmp_path / "wrong.key.jsonl"
    wrong.write_text("\n".join([json.dumps(row), *rest]))
    path = written(tmp_path / "anna.jsonl", ["left"] * 4)
    with pytest.raises(UsageError, match=r"wrong.key.jsonl:1: not a line of a key"):
        agreement_with_people([path], key=str(wrong), measures=[parse_open("ERR")])


def test_someone_who_answers_as_a_measure_does_agrees_with_it_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The task is written, answered by RR itself, and read back by the command."""
    path = tmp_path / "pairs.jsonl"
    ask = ["disagreement", "-m", "RR", "-m", "P", "-m", "AP", "--depth", "5", "--n-rel", "5"]
    assert main([*ask, "--export", str(path)]) == 0
    answered = tmp_path / "pairs.jsonl"
    first: Callable[[list[int]], float] = lambda row: next((i for i, g in enumerate(row) if g), 9)  # noqa: E731
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        left, right = first(row["left"]), first(row["right"])
        row["answer"] = "left" if left < right else "right" if right < left else "neither"
    answered.write_text("".join(json.dumps(row) + "\n" for row in rows))
    capsys.readouterr()
    assert main([*ask, "--answers", str(answered), "--table", "answers", "--format", "csv"]) == 0
    table = pl.read_csv(capsys.readouterr().out.encode())
    share = dict(table.select("measure", "agreement").iter_rows())
    assert share["RR"] == 100
    assert max(share["P"], share["AP"]) < 100
    found = disagreement(measure=("RR", "ERR"), answers=[str(answered)])
    assert found.settings["answers"] == ["pairs.jsonl"]
    assert list(found.tables) == ["answers", "answers_compared", "people"]
    assert found.table.equals(found.tables["answers"])
    assert found.table["measure"].to_list() == ["RR", "ERR"]
    assert found.text == found.sentences[0].text
    assert Path(key_path(str(answered))).is_file()


def test_an_infinite_pair_or_depth_is_one_line(key: str, tmp_path: Path) -> None:
    line = Path(key).read_text().splitlines()[0]
    bad = tmp_path / "bad.jsonl"
    for field in ("pair", "depth"):
        bad.write_text(json.dumps(json.loads(line) | {field: float("inf")}) + "\n")
        with pytest.raises(UsageError, match=r"bad\.jsonl:1: not a line of a key"):
            read_key(str(bad))
    bad.write_text('{"pair": Infinity, "answer": "left"}\n')
    with pytest.raises(UsageError, match=r"bad\.jsonl:1: no pair inf in"):
        read_answers([str(bad)], read_key(key))


def test_a_blank_behind_a_name_does_not_make_another_person(key: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("pair,person,answer\n1,anna,left\n2,anna ,right\n")
    assert read_answers([str(tmp_path / "a.csv")], read_key(key)).people == ["anna"]
