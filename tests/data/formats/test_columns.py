"""The compiled reader and the pure one: equal columns, codes, errors and line numbers, whatever the text."""

from __future__ import annotations

import random
import struct
import sys
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.core import compiled
from assay.core.errors import InputError
from assay.data.formats.columns import compiled_run
from assay.data.judgments.merging import merge
from assay.data.order import USUAL, ordered
from assay.data.trec import WORDED_RUN, judgments_from_bytes, listing_from_bytes, parse
from tests.builders.listings import ids_of
from tests.builders.readers import IS_BUILT, pure_python
from tests.data.test_trec import GUISES, PLAIN, odd_files
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import QRELS, RUN

pytestmark = pytest.mark.skipif(not IS_BUILT, reason="the compiled part is not built: pip install -e . builds it")


def run_read(data: bytes, *, ranked: bool = False) -> object:
    """All that is read of a run, scores to the bit; or the message."""
    try:
        listing = listing_from_bytes(data, "run", ranked=ranked)
        where = [listing.where(row) for row in (0, listing.topic.size - 1)]
    except InputError as problem:
        return str(problem)
    assert listing.score is not None
    return (
        *(listing.name, listing.topics, listing.topic.tolist(), ids_of(listing), listing.score.tobytes()),
        *(None if listing.rank is None else listing.rank.tolist(), listing.tags, where),
        *(listing.doc.code.tolist(), listing.doc.check.tolist()),
    )


def judgments_read(data: bytes) -> object:
    """All that is read of judgments, or the message."""
    try:
        qrels = merge([judgments_from_bytes(data, "qrels")])
    except InputError as problem:
        return str(problem)
    return (
        *(qrels.topics, qrels.topic.tolist(), qrels.doc.tolist(), qrels.ids.to_list(), qrels.grade.tolist()),
        *(qrels.top, qrels.fractions, qrels.notes),
    )


def assert_same(data: bytes) -> None:
    """Hold both readers to the same, of runs and of judgments."""
    fast = run_read(data), run_read(data, ranked=True), judgments_read(data)
    with pure_python():
        assert fast == (run_read(data), run_read(data, ranked=True), judgments_read(data))


@pytest.mark.parametrize("guise", GUISES)
def test_every_guise_of_good_lines_is_read_by_the_compiled_part(guise: str) -> None:
    text = GUISES[guise].removeprefix(b"\xef\xbb\xbf")
    run = compiled_run(text)
    assert run is not None
    assert run.doc.to_list() == ["doc-1", "doc#2", "doc-1"]
    assert_same(GUISES[guise])


@settings(deadline=None, max_examples=500)
@given(odd_files())
def test_odd_files_are_the_same_to_both(data: bytes) -> None:
    assert_same(data)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=60))
@example(b"1 Q0 \x00 1 2 t\n")
@example(b"# \x00\n1 Q0 d 1 2 t\n")
@example(b"# \x1f\n1 Q0 d 1 2 t\n")
@example(b"1 Q0 d\x1c 1 2 t\n")
@example(b"1 Q0 d 1 2\x1f t\n")
@example("1 Q0 d 1 ٣ t\n".encode())
@example("1 Q0 d 1 2\u2028 t\n".encode())
@example(b"1 Q0 \xed\xa0\x80 1 2 t\n")
def test_any_bytes_are_the_same_to_both(data: bytes) -> None:
    assert_same(data)
    assert_same(PLAIN + data)


def test_mutated_files_are_the_same_to_both() -> None:
    rng = random.Random(20)
    for _ in range(600):
        assert_same(mutated(rng.choice([RUN, QRELS, RUN.replace(b" ", b"\t"), QRELS.replace(b" ", b"  ")]), rng))


PLAIN_NUMBERS = st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
FORMS = st.sampled_from(["r", ".17g", ".20f", ".6f", ".16e", ".3g", ".34f"])


def written(x: float, form: str) -> str:
    return repr(x) if form == "r" else format(x, form)


def assert_exact(text: str) -> None:
    """Hold a score to the float64 that Python reads, to the bit; what is none is left to the other reader."""
    try:
        expected = struct.pack("d", float(text))
    except ValueError:
        expected = None
    run = compiled_run(f"1 Q0 d 1 {text} t".encode())
    assert (None if run is None else run.score.tobytes()) == expected, text


@settings(deadline=None, max_examples=2000)
@given(st.one_of(PLAIN_NUMBERS, st.builds(written, FLOATS, FORMS), st.builds(written, st.floats(0, 1), FORMS)))
@example("9007199254740993")
@example("0.9007199254740993")
@example("9007199254740992.5")
@example("9007199254740993.000")
@example("1844674407370955161.5")
@example("9999999999999999999")
@example("0.9999999999999999999")
@example("1e22")
@example("1e23")
@example("1e400")
@example("-1e-400")
@example("4.9e-324")
@example("1" * 400)
@example("0." + "0" * 390 + "1")
@example("-0")
@example("0e999999999999")
@example(".")
@example("1e+")
def test_scores_are_exact_to_the_bit(text: str) -> None:
    if text:
        assert_exact(text)


def test_scores_halfway_between_two_floats_are_rounded_to_even() -> None:
    """What lies on a boundary, and one unit of the last digit to either side, at every length a mantissa can have."""
    rng = random.Random(53)
    for _ in range(20_000):
        digits, places = rng.randrange(16, 20), rng.randrange(20)
        m = rng.randrange(10 ** (digits - 1), 10**digits)
        if rng.random() < 0.5:  # an odd multiple of half a unit in the last place, where it is a whole number
            step = 1 << max((m.bit_length() - 53), 1)
            m = m // step * step + step // 2
        for near in (m - 1, m, m + 1):
            text = str(near).rjust(places + 1, "0")
            assert_exact(text[: len(text) - places] + "." + text[len(text) - places :] if places else text)


@pytest.mark.parametrize("text", ["inf", "-Infinity", "nan", "1_0", "0x10", "1e", "--1", "1.2.3", "+", "1" * 500])
def test_what_is_spelled_unusually_is_left_to_the_other_reader(text: str) -> None:
    assert compiled_run(f"1 Q0 d 1 {text} t".encode()) is None
    assert_same(f"1 Q0 d 1 {text} t".encode())


@pytest.mark.parametrize("rank", ["x", "1.0", "+1", "9999999999", "999999999", "-7", "-", "007", "1e3"])
def test_ranks_of_all_kinds_are_the_same_to_both(rank: str) -> None:
    assert_same(PLAIN + f"102 Q0 d {rank} 1 tag\n".encode())


@pytest.mark.parametrize("size", [1, 3, 4, 11, 12, 13, 16, 17, 1000, 100_000])
def test_ids_of_every_length_are_whole(size: int) -> None:
    ids = [f"{'x' * (size - 1)}{i}" for i in range(10)]
    data = "".join(f"1 Q0 {doc} 1 2 t\n" for doc in ids).encode()
    run = compiled_run(data)
    assert run is not None
    assert run.doc.to_list() == ids
    assert run.doc.gather([9, 0]).to_list() == [ids[9], ids[0]]
    assert_same(data)


@pytest.mark.parametrize("padding", range(20))
def test_a_text_may_end_anywhere(padding: int) -> None:
    for end in (b"", b" ", b"\n", b"\r", b"\t\n", b" #", b"\n#", b"\n# no"):
        assert_same(b"1 Q0 " + b"d" * (padding + 1) + b" 1 2.5 t" + end)
        assert_same(b"1 0 " + b"d" * (padding + 1) + b" 1" + end)


def test_what_was_read_stays_when_the_text_is_gone() -> None:
    docs = []
    for i in range(50):
        run = compiled_run("".join(f"1 Q0 a-long-document-{i}-{j} 1 2 t\n" for j in range(200)).encode())
        assert run is not None
        docs.append(run.doc.filter(np.arange(200) % 2 == 0))
        del run
    assert [doc[99] for doc in docs] == [f"a-long-document-{i}-198" for i in range(50)]


def peak_memory() -> float:
    """The most bytes that this process has held; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def test_columns_that_nobody_takes_over_are_freed() -> None:
    read = compiled.columns
    assert read is not None
    text = b"1 Q0 a-long-document-id 1 2 t\n" * 30_000
    before, peak = sys.getrefcount(text), peak_memory()
    for kinds in ("s-difs", "s-ddfs", "d-dd-d", "s-dii-"):  # the last finds a line odd
        for _ in range(100):
            read(text, kinds)
            read(text + b"odd", kinds)
    assert sys.getrefcount(text) == before
    assert peak_memory() - peak < 50e6  # 800 times some megabytes, if they stayed


@pytest.mark.parametrize("kinds", ["", "x", "sdifsx", "-" * 17, "s\0"])
def test_kinds_of_fields_that_there_are_not_are_refused(kinds: str) -> None:
    read = compiled.columns
    assert read is not None
    with pytest.raises(ValueError, match="kinds of fields are"):
        read(PLAIN, kinds)


def test_threads_read_the_same() -> None:
    texts = ["".join(f"{t} Q0 doc-{i}-{t} {i} {i / 7!r} t\n" for i in range(3000)).encode() for t in range(8)]
    expected = [run_read(text) for text in texts]
    found: list[object] = [None] * len(texts)

    def work(i: int) -> None:
        found[i] = run_read(texts[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


@pytest.mark.slow
def test_real_runs_are_the_same_to_both(data: Path) -> None:
    from assay.data.files import read_bytes

    for path in sorted((data / "trec8-adhoc" / "runs").glob("*.gz"))[::13]:
        text = read_bytes(str(path))
        assert compiled_run(text) is not None
        assert_same(text)
        assert parse(text, WORDED_RUN, "run").height == text.count(b"\n")


IDS = st.lists(
    st.one_of(st.text(max_size=20), st.text("ab", max_size=30), st.text("\0a\uffff\U00010000", max_size=15))
)


@settings(deadline=None, max_examples=300)
@given(IDS, st.randoms(use_true_random=False))
def test_ids_are_put_in_the_order_of_their_bytes(ids: list[str], rng: random.Random) -> None:
    order = compiled.order_ties
    assert order is not None
    ids = list(dict.fromkeys(ids))
    rows = rng.sample(range(len(ids)), len(ids))
    group = sorted(rng.choices(range(1 + len(ids) // 5), k=len(ids)))
    found = np.array(rows, dtype=np.int64)
    series = pl.Series(["before", *ids, "after"], dtype=pl.String)[1:-1]  # with an offset
    assert order(series.__arrow_c_stream__(), found, np.array(group, dtype=np.uint32))
    pairs = sorted(zip(group, rows, strict=True), key=lambda pair: ids[pair[1]].encode(), reverse=True)
    assert found.tolist() == [row for _, row in sorted(pairs, key=lambda pair: pair[0])]


@pytest.mark.parametrize(
    ("ids", "rows", "group"),
    [
        (pl.Series(["a", None]), [0, 1], [0, 0]),
        (pl.Series(["a", "b"]), [0, 2], [0, 0]),
        (pl.Series(["a", "b"]), [0, -1], [0, 0]),
        (pl.Series(["a", "b"]), [0, 1], [0]),
        (pl.Series([1, 2]), [0, 1], [0, 0]),
        (pl.concat([pl.Series(["a"]), pl.Series(["b"])], rechunk=False), [0, 1], [0, 0]),
    ],
)
def test_what_cannot_be_ordered_is_left_to_polars(ids: pl.Series, rows: list[int], group: list[int]) -> None:
    order = compiled.order_ties
    assert order is not None
    for _ in range(3):
        assert not order(ids.__arrow_c_stream__(), np.array(rows, dtype=np.int64), np.array(group, dtype=np.uint32))


def test_what_is_no_stream_is_an_error() -> None:
    order = compiled.order_ties
    assert order is not None
    with pytest.raises(ValueError, match="PyCapsule"):
        order(object(), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.uint32))


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("12"), st.integers(0, 3)), min_size=1, max_size=60), st.randoms())
def test_ties_fall_the_same_way_with_and_without_the_compiled_part(
    lines: list[tuple[str, int]], rng: random.Random
) -> None:
    ids = rng.sample([f"{'long-document-' * (i % 2)}{i}" for i in range(60)], len(lines))
    text = "".join(f"{t} Q0 {doc} 1 {x} t\n" for (t, x), doc in zip(lines, ids, strict=True)).encode()
    fast = ordered(listing_from_bytes(text, "run"), USUAL)
    with pure_python():
        slow = ordered(listing_from_bytes(text, "run"), USUAL)
    assert (fast.doc.tolist(), fast.check.tolist()) == (slow.doc.tolist(), slow.check.tolist())
