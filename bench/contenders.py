"""The contenders: run files in, per-topic scores out, each written as its own documentation would have it.

Every one is started in a process of its own (`python -m bench.contenders NAME QRELS RUN...`) and prints the mean
average precision of every run, so that none can be fast by being wrong. Missing topics count as 0 for all.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import IO

Contender = Callable[[str, Sequence[str]], list[float]]


def assay(qrels: str, runs: Sequence[str]) -> list[float]:
    """Score with this library: ten measures, all runs at once."""
    import assay

    measures = ["AP", "P@10", "nDCG@10", "nDCG", "RBP(p=0.8)", "RBP(p=0.95)", "RR", "Rprec", "R@1000", "Bpref"]
    scores = assay.score(assay.judge(assay.read_runs(runs), assay.read_qrels(qrels)), measures)
    return [float(x) for x in scores.mean()[0]]


def assay_pure(qrels: str, runs: Sequence[str]) -> list[float]:
    """Score with this library, without its compiled part."""
    os.environ["ASSAY_PURE"] = "1"
    return assay(qrels, runs)


def _text(path: str) -> IO[str]:
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)  # noqa: PTH123 - closed by its user


def pytrec_eval(qrels: str, runs: Sequence[str]) -> list[float]:
    """Score with pytrec_eval-terrier: eight measures, as it has no RBP."""
    import pytrec_eval

    measures = {"map", "P.10", "ndcg_cut.10", "ndcg", "recip_rank", "Rprec", "recall.1000", "bpref"}
    with _text(qrels) as file:
        judgments = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, measures)
    means = []
    for path in runs:
        with _text(path) as file:
            scores = evaluator.evaluate(pytrec_eval.parse_run(file))
        means.append(sum(topic["map"] for topic in scores.values()) / len(judgments))
    return means


def ir_measures(qrels: str, runs: Sequence[str]) -> list[float]:
    """Score with ir_measures over pytrec_eval: the same eight measures."""
    import ir_measures
    from ir_measures import AP, RR, Bpref, P, R, Rprec, nDCG

    measures = [AP, P @ 10, nDCG @ 10, nDCG, RR, Rprec, R @ 1000, Bpref]
    judgments = list(ir_measures.read_trec_qrels(qrels))  # type: ignore[no-untyped-call]
    n_topics = len({judgment.query_id for judgment in judgments})
    evaluator = ir_measures.pytrec_eval.evaluator(measures, judgments)
    means = []
    for path in runs:
        scores = list(evaluator.iter_calc(ir_measures.read_trec_run(path)))  # type: ignore[no-untyped-call]
        means.append(sum(score.value for score in scores if score.measure == AP) / n_topics)
    return means


def ranx(qrels: str, runs: Sequence[str]) -> list[float]:
    """Score with ranx: ten measures, compiled when first used and kept on disk."""
    from ranx import Qrels, Run, evaluate

    kind = "gz" if qrels.endswith(".gz") else "trec"
    names = [
        "map",
        "precision@10",
        "ndcg@10",
        "ndcg",
        "rbp.80",
        "rbp.95",
        "mrr",
        "r-precision",
        "recall@1000",
        "bpref",
    ]
    judgments = Qrels.from_file(qrels, kind=kind)
    means = []
    for path in runs:
        run = Run.from_file(path, kind=kind)
        scores = evaluate(judgments, run, names, return_mean=False, make_comparable=True)
        means.append(float(scores["map"].mean()))
    return means


CONTENDERS: dict[str, Contender] = {
    "assay": assay,
    "assay_pure": assay_pure,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}
PACKAGES = {"assay_pure": "assay, pure Python", "pytrec_eval": "pytrec_eval-terrier"}
"""What a contender is called, where it is not by the module that it imports."""
N_MEASURES = {"assay": 10, "assay_pure": 10, "pytrec_eval": 8, "ir_measures": 8, "ranx": 10}


if __name__ == "__main__":
    name, qrels, *runs = sys.argv[1:]
    print(json.dumps(CONTENDERS[name](qrels, runs)))
