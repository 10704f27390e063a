"""The compiled part: one C file, built where a compiler is at hand, whose work pure Python does as well.

Results are the same either way. `ASSAY_PURE=1` declines the compiled part.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `assay --version` asks which reader is in use
    import numpy as np
    from numpy.typing import NDArray

PURE = "ASSAY_PURE"
"""The environment variable that, set to anything, declines the compiled part."""

Columns = Callable[[bytes, str], tuple[object, ...] | None]
OrderTies = Callable[[object, "NDArray[np.int64]", "NDArray[np.uint32]"], bool]

columns: Columns | None = None
"""Text and the kinds of its fields -> its columns, or None where a line is odd; None without the compiled part."""

order_ties: OrderTies | None = None
"""Put rows in place into descending order of their ids, an Arrow stream of views, within groups; False if it cannot.

The group of each row never falls. None without the compiled part.
"""

with suppress(ImportError):  # it was not built
    if not os.environ.get(PURE):
        from assay.core import _compiled

        columns, order_ties = _compiled.columns, _compiled.order_ties


def reader_in_use() -> str:
    """Name the reader of TREC files that is in use."""
    return "compiled reader" if columns else "pure Python reader"
