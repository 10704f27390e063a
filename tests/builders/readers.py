"""Either reader of TREC files, for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from assay.core import compiled

IS_BUILT = compiled.columns is not None
"""Whether the compiled part is there, and not declined."""


@contextmanager
def pure_python() -> Iterator[None]:
    """Read without the compiled part."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "columns", None)
        patch.setattr(compiled, "order_ties", None)
        yield


@contextmanager
def reader(name: str) -> Iterator[None]:
    """Read with the `compiled` or the `pure` reader; skip the test where the first is not built."""
    if name == "pure":
        with pure_python():
            yield
        return
    if not IS_BUILT:
        pytest.skip("the compiled part is not built, or declined by ASSAY_PURE: pip install -e . builds it")
    yield
