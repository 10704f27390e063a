"""What a run holds before its order is settled."""

from __future__ import annotations

import numpy as np

from assay.data.order import Listing


def ids_of(listing: Listing) -> list[str]:
    """The ids of its documents, line by line."""
    return [str(one) for one in listing.doc.ids(np.arange(listing.topic.size))]
