"""The command: arguments in, a printed or written result out.

There is no code for single commands here. A command's flags come from the signatures of its analysis and of
the loader of its data, their help from the docstrings.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

import assay
from assay.core import progress
from assay.core.compiled import reader_in_use
from assay.core.errors import AssayError, UsageError, suggestion
from assay.core.process import Terminated, complain, silence, surroundings
from assay.core.settings import check_choice, check_number, choices_of
from assay.core.text import visible
from assay.data.provenance import NOWHERE, SHORT, Origin, split_name, taken
from assay.results.analysis import Analysis, Group, find, index
from assay.results.result import Result

SUBTITLE = (
    "Assay evaluates retrieval measures and the conclusions drawn with them: runs and judgments in, evidence out."
)

_DIGITS = 100  # of a whole number
_UNDECIDED = 3  # the exit code of a gate that could not decide
_WHOLE = re.compile(r"[-+]?[0-9]+")
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


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, and to whom nothing is said twice."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._given: set[str] = set()  # flags, by what they set

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (`{self.prog} --help`)")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and action.default != []:
            if action.dest in self._given:
                raise argparse.ArgumentError(action, "given twice; give it once")
            self._given.add(action.dest)
        if action.option_strings and arg_strings == [""]:
            raise argparse.ArgumentError(action, "'' is empty; is a variable of the shell not set?")
        if action.option_strings and arg_strings == ["--"]:  # as in --ties=--: a word like any other
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        known = [str(choice) for choice in action.choices or ()]
        if known and value not in known:
            hint = suggestion(str(value), known)
            raise argparse.ArgumentError(action, f"'{value}' is not one of {', '.join(known)}{hint}")


class _Choices:
    """The words that a flag may be; the catalogue that lists them is read when a word is checked or shown."""

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        self._words = words

    def __iter__(self) -> Iterator[str]:
        return iter(self._words())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        with surroundings():
            return _answer(words)
    except KeyboardInterrupt:
        complain("interrupted")
        return 130
    except Terminated as ending:
        complain(str(ending))
        return ending.code


def _answer(words: list[str]) -> int:
    """Run the command; what goes wrong is one line."""
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except AssayError as problem:
        complain(visible(str(problem)))
    except BrokenPipeError:  # the reader of our output has seen enough
        silence()
        return 0
    except MemoryError:
        complain("not enough memory; ask for less, such as fewer measures, depths or splits")
    except OSError as problem:
        complain((problem.strerror or str(problem)).lower())
        silence()
    return 2


def _run(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help", "help"}:
        print(overview())
        return 0
    if words[0] == "--version":
        print(f"assay {assay.__version__} ({reader_in_use()})")
        return 0
    if words[0].split("=")[0] == "--completion":
        print(_completion(words), end="")
        return 0
    name, *rest = words
    _declare(name, rest)
    command = find(name)
    if not {"-h", "--help"}.isdisjoint(rest):
        print(command_help(command), end="")
        return 0
    function, loader = command.function, _loader(command.function)
    options = parse_words(name, rest)
    out, form, table = (options.pop(flag) for flag in ("output", "format", "table"))
    targets = _targets(out, form, table, function)
    if table is not None:
        from assay.render.formats import check_table

        check_table(name, table, out, form)
    _check_measures(options)
    with progress.shown():
        data: list[Any] = _data(function, loader, options)
        origin: Origin = getattr(data[0], "origin", NOWHERE) if data else NOWHERE
        _spare([*origin.files, *_words(options)], targets)
        result = command(*data, **taken(function, options))
        if _is_page(out, form):
            from assay.render.redaction import redacted

            result = redacted(result, origin)
        _deliver(result, out, form, table)
    if result.failed and out is not None:
        complain("a check failed: exit code 1; the table, which is printed without -o, says which")
    if result.undecided and out is not None:
        complain("the gate is inconclusive: exit code 3; the table, which is printed without -o, says why")
    return _UNDECIDED if result.undecided else int(result.failed)


def parse_words(name: str, words: Sequence[str]) -> dict[str, Any]:
    """Read the words that follow a command: what each of its flags is set to."""
    function = find(name).function
    parser = _parser(name, function, _loader(function), described=False)
    parsed, unknown = parser.parse_known_intermixed_args(list(words))
    if unknown:
        flags = [flag for action in parser._actions for flag in action.option_strings]
        other = unknown[0].split("=")[0].removeprefix("--")
        if unknown[0].startswith("--") and other in index():
            raise UsageError(f"{unknown[0]} is not understood; did you mean `assay {other}`?")
        named = "--runs" in flags and not unknown[0].startswith("-")
        usage = f": give runs by --runs {unknown[0]}" if named else f" (`assay {name} --help`)"
        raise UsageError(f"{unknown[0]} is not understood{suggestion(unknown[0], flags) or usage}")
    for setting, value in vars(parsed).items():
        if isinstance(value, int | float):
            check_number(setting, value)
    return vars(parsed)


def _declare(name: str, words: list[str]) -> None:
    """Run the files of --declare first: one of them may declare the command, or a word that a flag may be."""
    parser = _Parser(prog=f"assay {name}", add_help=False, allow_abbrev=False)
    parser.add_argument("--declare", action="append", default=[])
    if paths := parser.parse_known_args(words)[0].declare:
        from assay.core.declarations import load

        load(*paths)


def _check_measures(options: dict[str, Any]) -> None:
    """Refuse a mistyped measure before any file is read; names that files bring along are checked later."""
    if options.get("declare") or options.get("scores"):
        return
    from assay.measures.grammar import parse_open
    from assay.scoring.conditions import parse_condition

    open_ended = not {"depth", "n_rel"}.isdisjoint(options)  # where depths or rankings are given, they are the cutoff
    for text in options.get("measure") or ():
        parse_open(text) if open_ended else parse_condition(text)


def overview() -> str:
    """List the commands by what they are for."""
    commands = index()
    width = max(map(len, commands))
    lines = [
        SUBTITLE,
        "",
        "usage: assay COMMAND",
    ]
    for group in get_args(Group):
        inside = [(command.name, command.question) for command in commands.values() if command.group == group]
        lines += ["", group] if inside else []
        lines += [f"  {name:<{width}}  {text}" for name, text in inside]
    more = [
        "`assay COMMAND --help` says more; `assay --version` says which this is.",
        "`assay --completion bash|zsh|fish` prints what lets Tab complete all of it.",
    ]
    return "\n".join([*lines, "", *more])


def _completion(words: list[str]) -> str:
    """What `assay --completion SHELL` prints."""
    from assay.render.completion import SHELLS, CommandFlags, Flag, script

    shell = " ".join(words).removeprefix("--completion").lstrip(" =")
    check_choice(shell, "--completion", SHELLS)
    commands = []
    for name, known in index().items():
        function = find(name).function
        actions = _parser(name, function, _loader(function), described=False)._actions
        commands.append(CommandFlags(name, known.question, tuple(map(Flag.of, actions))))
    return script(shell, commands)


def command_help(of: Analysis) -> str:
    """Return what `assay COMMAND --help` prints."""
    return _parser(of.name, of.function, _loader(of.function), described=True).format_help()


def _loader(function: Callable[..., Result]) -> Callable[..., Any] | None:
    """Find the loader of what the function's first parameter asks for; none if it takes no data."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is None or first.name != "data":
        return None
    from assay.scoring.loaders import LOADERS

    return LOADERS[get_type_hints(function)["data"]]


def _needs_no_data(function: Callable[..., Result]) -> bool:
    return type(None) in get_args(get_type_hints(function)["data"])


def _data(function: Callable[..., Result], loader: Callable[..., Any] | None, options: dict[str, Any]) -> list[Any]:
    """Read what the command line names, and make of it what the command asks for; nothing where it names nothing."""
    if loader is None:
        return []
    if _needs_no_data(function) and not any(options.get(name) for name in ("runs", "qrels", "scores")):
        return []
    from assay.scoring.loaders import load

    return [load(get_type_hints(function)["data"], options)]


def _parser(
    name: str, function: Callable[..., Result], loader: Callable[..., Any] | None, *, described: bool
) -> _Parser:
    """Build the parser of a command; docstrings are read only where it is to be `described`."""
    parser = _Parser(
        prog=f"assay {name}",
        description=_prose(name, function) if described else None,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=100, max_help_position=28),
        allow_abbrev=False,
    )
    if loader:
        from assay.scoring.loaders import collection

        group = parser.add_argument_group("data")
        _add_flags(group, collection, described=described)
        _add_flags(group, loader, described=described)
    _add_flags(parser, function, described=described)
    if "declare" not in {action.dest for action in parser._actions}:  # a file may declare the command itself
        parser.add_argument("--declare", action="append", default=[], help=argparse.SUPPRESS)
    _add_output(parser.add_argument_group("output"), described=described)
    return parser


def _add_output(group: Any, *, described: bool) -> None:
    """Add the flags that say how a result is shown, and where it goes."""
    name = {} if described else {"metavar": "FORMAT"}
    group.add_argument("--format", choices=_Choices(_formats), help="how to print (default: table)", **name)
    group.add_argument("--table", metavar="NAME", help="which of the result's tables (or charts) to show")
    written = f"write to a file, by --format or extension ({' '.join(_extensions())})" if described else ""
    group.add_argument("-o", "--output", metavar="FILE", help=written)


def _formats() -> Iterable[str]:
    from assay.render.formats import FORMATS

    return FORMATS


def _extensions() -> Iterable[str]:
    from assay.render.formats import EXTENSIONS

    return EXTENSIONS


def _prose(name: str, function: Callable[..., Any]) -> str:
    """The docstring without its parameters: columns, other tables, notes, references, and measured coverage."""
    from assay.render.docstrings import split_docstring, split_notes
    from assay.results.error_rates import measured_coverage

    head, sections = split_docstring(function)
    tables, notes = split_notes(sections.get("Notes", ""))
    blocks = {
        "columns": sections.get("Returns", ""),
        "tables": "\n\n".join(re.sub(r"(?m)^tables\.", "", block) for block in tables),
        "notes": "\n\n".join(notes),
        "references": sections.get("References", ""),
        "intervals, as measured on samples of 25 and 50 topics": measured_coverage(name),
    }
    shown = [f"{title}:\n{textwrap.indent(text.strip(), '  ')}" for title, text in blocks.items() if text.strip()]
    return "\n\n".join([head.rstrip() if shown else head.rstrip() + "\n", *shown])


def _add_flags(group: Any, function: Callable[..., Any], *, described: bool) -> None:
    """Add a flag for every parameter but the data, and words without a flag for those that are positional."""
    types, texts = get_type_hints(function, include_extras=True), _help_texts(function) if described else {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "data" and parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        text = texts.get(name, "").replace("%", "%%")
        settings = _flag(types[name], parameter.default)
        listed = described and "choices" in settings
        if settings.get("action") != "store_true" and not listed:
            settings["metavar"] = _METAVAR.get(name, name.upper().replace("_", "-"))
        if parameter.default is not False and parameter.default not in (None, (), inspect.Parameter.empty):
            text = f"{text.rstrip('.')} (default: {parameter.default})"
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
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
    if get_origin(kind) in (Annotated, Literal):
        return {"choices": _Choices(lambda: choices_of(kind)), "default": default}
    if get_origin(kind) is not None and issubclass(get_origin(kind), Sequence):
        return {"action": "append", "default": []}
    return {"type": {float: _number, int: _whole}.get(kind, kind), "default": default}


def _number(text: str) -> float:
    try:
        return float(
            text if text.isascii() and "_" not in text else "no"
        )  # Python takes 1_000, and digits of any script
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None


def _whole(text: str) -> int:
    if len(text) > _DIGITS:  # Python reads no more than some thousands
        raise argparse.ArgumentTypeError(f"'{text[:20]}...' is too long for a whole number")
    if not _WHOLE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def _help_texts(function: Callable[..., Any]) -> dict[str, str]:
    """Read what a numpydoc docstring says about each parameter, and a catalogue about each word that it may be."""
    from assay.render.docstrings import definitions, split_docstring

    texts = dict(definitions(split_docstring(function)[1].get("Parameters", "")))
    for name, kind in get_type_hints(function, include_extras=True).items():
        meanings = [f"{word}: {meaning.rstrip('.')}." for word, meaning in choices_of(kind).items() if meaning]
        texts[name] = " ".join([texts.get(name, ""), *meanings])
    return texts


def _targets(out: str | None, form: str | None, table: str | None, function: Callable[..., Result]) -> list[str]:
    """The files to be written; refuses those that cannot be before any work is done."""
    if out is None:
        return []
    from assay.render.formats import check_path, check_picture, names_of_files

    kind = get_type_hints(function)["return"]
    check_path(out, form)
    if form is None:
        check_picture(out, table, kind=kind)
    if _is_page(out, form):
        from assay.render.page.document import prepare

        prepare()
    first, *beside = names_of_files(out, form, table, kind=kind)
    for path in beside:
        check_path(path, None)
    return [first, *beside]


def _is_page(out: str | None, form: str | None) -> bool:
    return out is not None and form is None and out.lower().endswith(".html")


def _words(options: Mapping[str, Any]) -> list[str]:
    """The words that flags are set to, each of which may be the path of a file."""
    words = [word for value in options.values() for word in (value if isinstance(value, list) else [value])]
    return [split_name(word)[1] for word in words if isinstance(word, str)]


def _spare(inputs: Sequence[str], targets: Sequence[str]) -> None:
    """Refuse to write over what was read."""
    from assay.data.outputs import same_place

    for target in targets:
        if Path(target).is_file() and any(same_place(target, file) for file in inputs):
            raise UsageError(f"{target}: is read, and would be written over; give another name by -o")


def _deliver(result: Result, out: str | None, form: str | None, table: str | None) -> None:
    """Print or write a result; warnings for which its format has no place go to standard error."""
    if form is not None or out is not None:
        from assay.render.formats import notes_left_out
        from assay.render.text import labelled

        for note in notes_left_out(result, out, form=form, table=table):
            complain(labelled(note))
    if out is not None:
        _write(result, out, form, table)
        return
    if table is not None:
        from assay.render.formats import pick_table

        result = pick_table(result, table)
    if form is None and sys.stdout.isatty():
        from assay.render.text import show

        show(result)
    else:
        text = _as_text(result, form).encode("utf-8", "backslashreplace").decode()  # names of files may not be text
        sys.stdout.write(_escaped_json(text) if form == "json" else text)


def _escaped_json(text: str) -> str:
    """Let JSON stay JSON where a terminal does not take all of it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        import json

        return re.sub(r"[^\x00-\x7f]", lambda c: json.dumps(c[0])[1:-1], text)
    return text


def _as_text(result: Result, form: str | None) -> str:
    if form is None:
        from assay.render.text import plain

        return plain(result) + "\n"
    from assay.render.formats import FORMATS

    return FORMATS[form](result)


def _write(result: Result, out: str, form: str | None, table: str | None) -> None:
    from assay.data.outputs import write_files
    from assay.render.formats import to_files

    written = to_files(result, out, form=form, table=table)
    write_files(written)
    if len(written) > 1:  # more than was asked for by name
        print(visible(f"wrote {' and '.join(path for path, _ in written)}"), file=sys.stderr)
