"""What `swap` says: from which difference on new topics rarely reverse the order of two runs."""

from __future__ import annotations

from bench.validity.declare import IntervalCheck

INTERVALS = (IntervalCheck("swap: needed", "swap", None, ("measure",), "needed", "needed_low", "needed_high"),)
