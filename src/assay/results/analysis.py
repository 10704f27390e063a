"""An analysis answers one question and gives one Result; `@analysis` makes it a command.

The signature is the command's syntax and the numpydoc docstring its help: nothing is written twice. A built-in
analysis is a folder of `assay.analyses`: `analysis.py` declares it, `sentences.py` says what its results mean. The
index of commands is read off these files, so that start-up imports only what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, update_wrapper
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, get_args

from assay.core.errors import UsageError, suggestion
from assay.core.thresholds import Threshold, rendered
from assay.results.result import Result, Screen
from assay.results.sentences import sentences_of

Group = Literal["look", "decide", "trust", "understand", "make"]

PACKAGE = "assay.analyses"
_DECLARED = re.compile(
    r'^@analysis\((?P<settings>.*?)\)(?:[ ]*#[^\n]*)?\s*^def .*?"""(?P<question>[^\n]+)', re.MULTILINE | re.DOTALL
)

ANALYSES: dict[str, Analysis] = {}
"""Every analysis imported so far, by name."""


@dataclass(frozen=True, slots=True)
class Section:
    """How an analysis takes part in the report: what it needs, and how it is asked there.

    With fewer runs, measures or topics than it needs, or where it refuses (a UsageError), a section is one line that
    says why. An analysis that says little about few runs needs many; one that has something to say about a few runs,
    too, gives the settings for them.
    """

    n_runs: int | Threshold = 1
    n_measures: int | Threshold = 1
    n_topics: int | Threshold = 1
    graded: bool = False  # needs more than one grade of relevance
    judges: bool = False  # needs a second judge; without one a report says nothing of it, unless asked by name
    only_few: bool = False  # is for few runs: with many, others answer its question
    passed: tuple[str, ...] = (
        "measure",
        "undefined",
        "missing",
        "contributors",
        "pool_depth",
        "level",
        "alpha",
        "rng",
    )
    settings: Mapping[str, Any] = field(default_factory=dict)  # what is set in every report
    fast: Mapping[str, Any] | None = field(default_factory=dict)  # and in a first look; None is left out of it
    few: Mapping[str, Any] | None = None  # and with few runs
    shown: tuple[str, ...] = ()  # the evidence that stands open, before the table; all other is folded
    shown_few: tuple[str, ...] = ()  # and with few runs
    chart: str | None = None  # the one that tells most; the first where none is named


@dataclass(eq=False)
class Analysis:
    """A declared analysis: callable like the function it was made from, and documented by it."""

    name: str
    group: Group
    function: Callable[..., Result]
    section: Section | None = None  # how it takes part in the report; None stays out of it
    place: float = float("inf")  # among the commands of its group
    fractions: bool = False  # whether it takes judgments whose grades are fractions
    screen: Screen = field(default_factory=Screen)  # what its command prints first
    also: tuple[str, ...] = ()  # other words by which people ask for it

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Answer the question, if it can be asked so, and say what follows."""
        from assay.core.settings import check_call

        check_call(self.function, args, kwargs)
        self._check_grades(*args[:1])
        result = self.function(*args, **kwargs)
        sentences = (*result.sentences, *sentences_of(self.name, result))
        return replace(result, sentences=sentences, screen=result.screen or self.screen)

    def _check_grades(self, data: object = None) -> None:
        """Refuse judgments whose grades are fractions, unless the analysis takes them."""
        fractions = getattr(data, "fractions", ())
        if fractions and not self.fractions:
            from assay.data.judgments.grades import check_whole

            check_whole(fractions, f"{self.name} needs whole grades")

    @property
    def question(self) -> str:
        """The first line of the docstring."""
        return (self.function.__doc__ or "").strip().split("\n", 1)[0]


def analysis(
    *,
    name: str,
    group: Group,
    place: float = float("inf"),
    section: Section | None = None,
    fractions: bool = False,
    screen: Screen | None = None,
    also: tuple[str, ...] = (),
) -> Callable[[Callable[..., Result]], Analysis]:
    """Declare an analysis, and with it a command of that name and, where it takes data, a section of the report.

    `place` orders the commands of a group, and the sections of the report; those without one come last. `screen` says
    which table the command prints first, after what its result says in words. Judgments whose grades are fractions
    are refused, unless the analysis looks at grades through measures alone, or by their values, and says so by
    `fractions`; scores are fine in any case. Who types one of the words in `also` is told the name.
    """

    def declare(function: Callable[..., Result]) -> Analysis:
        data = signature(function).parameters.get("data")
        takes_data = data is not None and data.default is Parameter.empty
        own = section or (Section() if takes_data and group != "make" else None)
        shown = screen or Screen()
        declared = ANALYSES[name] = Analysis(name, group, function, own, place, fractions, shown, also)
        update_wrapper(declared, function)
        declared.__doc__ = rendered(function.__doc__ or "")
        return declared

    return declare


@dataclass(frozen=True, slots=True)
class Command:
    """What the overview of commands says of one."""

    name: str
    group: Group
    place: float
    question: str
    also: tuple[str, ...] = ()


def index() -> dict[str, Command]:
    """Every command by name, group by group: the built-in ones, and those declared since."""
    declared = [Command(a.name, a.group, a.place, a.question, a.also) for a in ANALYSES.values()]
    every = {command.name: command for command in (*_built_in(), *declared)}
    groups = get_args(Group)
    ordered = sorted(every.values(), key=lambda command: (groups.index(command.group), command.place))
    return {command.name: command for command in ordered}


def folders() -> dict[str, Path]:
    """The folders of built-in analyses, by name."""
    return folders_of(PACKAGE, "analysis.py")


def folders_of(package: str, holding: str) -> dict[str, Path]:
    """The folders of a package that hold a file of this name, by their names."""
    places = (Path(place) for place in import_module(package).__path__)
    return {file.parent.name: file.parent for place in places for file in sorted(place.glob(f"*/{holding}"))}


def _built_in() -> Iterator[Command]:
    return (_declared(name, folder / "analysis.py") for name, folder in folders().items())


@cache
def _declared(name: str, file: Path) -> Command:
    """Read a declaration off its file, without importing it."""
    match = _DECLARED.search(file.read_text(encoding="utf-8"))
    if match is None:
        raise UsageError(f"{file}: no @analysis with a docstring")
    group = re.search(r'\bgroup="(\w+)"', match["settings"])
    place = re.search(r"\bplace=([\d.]+)", match["settings"])
    also = re.search(r"\balso=\((.*?)\)", match["settings"])
    return Command(
        name,
        group[1] if group else "",  # type: ignore[arg-type]
        float(place[1]) if place else float("inf"),
        match["question"],
        tuple(re.findall(r'"([^"]+)"', also[1])) if also else (),
    )


def find(name: str) -> Analysis:
    """Find an analysis by name; of the built-in ones only its module is imported."""
    if name not in ANALYSES and name in folders():
        import_module(f"{PACKAGE}.{name}.analysis")
    if name not in ANALYSES:
        raise UsageError(f"no command '{name}'{_meant(name) or ' (`assay --help` lists them)'}")
    return ANALYSES[name]


def _meant(word: str) -> str:
    """Say which command is meant by a word that is none: one that it is another word for, else the closest."""
    commands = index()
    other = [name for name, command in commands.items() if word.lower() in command.also]
    return suggestion(other[0] if other else word, commands)
