"""Numbers in words."""

from __future__ import annotations

from assay.core.text import listed, points, span


def test_words_for_numbers() -> None:
    assert span({"low": None, "high": 1.0}, points) == "no interval"
    assert span({"low": 0.1, "high": 0.2}, points, level=0.9) == "90% interval 10.0 to 20.0"
    assert points(-1e-9) == "0.0"
    assert (listed(["a"]), listed(["a", "b"])) == ("a", "a and b")
