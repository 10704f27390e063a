"""What a process costs: it is started afresh, and the system says what it used, all its threads included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in kilobytes elsewhere


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process used, and what it printed."""

    cpu: float  # seconds, user and system
    wall: float  # seconds
    peak: float  # megabytes
    output: str

    @property
    def answer(self) -> Any:
        """What was printed, as JSON."""
        return json.loads(self.output)


def cost_of(*words: str) -> Cost:
    """Run Python with these words in a process of its own; a failure is an error with the last line it wrote."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        child = subprocess.Popen([sys.executable, *words], stdout=out, stderr=errors, cwd=_ROOT)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if child.returncode:
            said = errors.read().decode().strip().splitlines() or ["no message"]
            raise RuntimeError(f"{' '.join(words[:3])}: exit code {child.returncode}: {said[-1]}")
        peak = used.ru_maxrss * _RSS_UNIT / 1e6
        return Cost(used.ru_utime + used.ru_stime, wall, peak, out.read().decode())


@dataclass(frozen=True, slots=True)
class Repeats:
    """The same process, some times over."""

    costs: Sequence[Cost]

    @property
    def best(self) -> float:
        """Least CPU seconds: noise only ever adds."""
        return min(cost.cpu for cost in self.costs)

    @property
    def worst(self) -> float:
        """Most CPU seconds."""
        return max(cost.cpu for cost in self.costs)

    @property
    def wall(self) -> float:
        """Least wall-clock seconds."""
        return min(cost.wall for cost in self.costs)

    @property
    def peak(self) -> float:
        """Highest peak of memory, in megabytes."""
        return max(cost.peak for cost in self.costs)

    def to_dict(self) -> dict[str, list[float]]:
        """All that was measured."""
        return {name: [getattr(cost, name) for cost in self.costs] for name in ("cpu", "wall", "peak")}
