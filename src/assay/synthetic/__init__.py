"""Collections with a known truth: which run is better, and by how much, is set and not estimated."""

from __future__ import annotations

from assay.synthetic.model import Model, Size

__all__ = ["Model", "Size"]
