"""The answer before the table: too few runs, topics needed, what the worst runs do to the order of measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product, zip_longest

import polars as pl

from assay.analyses.reliability.tables import BestRuns, at_own_topics, reversed_pairs
from assay.core.text import Row, counted, known, listed, score, span
from assay.render.text import aligned
from assay.results.sentences import MANY_RUNS
from assay.stats.variance import COEFFICIENT_NAMES, COEFFICIENTS, Coefficient

_LISTED = 8  # measures whose order is spelled out
_PAIRS = 3  # pairs that are named

Tables = Mapping[str, pl.DataFrame]


def opening(table: pl.DataFrame, tables: Tables, best: BestRuns | None, *, n_runs: int, level: float) -> str:
    """What a reader should know first."""
    few = f"Only {counted(n_runs, 'run')}: intervals are so wide that they say almost nothing."
    parts = [f"{few} Give at least {MANY_RUNS} runs."] if n_runs < MANY_RUNS.value else []
    parts.append(_needed(table, tables, best, level))
    if best:
        parts += _both_orders(table, tables, best, 1 - level)
    return "\n\n".join(parts)


def order_of(table: pl.DataFrame, of: Coefficient) -> list[str]:
    """Order measures by a coefficient at their own number of topics, the most stable first."""
    return at_own_topics(table).drop_nulls(of).sort(of, descending=True, maintain_order=True)["measure"].to_list()


def changed_orders(table: pl.DataFrame, best: pl.DataFrame) -> list[Coefficient]:
    """Name the coefficients by which measures stand in another order without the worst runs."""
    return [of for of in reversed(COEFFICIENTS) if _known_to_both(table, best, of) != _known_to_both(best, table, of)]


def _known_to_both(table: pl.DataFrame, other: pl.DataFrame, of: Coefficient) -> list[str]:
    """Order the measures that both tables know."""
    return [measure for measure in order_of(table, of) if measure in order_of(other, of)]


def _needed(table: pl.DataFrame, tables: Tables, best: BestRuns | None, level: float) -> str:
    """Lay out the topics that every measure needs for the highest target, with and without the worst runs."""
    first = at_own_topics(table)
    parts = {"": (first, tables["topics_needed"])}
    if best:
        parts = {f", all {best.n_all}": parts[""]}
        parts[f", best {best.n_best}"] = tables["best"], tables["topics_needed_best"]
    target = max(tables["topics_needed"]["target"].to_list())
    columns = {"measure": first["measure"].to_list()}
    for of, (who, (coefficients, needed)) in product(COEFFICIENTS, parts.items()):
        rows = needed.filter(coefficient=of, target=target).to_dicts()
        columns[COEFFICIENT_NAMES[of] + who] = [
            _topics(row, c) for row, c in zip(rows, coefficients[of], strict=True)
        ]
    heading = f"Topics needed for {target:g} of E-rho^2 (of the ranking; not a tau) and of Phi (of the scores)"
    return f"{heading}, with {100 * level:g}% intervals:\n{aligned(pl.DataFrame(columns))}"


def _topics(row: Row, coefficient: float | None) -> str:
    """Show a number of topics with its interval; nothing where the coefficient is not known."""
    if not known(coefficient):
        return "-"
    shown = f"{row['n_topics']:,}" if known(row["n_topics"]) else "no number"
    return f"{shown} ({topics_span(row)})" if known(row["low"]) else shown


def _both_orders(table: pl.DataFrame, tables: Tables, best: BestRuns, alpha: float) -> Iterator[str]:
    """Show both orders of the measures where they differ, side by side."""
    for of in changed_orders(table, tables["best"]):
        reversals = reversed_pairs(tables["comparisons"], of, alpha=alpha)
        pairs = [f"{pair.first} / {pair.second}" for pair in reversals]
        sure = f"significant: {listed(pairs, most=_PAIRS)}" if pairs else "inconclusive for every pair"
        heading = f"By {COEFFICIENT_NAMES[of]} measures change order without the worst quarter of the runs ({sure}):"
        parts = {f"all {best.n_all} runs": table, f"best {best.n_best} by {best.by}": tables["best"]}
        rows = list(zip_longest(*(_in_order(part, of) for part in parts.values()), fillvalue=""))
        both = pl.DataFrame(rows, schema=list(parts), orient="row")
        more = f"\n{both.height - _LISTED} more: --table best" if both.height > _LISTED else ""
        yield f"{heading}\n{aligned(both.head(_LISTED))}{more}"


def _in_order(table: pl.DataFrame, of: Coefficient) -> list[str]:
    """Show measures, the most stable first, with their coefficient and its interval."""
    rows = {row["measure"]: row for row in at_own_topics(table).to_dicts()}
    width = max(map(len, rows))
    low, high = f"{of}_low", f"{of}_high"
    return [
        f"{m:<{width}}  {score(rows[m][of])} ({span(rows[m], score, low=low, high=high)})"
        for m in order_of(table, of)
    ]


def topics_span(row: Row, *, level: float | None = None) -> str:
    """Show the interval of a number of topics, which may have no end.

    >>> topics_span({"low": 88, "high": 1690}), topics_span({"low": 12, "high": None})
    ('88 to 1,690', 'at least 12')
    """
    if not known(row["high"]):
        return f"at least {row['low']:,}" if known(row["low"]) else "no interval"
    return span(row, "{:,}".format, level=level)
