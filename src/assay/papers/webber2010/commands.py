"""The commands that show what webber2010 prints and claims, with RUNS and QRELS for the files."""

from __future__ import annotations

from collections.abc import Iterable

from assay.papers.webber2010.published import BLOCKS, DEEP, DEPTHS, MAIN, MEASURES, SHALLOW

WEIGHTS = "assay measures --weights -m \"DCG(discount='jk')\" -m 'RBP(p=0.95)' -m 'RBP(p=0.9977)'"


def _asked(conditions: Iterable[str]) -> str:
    return " ".join(f'-m "{condition}"' for condition in conditions)


def command(name: str, conditions: Iterable[str], *flags: str) -> str:
    """A command on runs and judgments.

    >>> command("power", ["AP@1000"])
    'assay power RUNS --qrels QRELS -m "AP@1000"'
    """
    return " ".join([f"assay {name} RUNS --qrels QRELS", _asked(conditions), *flags]).strip()


def power_on(collection: str, conditions: Iterable[str], item: str) -> str:
    """The command that shows discriminative power on a collection of table 1: of others than TREC-8 from scores.

    `reproduce` takes the topics that the paper takes: 49 of 249 in the robust track of 2004.
    """
    if collection == MAIN:
        return command("power", conditions)
    return f'assay reproduce webber2010 --data {collection}=FILE --item "{item}"'


NDCG = {name: f"nDCG(discount='jk')@{k}/pool={pool}" for name, (k, pool) in DEPTHS.items()}
"""Figure 2: shallow, extended and deep evaluation."""

POWER = command("power", MEASURES.values())
TAUS = command("agreement", (SHALLOW | DEEP).values(), "--table matrix")
AGREEMENT = command("agreement", NDCG.values())
MEANS = command("agreement", NDCG.values(), "--table means")
MEANS_TO_1000 = command("agreement", [NDCG["deep"], "nDCG(discount='jk')@1000"], "--table means")
AP_MEANS = command("agreement", ["AP@10/pool=10", "AP@1000"], "--table means")
PVALUES = command("agreement", BLOCKS.values(), "--of pvalues --table matrix")
Z = command("standardize", NDCG.values())
AP_Z = command("standardize", ["AP@10/pool=10", "AP@1000"])
DEPTH = "assay depth RUNS --qrels QRELS"
REUSE = command("reuse", ["AP"], "--pool-depth 100")
