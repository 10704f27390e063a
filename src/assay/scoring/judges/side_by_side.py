"""What several judges say, brought to the same measures, runs and topics, from judgments or from scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from assay.core.errors import MeasureError, UsageError, suggestion
from assay.core.notes import Note
from assay.core.text import counted, first_few, listed
from assay.data.judged import Collection
from assay.data.judgments.conflicts import Conflicts, settle
from assay.data.judgments.labels import Labels, Repeats, side_by_side
from assay.data.judgments.merging import OtherJudgments
from assay.data.judgments.scale import GradeValues, Scale
from assay.data.provenance import NOWHERE, Basis, Origin, shown_path
from assay.data.read import read_qrels, read_runs
from assay.data.tables import Qrels, Runs
from assay.measures.grammar import AnyMeasure
from assay.scoring.conditions import ScoringPolicy, recognised_condition, settle_lists_of, unsettled_conditions
from assay.scoring.judges.judges import MAIN, MAIN_SCORES, PANEL, Judges, JudgmentsAlone, Panel
from assay.scoring.missing import Missing, settle_missing
from assay.scoring.scores import Scores, Undefined

Declared = TypeVar("Declared", Qrels, Scores)

_DEFAULT = ("nDCG@10",)
_SCORE = "score"  # what the columns of one table, a judge each, have in common
_MOST_VALUES = 12  # different scores that count as labels


def judges_of(
    data: Collection | Scores | JudgmentsAlone,
    measures: Sequence[AnyMeasure] = (),
    *,
    undefined: Undefined = "zero",
    missing: Missing | None = None,
    columns: Sequence[str] = (),
    reference: str | None = None,
    panel: Panel | None = None,
) -> Judges:
    """Lay what several judges say side by side.

    Runs with judgments by name are scored under each; scores by name, or `columns` of one table, are taken as they
    are. A judge whose grades a measure does not take has no scores by it, and a note says so. With `panel` a judge is
    added that says what all but the reference say together.
    """
    if isinstance(data, Scores):
        named = _led(_by_judge(data, columns), reference)
        return _of_scores(named, measures, missing or "pairwise", panel, data.origin)
    if columns:
        raise UsageError(
            "--judges names columns of one table of --scores; judgments are named by --qrels NAME=SOURCE"
        )
    qrels = _led(
        data.named if isinstance(data, JudgmentsAlone) else named_judgments(data.qrels, data.others), reference
    )
    notes = list(_on_panel(len(qrels) - 1, panel))
    if panel is not None:
        qrels |= {PANEL: _panel_of_judgments(list(qrels.values())[1:], panel)}
    if isinstance(data, JudgmentsAlone):
        judges = _of_documents(qrels, data.origin)
    else:
        policy = ScoringPolicy(None, undefined, missing or "zero", data.negative, data.others, data.chosen)
        judges = _of_runs(data, qrels, under_any_judge(measures) or _DEFAULT, policy)
    return replace(judges, notes=(*judges.notes, *notes))


def _on_panel(n: int, panel: Panel | None) -> Iterator[Note]:
    """Warn of a majority that two of an even number can tie."""
    if panel == "majority" and n % 2 == 0:
        text = f"panel: a majority of {n} may tie, and then the lowest grade counts: it is strict by that"
        yield Note("even_panel", "caution", f"{text}; take the mean, or an odd number of judges")


def read_judges(
    judges: Mapping[str, Any],
    *,
    runs: Any = None,
    measures: Sequence[AnyMeasure] = (),
    grades: Mapping[str, GradeValues] | None = None,
    conflicts: Conflicts | Mapping[str, Conflicts] = "error",
    undefined: Undefined = "zero",
    missing: Missing | None = None,
    panel: Panel | None = None,
) -> Judges:
    """Lay what several judges say side by side, for `judges`.

    Parameters
    ----------
    judges
        The judgments of every judge by name, the one first with whom the others are compared: anything that
        `read_qrels` reads, or `Qrels`; or `Scores`, of the same runs by each judge.
    runs
        The runs that are scored under each: anything that `read_runs` reads, or `Runs`. Without them only documents
        are compared.
    measures
        Measures, such as nDCG@10 (the default).
    grades
        The scale of a judge's grades, by its name, as in ``{"gpt4o": "0=0,1=0,2=1"}``.
    conflicts
        What becomes of different grades of one document, as in `read_qrels`; of all judges, or by name.
    undefined
        What to do with topics without relevant documents: zero, or skip.
    missing
        What to do with topics that a run lacks (default: zero for runs, pairwise for scores).
    panel
        Adds a judge that says what all but the first say together: majority or mean.
    """
    named = dict(judges)
    if all(isinstance(one, Scores) for one in named.values()) and named:
        return _of_scores(_led(named, None), measures, missing or "pairwise", panel, NOWHERE)
    scales = grades or {}
    rules = conflicts if isinstance(conflicts, Mapping) else dict.fromkeys(named, conflicts)
    read = {
        name: one
        if isinstance(one, Qrels)
        else read_qrels(one, grades=scales.get(name), conflicts=rules.get(name, "error"))
        for name, one in named.items()
    }
    if runs is None:
        return judges_of(JudgmentsAlone(read), panel=panel)
    ranked = runs if isinstance(runs, Runs) else read_runs(runs)
    _led(read, None)
    data = Collection(ranked, next(iter(read.values())), others=OtherJudgments(read))
    return judges_of(data, measures, undefined=undefined, missing=missing, panel=panel)


def _led(named: Mapping[str, Declared], reference: str | None) -> dict[str, Declared]:
    """Put the judge first with whom the others are compared."""
    if len(named) < 2:
        there = f"; there is one, {next(iter(named))}" if named else ""
        how = (
            "--qrels human=FILE --qrels model=FILE, --scores human=FILE --scores model=FILE, or --judges human,model"
        )
        raise UsageError(f"at least two judges are needed: {how}{there}")
    if reference is not None and reference not in named:
        hint = suggestion(reference, named) or f"; there are {listed(list(named))}"
        raise UsageError(f"--reference {reference}: no judge of that name{hint}")
    return {name: named[name] for name in sorted(named, key=lambda name: name != (reference or name))}


def under_any_judge(measures: Sequence[AnyMeasure]) -> list[AnyMeasure]:
    """The measures that can be computed under any judgments: those that name none."""
    return [name for name in measures if (asked := recognised_condition(name)) is None or asked.qrels is None]


def named_judgments(main: Qrels, others: OtherJudgments) -> dict[str, Qrels]:
    """The judgments of every name; those without a name come first."""
    named = dict(others.named)
    if any(qrels.doc is main.doc for qrels in named.values()):  # the first named ones are the main ones
        return named
    return {MAIN: main, **named}


def named_scores(main: Scores) -> dict[str, Scores]:
    """The scores of every name; those without a name come first."""
    if any(note.code == MAIN_SCORES for note in main.notes):  # the first named ones are the main ones
        return dict(main.others)
    return {MAIN: main, **main.others}


def _panel_of_judgments(members: Sequence[Qrels], how: Panel) -> Qrels:
    """The judgments of a panel: what its members say together of what any of them judged."""
    if len({qrels.highest for qrels in members}) > 1:
        scales = listed([f"{qrels.source} 0-{qrels.highest:g}" for qrels in members])
        raise UsageError(f"--panel needs one scale of grades ({scales}): map them, as in --grades NAME:4=3,5=3")
    said = side_by_side({str(i): qrels for i, qrels in enumerate(members)})
    pair = np.broadcast_to(np.arange(said.topic.size), said.grade.shape)
    there = said.judged()
    by_pair = settle(pair[there].astype(np.uint64), said.grade[there], how)
    own = pair[there][by_pair.first]
    topics = pl.Series([said.topics[i] for i in said.topic[own]])
    scale = Scale(top=int(members[0].highest))
    return Qrels.build(topics, said.ids[own], by_pair.grade.astype(np.float64), source=PANEL, scale=scale)


def _of_documents(named: Mapping[str, Qrels], origin: Origin) -> Judges:
    """Judges of documents alone."""
    return Judges(
        tuple(named),
        side_by_side(named),
        basis=Basis(judgments=_sources(named)),
        notes=_notes_by_judge({name: qrels.notes for name, qrels in named.items()}),
        origin=origin,
    )


def _of_runs(
    data: Collection, named: Mapping[str, Qrels], measures: Sequence[AnyMeasure], policy: ScoringPolicy
) -> Judges:
    """Score runs under the judgments of every judge."""
    first, notes = next(iter(named)), []
    scored: dict[str, Scores] = {}
    for name, qrels in named.items():
        scored[name], said = under_judgments(data.runs, name, qrels, measures, policy, whole=name == first)
        notes += said
    if lacking := len(answered_topics(data.asked).difference(*(qrels.topics for qrels in named.values()))):
        notes.append(Note("unjudged_topics", "caution", f"{counted(lacking, 'topic')} that no judge judged, ignored"))
    judges = aligned(scored, notes, data.origin)
    return replace(judges, labels=side_by_side(named), runs=data.asked)


def answered_topics(runs: Runs) -> set[str]:
    """The topics that any of these runs answers."""
    return {topic for topic, n in zip(runs.topics, runs.count.sum(0), strict=True) if n}


def under_judgments(
    runs: Runs,
    name: str,
    qrels: Qrels,
    measures: Sequence[AnyMeasure],
    policy: ScoringPolicy,
    *,
    whole: bool = False,
) -> tuple[Scores, list[Note]]:
    """Score runs under one judge, by those of the measures that take its grades; and what is left out.

    Topics that no run answers are left out, unless the judge is taken `whole`.
    """
    answered = answered_topics(runs.select(policy.asked) if policy.asked else runs)
    topics = [topic for topic in qrels.topics if whole or topic in answered]
    if not topics:
        raise UsageError(f"{name}: no topic in common with the runs (judged: {first_few(qrels.topics)})")
    notes, taken = [], []
    if left := len(qrels.topics) - len(topics):
        notes.append(Note("topics_of_others", "info", f"{name}: {counted(left, 'topic')} that no run answers"))
    for measure in measures:
        try:
            unsettled = unsettled_conditions(runs, qrels.select(topics), [measure], policy)
        except MeasureError as problem:
            if not qrels.fractions:
                raise
            notes.append(Note("measure_refuses_grades", "caution", f"{name} has no scores by {measure}: {problem}"))
        else:
            taken.append(settle_lists_of(unsettled, runs, policy.missing))
    if not taken:
        raise UsageError(f"{name}: none of the measures takes its grades: {notes[-1].text}")
    one = _side_by_side(taken)
    return replace(one, notes=tuple(note for note in one.notes if note.code != "unjudged_topics")), notes


def _side_by_side(taken: Sequence[Scores]) -> Scores:
    """Scores by several measures, of the same runs and topics, as one."""
    return replace(
        taken[0],
        conditions=tuple(one.conditions[0] for one in taken),
        value=np.concatenate([one.value for one in taken]),
        averages=tuple(one.average_of(0) for one in taken),
        lower=tuple(one.lower_of(0) for one in taken),
        notes=tuple(dict.fromkeys(note for one in taken for note in one.notes)),
    )


def _by_judge(data: Scores, columns: Sequence[str]) -> dict[str, Scores]:
    """Take scores apart by judge: those that have a name, or the columns of one table."""
    if not columns:
        return named_scores(data)
    return {name: replace(data.choose([name]), conditions=(_SCORE,)) for name in columns}


def _of_scores(
    named: Mapping[str, Scores], measures: Sequence[AnyMeasure], missing: Missing, panel: Panel | None, origin: Origin
) -> Judges:
    """Judges that are known by the scores under them."""
    scored = {
        name: settle_missing(one.choose(measures) if set(measures) - {_SCORE} else one, missing)
        for name, one in named.items()
    }
    judges = aligned(scored, list(_on_panel(len(named) - 1, panel)), origin)
    if panel is not None:
        judges = _with_panel(judges, panel)
    return replace(judges, labels=_answers(judges))


def _with_panel(judges: Judges, how: Panel) -> Judges:
    """Add the scores that all judges but the reference give together; the majority is that of whole scores."""
    members = np.stack([scores.value for scores in judges.scores[1:]])
    there = (~np.isnan(members)).sum(0)
    mean = np.divide(np.nansum(members, axis=0), there, out=np.full(there.shape, np.nan), where=there > 0)
    if how == "majority":
        if not np.isin(members[~np.isnan(members)], (0, 1)).all():
            raise UsageError("--panel majority of scores is for scores of 0 and 1; take the mean")
        mean = np.where(np.isnan(mean), np.nan, (mean > 0.5).astype(np.float64))
    panel = replace(judges.scores[1], value=mean)
    return replace(judges, names=(*judges.names, PANEL), scores=(*judges.scores, panel))


def aligned(scored: Mapping[str, Scores], notes: Sequence[Note], origin: Origin) -> Judges:
    """Bring the scores under all judges to the same measures, runs and topics; what one lacks is NaN."""
    every = list(scored.values())
    conditions = list(dict.fromkeys(name for one in every for name in one.conditions))
    runs = [run for run in every[0].runs if all(run in set(one.runs) for one in every[1:])]
    if not runs:
        names = "; ".join(f"{name}: {first_few(one.runs)}" for name, one in scored.items())
        raise UsageError(f"no run in common between the judges ({names})")
    topics = list(dict.fromkeys(topic for one in every for topic in one.topics))
    left = {name: [run for run in one.runs if run not in set(runs)] for name, one in scored.items()}
    odd = [f"{name}: {first_few(gone)}" for name, gone in left.items() if gone]
    if odd:
        notes = [*notes, Note("runs_of_one_judge", "caution", f"left out, without scores by all: {'; '.join(odd)}")]
    basis = replace(every[0].basis, runs=len(runs), topics=len(topics), judged=None, relevant=None)
    return Judges(
        tuple(scored),
        scores=tuple(_laid_out(one, conditions, runs, topics) for one in every),
        basis=basis,
        notes=(*_notes_by_judge({name: one.notes for name, one in scored.items()}), *notes),
        origin=origin,
    )


def _laid_out(scores: Scores, conditions: Sequence[str], runs: Sequence[str], topics: Sequence[str]) -> Scores:
    """Lay scores out under these names; what is not there is NaN."""
    value = np.full((len(conditions), len(runs), len(topics)), np.nan)
    own = {name: i for i, name in enumerate(scores.conditions)}
    at = {name: i for i, name in enumerate(scores.topics)}
    rows = [scores.runs.index(run) for run in runs]
    there = [i for i, topic in enumerate(topics) if topic in at]
    place = [at[topics[i]] for i in there]
    for i, name in enumerate(conditions):
        if name in own:
            value[np.ix_([i], range(len(runs)), there)] = scores.value[own[name]][rows][:, place]
    known = [own.get(name) for name in conditions]
    return replace(
        scores,
        conditions=tuple(conditions),
        runs=tuple(runs),
        topics=tuple(topics),
        value=value,
        averages=tuple("mean" if i is None else scores.average_of(i) for i in known),
        lower=tuple(i is not None and scores.lower_of(i) for i in known),
        notes=(),
        others={},
    )


def _answers(judges: Judges) -> Labels | None:
    """Take scores of few different values for labels of what each run answered; None where there are too many."""
    first = [scores.value[0] for scores in judges.scores]
    grade = np.stack([x.ravel() for x in first])
    known = [np.unique(x[~np.isnan(x)]) for x in first]
    if max(map(len, known)) > _MOST_VALUES:
        return None
    runs, topics = judges.scores[0].runs, judges.scores[0].topics
    there = ~np.isnan(grade).all(0)
    return Labels(
        judges.names,
        topics,
        np.tile(np.arange(len(topics)), len(runs))[there],
        pl.Series("ids", [run for run in runs for _ in topics]).filter(pl.Series(there)),
        grade[:, there],
        tuple(float(one[-1]) if one.size else 1.0 for one in known),
        tuple(Repeats(np.zeros(0, dtype=np.int64), np.zeros(0)) for _ in judges.names),
        what="answer",
    )


def _notes_by_judge(notes: Mapping[str, Sequence[Note]]) -> tuple[Note, ...]:
    """Let notes say of which judge they are; what is said of all is said once."""
    every = [set(own) for own in notes.values()]
    shared = set.intersection(*every) if every else set()
    said = [
        note if note in shared or note.text.startswith(f"{name}:") else replace(note, text=f"{name}: {note.text}")
        for name, own in notes.items()
        for note in own
    ]
    return tuple(dict.fromkeys(said))


def _sources(named: Mapping[str, Qrels]) -> str:
    return listed([f"{name} ({shown_path(qrels.source)})" for name, qrels in named.items()], most=4)
