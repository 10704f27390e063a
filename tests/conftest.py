"""What tests share: where the real collections are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """Find the real collections: $ASSAY_DATA, else ../shared/data beside the project."""
    folder = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the real collections are not here ({folder}); set ASSAY_DATA to their folder")
    return folder
