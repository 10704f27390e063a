"""The other judges of scores: the same runs, by the same measures, under the judgments that were read beside."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from assay.core.errors import MeasureError, UsageError
from assay.core.notes import Note
from assay.core.text import first_few
from assay.data.judged import Collection
from assay.measures.grammar import AnyMeasure
from assay.scoring.judges.judges import Judges
from assay.scoring.judges.side_by_side import (
    aligned,
    named_judgments,
    named_scores,
    under_any_judge,
    under_judgments,
)
from assay.scoring.missing import Missing, settle_missing
from assay.scoring.scores import Scores

UNSCORED = "unscored_judge"
"""The code of the note on a judge under whom the runs cannot be scored."""


def n_judges(data: Collection | Scores) -> int:
    """Count the judges by whom these runs are judged, or scored: one, and those that have a name beside it."""
    if isinstance(data, Collection):
        return len(named_judgments(data.qrels, data.others))
    made = data.made_of
    return len(named_scores(data) if made is None else named_judgments(made.qrels, made.policy.judgments))


def judges_beside(scores: Scores) -> Judges | None:
    """Put the other judges beside the one of these scores; None where there is no other.

    They score the same runs by the same measures, but for measures that name a judge themselves, and lists that a run
    lacks count alike. A judge by whom they cannot be scored is left out, and a note says why; the notes are about the
    other judges alone. Labels are not compared.
    """
    measures = under_any_judge(scores.conditions)
    if n_judges(scores) < 2 or not measures:
        return None
    made = scores.made_of
    first, *others = named_scores(scores) if made is None else named_judgments(made.qrels, made.policy.judgments)
    scored, notes = {first: replace(scores.choose(measures), notes=())}, []
    for name in others:
        try:
            one, said = _under(scores, name, measures)
            scored[name] = replace(one, notes=tuple(note for note in one.notes if note not in scores.notes))
        except (UsageError, MeasureError) as problem:
            said = [Note(UNSCORED, "caution", f"no decisions under {name}: {problem}")]
        notes += said
    return aligned(scored, notes, scores.origin)


def _under(scores: Scores, name: str, measures: list[AnyMeasure]) -> tuple[Scores, list[Note]]:
    """Score the runs under another judge, at least by the first measure, or find the scores by it."""
    if scores.made_of is not None:
        made = scores.made_of
        policy = replace(made.policy, asked=scores.runs)
        one, notes = under_judgments(made.runs, name, made.policy.judgments.named[name], measures, policy)
    else:
        one, notes = scores.others[name], []
        if lacking := [run for run in scores.runs if run not in one.runs]:
            raise UsageError(f"no scores of {first_few(lacking)}")
        own = one.choose([measure for measure in measures if measure in one]).select(runs=scores.runs)
        one = settle_missing(own, cast(Missing, scores.basis.missing or "pairwise"))
    if measures[0] not in one:
        raise UsageError(f"no scores by {measures[0]}")
    return one, notes
