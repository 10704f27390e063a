"""What the laws draw from: measures with any parameters they declare, judged lists, small collections.

Everything is built from the catalogue and the declared types, so that a measure declared tomorrow is drawn too.
"""

from __future__ import annotations

import atexit
import inspect
import json
import math
import tempfile
import types
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import polars as pl
from hypothesis import assume
from hypothesis import strategies as st

from assay.data.codes import Documents
from assay.data.order import Listing
from assay.data.rankings import Rankings
from assay.data.tables import ABSENT, Qrels, Runs
from assay.measures.declare import CATALOGUE, MAX_NUMBER, Declaration, Limits, Measure, Open
from assay.measures.gain import Weights

NAMES = tuple(CATALOGUE)
"""The measures of the house; what tests declare comes and goes."""

_CUTOFF = 4

_FOLDER = tempfile.TemporaryDirectory(prefix="assay-laws-")
atexit.register(_FOLDER.cleanup)


def _weights_file(name: str, gain: dict[int, float], discount: list[float]) -> str:
    path = Path(_FOLDER.name) / name
    path.write_text(json.dumps({"gain": gain, "discount": discount}))
    return str(path)


_WEIGHTS = st.sampled_from(
    [
        _weights_file("steep.json", {1: 1.0, 2: 3.0, 3: 7.0}, [1.0, 0.5, 0.25, 0.0]),
        _weights_file("flat.json", {1: 0.5, 2: 0.5, 3: 0.6}, [0.3, 0.3, 0.2, 0.1, 0.1]),
    ]
)

_MOST = int(MAX_NUMBER)
_FLOATS = st.floats(-MAX_NUMBER, MAX_NUMBER)
_WHOLE = st.integers(-_MOST, _MOST)
_SHARES = st.floats(0.05, 0.95)
_FALLING = st.lists(st.floats(0.0, 1.0), max_size=6).map(lambda x: (1.0, *sorted(x, reverse=True)))
_GAINS = st.dictionaries(st.integers(0, 3), st.floats(0.0, 8.0), min_size=1)
_SENSIBLE: dict[str, st.SearchStrategy[Any]] = {
    "p": _SHARES,
    "residual": st.none() | _SHARES,
    "recall": st.floats(0.0, 1.0),
    "points": st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5).map(tuple),
    "rel": st.integers(1, 3),
    "max_rel": st.none() | st.integers(3, 5),
    "stop": st.none() | st.floats(0.0, 1.0, exclude_min=True),
    "depth": st.none() | st.integers(1, 40),
    "T": st.floats(0.5, 5.0),
    "beta": st.floats(0.0, 3.0),
    "n_docs": st.none() | st.integers(100, 10_000),
    "c": st.floats(0.0, 1.0),
    "base": st.floats(1.5, 10.0),
    "mult": st.floats(0.1, 3.0),
    "gain": st.sampled_from(["linear", "exp"]) | _GAINS,
    "discount": st.sampled_from(["log2", "jk", "zipf", "linear", "none"]) | _FALLING,
    "weights": st.none() | _WEIGHTS,
}
"""Values that make sense, by the name of the parameter: the same name means the same thing everywhere."""


def of_type(kind: Any, limits: Limits | None = None) -> st.SearchStrategy[Any]:
    """Draw any value of a declared type and within limits, sensible or not."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return st.one_of([of_type(option, limits) for option in get_args(kind)])
    if limits and kind in (int, float):
        low, high = (end.end if isinstance(end, Open) else end for end in limits)
        if kind is int:
            return st.integers(int(low), _MOST if high == math.inf else int(high))
        below, above = (isinstance(end, Open) for end in limits)
        return st.floats(low, min(high, MAX_NUMBER), exclude_min=below, exclude_max=above)
    if origin is Literal:
        return st.sampled_from(get_args(kind))
    if origin is tuple:
        return st.lists(_inside(get_args(kind)[0]), max_size=4, unique_by=_key).map(tuple)
    if kind is Weights:
        return _WEIGHTS
    plain = {type(None): st.none(), bool: st.booleans(), int: _WHOLE, float: _FLOATS, str: st.text()}
    return plain[kind]


def _inside(kind: Any) -> st.SearchStrategy[Any]:
    return st.tuples(*map(of_type, get_args(kind))) if get_origin(kind) is tuple else of_type(kind)


def _key(value: Any) -> Any:
    return value[0] if isinstance(value, tuple) else value


def spellings(declaration: Declaration) -> st.SearchStrategy[Measure]:
    """Draw a measure with any parameters of the declared types and any cutoff."""
    parameters = declaration.parameters.items()
    drawn = {name: of_type(kind, declaration.limits.get(name)) for name, (kind, _) in parameters}
    required = {name: drawn[name] for name, (_, default) in parameters if default is inspect.Parameter.empty}
    optional = {name: strategy for name, strategy in drawn.items() if name not in required}
    chosen = st.fixed_dictionaries(required, optional=optional | {"judged_only": st.booleans()})
    chosen = chosen.map(lambda given: one_of(declaration, given))
    cut = st.integers(1, 10**6) if declaration.at == "cutoff" else st.none()
    return st.builds(_set, st.just(declaration.name), chosen, cut if declaration.needs_cutoff else cut | st.none())


def sensible(name: str) -> st.SearchStrategy[Measure]:
    """Draw a measure with parameters that make sense, cut at a small depth if it must be."""
    declaration = CATALOGUE[name].declaration
    parameters = declaration.parameters.items()
    required = {n: _SENSIBLE[n] for n, (_, default) in parameters if default is inspect.Parameter.empty}
    optional = {n: _SENSIBLE.get(n, of_type(kind)) for n, (kind, _) in parameters if n not in required}
    chosen = st.fixed_dictionaries(required, optional=optional).map(lambda given: one_of(declaration, given))
    return st.builds(lambda given: usable(CATALOGUE[name](**given)), chosen)


def one_of(declaration: Declaration, given: dict[str, Any]) -> dict[str, Any]:
    """Leave out the parameters in whose place another one stands."""
    default = {name: value for name, (_, value) in declaration.parameters.items()}
    standing = [name for name in declaration.replaces if given.get(name, default[name]) != default[name]]
    replaced = {other for name in standing for other in declaration.replaces[name]}
    return {name: value for name, value in given.items() if name not in replaced}


def _set(name: str, parameters: dict[str, Any], cutoff: int | None) -> Measure:
    m = CATALOGUE[name](**parameters)
    return (m if cutoff is None else m @ cutoff) if not m.by_depth or cutoff else m @ 10


def usable(m: Measure) -> Measure:
    """Give a measure the cutoff and the level of recall without which it cannot be computed."""
    if m.declaration.at != "cutoff" and m.declaration.at not in dict(m.settings):
        return m @ 0.5
    return m @ _CUTOFF if (m.declaration.needs_cutoff or m.by_depth) and m.cutoff is None else m


def cut(m: Measure, k: int) -> Measure:
    """Cut a measure at k, whatever `@` means to it."""
    return replace(m, cutoff=k)


@st.composite
def rankings(draw: st.DrawFn, *, top: int = 3) -> Rankings:
    """Draw graded lists of unequal length with unjudged and merely pooled documents, and pools that hold them."""
    lists = draw(st.lists(st.lists(st.integers(-2, top), max_size=8), min_size=1, max_size=4))
    spare = draw(st.lists(st.lists(st.integers(0, 3), min_size=top + 1, max_size=top + 1), min_size=4, max_size=4))
    return padded(lists, np.array(spare[: len(lists)]), top=top)


def padded(lists: list[list[int]], spare: Any, *, top: int) -> Rankings:
    """Lay lists side by side; each topic holds what its list shows and `spare` more of each grade."""
    width = max(1, *map(len, lists))
    grade = np.array([row + [ABSENT] * (width - len(row)) for row in lists], dtype=np.int8)
    shown = np.stack([(grade == g).sum(-1) for g in range(top + 1)], axis=-1)
    return Rankings(grade, shown + spare, top)


@dataclass(frozen=True)
class Collection:
    """Runs and judgments as a person would write them down."""

    runs: dict[str, dict[str, dict[str, float]]]  # run -> topic -> document -> score
    qrels: dict[str, dict[str, int]]  # topic -> document -> grade

    def judgments(self, order: list[str] | None = None) -> Qrels:
        """Build the judgments, topics in some order."""
        rows = [(t, d, g) for t in order or self.qrels for d, g in self.qrels[t].items()]
        topic, doc, grade = zip(*rows, strict=True)
        return Qrels.build(pl.Series(topic), pl.Series(doc), np.array(grade, dtype=np.int64))

    def rankings(self, order: list[str] | None = None) -> Runs:
        """Build the runs, in some order."""
        return Runs.build([self._listing(name) for name in order or self.runs])

    def _listing(self, name: str) -> Listing:
        topics = tuple(self.runs[name])
        rows = [(i, d, s) for i, t in enumerate(topics) for d, s in self.runs[name][t].items()]
        doc = pl.Series([d for _, d, _ in rows], dtype=pl.String)
        topic = np.array([i for i, *_ in rows], dtype=np.int64)
        score = np.array([s for *_, s in rows], dtype=np.float64)
        return Listing(name, topics, topic, Documents.of(doc), score)


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    """Draw a few runs of lists of unequal length, with ties, and judgments of at least one of their documents."""
    docs = [f"d{i}" for i in range(12)]
    topics = [f"t{i}" for i in range(draw(st.integers(1, 4)))]
    listed = st.dictionaries(st.sampled_from(docs), st.integers(0, 5).map(float), min_size=1)
    runs = {
        f"r{i}": {t: draw(listed) for t in topics if i == 0 or draw(st.booleans())} or {topics[0]: draw(listed)}
        for i in range(draw(st.integers(1, 4)))
    }
    graded = st.dictionaries(st.sampled_from(docs), st.integers(-1, 3), min_size=1)
    qrels = {t: draw(graded) for t in topics}
    assume(any(qrels[t].keys() & found.keys() for lists in runs.values() for t, found in lists.items()))
    return Collection(runs, qrels)
