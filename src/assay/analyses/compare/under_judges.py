"""The same comparison under several judges: what each decides, and whether the difference itself is different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assay.analyses.compare.comparisons import BETTER, WORSE, Comparisons
from assay.analyses.compare.families import Family, pairing
from assay.core.notes import Note, Severity, gravity
from assay.core.text import counted, listed
from assay.results.schemas import schema, table
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.sides import Side, sides
from assay.stats.paired.interactions import Conclusions
from assay.stats.significance.pairs import Correction

_NAMED = 2  # pairs in a note
_MOST = 3  # judges of which a note says what they decide otherwise

_DECISIONS = schema(
    *("judge", "reference", "measure", "run_a", "run_b", "verdict_reference", "verdict_judge"),
    *("interaction", "low", "high", "p"),
    **dict.fromkeys(("judge", "reference", "verdict_reference", "verdict_judge"), pl.String),
)


def decision_table(
    judges: Judges,
    *,
    alpha: float,
    level: float,
    correction: Correction = "holm",
    baselines: Sequence[str] = (),
    margin: float | None = None,
) -> pl.DataFrame:
    """Decide every pair of runs under every judge as `compare` does, the first measure first.

    judge, reference, measure, run_a, run_b, verdict_reference, verdict_judge, interaction (the difference under the
    judge less that under the reference), low, high, p (after the correction): on the topics that both have judged.
    """
    beside = list(sides(judges))
    rows = (
        row
        for judge in dict.fromkeys(side.judge for side in beside)
        for row in _decisions(
            [one for one in beside if one.judge == judge], alpha, level, correction, baselines, margin
        )
    )
    return table(rows, _DECISIONS)


def _decisions(
    own: list[Side],
    alpha: float,
    level: float,
    correction: Correction,
    baselines: Sequence[str],
    margin: float | None,
) -> Iterator[tuple[object, ...]]:
    """The rows of one judge."""
    pairs = pairing(own[0].runs, baselines)
    families = [
        Family.of_pairs(
            pairs, [Comparisons.of(x, pairs.first, pairs.second) for x in scores], alpha=alpha, margin=margin
        )
        for scores in ([side.x for side in own], [side.y for side in own])
    ]
    for m, side in enumerate(own):
        found = Conclusions.of(side.x, side.y, alpha=alpha, correction=correction, pairs=(pairs.first, pairs.second))
        low, high = side.oriented(*found.interaction.interval(level))
        verdicts = [family.decisions[m].verdict for family in families]
        for i, a, b in pairs:
            if found.tested[i]:
                change = side.sign * found.interaction.mean[i] + 0.0, low[i], high[i], found.p[i]
                yield (side.judge, side.reference, side.measure, a, b, *(one[i] for one in verdicts), *change)


def judge_notes(judges: Judges, decisions: pl.DataFrame, *, alpha: float) -> Iterator[Note]:
    """Say which pairs other judges decide otherwise by the first measure, and whose differences they change."""
    yield from (note for note in judges.notes if note.severity != "info")
    if not decisions.height:
        return
    first = decisions.filter(measure=judges.scores[0].conditions[0])
    beside = {str(judge): own for (judge,), own in first.group_by("judge", maintain_order=True)}
    odd = {judge: own for judge, own in beside.items() if _differs(own).any() or (own["p"] < alpha).any()}
    notes = {judge: _on_judge(judge, own, alpha) for judge, own in odd.items()}
    gravest = sorted(notes, key=lambda judge: gravity(notes[judge].severity))
    yield from (notes[judge] for judge in gravest[:_MOST])
    if more := gravest[_MOST:]:
        text = f"{listed(more)} {_verb(more)} otherwise, too; tables.judges has all pairs"
        yield Note("judges_differ", notes[more[0]].severity, text)
    if alike := [judge for judge in beside if judge not in odd]:
        own = beside[alike[0]]
        text = f"{listed(alike)} {_verb(alike)} {_counted(own)} as {own['reference'][0]} does"
        yield Note("judges_agree", "info", f"{text}, and no difference changes significantly")


def _verb(judges: Sequence[str]) -> str:
    return "decides" if len(judges) == 1 else "decide"


def _counted(own: pl.DataFrame) -> str:
    return f"{counted(own.height, 'pair')} by {own['measure'][0]}"


def _differs(own: pl.DataFrame) -> pl.Series:
    return own["verdict_reference"] != own["verdict_judge"]


def _on_judge(judge: str, own: pl.DataFrame, alpha: float) -> Note:
    """Say what one judge decides otherwise, and which of it is a significant difference between judges."""
    reference = own["reference"][0]
    other, changed = own.filter(_differs(own)), own.filter(pl.col("p") < alpha)
    opposite = other.filter(pl.all_horizontal(pl.col("^verdict_.*$").is_in([BETTER, WORSE])))
    if other.height:
        text = f"{judge} decides {other.height} of {_counted(own)} otherwise than {reference} ({_pairs(other)})"
    else:
        text = f"{judge} decides {_counted(own)} as {reference} does"
    if opposite.height:
        text += f", the opposite for {_pairs(opposite)}"
    if changed.height:
        text += f"; the difference is significantly different under it for {_pairs(changed)}"
    else:
        text += "; no difference is significantly different under it, which is no evidence that they disagree"
    severity: Severity = "caution" if changed.height or opposite.height else "info"
    return Note("judges_differ", severity, f"{text} (tables.judges, assay judges)")


def _pairs(rows: pl.DataFrame) -> str:
    return listed([f"{a} against {b}" for a, b in rows.select("run_a", "run_b").rows()], most=_NAMED)
