"""The layer of the page that lets readers look: a leaderboard, one run against another, single topics.

The page carries the scores of every run on every topic, and a script of its own draws from them. Without scripts the
first runs by the first measure are a plain table. Names are not ours: they are made visible here, and the script sets
them as text only.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.arrays import Array
from assay.core.text import counted, known, listed, visible
from assay.render.html import esc, in_script
from assay.results.result import Report
from assay.stats.intervals import t_quantile
from assay.stats.significance.paired_difference import paired_difference
from assay.stats.significance.pairs import LEAST_SHARED, rounding, shared_topics

if TYPE_CHECKING:
    from assay.scoring.scores import Scores

MOST_BYTES = 2_000_000  # of scores and names in a page
FIRST_ROWS = 12  # of the leaderboard, before it is unfolded
OTHER_MEASURES = 6  # whose ranks stand beside those by the chosen one
_NAME = 200  # characters of a name that a page needs to hold
_CELL = 4 * 4 / 3  # bytes of a score: a float32 as base64
_ROW = 80  # bytes of a run's place in a leaderboard, about
_MOST_TOPICS = 10_000  # columns that a picture can have
_LEAST = 100  # runs, or topics, that are kept as long as others can go
_COLUMNS = ("rank", "mean", "low", "high", "rank_low", "rank_high", "tier", "may_be_best")


def look(report: Report) -> str:
    """Set the layer; nothing where the report holds no scores."""
    board = report.tables.get("leaderboard")
    if report.scores is None or board is None or not report.scores.value.size:
        return ""
    return "\n".join(_section(report, report.scores, board))


def _section(report: Report, scores: Scores, board: pl.DataFrame) -> Iterator[str]:
    kept = _kept(scores, board)
    yield '<section class="look" id="page-look" aria-labelledby="page-look-title">'
    yield '<h2 id="page-look-title">Look</h2>'
    yield f'<div class="scroll">{_first_rows(board, scores.conditions)}</div>'
    if len(scores.runs) > FIRST_ROWS:
        cut = f"{FIRST_ROWS} of {len(scores.runs):,} runs; all of them in the JSON file beside this page"
        yield f'<p class="cut">{cut}</p>'
    if len(scores.runs) > 1:
        yield f"<p>{_first_against_second(scores, board, _level(report))}</p>"
    yield f'<script type="application/json" id="page-look-data">{in_script(_payload(report, kept, board))}</script>'
    yield "</section>"


def _first_rows(board: pl.DataFrame, measures: Sequence[str]) -> str:
    """The first runs by the first measure, as a table that needs no script."""
    first, *others = measures
    others = others[:OTHER_MEASURES]
    ranks = {name: dict(board.filter(measure=name).select("run", "rank").iter_rows()) for name in others}
    head = "".join(f'<th scope="col" class="n">{esc(name)}</th>' for name in others)
    rows = []
    for row in board.filter(measure=first).head(FIRST_ROWS).iter_rows(named=True):
        ends = f"{_short(row['low'])} to {_short(row['high'])}" if known(row["low"]) and known(row["high"]) else ""
        cells = [f'<td class="n">{row["rank"]}</td><th scope="row"><bdi>{esc(row["run"])}</bdi></th>']
        cells += [f'<td class="n">{_short(row["mean"])}</td><td class="n">{ends}</td><td>{_tier(row)}</td>']
        cells += [f'<td class="n">{ranks[name][row["run"]]}</td>' for name in others]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    fixed = '<th scope="col" class="n">#</th><th scope="col">run</th>'
    fixed += (
        f'<th scope="col" class="n">{esc(first)}</th><th scope="col" class="n">interval</th><th scope="col">tier</th>'
    )
    return (
        f'<table aria-label="Leaderboard"><thead><tr>{fixed}{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )


def _first_against_second(scores: Scores, board: pl.DataFrame, level: float) -> str:
    """The best run by the first measure against the next, as the script compares any two."""
    measure = scores.conditions[0]
    a, b = board.filter(measure=measure)["run"].head(2)
    x = scores.working()[0]
    one = paired_difference(x[scores.runs.index(a)], x[scores.runs.index(b)], level=level)
    sign = -1 if scores.lower_of(0) else 1
    difference, *ends = (sign * float(value) for value in (one.difference, one.low, one.high))
    low, high = map(_short, sorted(ends))
    between = f" ({100 * level:g}% interval {low} to {high})" if low else ""
    unit = f"logarithm of {measure}" if scores.average_of(0) == "geometric" else measure
    counts = f"{counted(int(one.wins), 'topic')} won, {one.ties} tied, {one.losses} lost"
    names = f"<bdi>{esc(a)}</bdi> against <bdi>{esc(b)}</bdi>"
    return f"{names}: {esc(unit)} {_short(difference)}{between}; {counts}"


def _level(report: Report) -> float:
    return float(report.settings.get("level", 0.95))


def _short(x: float | None) -> str:
    return "" if x is None or math.isnan(x) else f"{x:.3f}" if abs(x) < 10 else f"{x:.4g}"


def _tier(row: dict[str, Any]) -> str:
    return "may be best" if row["may_be_best"] else f"tier {row['tier']}"


@dataclass(frozen=True, slots=True)
class _Kept:
    """The scores that a page holds, and what it says where these are not all."""

    scores: Scores
    said: str = ""


def _kept(scores: Scores, board: pl.DataFrame) -> _Kept:
    """Keep what fits: the best runs by the first measure, and a sample of topics, the same for the same data."""
    n_runs, n_topics = _sizes(scores)
    if (n_runs, n_topics) == (len(scores.runs), len(scores.topics)):
        return _Kept(scores)
    best = set(board.filter(measure=scores.conditions[0])["run"].head(n_runs))
    runs = [i for i, run in enumerate(scores.runs) if run in best]
    topics = np.sort(np.random.default_rng(0).permutation(len(scores.topics))[:n_topics])
    part = replace(
        scores,
        runs=tuple(scores.runs[i] for i in runs),
        topics=tuple(scores.topics[i] for i in topics),
        value=scores.value[:, runs][:, :, topics],
    )
    cut = []
    if n_runs < len(scores.runs):
        cut.append(f"the {n_runs:,} best of {counted(len(scores.runs), 'run')} by {scores.conditions[0]}")
    if n_topics < len(scores.topics):
        cut.append(f"a random sample of {n_topics:,} of {counted(len(scores.topics), 'topic')}")
    return _Kept(part, f"Topic by topic, this page holds {listed(cut)}; the JSON file beside it holds all scores.")


def _sizes(scores: Scores) -> tuple[int, int]:
    """How many runs and topics fit, a tenth fewer at a time: topics first, then runs, then both."""
    n_measures, n_runs, n_topics = scores.value.shape
    n_topics = min(n_topics, _MOST_TOPICS)
    name = min(_NAME, max((len(n.encode("utf-8", "replace")) for n in (*scores.runs, *scores.topics)), default=0)) + 8
    while n_measures * (n_runs * n_topics * _CELL + n_runs * _ROW) + (n_runs + n_topics) * (name + 12) > MOST_BYTES:
        if n_topics > _LEAST or n_runs <= _LEAST:
            n_topics = n_topics * 9 // 10
        else:
            n_runs = n_runs * 9 // 10
    return n_runs, n_topics


def _payload(report: Report, kept: _Kept, board: pl.DataFrame) -> dict[str, Any]:
    """Everything that the script draws from, by the places of runs and topics."""
    scores, level = kept.scores, _level(report)
    return {
        "level": level,
        "total": board["run"].n_unique(),
        "rows": FIRST_ROWS,
        "others": OTHER_MEASURES,
        "said": visible(kept.said),
        "runs": [_name(run) for run in scores.runs],
        "topics": [_name(topic) for topic in scores.topics],
        "measures": [
            {
                "name": _name(measure),
                "lower": scores.lower_of(i),
                "log": scores.average_of(i) == "geometric",
                "board": _board(board, measure, scores.runs),
                "scores": _packed(scores.value[i]),
            }
            for i, measure in enumerate(scores.conditions)
        ],
        "t": _quantiles(scores, level),
        **_counts(report.tables.get("judged"), scores.topics),
        "groups": _groups(report.tables.get("groups"), scores.runs),
    }


def _name(text: str) -> str:
    """A name that can be seen, and is not endless."""
    shown = visible(text)
    return shown if len(shown) <= _NAME else f"{shown[: _NAME - 1]}…"


def _board(board: pl.DataFrame, measure: str, runs: Sequence[str]) -> dict[str, list[Any]]:
    """Where every run stands by a measure: a list for each column, in the order of the runs."""
    rows = {row["run"]: row for row in board.filter(measure=measure).iter_rows(named=True)}
    return {name: [_plain(rows[run][name]) for run in runs] for name in _COLUMNS}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else None
    return int(value) if isinstance(value, bool) else value


def _packed(x: Array) -> str:
    """The scores of one measure as base64 of little-endian float32, run by run; `x` is [run, topic]."""
    return base64.b64encode(in_order(x).astype("<f4").tobytes()).decode()


def in_order(x: Array) -> NDArray[np.float32]:
    """Round scores to float32 so that on every topic wins and ties of runs stay what they are. [run, topic]

    Scores that differ by rounding only, by the rule of `stats.significance.pairs`, become the same number; others
    that float32 would make the same become neighbours.

    >>> in_order(np.array([[0.3], [0.1 + 0.2], [0.3 + 1e-9]])).ravel().tolist()
    [0.30000001192092896, 0.30000001192092896, 0.30000004172325134]
    """
    small = rounding(x[np.isfinite(x)])
    order = np.argsort(x, axis=0, kind="stable")  # what has no score stands last
    rising = np.take_along_axis(x, order, axis=0)
    packed = rising.astype(np.float32)
    for i in range(1, len(x)):
        above = np.maximum(packed[i], np.nextafter(packed[i - 1], np.float32(np.inf)))
        packed[i] = np.where(rising[i] > rising[i - 1] + small, above, packed[i - 1])
    back = np.empty_like(packed)
    np.put_along_axis(back, order, packed, axis=0)
    back[np.isnan(x)] = np.nan
    return back


def _quantiles(scores: Scores, level: float) -> dict[str, float]:
    """Student's t for the numbers of topics on which two runs, or one, can be compared."""
    own = {int(n) for n in np.unique((~np.isnan(scores.value)).sum(-1))}
    sizes = own.union(*(np.unique(shared_topics(x)).tolist() for x in scores.value))
    return {str(n): t_quantile(level, n - 1) for n in sorted(sizes) if n >= LEAST_SHARED}


def _counts(judged: pl.DataFrame | None, topics: Sequence[str]) -> dict[str, Any]:
    """The judged and the relevant documents of every topic, where they are known."""
    if judged is None:
        return {}
    rows = {topic: counts for topic, *counts in judged.select("topic", "n_judged", "n_relevant").iter_rows()}
    n_judged, n_relevant = zip(*(rows.get(topic, (None, None)) for topic in topics), strict=True)
    return {"judged": list(n_judged), "relevant": list(n_relevant)}


def _groups(groups: pl.DataFrame | None, runs: Sequence[str]) -> list[dict[str, Any]]:
    """What is known of runs: for each column its name, and the value of every run."""
    if groups is None:
        return []
    of = pl.DataFrame({"run": list(runs)}).join(groups, on="run", how="left", maintain_order="left").drop("run")
    return [
        {"name": _name(column.name), "of": [value if value is None else _name(value) for value in column]}
        for column in of
    ]
