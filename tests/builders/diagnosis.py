"""Runs and judgments as words: each letter is a document, the first one the best."""

from __future__ import annotations

from collections.abc import Mapping

from assay.core.notes import Note
from assay.data.judged import judge
from assay.data.read import read_qrels, read_runs


def notes_on(lists: Mapping[str, Mapping[str, str]], judged: Mapping[str, str]) -> dict[str, Note]:
    """The notes on runs, {run: {topic: documents}}, under judgments, {topic: documents}, by code.

    Every topic has a judged document that is not relevant and that no run returns.
    """
    runs = {
        run: {topic: {doc: float(-i) for i, doc in enumerate(docs)} for topic, docs in topics.items()}
        for run, topics in lists.items()
    }
    qrels = {topic: dict.fromkeys(docs, 1) | {"not relevant": 0} for topic, docs in judged.items()}
    return {note.code: note for note in judge(read_runs(runs), read_qrels(qrels)).notes}


def codes(lists: Mapping[str, Mapping[str, str]], judged: Mapping[str, str]) -> set[str]:
    """The codes of these notes."""
    return set(notes_on(lists, judged))
