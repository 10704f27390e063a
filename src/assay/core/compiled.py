"""The compiled part: one C file, built where a compiler is at hand, whose work pure Python does as well.

Results are the same either way. `ASSAY_PURE=1` declines the compiled part.
"""

from __future__ import annotations

import os
from collections.abc import Callable

PURE = "ASSAY_PURE"
"""The environment variable that, set to anything, declines the compiled part."""

Columns = Callable[[bytes, str], tuple[object, ...] | None]


def _columns() -> Columns | None:
    if os.environ.get(PURE):
        return None
    try:
        from assay.core._compiled import columns
    except ImportError:  # it was not built
        return None
    return columns


columns: Columns | None = _columns()
"""Text and the kinds of its fields -> its columns, or None where a line is odd; None without the compiled part."""


def reader_in_use() -> str:
    """Name the reader of TREC files."""
    return "compiled reader" if columns else "pure Python reader"
