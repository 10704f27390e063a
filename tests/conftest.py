"""What tests share: where the real collections are, and a catalogue to declare measures in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.measures.declare import CATALOGUE, Catalogue


@pytest.fixture(scope="session")
def data() -> Path:
    """Find the real collections: $ASSAY_DATA, else ../shared/data beside the project."""
    folder = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the real collections are not here ({folder}); set ASSAY_DATA to their folder")
    return folder


@pytest.fixture
def catalogue() -> Iterator[Catalogue]:
    """Let a test declare measures; afterwards the catalogue is as it was."""
    before = dict(CATALOGUE)
    yield CATALOGUE
    CATALOGUE.clear()
    CATALOGUE.update(before)
