"""Why ids of runs and ids of judgments may have nothing in common: the likely reason, from how they are written."""

from __future__ import annotations

import re
from collections.abc import Collection


def on_documents(retrieved: Collection[str], judgments: Collection[str]) -> str:
    """Say why no document that runs return may be judged.

    >>> on_documents(["ft911-3"], ["FT911-3"]), on_documents(["a#0"], ["a"])[:26]
    ('the ids differ in upper and lower case', 'the ids differ by what sta')
    """
    judged = set(judgments)
    if judged & set(retrieved):
        return "they are judged for other topics: are the topics numbered in the same way?"
    if {doc.lower() for doc in judged} & {doc.lower() for doc in retrieved}:
        return "the ids differ in upper and lower case"
    without_prefix = [{end for doc in docs for end in _endings(doc)} for docs in (retrieved, judged)]
    if without_prefix[0] & judged or without_prefix[1] & set(retrieved):
        return "the ids differ by what stands before them, such as the name of a collection"
    without_suffix = [{start for doc in docs for start in _beginnings(doc)} for docs in (retrieved, judged)]
    if without_suffix[0] & judged or without_suffix[1] & set(retrieved):
        return "the ids differ by what stands after them, such as the number of a passage"
    if {_shape(doc) for doc in judged} & {_shape(doc) for doc in retrieved}:
        return "the ids are alike: are the judgments of another round, which leave out what was judged before it?"
    return "are the judgments of another collection or round?"


def on_topics(judged: Collection[str], retrieved: Collection[str]) -> str:
    """Say why topics may have nothing in common.

    >>> on_topics(["1", "2"], ["01", "02"]), on_topics(["q1"], ["Q1"]), on_topics(["301"], ["trec8-301"])[:14]
    ('they are the same numbers, written as 1 and 01', 'they differ in upper and lower case', 'they differ by')
    """
    by_number = [{number: name for name in names if (number := _as_number(name))} for names in (judged, retrieved)]
    if same := by_number[0].keys() & by_number[1].keys():
        one = min(same)
        return f"they are the same numbers, written as {by_number[0][one]} and {by_number[1][one]}"
    if {name.lower() for name in judged} & {name.lower() for name in retrieved}:
        return "they differ in upper and lower case"
    ends = [{end for name in names for end in _endings(name)} for names in (judged, retrieved)]
    if ends[0] & set(retrieved) or ends[1] & set(judged):
        return "they differ by what stands before them"
    return "are the judgments of another collection or round?"


def _as_number(name: str) -> str:
    """The number that an id is, however it is written; nothing where it is none.

    >>> [_as_number(name) for name in ("007", "7.0", "0", "q7")]
    ['7', '7', '0', '']
    """
    number = re.fullmatch(r"0*([0-9]+)(?:\.0*)?", name)
    return number[1] if number else ""


def _shape(doc: str) -> str:
    """How an id is written, whatever its letters and digits.

    >>> _shape("FT911-3"), _shape("LA010189-0001"), _shape("xqhn0vbp")
    ('a0-0', 'a0-0', 'a0a')
    """
    return re.sub("[0-9]+", "0", re.sub("[A-Za-z]+", "a", doc))


def _endings(doc: str) -> list[str]:
    """What remains of an id without a prefix, for each that it may have.

    >>> _endings("msmarco_passage_12"), _endings("trec:FT911-3"), _endings("beir/9")
    (['passage_12', '12'], ['FT911-3', '3'], ['9'])
    """
    return [doc[mark.end() :] for mark in re.finditer("[:/_-]", doc)]


def _beginnings(doc: str) -> list[str]:
    """What remains of an id without a suffix, for each that it may have.

    >>> _beginnings("D12#0"), _beginnings("12-3_1")
    (['D12'], ['12', '12-3'])
    """
    return [doc[: mark.start()] for mark in re.finditer("[#@:/_.-]", doc)]
