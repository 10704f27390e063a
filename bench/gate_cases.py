"""What three tools say in cases of which the truth is known: where somebody is wrong, or silent.

Every case is a population or a pair of files; each tool is asked through its own functions, and it is counted how
often it says what.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.analyses.compare.analysis import compare
from assay.core.arrays import Array, Index
from assay.data.provenance import Basis
from assay.results.result import Result
from assay.scoring.loaders import as_scores, collection
from assay.scoring.scores import Scores
from bench.gate_verdicts import ALPHA, DECIDE, FLIPS, SAMPLES, SEED, by_eval_gate, by_toolkit, graded, scores_of


@dataclass(frozen=True, slots=True)
class Case:
    """What is true, and what each tool says in how many samples."""

    name: str
    truth: str
    said: tuple[str, str, str]  # of the tools in their order


def tied_scores(rng: np.random.Generator, folder: Path) -> Case:
    """Two runs with the same documents and all scores equal; their files list them in another order."""
    from rag_eval_gate.backends import RunFileBackend
    from rag_eval_gate.goldset import load_trec_qrels
    from rag_eval_gate.harness import evaluate
    from toolkit_rag_quality.formats import read_trec_qrels, read_trec_run
    from toolkit_rag_quality.retrieval import score_run

    n = 60
    ids = [[f"d{i}" for i in rng.permutation(1000)[:10]] for _ in range(n)]
    good = [row[0] for row in ids]
    qrels = folder / "ties.qrels"
    qrels.write_text("".join(f"q{q} 0 {doc} 1\n" for q, doc in enumerate(good)))
    files = []
    for name, shift in (("a", 0), ("b", 5)):  # a lists the relevant document first, b in the middle
        lines = [
            f"q{q} Q0 {doc} {rank + 1} 1.0 {name}\n"
            for q, row in enumerate(ids)
            for rank, doc in enumerate(np.roll(row, shift))
        ]
        files.append(folder / f"{name}.ties.run")
        files[-1].write_text("".join(lines))
    gold = load_trec_qrels(qrels)
    theirs = [np.array([s.reciprocal_rank for s in evaluate(RunFileBackend(f), gold, "dense").scores]) for f in files]
    judgments = read_trec_qrels(qrels)
    others = [
        np.array([row["mrr"] for row in score_run(qrels=judgments, run=read_trec_run(f), k=10).per_query])
        for f in files
    ]
    result = compare(scored(files, qrels, "RR@10"))
    notes = [note for note in result.notes if "equal" in note.text or "tie" in note.text]
    row = result.table.row(0, named=True)
    return Case(
        "all scores of both runs tied, files in another order",
        "the scores order nothing: no difference",
        (
            f"{by_eval_gate(*theirs)} ({np.mean(theirs[0] - theirs[1]):+.2f}): by the rank column, silent",
            f"{by_toolkit(*others)} ({np.mean(others[0] - others[1]):+.2f}): by document id, silent",
            f"{row['verdict']} ({row['difference']:+.2f}): by document id, "
            + ("says that scores are tied" if notes else "silent"),
        ),
    )


def scored(files: Sequence[Path], qrels: Path, measure: str) -> Scores:
    """Score runs as our commands do."""
    return as_scores(collection([str(file) for file in files], qrels=[str(qrels)]), measure=[measure])


def unjudged(rng: np.random.Generator, folder: Path) -> Case:
    """The candidate finds relevant documents that nobody judged, because the baseline made the pool."""
    n, worse, flagged = 40, np.zeros(3), 0
    for _ in range(samples := 20):
        runs: dict[str, list[str]] = {"a": [], "b": []}
        judged = []
        for q in range(n):
            old = [f"o{q}_{i}" for i in range(10)]
            new = [f"n{q}_{i}" for i in range(10)]  # of which more are truly relevant, .5 against .4
            mixed = [new[i] if rng.random() < 0.5 else old[i] for i in range(10)]
            judged += [f"q{q} 0 {doc} {int(rng.random() < 0.4)}\n" for doc in old]
            for name, ranked in (("a", mixed), ("b", old)):
                runs[name] += [f"q{q} Q0 {doc} {r + 1} {10 - r} {name}\n" for r, doc in enumerate(ranked)]
        qrels = folder / "pool.qrels"
        qrels.write_text("".join(judged))
        files = [folder / f"{name}.pool.run" for name in runs]
        for file, lines in zip(files, runs.values(), strict=True):
            file.write_text("".join(lines))
        data = scored(files, qrels, "P@10")
        worse += [decide(*data.value[0]) == "worse" for decide in DECIDE]
        flagged += any(note.code == "reversible" for note in compare(data).notes)
    return Case(
        "half of the candidate's documents unjudged",
        "the candidate is better (+.05 by P@10)",
        (
            f"worse in {worse[0] / samples:.2f}, silent",
            f"worse in {worse[1] / samples:.2f}, silent",
            f"worse in {worse[2] / samples:.2f}; says that the unjudged could reverse it in {flagged / samples:.2f}",
        ),
    )


def skewed(rng: np.random.Generator, folder: Path) -> Iterator[Case]:  # noqa: ARG001
    """95% intervals of a mean difference that few queries make, on 25 queries."""
    from rag_eval_gate.harness import interval

    kinds: tuple[tuple[str, float, Callable[[], Array]], ...] = (
        ("a tenth of the queries gains .5", 0.05, lambda: np.where(rng.random(25) < 0.1, 0.5, 0.0)),
        ("gains of beta(.1, 3.9)", 0.025, lambda: rng.beta(0.1, 3.9, 25)),
        ("RR, a fifth comes from rank 5 to rank 1", 0.16, lambda: np.where(rng.random(25) < 0.2, 0.8, 0.0)),
        ("gains and losses alike, beta(2, 2) - beta(2, 2)", 0.0, lambda: rng.beta(2, 2, 25) - rng.beta(2, 2, 25)),
    )
    for name, truth, draw in kinds:
        held, points = np.zeros(3), 0
        for _ in range(SAMPLES):
            d = draw()
            theirs = interval(d.tolist(), FLIPS)
            result = compare(scores_of(np.maximum(d, 0), np.maximum(-d, 0)), sequential=True)
            rows = (result.table, result.tables["sequence"])
            ends = [(theirs["lo"], theirs["hi"]), *((of["low"][0], of["high"][0]) for of in rows)]
            held += [low - 1e-9 <= truth <= high + 1e-9 for low, high in ends]
            points += theirs["lo"] == theirs["hi"]
        empty = f"; a single point in {points / SAMPLES:.2f}" if points else ""
        share = held / SAMPLES
        yield Case(
            f"interval of a difference, 25 queries: {name}",
            "95% of intervals hold it",
            (
                f"shows none; its BCa holds it in {share[0]:.2f}{empty}",
                "shows none",
                f"holds it in {share[1]:.2f}, with --sequential in {share[2]:.2f}",
            ),
        )


def without_variance(rng: np.random.Generator, folder: Path) -> Case:  # noqa: ARG001
    """A gate on a lower bound, of a measure whose ten scores are all the same, and no 0 or 1."""
    from rag_eval_gate.harness import interval

    x = np.full(10, 0.9)
    low = interval(x.tolist(), FLIPS)["lo"]
    row, watched = (
        compare(scores_of(x, x), baseline=["b"], gate=["nDCG@10 >= 0.85"], sequential=sequential)
        .tables["gates"]
        .row(0, named=True)
        for sequential in (False, True)
    )
    return Case(
        "ten scores of 0.9: is the mean at least .85?",
        "ten scores without variance do not say",
        (
            f"pass: its lower bound is {low:.2f}",
            "has no such gate",
            f"{row['verdict']}; with --sequential {watched['verdict']}, at least {watched['low']:.2f}",
        ),
    )


def _query(i: int, ndcg: float) -> Any:
    from rag_eval_gate.metrics import QueryScore

    return QueryScore(f"q{i}", "", [], [], None, 0.0, 0.0, 0.0, float(ndcg))


def _report(x: Array, at: Index) -> Any:
    """A report of toolkit-rag-quality on some queries, in their order."""
    from toolkit_rag_quality.report import RAGReport

    rows = [{"id": f"q{i}", "ndcg": float(x[i]), "recall": 1.0} for i in at]
    return RAGReport({"recall_at_k": 1.0, "queries": len(at), "ndcg_at_k": float(x[at].mean())}, rows)


def gated(folder: Path, a: Array, b: Array, of_a: Index, of_b: Index) -> Result:
    """A gate on scores of some queries in a file, read as `assay compare --scores` reads it."""
    lines = [f"{run},q{i},nDCG@10,{x[i]}\n" for run, x, at in (("a", a, of_a), ("b", b, of_b)) for i in at]
    file = folder / "scores.csv"
    file.write_text("run,topic,measure,score\n" + "".join(lines))
    return compare(as_scores(collection((), scores=[str(file)])), baseline=["b"], gate=["nDCG@10 > -0.02"])


def dropped(rng: np.random.Generator, folder: Path) -> Case:
    """The queries on which the candidate fails are missing from its file."""
    from rag_eval_gate.harness import ModeResult, gate_regression
    from toolkit_rag_quality.compare import CompareBudget, compare_reports

    n, passes, refuses, warns = 100, np.zeros(3), 0, 0
    for _ in range(SAMPLES):
        b = rng.beta(2, 1.5, n)
        a = np.clip(b + rng.normal(0, 0.05, n), 0, 1)
        there = np.sort(rng.permutation(n)[15:])  # a fails on the others
        mode = ModeResult("a", [_query(i, a[i]) for i in there], {"ndcg@10": float(a[there].mean())})
        base = [{"ndcg": float(x)} for x in b]
        passes[0] += gate_regression(mode, base, {"ndcg@10": 0.3}, FLIPS)[0]["pass"]
        pair = _report(b, np.arange(n)), _report(a, there)
        made = compare_reports(baseline=pair[0], candidate=pair[1], budget=CompareBudget(), alpha=ALPHA)
        passes[1] += made["passed"]
        refuses += made["reason"] == "query_set_mismatch"
        ours = gated(folder, a, b, there, np.arange(n))
        passes[2] += not (ours.failed or ours.undecided)
        warns += any(note.on_data for note in ours.notes)
    share = passes / SAMPLES
    return Case(
        "15 of 100 queries on which the candidate fails are missing",
        "it is worse by .09 over all (limit: -.02)",
        (
            f"passes it in {share[0]:.2f}: skips the paired test",
            f"passes it in {share[1]:.2f}, refuses in {refuses / SAMPLES:.2f}",
            f"passes it in {share[2]:.2f}, warns in {warns / SAMPLES:.2f}",
        ),
    )


def reordered(rng: np.random.Generator, folder: Path) -> Case:
    """A recorded baseline that has the same queries in another order."""
    from rag_eval_gate.harness import ModeResult, gate_regression
    from toolkit_rag_quality.compare import CompareBudget, compare_reports

    n, caught = 100, np.zeros(3)
    for _ in range(SAMPLES):
        b = rng.beta(2, 1.5, n)
        a = np.clip(b - 0.04 + rng.normal(0, 0.05, n), 0, 1)  # worse by .04, by the same on most queries
        other = rng.permutation(n)
        mode = ModeResult("a", [_query(i, a[i]) for i in range(n)], {"ndcg@10": float(a.mean())})
        base = [{"query_id": f"q{i}", "ndcg": float(b[i])} for i in other]
        caught[0] += not gate_regression(mode, base, {"ndcg@10": 0.3}, FLIPS)[0]["pass"]
        pair = _report(b, other), _report(a, np.arange(n))
        caught[1] += not compare_reports(
            baseline=pair[0], candidate=pair[1], budget=CompareBudget(), alpha=ALPHA, n_resamples=FLIPS
        )["passed"]
        caught[2] += gated(folder, a, b, np.arange(n), other).failed
    share = caught / SAMPLES
    return Case(
        "the baseline's file has the queries in another order",
        "it is worse by .04 on nearly all (limit: -.02)",
        (
            f"fails it in {share[0]:.2f}: pairs by position, silent",
            f"fails it in {share[1]:.2f}",
            f"violated in {share[2]:.2f}",
        ),
    )


def repeated_looks(rng: np.random.Generator, folder: Path) -> Case:  # noqa: ARG001
    """A gate asked after every 20 queries, to 300, of two systems that do not differ."""
    from rag_eval_gate.sequential import paired_gate
    from toolkit_rag_quality.stats import paired_t_test

    wrong = np.zeros(4)
    for _ in range(SAMPLES):
        a, b = graded(0.0, 300)(rng)
        looks = range(20, 301, 20)
        wrong[0] += any((paired_t_test(b[:n].tolist(), a[:n].tolist()).p_value or 1) < ALPHA for n in looks)
        wrong[1] += any(compare(scores_of(a[:n], b[:n])).table["p"][0] < ALPHA for n in looks)
        wrong[2] += paired_gate(a.tolist(), b.tolist()).decided
        wrong[3] += compare(scores_of(a, b), sequential=True).tables["sequence"]["decided_after"][0] is not None
    share = wrong / SAMPLES
    return Case(
        "asked after every 20 queries of 300, stopped when significant",
        "no difference: at most .05 may be decided",
        (
            f"decides in {share[2]:.2f} (sequential); its test as the other's",
            f"decides in {share[0]:.2f} (t test; it has no other way)",
            f"decides in {share[3]:.2f} with --sequential; {share[1]:.2f} without",
        ),
    )


def six_measures(rng: np.random.Generator, folder: Path) -> Case:  # noqa: ARG001
    """A gate on six measures at once, of a candidate that is as good as the baseline."""
    from toolkit_rag_quality.compare import CompareBudget, compare_reports
    from toolkit_rag_quality.report import RAGReport

    n, failed = 50, np.zeros(3)
    fields = {"recall": "recall_at_k", "precision": "precision_at_k", "ndcg": "ndcg_at_k", "mrr": "mrr_at_k"}
    fields |= {"ap": "map_at_k", "hit": "hit_rate_at_k"}
    for _ in range(SAMPLES):
        x = np.stack([np.stack(graded(0.0, n)(rng)) for _ in fields])  # [measure, system, query]
        reports = [
            RAGReport(
                {"queries": n} | {name: float(x[m, s].mean()) for m, name in enumerate(fields.values())},
                [{"id": f"q{i}"} | {name: float(x[m, s, i]) for m, name in enumerate(fields)} for i in range(n)],
            )
            for s in (1, 0)
        ]
        for k, alpha in enumerate((None, ALPHA)):
            failed[k] += not compare_reports(
                baseline=reports[0], candidate=reports[1], budget=CompareBudget(), alpha=alpha, n_resamples=FLIPS
            )["passed"]
        topics = tuple(f"q{i}" for i in range(n))
        names = ("R@5", "P@10", "nDCG@10", "RR@10", "AP@10", "S@10")
        data = Scores(names, ("a", "b"), topics, x, basis=Basis(runs=2, topics=n))
        failed[2] += compare(data, baseline=["b"], gate=[f"{name} > -2%" for name in names]).failed
    share = failed / SAMPLES
    return Case(
        "six measures gated at -2%, 50 queries",
        "no difference: at most .05 may be failed",
        (
            "has no relative limits",
            f"fails {share[0]:.2f} as it comes, {share[1]:.2f} with its alpha",
            f"violated in {share[2]:.2f}",
        ),
    )


def a_real_loss(rng: np.random.Generator, folder: Path) -> Case:  # noqa: ARG001
    """A candidate that is truly worse by more than the limit, on too few queries to be sure."""
    from toolkit_rag_quality.compare import CompareBudget, compare_reports

    n, words, said = 40, [], []
    for _ in range(SAMPLES):
        a, b = graded(-0.04, n)(rng)
        pair = _report(b, np.arange(n)), _report(a, np.arange(n))
        said.append(
            compare_reports(
                baseline=pair[0], candidate=pair[1], budget=CompareBudget(), alpha=ALPHA, n_resamples=FLIPS
            )["passed"]
        )
        result = compare(scores_of(a, b), baseline=["b"], gate=["nDCG@10 > -2%"])
        words.append("violated" if result.failed else "inconclusive" if result.undecided else "pass")
    share = {word: words.count(word) / SAMPLES for word in ("pass", "violated", "inconclusive")}
    return Case(
        "a true loss of 8%, limit -2%, 40 queries",
        "it is beyond the limit",
        (
            "has no relative limits",
            f"passes it in {np.mean(said):.2f}: what is not significant passes",
            f"passes it in {share['pass']:.2f}, violated in {share['violated']:.2f}, else inconclusive",
        ),
    )


def graded_gains(rng: np.random.Generator, folder: Path) -> Case:
    """The candidate puts the best documents before those that are barely relevant."""
    from rag_eval_gate.backends import RunFileBackend
    from rag_eval_gate.goldset import load_trec_qrels
    from rag_eval_gate.harness import evaluate
    from toolkit_rag_quality.formats import read_trec_qrels, read_trec_run
    from toolkit_rag_quality.retrieval import score_run

    n = 60
    qrels = folder / "graded.qrels"
    qrels.write_text("".join(f"q{q} 0 d{q}_{i} {3 if i < 2 else 1}\n" for q in range(n) for i in range(6)))
    files = []
    for name in "ab":
        lines = []
        for q in range(n):
            order = [*rng.permutation(2), *rng.permutation(4) + 2] if name == "a" else [*rng.permutation(6)]
            lines += [f"q{q} Q0 d{q}_{i} {r + 1} {10 - r} {name}\n" for r, i in enumerate(order)]
        files.append(folder / f"{name}.graded.run")
        files[-1].write_text("".join(lines))
    gold = load_trec_qrels(qrels)
    theirs = [np.array([s.ndcg for s in evaluate(RunFileBackend(f), gold, "dense").scores]) for f in files]
    judgments = read_trec_qrels(qrels)
    others = [
        np.array([row["ndcg"] for row in score_run(qrels=judgments, run=read_trec_run(f), k=10).per_query])
        for f in files
    ]
    row = compare(scored(files, qrels, "nDCG@10")).table.row(0, named=True)
    return Case(
        "documents of grade 3 before those of grade 1, by nDCG@10",
        "the candidate is better",
        (
            f"{by_eval_gate(*theirs)} ({np.mean(theirs[0] - theirs[1]):+.2f}): all grades count alike",
            f"{by_toolkit(*others)} ({np.mean(others[0] - others[1]):+.2f})",
            f"{row['verdict']} ({row['difference']:+.2f})",
        ),
    )


CASES: tuple[Callable[[np.random.Generator, Path], Case | Iterator[Case]], ...] = (
    tied_scores, unjudged, graded_gains, skewed, without_variance, dropped, reordered, repeated_looks, six_measures,
    a_real_loss,
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Every case, each with its own random numbers."""
    for case, rng in zip(CASES, np.random.default_rng(SEED).spawn(len(CASES)), strict=True):
        with tempfile.TemporaryDirectory() as folder:
            made = case(rng, Path(folder))
            yield from (made,) if isinstance(made, Case) else made
