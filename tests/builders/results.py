"""Synthetic results of analyses, for tests of what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import polars as pl

from assay.analyses.audit.analysis import audit
from assay.analyses.topics.analysis import topics
from assay.core.notes import Note
from assay.data.provenance import Basis
from assay.results.result import Result
from assay.results.sentences import Sentence, Spoken, several

HALF = 0.05  # half the width of every synthetic interval


def powered(
    measures: Mapping[str, float],
    *,
    n_runs: int = 12,
    p: Mapping[str, float] | None = None,
    means: Sequence[float] | None = None,
    p_pair: float = 0.5,
    correction: str = "none",
    test: str = "t",
    topics: int = 50,
    half: float = HALF,
    may_be_best: Sequence[int] | None = None,
) -> Result:
    """A synthetic result of power: shares of pairs, p_holm against the first measure, runs by their means.

    A measure's p is that of both tests: against the first, and of being the best.
    """
    n = n_runs * (n_runs - 1) // 2
    table = pl.DataFrame(
        [
            {"measure": m, "power": x, "low": x - HALF, "high": x + HALF, "n_pairs": n, "n_significant": round(x * n)}
            for m, x in measures.items()
        ]
    )
    names = ["measure_a", "measure_b", "difference", "low", "high", "p", "p_holm"]
    rows = []
    for a, b in combinations(measures, 2):
        d = measures[a] - measures[b]
        rows.append((a, b, d, d - HALF, d + HALF, 0.01, (p or {}).get(b, 1.0)))
    kinds = dict(zip(names, [pl.String, pl.String, *[pl.Float64] * 5], strict=True))
    tables = {"differences": pl.DataFrame(rows, schema=kinds, orient="row")}
    best = [(m, x, (p or {}).get(m, 1.0)) for m, x in measures.items()]
    tables["best"] = pl.DataFrame(
        {
            "measure": [m for m, _, _ in best],
            "power": [x for _, x, _ in best],
            "p": pl.Series([q for *_, q in best], dtype=pl.Float64).fill_nan(None),
            "may_be_best": [not q < 0.05 or x == max(measures.values()) for _, x, q in best],
        }
    )
    scores = means or [0.1 * i for i in range(n_runs)]
    tables["pairs"] = pl.concat([paired(m, scores, p_pair, n_topics=topics, half=half) for m in measures])
    order = sorted(range(n_runs), key=lambda i: -scores[i])
    first = order[:2] if may_be_best is None else may_be_best
    ranked = [
        {"run": f"r{i}", "mean": scores[i], "may_be_best": i in first, "rank_low": 1, "rank_high": n_runs}
        for i in order
    ]
    tables["best_runs"] = pl.DataFrame([{"measure": m, **row} for m in measures for row in ranked])
    lead = scores[order[0]] - scores[order[1]]
    ahead = {"run": f"r{order[0]}", "second": f"r{order[1]}", "lead": lead, "low": lead - half, "high": lead + half}
    tables["leads"] = pl.DataFrame([{"measure": m, **ahead} for m in measures])
    settings = {"alpha": 0.05, "level": 0.95, "correction": correction, "test": test}
    return Result("power", table, tables, Basis(runs=n_runs, topics=topics), settings)


def paired(measure: str, means: Sequence[float], p: float, *, n_topics: int, half: float = HALF) -> pl.DataFrame:
    """All pairs of runs r0, r1, ... under a measure; the larger the difference, the smaller p."""
    rows = []
    for i, j in combinations(range(len(means)), 2):
        d = means[i] - means[j]
        ends = {"difference": d, "low": d - half, "high": d + half, "effect": d / 0.2}
        ends |= {"selected_low": d - half, "selected_high": d + half, "shrunken": 0.9 * d}
        tested = {"p": p ** (1 + abs(d) * 100), "n_topics": n_topics}
        rows.append({"measure": measure, "run_a": f"r{i}", "run_b": f"r{j}", **ends, **tested})
    return pl.DataFrame(rows)


def one(said: Spoken) -> Sentence:
    """The first of what was said: what is decided comes before what is not."""
    return several(said)[0]


def text(said: Spoken) -> str:
    """What was said first."""
    return one(said).text


def left_open(said: Spoken) -> list[str]:
    """What was said to be inconclusive."""
    return [sentence.text for sentence in several(said) if sentence.status == "inconclusive"]


def assert_says(said: Spoken, *facts: str) -> None:
    """Assert that a sentence, with the number beside it, holds these facts (names, numbers, words), in this order."""
    words, at = f"{text(said)} | {one(said).number}", 0
    for fact in facts:
        found = words.find(fact, at)
        assert found >= 0, f"'{fact}' is not in '{words[at:]}'"
        at = found + len(fact)


Cell = tuple[float, float, float, float]  # lost, low, high, tau
DEEPEST: Cell = (0.0, 0.0, 0.0, 1.0)


def grid(
    cells: Mapping[int, Cell],
    by: str,
    *,
    measure: str = "AP",
    n_runs: int = 12,
    coverage: Mapping[int, float | None] | None = None,
) -> Result:
    """A synthetic result of depth: one measure, one edge of the grid."""
    fixed = "pool_depth" if by == "depth" else "depth"
    form = "abbreviated" if measure == "nDCG" else "expanded"
    rows = [
        {"measure": measure, "normalization": form, fixed: 100, by: k, "power": 0.7 - lost}
        | {"lost": lost, "lost_low": low, "lost_high": high, "tau": tau, "tau_low": tau, "tau_high": tau}
        for k, (lost, low, high, tau) in cells.items()
    ]
    forms = pl.DataFrame({"measure": [measure], "normalization": [form], "computed": [f"{measure}@k"]})
    held = coverage or {10: 1.0, 100: 1.0}
    tables = {
        "edges": pl.DataFrame(rows),
        "forms": forms,
        "pools": pl.DataFrame({"pool_depth": list(held), "coverage": list(held.values())}),
    }
    return Result("depth", pl.DataFrame(), tables, Basis(runs=n_runs), {"level": 0.95})


def together(*results: Result) -> Result:
    """Put results of depth for several measures into one."""
    tables = {name: pl.concat([r.tables[name] for r in results]) for name in ("edges", "forms")}
    return Result("depth", pl.DataFrame(), tables | {"pools": results[0].tables["pools"]}, Basis(runs=12))


def agreed(
    rows: Mapping[tuple[str, str], float | None],
    *,
    n: int = 12,
    of: str = "means",
    may_be_least: int = 1,
    half: float = HALF,
) -> Result:
    """A synthetic result of agreement, with intervals of the same width; the first pairs may be the least alike."""
    table = pl.DataFrame(
        [
            {"measure_a": a, "measure_b": b, "correlation": x, "low": x and x - half, "high": x and x + half, "n": n}
            for (a, b), x in rows.items()
        ],
        schema_overrides={"correlation": pl.Float64, "low": pl.Float64, "high": pl.Float64},
    )
    order = table.sort("correlation", nulls_last=True).rename({"correlation": "tau"})
    tables = (
        {"pairs": order.with_columns(may_be_least=pl.int_range(pl.len()) < may_be_least)} if of == "means" else {}
    )
    settings = {"of": of, "correlation": "tau-b", "level": 0.95}
    return Result("agreement", table, tables, Basis(runs=n), settings)


def left_out(
    tau: float | None, drop: float, fall: int, *, half: float | None = 0.0, what: str = "run", depth: int | str = 100
) -> Result:
    """A synthetic result of reuse, with an interval of tau so wide to either side, or with none."""
    row = {"measure": "AP", "what": what, "n": 15, "tau": tau, "largest_drop": drop, "run": "x"}
    ends = (None, None) if tau is None or half is None else (tau - half, min(tau + half, 1.0))
    row |= {"tau_low": ends[0], "tau_high": ends[1], "largest_fall": fall, "fallen": "y"}
    summary = pl.DataFrame([row], schema_overrides=dict.fromkeys(("tau", "tau_low", "tau_high"), pl.Float64))
    table = pl.DataFrame({"run": [f"r{i}" for i in range(20)]})
    return Result("reuse", table, {"summary": summary}, settings={"pool_depth": depth, "level": 0.95})


def seen(
    *,
    judged: Sequence[float] = (1.0, 1.0),
    unsettled: Sequence[float] = (0.0, 0.0),
    n_relevant: Sequence[int] = (9,) * 50,
    n_lists: Sequence[int] = (50, 50),
    same: Sequence[str | None] = (None, None),
    notes: tuple[Note, ...] = (),
) -> Result:
    """A synthetic result of glance: two runs on 50 topics with nothing to beware of."""
    runs = pl.DataFrame(
        {"run": ["a", "b"], "n_lists": n_lists, "judged10": judged, "unsettled10": unsettled, "same_as": same},
        schema_overrides={"same_as": pl.String},
    )
    tables = {"runs": runs, "topics": pl.DataFrame({"n_relevant": n_relevant})}
    return Result("glance", pl.DataFrame(), tables, notes=notes)


def sized(runs: int = 10, topics: int = 25) -> Result:
    """Make up a result of so many runs and topics."""
    return Result("score", pl.DataFrame(), basis=Basis(runs=runs, topics=topics))


def predicted(verdict: str, *, runs: int = 12) -> Result:
    """A synthetic result of predictivity: the verdict on P@10 given AP, and how both correlate with an outcome."""
    row = {
        "measure": "P@10",
        "given": "AP",
        "phi_given": 0.52,
        "phi_both": 0.55,
        "both_se": 0.001,
        "difference": 0.02,
        "gain": 0.002,
        "gain_low": -0.004,
        "gain_high": 0.008,
    }
    redundancy = pl.DataFrame([row | {"low": 0.01, "high": 0.03, "verdict": verdict}])
    names = ("phi", "low", "high", "p_best", "p_positive")
    rows = [
        {"measure": m, "target": "clicks"} | dict(zip(names, (x, x - HALF, x + HALF, 10 * x - 6, 0.001), strict=True))
        for m, x in (("AP", 0.7), ("P@10", 0.6))
    ]
    tables = {"redundancy": redundancy, "target": pl.DataFrame(rows)}
    return Result("predictivity", redundancy, tables, Basis(runs=runs), {"level": 0.95, "margin": 0.01})


def designed(*, budget: int | None = 1000, runs: int = 12) -> Result:
    """A synthetic result of budget: two designs for one budget, both of which may be best; or for none."""
    rows = [
        {"budget": budget, "measure": m, "pool_depth": 10, "n_topics": 20, "extrapolated": False, "best": True}
        | {"phi": x, "low": x - HALF, "high": x + HALF}
        for m, x in (("AP", 0.7), ("P@10", 0.6))
    ]
    table = pl.DataFrame(rows)
    tables = {"budget": table} if budget else {"curve": table}
    return Result("budget", table, tables, Basis(runs=runs), {"target": "AP", "level": 0.95})


def informed(rms: Mapping[str, float], *, best: Sequence[str], runs: int = 12) -> Result:
    """A synthetic result of informativeness: the error of each measure, and those that may be best."""
    rows: list[tuple[object, ...]] = [("none", 0.4, 0.4 - HALF, 0.4 + HALF, None)]
    rows += [(m, x, x - HALF, x + HALF, m in best) for m, x in rms.items()]
    table = pl.DataFrame(rows, schema=["measure", "rms", "low", "high", "best"], orient="row")
    return Result("informativeness", table, basis=Basis(runs=runs), settings={"level": 0.95})


def swapped(*rows: tuple[str, float | None, float | None], runs: int = 20) -> Result:
    """A synthetic result of swap: measures, the difference that is safe, and the share of pairs beyond it."""
    names = ("measure", "swap_rate", "needed", "needed_low", "needed_high", "beyond_high")
    filled = [(m, 0.2, d and d - 0.01, d and d - 0.02, d, share) for m, d, share in rows]
    table = pl.DataFrame(filled, schema=dict.fromkeys(names, pl.Float64) | {"measure": pl.String}, orient="row")
    return Result("swap", table, basis=Basis(runs=runs), settings={"rate": 0.05, "level": 0.95})


def subset_sizes(
    *rows: tuple[str, float | None], runs: int = 20, ends: tuple[int | None, int | None] = (60, None)
) -> Result:
    """A synthetic result of subset: measures, and the tau of 50 topics with unlimited ones."""
    names = ("measure", "n_topics", "tau", "size_mean", "unlimited_low", "unlimited_high")
    filled = [(m, 50, 0.9, 30, *ends) for m, _ in rows]
    kinds = dict.fromkeys(names, pl.Int64) | {"measure": pl.String, "tau": pl.Float64}
    table = pl.DataFrame(filled, schema=kinds, orient="row")
    tables = {"sizes": table, "unlimited": unlimited_taus(*rows)}
    return Result("subset", table, tables, Basis(runs=runs), {"level": 0.95})


def unlimited_taus(*rows: tuple[str, float | None]) -> pl.DataFrame:
    """A synthetic table of taus with unlimited topics: at 50 topics as given, .05 higher at every doubling."""
    filled = [
        (
            *(m, 50 * 2**i),
            *(x and max(x + 0.05 * i + d, 0.0) for d in (0.0, -0.04, 0.04)),
            *(x and (1 - x - 0.05 * i - d) / 2 for d in (0.0, 0.04, -0.04)),
        )
        for m, x in rows
        for i in range(3)
    ]
    names = ("measure", "n_topics", "tau", "low", "high", "reversed", "reversed_low", "reversed_high")
    kinds = dict.fromkeys(names, pl.Float64) | {"measure": pl.String, "n_topics": pl.Int64}
    return pl.DataFrame(filled, schema=kinds, orient="row")


def audited(*, against: float | None) -> Result:
    """The result of audit of a perfect score on ten queries, without its sentences."""
    return audit.function(n_topics=10, mean=1.0, against=against)


def planned(*, sd: float) -> Result:
    """The result of topics for a stated deviation, without its sentences."""
    return topics.function(sd=sd)


def priced(costs: Mapping[int, float], *, cheapest: Sequence[int]) -> Result:
    """The result of topics for a stated deviation, with a synthetic mix: what each pool depth costs, or may cost."""
    plain = topics.function(sd=0.2)
    rows = [("AP", d, 0.05, x, x * 0.8, x * 1.2, d in cheapest) for d, x in costs.items()]
    names = ("measure", "pool_depth", "size", "cost", "cost_low", "cost_high", "cheapest")
    return replace(plain, tables={**plain.tables, "mix": pl.DataFrame(rows, schema=names, orient="row")})
