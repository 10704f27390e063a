"""The command: arguments in, a printed or written result out.

There is no code for single commands here. A command's flags come from the signatures of its analysis and of
the loader of its data, their help from the docstrings.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

import assay
from assay import progress
from assay.analysis import ANALYSES, Analysis, Report, Result, find, index
from assay.errors import AssayError, UsageError, suggestion
from assay.origin import NOWHERE, SHORT, Origin, taken

_METAVAR = {
    "measure": "MEASURE",
    "runs": "RUN",
    "select": "NAME|FILE",
    "data": "KEY=FILE",
    "declare": "FILE.py",
    "rng": "SEED",
    "figures": "DIR",
    "directory": "DIR",
}
_GROUPS = ("look", "decide", "trust", "understand", "make")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (`{self.prog} --help`)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        known = [str(choice) for choice in action.choices or ()]
        if known and value not in known:
            hint = suggestion(str(value), known)
            raise argparse.ArgumentError(action, f"'{value}' is not one of {', '.join(known)}{hint}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except AssayError as problem:
        print(f"assay: {_visible(str(problem))}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has seen enough
        _silence()
        return 0
    except OSError as problem:
        print(f"assay: {(problem.strerror or str(problem)).lower()}", file=sys.stderr)
        _silence()
        return 2
    except KeyboardInterrupt:
        return 130


def _visible(text: str) -> str:
    """Show names from files as what they are, so that none can steer a terminal."""
    from assay.render.text import visible

    return visible(text)


def _silence() -> None:
    """Let what is still to be printed go nowhere, so that leaving does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help", "help"}:
        print(overview())
        return 0
    if words[0] == "--version":
        print(f"assay {assay.__version__}")
        return 0
    name, *rest = words
    if name not in index():
        _declare(rest)
    function = find(name).function
    loader = _loader(function)
    parser = _parser(name, function, loader)
    if not {"-h", "--help"}.isdisjoint(rest):
        print(parser.format_help(), end="")
        return 0
    given, unknown = parser.parse_known_intermixed_args(rest)
    if unknown:
        flags = [flag for action in parser._actions for flag in action.option_strings]
        hint = suggestion(unknown[0], flags) or f" (`assay {name} --help`)"
        raise UsageError(f"{unknown[0]} is not understood{hint}")
    options = vars(given)
    out, form, table = (options.pop(flag) for flag in ("output", "format", "table"))
    _check_output(out, form, table, function)
    _check_measures(options)
    with progress.shown():
        data: list[Any] = _data(function, loader, options)
        origin: Origin = getattr(data[0], "origin", NOWHERE) if data else NOWHERE
        _spare(origin.files, out, function)
        result = ANALYSES[name](*data, **taken(function, options))
        if _is_page(out, form):
            from assay.render.hiding import hidden

            result = hidden(result, origin)
        _deliver(result, out, form, table)
    return int(result.failed)


def _declare(words: list[str]) -> None:
    """Run the files of --declare before a command is looked for that one of them may declare."""
    from assay.grammar import load

    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--declare", action="append", default=[])
    for path in parser.parse_known_args(words)[0].declare:
        load(path)


def _check_measures(options: dict[str, Any]) -> None:
    """Refuse a mistyped measure before any file is read; names that files bring along are checked later."""
    if options.get("declare") or options.get("scores"):
        return
    from assay.conditions import parse_condition
    from assay.grammar import parse_open

    open_ended = not {"depth", "n_rel"}.isdisjoint(options)  # where depths or rankings are given, they are the cutoff
    for text in options.get("measure") or ():
        parse_open(text) if open_ended else parse_condition(text)


def overview() -> str:
    """List the commands by what they are for."""
    commands = index()
    width = max(map(len, commands))
    lines = [
        "Assay puts retrieval measures on trial: runs and judgments in, evidence out.",
        "",
        "usage: assay COMMAND",
    ]
    for group in _GROUPS:
        inside = [(name, text) for name, (of, text) in commands.items() if of == group]
        lines += ["", group] if inside else []
        lines += [f"  {name:<{width}}  {text}" for name, text in inside]
    return "\n".join([*lines, "", "`assay COMMAND --help` says more; `assay --version` says which this is."])


def command_help(of: Analysis) -> str:
    """Return what `assay COMMAND --help` prints."""
    return _parser(of.name, of.function, _loader(of.function)).format_help()


def _loader(function: Callable[..., Result]) -> Callable[..., Any] | None:
    """Find the loader of what the function's first parameter asks for; none if it takes no data."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is None or first.name != "data":
        return None
    from assay.inputs import LOADERS

    return LOADERS[get_type_hints(function)["data"]]


def _needs_no_data(function: Callable[..., Result]) -> bool:
    return type(None) in get_args(get_type_hints(function)["data"])


def _data(function: Callable[..., Result], loader: Callable[..., Any] | None, options: dict[str, Any]) -> list[Any]:
    """Read what the command line names, and make of it what the command asks for; nothing where it names nothing."""
    if loader is None:
        return []
    from assay.grammar import load
    from assay.inputs import collection

    if _needs_no_data(function) and not any(options.get(name) for name in ("runs", "qrels", "scores")):
        for path in options["declare"]:
            load(path)
        return []
    return [loader(collection(**taken(collection, options)), **taken(loader, options))]


def _parser(name: str, function: Callable[..., Result], loader: Callable[..., Any] | None) -> _Parser:
    parser = _Parser(
        prog=f"assay {name}",
        description=_prose(function),
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=100, max_help_position=28),
        allow_abbrev=False,
    )
    if loader:
        from assay.inputs import collection

        group = parser.add_argument_group("data")
        _add_flags(group, collection, flagged=_needs_no_data(function))
        _add_flags(group, loader)
    _add_flags(parser, function)
    group = parser.add_argument_group("output")
    from assay.render.formats import EXTENSIONS, FORMATS

    group.add_argument("--format", choices=list(FORMATS), help="how to print (default: table)")
    group.add_argument("--table", metavar="NAME", help="which of the result's tables (or charts) to show")
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"write to a file, by --format or extension ({' '.join(EXTENSIONS)})",
    )
    return parser


def _prose(function: Callable[..., Any]) -> str:
    """The docstring without its parameters: what the columns mean, the other tables, notes and references."""
    from assay.render.told import parted

    head, sections = parted(function)
    notes = sections.get("Notes", "").strip().split("\n\n")
    blocks = {
        "columns": sections.get("Returns", ""),
        "tables": "\n\n".join(re.sub(r"(?m)^tables\.", "", n) for n in notes if n.startswith("tables.")),
        "notes": "\n\n".join(n for n in notes if not n.startswith("tables.")),
        "references": sections.get("References", ""),
    }
    shown = [f"{name}:\n{textwrap.indent(text.strip(), '  ')}" for name, text in blocks.items() if text.strip()]
    return "\n\n".join([head.rstrip() if shown else head.rstrip() + "\n", *shown])


def _add_flags(group: Any, function: Callable[..., Any], *, flagged: bool = False) -> None:
    """Add a flag for every parameter but the data; words without a flag, too, unless all are `flagged`."""
    types, told = get_type_hints(function), _told(function)
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "data" and parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        text = told.get(name, "").replace("%", "%%")
        settings = _flag(types[name], parameter.default)
        if "metavar" not in settings and "choices" not in settings and settings.get("action") != "store_true":
            settings["metavar"] = _METAVAR.get(name, name.upper().replace("_", "-"))
        if parameter.default is not False and parameter.default not in (None, (), inspect.Parameter.empty):
            text = f"{text.rstrip('.')} (default: {parameter.default})"
        if flagged or parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            flags = [*([SHORT[name]] if name in SHORT else []), "--" + name.replace("_", "-")]
            group.add_argument(*flags, dest=name, help=text, **settings)
        else:
            many = settings.pop("action", None) == "append"
            settings.pop("default", None)
            group.add_argument(name, nargs="*" if many else "?", help=text, **settings)


def _flag(kind: Any, default: Any) -> dict[str, Any]:
    """Translate a parameter's type into argparse's terms."""
    options = [o for o in get_args(kind) if o is not type(None)] if type(None) in get_args(kind) else [kind]
    kind = options[0]
    if kind is bool:
        return {"action": "store_true"}
    if get_origin(kind) is Literal:
        return {"choices": get_args(kind), "default": default}
    if get_origin(kind) is not None and issubclass(get_origin(kind), Sequence):
        return {"action": "append", "default": []}
    return {"type": {float: _number, int: _whole}.get(kind, kind), "default": default}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def _told(function: Callable[..., Any]) -> dict[str, str]:
    """Read what a numpydoc docstring says about each parameter."""
    from assay.render.told import items, parted

    return dict(items(parted(function)[1].get("Parameters", "")))


def _check_output(out: str | None, form: str | None, table: str | None, function: Callable[..., Result]) -> None:
    """Refuse an output that cannot be written before any work is done."""
    if out is None:
        return
    from assay.render.formats import check_path, check_picture

    check_path(out, form)
    if form is None:
        check_picture(out, table, kind=get_type_hints(function)["return"])
    if _is_page(out, form):
        from assay.render.page import prepare

        prepare()


def _is_page(out: str | None, form: str | None) -> bool:
    return out is not None and form is None and out.lower().endswith(".html")


def _spare(inputs: Sequence[str], out: str | None, function: Callable[..., Result]) -> None:
    """Refuse to write over what was read, the tables beside the page of a report included."""
    if out is None:
        return
    from assay.render.formats import check_path

    targets = [Path(out)]
    if get_type_hints(function)["return"] is Report and out.lower().endswith(".html"):
        targets.append(Path(out).with_suffix(".json"))
        check_path(str(targets[-1]), None)
    for target in targets:
        if target.resolve() in {Path(file).resolve() for file in inputs}:
            raise UsageError(f"{target}: is read, and would be written over; give another name by -o")


def _deliver(result: Result, out: str | None, form: str | None, table: str | None) -> None:
    from assay.render.formats import FORMATS, pick_table, to_files

    if out is not None:
        from assay.files import write_bytes

        written = to_files(result, out, form=form, table=table)
        for path, data in written:
            write_bytes(path, data)
        if len(written) > 1:  # more than was asked for by name
            print(_visible(f"wrote {' and '.join(path for path, _ in written)}"), file=sys.stderr)
        return
    result = pick_table(result, table)
    if form is None and sys.stdout.isatty():
        from assay.render.text import show

        show(result)
    else:
        text = FORMATS[form or "table"](result)
        sys.stdout.write(text.encode("utf-8", "backslashreplace").decode())  # names of files may not be text
