"""Judgments from the text of one file."""

from __future__ import annotations

from assay.data.judgments.merging import merge
from assay.data.tables import Qrels
from assay.data.trec import judgments_from_bytes


def qrels_from_bytes(data: bytes, source: str) -> Qrels:
    """Read TREC judgments, as `read_qrels` does with a file."""
    return merge([judgments_from_bytes(data, source)])
