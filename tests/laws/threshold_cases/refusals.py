"""Whether something is refused, as the verdict of an example."""

from __future__ import annotations

from collections.abc import Callable

from assay.core.errors import UsageError


def refused(call: Callable[[], object]) -> bool:
    """Whether a call ends in a refusal."""
    try:
        call()
    except UsageError:
        return True
    return False
