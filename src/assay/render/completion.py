"""Scripts that let a shell complete commands, flags, choices and measures; from the declarations.

A script is written once and holds all the words, so that a press of Tab starts nothing. What follows a flag is one of
its choices, a measure, or the name of a file, which shells complete themselves.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_FIRST = ("--help", "--version", "--completion")  # words in the place of a command


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a command: how it is spelled, and what may follow it."""

    names: tuple[str, ...]
    choices: tuple[str, ...] = ()
    has_value: bool = True

    @classmethod
    def of(cls, action: argparse.Action) -> Flag:
        """Read a flag off the parser of its command."""
        choices = _measures() if action.dest == "measure" else [str(word) for word in action.choices or ()]
        return cls(tuple(action.option_strings), tuple(choices), action.nargs != 0)


@dataclass(frozen=True, slots=True)
class CommandFlags:
    """A command, what it asks, and its flags."""

    name: str
    question: str
    flags: tuple[Flag, ...]

    def named(self, flag: Flag) -> str:
        """The patterns of a shell's `case` for a word after a flag of this command."""
        return "|".join(f"{self.name}:{name}" for name in flag.names)

    @property
    def spelled(self) -> list[str]:
        """Every spelling of every flag."""
        return [name for flag in self.flags for name in flag.names]


def script(shell: str, commands: Sequence[CommandFlags]) -> str:
    """Write the script of a shell."""
    return SHELLS[shell](commands)


def _measures() -> list[str]:
    """The measures; one that needs a cutoff has the one that people use most."""
    from assay.measures.declare import CATALOGUE

    return [f"{name}@10" if m.declaration.needs_cutoff else name for name, m in CATALOGUE.items()]


def _valued(commands: Sequence[CommandFlags]) -> Iterator[tuple[CommandFlags, Flag]]:
    """The flags after which a word follows."""
    return ((of, flag) for of in commands for flag in of.flags if flag.names and flag.has_value)


def _bash(commands: Sequence[CommandFlags]) -> str:
    """Go by the command and the word before; bash takes = and what is on either side of it for words of their own."""
    values = [
        f"        {of.named(flag)}) words={shlex.quote(' '.join(flag.choices))};;" for of, flag in _valued(commands)
    ]
    flags = [f"        {of.name}:*) words={shlex.quote(' '.join(of.spelled))};;" for of in commands]
    first = shlex.quote(" ".join([*(of.name for of in commands), *_FIRST]))
    return f"""# completion of assay for bash: source this file, or put it into bash-completion's folder
_assay() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
    if [[ $current == "=" ]]; then
        current=
    elif [[ $previous == "=" ]]; then
        previous=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    if (( COMP_CWORD == 1 )); then
        words={first}
    elif [[ ${{COMP_WORDS[1]}} == --completion ]]; then
        words={shlex.quote(" ".join(SHELLS))}
    else case "${{COMP_WORDS[1]}}:$previous" in
{chr(10).join(values)}
        *) [[ $current != -* ]] || case "${{COMP_WORDS[1]}}:" in
{chr(10).join(flags)}
        esac;;
    esac; fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _assay assay
"""


def _zsh(commands: Sequence[CommandFlags]) -> str:
    values = [
        f"        {of.named(flag)}) {f'compadd -- {shlex.join(flag.choices)}' if flag.choices else '_files'};;"
        for of, flag in _valued(commands)
    ]
    flags = [f"            {of.name}) compadd -- {shlex.join(of.spelled)};;" for of in commands]
    first = [shlex.quote(f"{of.name}:{of.question}") for of in commands]
    return f"""#compdef assay
# completion of assay for zsh: source this file, or put it as _assay into a folder of fpath
_assay() {{
    local -a commands=(
        {(chr(10) + " " * 8).join(first)}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        [[ $PREFIX != -* ]] || compadd -- {shlex.join(_FIRST)}
        return
    fi
    case "$words[2]:$words[CURRENT-1]" in
        --completion:*) compadd -- {shlex.join(SHELLS)};;
{chr(10).join(values)}
        *) if [[ $PREFIX != -* ]]; then _files; else case "$words[2]" in
{chr(10).join(flags)}
        esac; fi;;
    esac
}}
if [[ "$funcstack[1]" == _assay ]]; then _assay "$@"; else compdef _assay assay; fi
"""


def _fish(commands: Sequence[CommandFlags]) -> str:
    lines = [
        "# completion of assay for fish: source this file, or put it as assay.fish into ~/.config/fish/completions",
        f"complete -c assay -n __fish_use_subcommand -l completion -x -a {_quoted(' '.join(SHELLS))}",
        "complete -c assay -n __fish_use_subcommand -l help",
        "complete -c assay -n __fish_use_subcommand -l version",
    ]
    for of in commands:
        lines.append(f"complete -c assay -n __fish_use_subcommand -f -a {_quoted(of.name)} -d {_quoted(of.question)}")
        seen = f"complete -c assay -n {_quoted(f'__fish_seen_subcommand_from {of.name}')}"
        lines += [f"{seen} {_fish_flag(flag)}" for flag in of.flags if flag.names]
    return "\n".join(lines) + "\n"


def _fish_flag(flag: Flag) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names]
    values = f"-x -a {_quoted(' '.join(flag.choices))}" if flag.choices else "-r" if flag.has_value else ""
    return " ".join(filter(None, [*names, values]))


def _quoted(text: str) -> str:
    """Quote for fish, where a backslash keeps its meaning between single quotes before a quote and before itself."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: dict[str, Callable[[Sequence[CommandFlags]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""Shell -> how its script is written."""
