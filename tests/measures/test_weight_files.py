"""Measures whose weights come from a file: what is read, when, and what is said where it cannot be."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analyses.report.analysis import report
from assay.cli import main
from assay.core.errors import MeasureError
from assay.core.notes import Note
from assay.data.judged import Collection, judge
from assay.data.rankings import Rankings
from assay.data.read import read_qrels, read_runs
from assay.measures import SDCG, nDCG
from assay.measures.bounds.residuals import bounds
from assay.measures.declare import CATALOGUE, Measure
from assay.measures.gain import Weights
from assay.measures.grammar import parse, recognised
from assay.measures.weight_files import read_weights
from assay.scoring.engine import score

GAIN, DISCOUNT = {1: 2.0, 2: 3.0}, (1.0, 0.75, 0.5)
FAMILY = ("DCG", "nDCG", "enDCG", "SDCG", "SNDCG")
LISTS = Rankings(
    np.array([[2, 0, 1, 2], [0, 1, -1, 2], [1, 1, 0, -3]], dtype=np.int8),
    np.array([[4, 3, 2], [9, 1, 1], [2, 5, 0]]),
    top=2,
)


@pytest.fixture
def best(tmp_path: Path) -> str:
    """A file of weights as a person would write it."""
    return written(tmp_path / "best.json", {"gain": {str(g): x for g, x in GAIN.items()}, "discount": list(DISCOUNT)})


def written(path: Path, content: Any) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def result(**changes: Any) -> dict[str, Any]:
    """What `assay weights -o best.json` writes, as far as weights are read from it."""
    gains = [("log2", 1, 1.0), ("log2", 2, 2.0), ("best", 2, 3.0), ("best", 1, 2.0)]
    discounts = [("best", 2, 0.75), ("best", 1, 1.0), ("log2", 1, 1.0), ("best", 3, 0.5)]
    return {
        "analysis": "weights",
        "settings": {"best": "best"},
        "tables": {
            "gains": [dict(zip(("variant", "grade", "gain"), row, strict=True)) for row in gains],
            "discounts": [dict(zip(("variant", "rank", "discount"), row, strict=True)) for row in discounts],
        },
    } | changes


def test_a_file_says_gain_and_discount_and_is_known_by_the_hash_of_its_bytes(best: str) -> None:
    found = read_weights(best)
    assert (dict(found.gain), found.discount) == (GAIN, DISCOUNT)
    assert found.sha256 == hashlib.sha256(Path(best).read_bytes()).hexdigest()


def test_of_a_result_of_weights_the_best_variant_is_read_in_the_order_of_ranks(tmp_path: Path) -> None:
    found = read_weights(written(tmp_path / "r.json", result()))
    assert (dict(found.gain), found.discount) == (GAIN, DISCOUNT)


def test_a_packed_file_is_read_like_any_other(best: str) -> None:
    packed = Path(best).with_suffix(".json.gz")
    packed.write_bytes(gzip.compress(Path(best).read_bytes()))
    assert read_weights(str(packed)).discount == DISCOUNT


@pytest.mark.parametrize("name", FAMILY)
def test_scores_are_those_of_the_same_gain_and_discount_written_out(name: str, best: str) -> None:
    by_file, by_hand = (CATALOGUE[name](**x) @ 3 for x in ({"weights": best}, {"gain": GAIN, "discount": DISCOUNT}))
    np.testing.assert_array_equal(by_file.compute(LISTS), by_hand.compute(LISTS))
    assert not np.array_equal(by_file.compute(LISTS), (CATALOGUE[name] @ 3).compute(LISTS))


@pytest.mark.parametrize("name", FAMILY)
def test_bounds_are_those_of_the_same_gain_and_discount_written_out(name: str, best: str) -> None:
    by_file, by_hand = (CATALOGUE[name](**x) @ 4 for x in ({"weights": best}, {"gain": GAIN, "discount": DISCOUNT}))
    found, wanted = bounds(by_file, LISTS), bounds(by_hand, LISTS)
    assert found is not None
    assert wanted is not None
    np.testing.assert_array_equal(found, wanted)
    assert (found[1] > found[0]).any()


def test_by_hand_two_documents_of_three_at_the_wrong_end() -> None:
    """DCG = 0 + 3 x .75 + 2 x .5 = 3.25; ideal = 3 x 1 + 2 x .75 = 4.5."""
    weights = Weights("w.json", "", tuple(GAIN.items()), DISCOUNT)
    lists = Rankings(np.array([[0, 2, 1]], dtype=np.int8), np.array([[1, 1, 1]]), top=2)
    assert (nDCG(weights=weights) @ 3).compute(lists).tolist() == [3.25 / 4.5]


def test_the_name_of_such_a_measure_is_the_measure(best: str) -> None:
    text = f"nDCG(weights={best!r})@3"
    m = parse(text)
    assert str(m) == text
    assert parse(str(m)) == m
    assert hash(parse(str(m))) == hash(m)
    assert m.files == (best,)
    assert (nDCG @ 3).files == ()


def test_equal_content_is_an_equal_measure_and_other_content_another(best: str, tmp_path: Path) -> None:
    m = nDCG(weights=best)
    assert nDCG(weights=written(tmp_path / "copy.json", Path(best).read_text())) == m
    assert nDCG(weights=written(tmp_path / "other.json", Path(best).read_text() + "\n")) != m
    Path(best).write_text(json.dumps({"gain": {"1": 1}, "discount": [1]}))
    assert nDCG(weights=best) != m
    assert nDCG(weights=best)(weights=None) == nDCG


def test_a_measure_keeps_the_weights_that_were_read_when_it_was_understood(best: str) -> None:
    m = parse(f"nDCG(weights={best!r})@3")
    before = m.compute(LISTS)
    Path(best).unlink()
    np.testing.assert_array_equal(m.compute(LISTS), before)


def test_ranks_beyond_the_file_have_no_weight(best: str) -> None:
    m = nDCG(weights=best)
    np.testing.assert_array_equal((m @ 3).compute(LISTS), (m @ 100).compute(LISTS))
    np.testing.assert_array_equal((m @ 3).compute(LISTS), m.compute(LISTS))


def test_all_depths_in_one_pass_are_the_depths_one_by_one(best: str) -> None:
    m = nDCG(weights=best)
    one_by_one = np.stack([(m @ k).compute(LISTS) for k in (1, 2, 3, 4)], axis=-1)
    np.testing.assert_allclose(m.curve(LISTS, 4), one_by_one, rtol=1e-15)


def test_a_grade_without_a_gain_is_refused_where_it_occurs_and_else_worth_the_next_lower(best: str) -> None:
    m = nDCG(weights=best) @ 3
    unused = Rankings(np.array([[2, 0, 1]], dtype=np.int8), np.array([[1, 1, 1, 0]]), top=3)
    assert m.compute(unused).tolist() == [(3 + 1) / (3 + 1.5)]
    assert (SDCG(weights=best) @ 3).compute(unused).tolist() == [(3 + 1) / (3 * 2.25)]
    assert (SDCG(weights=best, max_rel=7) @ 3).compute(unused).tolist() == [(3 + 1) / (3 * 2.25)]
    used = Rankings(np.array([[2, 0, 1]], dtype=np.int8), np.array([[1, 1, 1, 4]]), top=3)
    with pytest.raises(MeasureError, match=r"best\.json: no gain for grade 3 of the judgments, only for 1, 2"):
        m.compute(used)


@pytest.mark.parametrize(
    "other",
    [{"gain": "exp"}, {"discount": "zipf"}, {"base": 3.0}, {"gain": "linear"}],  # as by default, but stated
    ids=str,
)
def test_weights_and_what_they_replace_exclude_each_other(other: dict[str, Any], best: str) -> None:
    name = next(iter(other))
    with pytest.raises(MeasureError, match=f"nDCG: weights stands in place of {name}; give one or the other"):
        nDCG(weights=best, **other)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "an empty file"),
        ("[1, 2]", "weights are an object with gain and discount"),
        ({"gain": {"1": 1}}, "no discount; weights are an object"),
        ({"discount": [1]}, "no gain; weights are an object"),
        ({"gain": [1, 2], "discount": [1]}, 'gain is not an object of grades, such as {"1": 1, "2": 1.5}'),
        ({"gain": {"high": 2}, "discount": [1]}, "gain: 'high' is not a grade, a whole number from 0 to 127"),
        ({"gain": {"1": None}, "discount": [1]}, "gain of grade 1 is null, not a number"),
        ({"gain": {"1": 0}, "discount": [1]}, "gain: no grade has a gain above 0"),
        ({"gain": {}, "discount": [1]}, "gain: no grade has a gain above 0"),
        ({"gain": {"1": 1}, "discount": 0.5}, "discount is not a list of the weights of ranks"),
        ({"gain": {"1": 1}, "discount": [1, "a"]}, 'discount of rank 2 is "a", not a number'),
        ({"gain": {"1": 1}, "discount": []}, "discount: no rank has a weight"),
        ({"gain": {"1": 1}, "discount": [0, 0.0]}, "discount: no rank has a weight"),
        ('{"gain": {"1": 1}, "discount": [NaN]}', "discount of rank 1 is NaN, not a number"),
        ({"analysis": "power", "table": []}, "the result of `assay power` has no weights"),
        (result(settings={}), "a result of `assay weights` whose gains and discounts are not whole"),
        (result(tables={"gains": [], "discounts": []}), "gain: no grade has a gain above 0"),
    ],
)
def test_a_wrong_file_is_one_line_that_says_what_is_wrong(content: Any, said: str, tmp_path: Path) -> None:
    path = written(tmp_path / "best.json", content)
    with pytest.raises(MeasureError) as caught:
        parse(f"nDCG(weights={path!r})@10")
    assert str(caught.value).startswith(f"nDCG: weights: {path}: {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "1: not JSON (Expecting property name enclosed in double quotes, column 2)"),
        ('{"gain": {"1": 1},\n"discount": [1], "gain": {"1": 2}}', "2: key 'gain' twice in one object; give it once"),
        ('{"gain": {"1": 1, "1": 2}, "discount": [1]}', "1: key '1' twice in one object; give it once"),
        (f'{{"gain": {{"1": {10**399}}}, "discount": [1]}}', "1: a number of 400 digits is beyond 1.8e308"),
        ('{"gain": {"1": 1}, "discount": [1e400]}', "1: 1e400 is beyond 1.8e308, the largest number there is"),
        ("[" * 100_000, "1: nested more than 64 deep"),
    ],
)
def test_what_is_no_safe_json_is_one_line_with_its_place(content: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path / "best.json", content)
    with pytest.raises(MeasureError) as caught:
        parse(f"nDCG(weights={path!r})@10")
    assert str(caught.value).startswith(f"nDCG: weights: {path}:{said}")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_said_when_the_measure_is_understood_with_the_closest_name(best: str) -> None:
    wrong = best.replace("best", "bset")
    with pytest.raises(MeasureError, match=r"bset\.json: no such file; did you mean 'best\.json'\?"):
        parse(f"nDCG(weights={wrong!r})@10")
    assert recognised(f"nDCG(weights={wrong!r})@10") is None


@pytest.mark.parametrize("value", [3, ("a",), True], ids=str)
def test_anything_but_a_name_is_refused(value: object) -> None:
    with pytest.raises(MeasureError, match="is not the name of a file of weights"):
        nDCG(weights=value)


def test_the_command_scores_with_a_file_and_refuses_a_mistyped_one_before_reading(
    best: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "run.txt", "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n")
    written(tmp_path / "qrels.txt", "1 0 b 2\n1 0 c 1\n1 0 x 0\n")
    m: Measure = parse(f"nDCG(weights={best!r})@3")
    words = ["score", str(tmp_path / "run.txt"), "--qrels", str(tmp_path / "qrels.txt"), "--format", "json"]
    assert main([*words, "-m", str(m)]) == 0
    row = json.loads(capsys.readouterr().out)["tables"]["long"][0]
    assert (row["measure"], row["mean"]) == (str(m), 3.25 / 4.5)
    assert main(["score", "no-such-run", "-m", str(m).replace("best", "bets"), "--qrels", "none"]) == 2
    assert "bets.json: no such file; did you mean 'best.json'?" in capsys.readouterr().err


def test_the_card_of_such_a_measure_can_be_printed(best: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", f"nDCG(weights={best!r})", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["parameters"]["weights"] == best


def test_a_report_names_the_file_among_its_inputs_with_its_hash_and_hides_its_path(best: str) -> None:
    runs = read_runs({"one": {"t": {"a": 2.0, "b": 1.0}}, "two": {"t": {"b": 2.0, "a": 1.0}}})
    data = Collection(runs, read_qrels({"t": {"a": 2, "b": 1}}))
    made = report(data, measure=(f"nDCG(weights={best!r})@2", "nDCG@2"), sections=["score"])
    assert made.tables["inputs"].select("file", "sha256").rows() == [("best.json", read_weights(best).sha256)]
    assert "nDCG(weights='best.json')@2" in made.tables["score.long"]["measure"].to_list()
    assert best not in str(made.to_dict())


@pytest.mark.parametrize(("cutoff", "end"), [(3, "..."), (4, "... for 3 ranks; ranks below count nothing")])
def test_scores_say_which_weights_they_have_and_how_deep_these_go(
    best: str, tmp_path: Path, cutoff: int, end: str
) -> None:
    run = written(tmp_path / "run", "1 Q0 a 1 9 x\n1 Q0 b 2 8 x\n")
    qrels = written(tmp_path / "qrels", "1 0 a 2\n1 0 b 1\n")
    scores = score(judge(read_runs(run), read_qrels(qrels)), [f"nDCG(weights={best!r})@{cutoff}"])
    sha256 = hashlib.sha256(Path(best).read_bytes()).hexdigest()
    assert scores.notes[-1] == Note("weight_file", "info", f"{best}: weights with SHA-256 {sha256[:12]}{end}")
