"""What a measure is: a value made of a declaration, parameters and a cutoff.

`@measure` turns one formula into a `Measure`; the catalogue, the command, the documentation and the tests all
iterate over what was declared. A measure knows its claims and its range, and nothing about data.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from assay.core.arrays import Array
from assay.core.errors import AssayError, InputError, MeasureError, suggestion
from assay.core.settings import MAX_RANK
from assay.data.rankings import Rankings, ratio

if TYPE_CHECKING:
    from assay.measures.unjudged import Unjudged

__all__ = ["CATALOGUE", "PROPERTIES", "Array", "Measure", "Open", "Rankings", "measure", "ratio"]

Formula = Callable[..., Array]
Average = Literal["mean", "geometric", "sum"]

PROPERTIES: dict[str, str] = {
    "bounded": "scores have a fixed upper limit",
    "monotone": "appending documents never lowers the score",
    "convergent": "swapping a document of the top k for a more relevant one from below always raises the score",
    "top_weighted": "swapping a document of the top k with a more relevant one lower in it always raises the score",
    "localised": "the top k alone decides the score",
    "complete": "topics without relevant documents have a score",
    "realisable": "whenever there are relevant documents, the highest score can be reached",
}
"""The seven numeric properties of moffat2013, in jones2015's words; said of the measure cut at k."""

MAX_NUMBER = 1e12
"""The largest number that a parameter may be."""

_DECLARED = re.compile(r"^@measure\(.*?^def (\w+)\(", re.MULTILINE | re.DOTALL)


@cache
def built_in() -> dict[str, str]:
    """The built-in measures, each with the module that declares it: read off the files, which are not imported."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    names = {file.stem: _DECLARED.findall(file.read_text(encoding="utf-8")) for file in files}
    return {name: f"{__package__}.{module}" for module, inside in names.items() for name in inside}


class Catalogue(MutableMapping[str, "Measure"]):
    """Every measure by name: the built-in ones, file by file, then those declared since.

    A built-in measure is imported when it is first asked for, and all of them where the catalogue is walked through.
    """

    def __init__(self) -> None:
        self._measures: dict[str, Measure] = {}

    def __getitem__(self, name: str) -> Measure:
        self._load(name)
        return self._measures[name]

    def __setitem__(self, name: str, declared: Measure) -> None:
        self._load(name)  # so that a user's measure of the same name takes its place
        self._measures[name] = declared

    def __delitem__(self, name: str) -> None:
        del self._measures[name]

    def __iter__(self) -> Iterator[str]:
        self._load(*built_in())
        known = [name for name in built_in() if name in self._measures]
        return iter([*known, *(name for name in self._measures if name not in built_in())])

    def __len__(self) -> int:
        self._load(*built_in())
        return len(self._measures)

    def _load(self, *names: str) -> None:
        for name in names:
            if name not in self._measures and name in built_in():
                import_module(built_in()[name])


CATALOGUE = Catalogue()


@dataclass(frozen=True, slots=True)
class Open:
    """An end of a range that is itself not in it."""

    end: float


Limits = tuple[float | Open, float | Open]
"""The least and the most that a parameter may be."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What `@measure` states, and what the formula's signature says."""

    name: str
    formula: Formula
    parameters: Mapping[str, tuple[Any, Any]]  # name -> (type, default)
    at: str  # what `@` fills: "cutoff", or the name of a parameter
    needs_cutoff: bool
    claims: frozenset[str]
    low: float
    high: float
    average: Average
    cite: str
    trec: Mapping[str, str]  # trec_eval's name -> measure; {} stands for the number in both
    aliases: tuple[str, ...]
    limits: Mapping[str, Limits]  # by parameter
    by_depth: Mapping[str, Any]  # parameter -> the value (... is any) with which weights depend on k
    replaces: Mapping[str, tuple[str, ...]]  # parameter -> those in whose place it stands
    unjudged: Unjudged | None  # how to bound what unjudged documents could do to a score
    fractions: bool  # whether grades may be fractions
    lower: bool = False  # whether lower is better

    @property
    def sign(self) -> int:
        """What scores are multiplied by so that higher is better."""
        return -1 if self.lower else 1

    @property
    def undefined(self) -> float:
        """What an undefined score counts as: 0 or the least above it; where lower is better, the highest, if any."""
        if self.lower:
            return self.high if np.isfinite(self.high) else np.nan
        return max(0.0, self.low)

    @property
    def doc(self) -> str:
        """The docstring, without its indentation."""
        return inspect.getdoc(self.formula) or ""

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.doc.split("\n", 1)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A measure with its parameters and cutoff: `AP(rel=2)@100`.

    Call it to set parameters, use `@` to cut it. It is printed with every parameter that was stated, in the order of
    its signature; one that equals its default makes no other measure: `P(rel=1)@5 == P@5`.
    """

    declaration: Declaration
    settings: tuple[tuple[str, Any], ...] = ()  # parameters that differ from the default, in signature order
    cutoff: int | None = None
    judged_only: bool = False
    stated: frozenset[str] = frozenset()  # parameters that are printed even where they equal the default

    def __call__(self, **parameters: Any) -> Measure:
        """Set parameters, `judged_only` and `cutoff` among them."""
        own = {name: value for name, value in parameters.items() if name not in {"judged_only", "cutoff"}}
        checked = {name: self._check(name, value) for name, value in (dict(self.settings) | own).items()}
        defaults = {name: default for name, (_, default) in self.declaration.parameters.items()}
        changed = tuple(
            (name, checked[name]) for name in defaults if checked.get(name, defaults[name]) != defaults[name]
        )
        stated = self.stated | own.keys()
        self._check_replaced(dict(changed), stated)
        judged_only = parameters.get("judged_only", self.judged_only)
        if not isinstance(judged_only, bool):
            raise MeasureError(f"{self.name}: judged_only={judged_only!r} is not True or False")
        same = replace(self, settings=changed, judged_only=judged_only, stated=stated)
        return same @ parameters["cutoff"] if "cutoff" in parameters else same

    def __matmul__(self, at: float) -> Measure:
        if self.declaration.at != "cutoff":
            return self(**{self.declaration.at: at})
        if isinstance(at, bool) or not isinstance(at, int) or at < 1:
            raise MeasureError(f"{self.name}@{at}: a cutoff is a whole number from 1 up")
        if at > MAX_RANK:
            raise MeasureError(f"{self.name}@{at}: a cutoff is at most {MAX_RANK:,}")
        return replace(self, cutoff=at)

    @property
    def name(self) -> str:
        """The name without parameters."""
        return self.declaration.name

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters, defaults included."""
        return {name: default for name, (_, default) in self.declaration.parameters.items()} | dict(self.settings)

    @property
    def rel(self) -> int:
        """The grade from which a document counts as relevant."""
        value = self.parameters.get("rel")
        return 1 if value is None else int(value)

    @property
    def canonical(self) -> Measure:
        """The same measure, printed without the parameters that equal their default."""
        return replace(self, stated=frozenset())

    def __str__(self) -> str:
        printed = self.stated | dict(self.settings).keys()
        shown = [f"{k}={_show(v)}" for k, v in self.parameters.items() if k in printed and k != self.declaration.at]
        shown += ["judged_only=True"] if self.judged_only else []
        at = dict(self.settings).get(self.declaration.at) if self.declaration.at != "cutoff" else self.cutoff
        return self.name + (f"({', '.join(shown)})" if shown else "") + (f"@{at}" if at is not None else "")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.name, self.settings, self.cutoff, self.judged_only

    def _check(self, name: str, value: Any) -> Any:
        known = self.declaration.parameters
        if name not in known:
            choices = [*known, "judged_only"]
            hint = suggestion(name, choices) or f"; it takes {', '.join(choices)}"
            raise MeasureError(f"{self.name}: no parameter '{name}'{hint}")
        try:
            fitting = _fit(value, known[name][0])
        except ValueError as problem:
            raise MeasureError(f"{self.name}: {name}={value!r} {problem}") from None
        except InputError as problem:  # of a file that the parameter names
            raise MeasureError(f"{self.name}: {name}: {problem}") from None
        for number in _numbers_in(fitting):
            if not -MAX_NUMBER <= number <= MAX_NUMBER:
                finite = isinstance(number, int) or np.isfinite(number)
                why = f"beyond {MAX_NUMBER:g}, the most there is" if finite else "not a finite number"
                raise MeasureError(f"{self.name}: {name}={value!r} is {why}")
        limits = self.declaration.limits.get(name, (-np.inf, np.inf))
        if isinstance(fitting, int | float) and not _within(fitting, limits):
            raise MeasureError(f"{self.name}: {name}={value!r} is not {_range(limits)}")
        return fitting

    def _check_replaced(self, changed: Mapping[str, Any], stated: frozenset[str]) -> None:
        for name, others in self.declaration.replaces.items():
            if name in changed and (clash := [other for other in others if other in stated | changed.keys()]):
                raise MeasureError(f"{self.name}: {name} stands in place of {clash[0]}; give one or the other")

    @property
    def files(self) -> tuple[str, ...]:
        """The files that parameters were read from."""
        return tuple(value.path for _, value in self.settings if hasattr(value, "path"))

    @property
    def by_depth(self) -> bool:
        """Whether the weight of a rank depends on the cutoff."""
        rules = self.declaration.by_depth
        return any(name in rules and rules[name] in (..., value) for name, value in self.settings)

    def ready(self) -> Measure:
        """Return the measure if it can be computed; complain if its cutoff or a parameter is missing."""
        d = self.declaration
        if (d.needs_cutoff or self.by_depth) and self.cutoff is None:
            raise MeasureError(f"{self} needs a cutoff, as in {self}@10")
        for name, (_, default) in d.parameters.items():
            if default is inspect.Parameter.empty and name not in dict(self.settings):
                example = f"{self.name}@0.1" if name == d.at else f"{self.name}({name}=...)"
                raise MeasureError(f"{self.name} needs {name}, as in {example}")
        return self

    @property
    def takes_fractions(self) -> bool:
        """Whether grades may be fractions: not where a threshold decides what is relevant."""
        return self.declaration.fractions and self.parameters.get("rel") is None

    def check_grades(self, fractions: Sequence[float]) -> None:
        """Refuse grades that are fractions, unless the measure takes them."""
        if fractions and not self.takes_fractions:
            from assay.data.judgments.grades import not_whole

            counts = (
                f"counts documents of grade {self.rel} or higher"
                if "rel" in self.parameters
                else "is of whole grades"
            )
            raise MeasureError(f"{self} {counts}, but {not_whole(fractions)}")

    def prepare(self, lists: Rankings) -> Rankings:
        """Condense and cut lists as this measure asks."""
        self.check_grades(lists.fractions)
        lists = lists.condensed() if self.judged_only else lists
        return lists if self.cutoff is None else lists.head(self.cutoff)

    def compute(self, lists: Rankings) -> Array:
        """Score lists; NaN where the measure is undefined. [list]"""
        ready = self.prepare(lists)
        try:
            value = self.declaration.formula(ready, **self.parameters)
        except AssayError:
            raise
        except Exception as problem:
            raise MeasureError(f"{self}: the formula fails: {type(problem).__name__}: {problem}") from problem
        if np.shape(value) != ready.grade.shape[:1]:
            shape = f"an array of shape {np.shape(value)} for {ready.grade.shape[0]} lists"
            raise MeasureError(f"{self}: the formula returns {shape}; it must return a number for each")
        return value

    def quality(self, lists: Rankings) -> Array:
        """Score lists as `compute` does, with the sign changed where lower is better. [list]"""
        return self.declaration.sign * self.compute(lists)

    def curve(self, lists: Rankings, depth: int) -> Array:
        """Score lists at every cutoff 1 .. depth in one pass. [list, depth]"""
        if self.by_depth:
            return np.stack([(self @ k).compute(lists) for k in range(1, depth + 1)], axis=-1)
        self.check_grades(lists.fractions)
        lists = lists.condensed() if self.judged_only else lists
        value = self.declaration.formula(lists.every_depth(depth), **self.parameters)
        if np.shape(value) != (lists.grade.shape[0], depth):
            raise MeasureError(f"{self}: the formula gives no curve; sum over ranks with `total`, not with `sum`")
        return value

    def at_depths(self, lists: Rankings, depths: Sequence[int]) -> Array:
        """Score lists at some cutoffs, in rising order, as `compute` does at each. [list, depth]

        In one pass, unless the weight of a rank depends on the cutoff or the formula gives no curve.
        """
        shape = (lists.grade.shape[0], len(depths))
        if len(depths) > 1 and not self.by_depth and depths[-1] <= (lists.depth or depths[-1]):
            self.check_grades(lists.fractions)
            whole = lists.condensed() if self.judged_only else lists
            some = whole.memo(("some depths", *depths), lambda: whole.some_depths(depths))
            try:
                value = self.declaration.formula(some, **self.parameters)
            except AssayError:
                raise
            except (
                Exception
            ):  # a formula that cannot give all depths at once: `compute` says what is wrong, if anything
                value = np.zeros(0)
            if np.shape(value) == shape:
                return value
        return np.stack([(self @ k).compute(lists) for k in depths], axis=-1)

    def of(self, grades: Sequence[float], *, n_rel: int | None = None, top: int | None = None, **pool: int) -> float:
        """Score one ranking given by its grades, best rank first."""
        value = float(self.compute(Rankings.of(grades, n_rel=n_rel, top=top, **pool))[0])
        return 0.0 if np.isnan(value) else value


def measure(
    *,
    claims: Iterable[str],
    cite: str,
    range: tuple[float, float] | None = None,  # noqa: A002 - the word of the field
    cutoff: Literal["optional", "required"] = "optional",
    at: str = "cutoff",
    average: Average = "mean",
    trec: str | Mapping[str, str] = "",
    aliases: Sequence[str] = (),
    limits: Mapping[str, Limits] | None = None,
    by_depth: Mapping[str, Any] | None = None,
    replaces: Mapping[str, tuple[str, ...]] | None = None,
    unjudged: Unjudged | None = None,
    fractions: bool = False,
    lower: bool = False,
) -> Callable[[Formula], Measure]:
    """Declare a measure: decorate a function of `Rankings` whose keyword-only parameters are its syntax.

    Parameters
    ----------
    claims
        Which of `PROPERTIES` hold for the measure cut at k with default parameters. Claims are tested; so is
        that what is not claimed does not hold.
    cite
        The key of the paper that defines it.
    range
        The lowest and highest score (default: 0 and 1; with `lower` it must be given).
    cutoff
        Whether the measure means anything without one.
    at
        What `@` fills, if not the cutoff.
    average
        How per-topic scores become one number.
    trec
        trec_eval's name, or a mapping from its names to measures, with {} for a number.
    aliases
        Other names people use.
    limits
        The least and the most that a parameter may be; `Open(0)` is an end that it may not be itself.
    by_depth
        Parameters, and their values (... for any), that make the weight of a rank depend on the cutoff.
    replaces
        Parameters that stand in place of others, with the names of those: only one of them may be given.
    unjudged
        How to bound what unjudged documents could do to a score: a rule of `assay.measures.unjudged` that is
        right for the formula, such as `Residual()`. Without one no bound is offered.
    fractions
        Whether grades may be fractions: the formula must then read them through `scale` and `gain` alone. A parameter
        `rel`, where it is given, still asks for whole grades.
    lower
        Whether lower is better, as for the rank of the first relevant document. An undefined score then counts as the
        highest of the range, the worst; where the range has no end, there is no score.
    """
    unknown = sorted(set(claims) - set(PROPERTIES))
    if unknown:
        raise MeasureError(f"no property '{unknown[0]}'{suggestion(unknown[0], PROPERTIES)}")

    def declare(formula: Formula) -> Measure:
        name = formula.__name__
        if not re.fullmatch(r"[A-Za-z]\w*", name):
            raise MeasureError(f"'{name}' cannot be a measure's name: a letter, then letters and digits")
        if lower and range is None:
            worst = "an undefined score counts as its highest, the worst"
            raise MeasureError(f"{name}: lower=True needs the range of the scores, as in range=(1, 1001): {worst}")
        low, high = range or (0.0, 1.0)
        declaration = Declaration(
            name=name,
            formula=formula,
            parameters=_parameters(formula),
            at=at,
            needs_cutoff=cutoff == "required",
            claims=frozenset(claims),
            low=low,
            high=high,
            average=average,
            cite=cite,
            trec={trec: name} if isinstance(trec, str) and trec else dict(trec or {}),
            aliases=tuple(aliases),
            limits=limits or {},
            by_depth=by_depth or {},
            replaces=replaces or {},
            unjudged=unjudged,
            fractions=fractions,
            lower=lower,
        )
        declared = CATALOGUE[name] = Measure(declaration)
        return declared

    return declare


def _parameters(formula: Formula) -> dict[str, tuple[Any, Any]]:
    """Read a formula's keyword-only parameters and their types."""
    signature = inspect.signature(formula)
    types = get_type_hints(formula)
    _, *rest = signature.parameters.values()
    wrong = [p.name for p in rest if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    if wrong:
        raise MeasureError(f"{formula.__name__}: parameter '{wrong[0]}' must be keyword-only (after a *)")
    return {p.name: (types.get(p.name, Any), p.default) for p in rest}


def _within(value: float, limits: Limits) -> bool:
    """Whether a number lies between two ends.

    >>> [_within(x, (Open(0), 1)) for x in (0, 0.5, 1)]
    [False, True, True]
    """
    low, high = limits
    above = value > low.end if isinstance(low, Open) else value >= low
    return above and (value < high.end if isinstance(high, Open) else value <= high)


def _range(limits: Limits) -> str:
    """Say between which ends a number must lie.

    >>> _range((Open(0), 1)), _range((0, Open(1))), _range((0, 1)), _range((1, np.inf)), _range((Open(1), np.inf))
    ('above 0 and at most 1', 'from 0 to below 1', 'from 0 to 1', 'from 1 up', 'above 1')
    """
    low, high = limits
    if isinstance(low, Open):
        most = f"below {high.end:g}" if isinstance(high, Open) else f"at most {high:g}"
        return f"above {low.end:g}" + ("" if high == np.inf else f" and {most}")
    if high == np.inf:
        return f"from {low:g} up"
    return f"from {low:g} to " + (f"below {high.end:g}" if isinstance(high, Open) else f"{high:g}")


def _numbers_in(value: Any) -> Iterator[float]:
    """The numbers of a parameter, those of a list and of a mapping too."""
    if isinstance(value, tuple):
        for inner in value:
            yield from _numbers_in(inner)
    elif isinstance(value, int | float):
        yield value


def _show(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{k}: {v!r}" for k, v in value) + "}"
    return repr(value)


def _fit(value: Any, kind: Any) -> Any:
    """Make a value hashable and of the declared type, or say why it cannot be."""
    if kind is Any:
        return tuple(value) if isinstance(value, list) else value
    options = get_args(kind) if get_origin(kind) not in (None, Literal, tuple) else (kind,)
    for option in options:
        try:
            return _fit_one(value, option)
        except (TypeError, ValueError, OverflowError):
            continue
    words = [repr(word) for option in options if get_origin(option) is Literal for word in get_args(option)]
    plain = [getattr(o, "kind", None) or _KINDS[o] for o in options if o in _KINDS or hasattr(o, "fitted")]
    plain += [_KINDS[get_origin(o)] for o in options if get_origin(o) in _KINDS]
    hint = suggestion(str(value), [w.strip("'") for w in words]) if words else ""
    raise ValueError(f"is not {', '.join(words + plain)}{hint}")


_KINDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a word",
    tuple: "a list",
}


def _fit_one(value: Any, option: Any) -> Any:
    origin = get_origin(option)
    if hasattr(option, "fitted"):  # a type that knows what it can be made of, such as a file's name
        return option.fitted(value)
    if option is type(None):
        if value is None:
            return None
    elif origin is Literal:
        if value in get_args(option):
            return value
    elif option is bool or isinstance(value, bool):
        if option is bool and isinstance(value, bool):
            return value
    elif option is int:
        if isinstance(value, int):
            return value
    elif option is float:
        if isinstance(value, int | float):
            return float(value)
    elif option is str:
        if isinstance(value, str):
            return value
    elif origin is tuple:
        return _fit_tuple(value, get_args(option)[0])
    raise ValueError


def _fit_tuple(value: Any, kind: Any) -> tuple[Any, ...]:
    """Turn a list of numbers, or a mapping from grades to numbers, into a tuple."""
    if get_origin(kind) is tuple:
        keys, values = get_args(kind)
        if len(dict(value)) < len(value):  # a grade twice
            raise ValueError
        return tuple((_fit_one(k, keys), _fit_one(v, values)) for k, v in sorted(dict(value).items()))
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError
    return tuple(_fit_one(v, kind) for v in value)
