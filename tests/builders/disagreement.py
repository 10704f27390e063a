"""Small collections whose lists are words of grades, and synthetic results of disagreement on runs."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assay.data.judged import Collection
from assay.data.provenance import Basis
from assay.data.read import read_qrels, read_runs
from assay.measures.universe.features import features_of
from assay.results.result import Result

Shares = Mapping[tuple[str, str], float]
Leads = Mapping[tuple[str, str], Mapping[str, float]]

RECALL, EARLY = "more_relevant", "first_relevant_earlier"


def disagreement_on(
    shares: Shares, *, n_pairs: int = 1000, leads: Leads | None = None, most: int = 1, p: float = 1e-4
) -> Result:
    """A result of disagreement on runs: percent of pairs for each two measures, with intervals of half a point.

    `leads` says by how many points the first of two measures prefers a feature more often than the second, which has
    the p-value `p`; `most` how many pairs of measures may disagree most often.
    """
    order = sorted(shares.values(), reverse=True)
    rows = [
        {
            "measure_a": a,
            "measure_b": b,
            "uniform": 2 * x,
            "weighted": x / 2,
            "same_topic": x,
            "low": x - 0.5,
            "high": x + 0.5,
            "most": order.index(x) < most,
            "opposite": x / 4,
            "n_pairs": n_pairs,
        }
        for (a, b), x in shares.items()
    ]
    features = [
        (measure, against, feature, sign * points.get(feature, 0.0), p, round(n_pairs * shares[a, b] / 100))
        for (a, b), points in (leads or {}).items()
        if (a, b) in shares
        for measure, against, sign in ((a, b, 1), (b, a, -1))
        for feature in features_of(graded=False)
    ]
    kinds = {"measure": pl.String, "against": pl.String, "feature": pl.String, "lead": pl.Float64, "p": pl.Float64}
    kinds |= {"n_disagree": pl.Int64}
    tables = {
        "cells": pl.DataFrame({"depth": [5, 8, 9, 10]}),
        "weighted": pl.DataFrame(rows, schema_overrides={"same_topic": pl.Float64}),
        "real_features": pl.DataFrame(features, schema=kinds, orient="row"),
    }
    settings = {"level": 0.95, "depth": "5,8-10"}
    return Result("disagreement", pl.DataFrame(), tables, Basis(runs=12), settings)


THREE = {("AP", "nDCG"): 1.25, ("AP", "RR"): 40.0, ("nDCG", "RR"): 38.0}
LEADS = {("AP", "nDCG"): {RECALL: 20.0, EARLY: -30.0}, ("AP", "RR"): {RECALL: 20.0}}


def collected(lists: dict[str, dict[str, str]], n_rel: dict[str, int] | None = None) -> Collection:
    """Runs of words: {run: {topic: grades}}; every document is its topic's, run's and rank's own."""
    runs = {
        run: {topic: {f"{run}-{i}": 100.0 - i for i in range(len(word))} for topic, word in words.items()}
        for run, words in lists.items()
    }
    qrels: dict[str, dict[str, int]] = {}
    for run, words in lists.items():
        for topic, word in words.items():
            own = {f"{run}-{i}": int(sign) for i, sign in enumerate(word) if sign != "?"}
            qrels.setdefault(topic, {}).update(own)
    for topic, n in (n_rel or {}).items():
        found = sum(g > 0 for g in qrels[topic].values())
        qrels[topic] |= {f"more-{i}": 1 for i in range(n - found)}
    rows = [
        {"run": r, "topic": t, "doc": d, "score": s}
        for r, ts in runs.items()
        for t, ds in ts.items()
        for d, s in ds.items()
    ]
    return Collection(read_runs(pl.DataFrame(rows)), read_qrels(qrels))
