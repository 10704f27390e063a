"""Two runs on four topics, small enough to score by hand."""

from __future__ import annotations

from assay.data.judged import Judged, judge
from assay.data.tables import Runs
from assay.data.trec import listing_from_bytes
from tests.builders.judgments import qrels_from_bytes

# topic 1: relevant at rank 1; topic 2: at rank 2; topic 3: nothing relevant; topic 4: missing from run x
RUN_X = b"1 Q0 a 1 9 x\n1 Q0 b 1 8 x\n2 Q0 b 1 9 x\n2 Q0 a 1 8 x\n3 Q0 a 1 9 x\n"
RUN_Y = b"1 Q0 b 1 9 y\n1 Q0 a 1 8 y\n2 Q0 a 1 9 y\n3 Q0 b 1 9 y\n4 Q0 a 1 9 y\n"
QRELS = b"1 0 a 2\n1 0 b 0\n2 0 a 1\n3 0 a 0\n4 0 a 1\n"


def two_runs() -> Judged:
    """Runs x and y, judged."""
    listings = [listing_from_bytes(RUN_X, "x"), listing_from_bytes(RUN_Y, "y")]
    return judge(Runs.build(listings), qrels_from_bytes(QRELS, "qrels"))
