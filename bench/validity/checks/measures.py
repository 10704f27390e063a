"""What `measures` shows: the range of each measure, which is no interval."""

from __future__ import annotations

from bench.validity.declare import NotStudied

NOT_STUDIED = (NotStudied("measures", None, "low", "the least score that a measure can have, not an estimate"),)
