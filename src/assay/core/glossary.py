"""The technical words that sentences use, each explained in one plain sentence: declared here, shown wherever asked.

A term is found in its plural and as an adverb, too; names of measures are found with their cutoff or parameters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from assay.core.text import capital

GLOSSARY: dict[str, str] = {
    "bias": "An error that does not become smaller with more topics.",
    "correlate": "Two quantities correlate if runs with more of one tend to have more of the other.",
    "depth": "How many documents from the top of a list are looked at, by a measure or by judges.",
    "design": "How judging is planned: how many topics, how deep to judge each, and which measure is used.",
    "disagree": "Two measures disagree about two runs on a topic if they do not prefer the same one.",
    "discount": "By how much a measure counts a document less, the further down the list it stands.",
    "discriminative power": "The share of all pairs of runs that a measure finds significantly different.",
    "document": "What a run returns and people judge: a page, a passage, an answer.",
    "equivalent": "Two systems are equivalent if their difference is smaller than a stated margin.",
    "E-rho^2": "How well the topics order the runs, from 0 to 1: the share of variance that is due to the runs.",
    "evaluated": "Scored: a measure that is evaluated to some rank looks at no document below it.",
    "gate": "Conditions that a change must meet, such as a score that does not fall by more than 0.01.",
    "grade": "How relevant a document was judged to be; 0 is not relevant.",
    "held-out": "Topics that were set aside while weights were fitted, so that they test the fit.",
    "interval": "The range that holds the true value in 95% of samples of topics, unless another level is stated.",
    "judged": "A document is judged if somebody, or a model, said how relevant it is to the topic.",
    "judgments": "The grades that people, or a model, gave to documents for topics.",
    "log2": "The usual discount of nDCG: one over the logarithm of the rank plus one.",
    "margin": "A difference that is too small to matter.",
    "mean": "The average of a run's scores over all topics.",
    "measure": "A formula that turns a ranked list and its judgments into a score, such as AP.",
    "pairs of runs": "All ways to take two runs: 129 runs make 8,256 pairs.",
    "phi": "How well scores on some topics predict the ranking of the runs on other topics, from -1 to 1.",
    "Phi": "How well the topics fix every run's mean, from 0 to 1; like E-rho^2, but hard topics are error, too.",
    "placebo": "Grades shuffled among the judged documents: what still ranks the runs is not relevance.",
    "points": "Percentage points: from 70% to 72% is 2 points.",
    "pool": "The documents to judge for a topic: the first ones of every run that is pooled, down to some depth.",
    "power": "Discriminative power: the share of all pairs of runs that a measure finds significantly different.",
    "precision": "The share of the documents down to some rank that are relevant.",
    "predict": "A measure predicts another if its ranking of runs on some topics is like the other's on new topics.",
    "queries": "What systems are asked; other commands call them topics.",
    "rank": "The place of a document in a list, or of a run among runs; 1 is the first.",
    "recall": "The share of all relevant documents that a list holds.",
    "redundant": "A measure is redundant if another predicts it as well as it does itself, and it adds nothing.",
    "relevant": "A document that answers the topic, according to its judgment.",
    "reverse": "New topics reverse two runs if they put them in the opposite order.",
    "run": "One system's ranked lists for all topics; what others call a system.",
    "score": "What a measure gives a run on a topic, or on average.",
    "separate": "A measure separates two runs if it finds them significantly different on these topics.",
    "significant": "Larger than chance explains: without a true difference, it comes up in fewer than 5% of samples.",
    "slice": "Queries that have something in common, such as a language.",
    "stable": "A measure is stable if it orders the runs much the same on other topics.",
    "swap": "Two runs swap if one sample of topics has them in one order, and another in the opposite.",
    "system": "What returns documents for queries; other commands call what it returned a run.",
    "tau": "Kendall's tau, how much two rankings agree: 1 is the same order, 0 no relation, -1 the reverse.",
    "tier": "Runs that stand together, because these topics do not separate them.",
    "ties": "Documents with the same score in a list, so that a rule has to put them in order.",
    "topic": "One information need with its judgments; what others call a query.",
    "unjudged": "Not judged, and so counted as not relevant.",
    "unlimited topics": "As many topics of the same kind as one could wish: what these topics are a sample of.",
    "weights": "How much a measure counts each grade (gain) and each rank (discount).",
    "AP": "Average precision: precision at every relevant document, averaged; rewards finding all of them early.",
    "bpref": "Counts judged non-relevant documents above relevant ones; ignores unjudged documents.",
    "ERR": "Expected reciprocal rank: a reader stops at the first document that satisfies.",
    "MAP": "The mean of AP over all topics.",
    "nDCG": "Normalised discounted cumulative gain: grades, counted less further down, against the ideal list.",
    "P": "Precision: the share of the first documents that are relevant.",
    "RBP": "Rank-biased precision: a reader goes on from each document to the next with probability p.",
    "RR": "Reciprocal rank: one over the rank of the first relevant document.",
    "Rprec": "Precision at as many documents as are relevant.",
}
"""Term -> what it means, in one sentence."""

_MEASURES = ("AP", "bpref", "ERR", "MAP", "nDCG", "P", "RBP", "RR", "Rprec")


def _spelling(term: str) -> str:
    """Match a term as it may be written: inflected, or at the start of a sentence; a measure with its parameters."""
    if term in _MEASURES:
        return rf"{re.escape(term)}(?:\([^()]*\))?(?:@\d+)?" if term != "P" else r"P@\d+"
    starts = "" if term[0].isupper() or capital(term) in GLOSSARY else f"|{re.escape(capital(term))}"
    return rf"(?:{re.escape(term)}{starts})(?:s|ly)?"


_LONGEST_FIRST = sorted(GLOSSARY, key=len, reverse=True)
_TERMS = re.compile(rf"(?<![\w-])(?:{'|'.join(f'({_spelling(term)})' for term in _LONGEST_FIRST)})(?![\w-])")


def first_uses(text: str, *, after: Collection[str] = ()) -> Iterator[tuple[int, int, str]]:
    """Where a text first uses each term, in its order: start, end, term; of two that overlap, the longer one.

    Terms that were used before, `after` which it is read, are left out.

    >>> [(use[2], "Runs and more runs"[use[0] : use[1]]) for use in first_uses("Runs and more runs")]
    [('run', 'Runs')]
    """
    seen = set(after)
    for match in _TERMS.finditer(text):
        term = _LONGEST_FIRST[(match.lastindex or 1) - 1]
        if term not in seen:
            seen.add(term)
            yield match.start(), match.end(), term


def terms_in(text: str) -> list[str]:
    """Name the terms that a text uses, in the order of their first use.

    >>> terms_in("AP@100 and P@10 differ significantly: tau over unlimited topics, phi but not Phi, is low")
    ['AP', 'P', 'significant', 'tau', 'unlimited topics', 'phi', 'Phi']
    """
    return [term for _, _, term in first_uses(text)]
