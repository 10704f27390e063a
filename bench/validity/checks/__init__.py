"""Everything that is checked: a module for every analysis, which declares `INTERVALS` and `SENTENCES`.

What has no row is declared too: intervals that are `NOT_STUDIED`, sentences that are `DESCRIPTIVE`. A module may also
say by how many `REPLICATES` its analysis is studied, where it takes long, on which `SIZES` and on which `TRUTHS`, and
how to `ask` it about a sample, where it takes no data or what its settings need, of which `KINDS` says the kind.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from bench.validity.declare import Descriptive, IntervalCheck, NotStudied, SentenceCheck

MODULES: dict[str, ModuleType] = {m.name: import_module(f"{__name__}.{m.name}") for m in iter_modules(__path__)}
INTERVALS: tuple[IntervalCheck, ...] = tuple(c for m in MODULES.values() for c in getattr(m, "INTERVALS", ()))
"""Every interval that is studied."""
SENTENCES: tuple[SentenceCheck, ...] = tuple(c for m in MODULES.values() for c in getattr(m, "SENTENCES", ()))
"""Every sentence that is studied."""
NOT_STUDIED: tuple[NotStudied, ...] = tuple(c for m in MODULES.values() for c in getattr(m, "NOT_STUDIED", ()))
"""Every interval that has no row."""
DESCRIPTIVE: tuple[Descriptive, ...] = tuple(c for m in MODULES.values() for c in getattr(m, "DESCRIPTIVE", ()))
"""Every sentence that has no row."""
