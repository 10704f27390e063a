"""Writes the reference pages, and the public names for type checkers, from the declarations.

`python docs/generate.py` writes them; tests keep them current.
"""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

from assay.analyses.report.verdict import MOST_SENTENCES, place
from assay.cli import command_help
from assay.core.references import reference
from assay.core.thresholds import OWN, THRESHOLDS, Threshold, rendered
from assay.measures.declare import CATALOGUE, PROPERTIES, Declaration
from assay.results.analysis import find, folders, index
from assay.results.sentences import MANY_RUNS, RULES, STANDING, Rule, load_sentences
from assay.stats.significance.declare import SignificanceTest, significance_tests

HERE = Path(__file__).parent / "reference"
PUBLIC = Path(__file__).parents[1] / "src" / "assay" / "__init__.py"
_GENERATED = "if TYPE_CHECKING:  # the same names for type checkers and editors, written by docs/generate.py"


def measures_page() -> str:
    """One card per measure."""
    names = " · ".join(f"[{name}](#{name.lower()})" for name in CATALOGUE)
    properties = "\n".join(f"- **{name}**: {meaning}" for name, meaning in PROPERTIES.items())
    cards = "\n".join(_card(m.declaration) for m in CATALOGUE.values())
    return (
        "# Measures\n\nGenerated from the declarations.\n\n"
        f"{names}\n\nProperties are those of the measure cut at k:\n\n{properties}\n\n{cards}"
    )


def _card(d: Declaration) -> str:
    known = d.parameters.items()
    call = ", ".join(k if default is inspect.Parameter.empty else f"{k}={default!r}" for k, (_, default) in known)
    at = f"@{'k' if d.at == 'cutoff' else d.at}" if d.needs_cutoff or d.at != "cutoff" else "[@k]"
    body = re.sub(r"\.\. math:: (.*(?:\n +.*)*)", r"$$\1$$", d.doc)
    body = re.sub(r":math:`([^`]*)`", r"$\1$", body)
    body = re.sub(r"(?m)^(>>> .*\n(?:(?:>>>|\.\.\.).*\n)*.*)", r"```python\n\1\n```", body)
    facts = [
        f"`{d.name}({call}){at}`",
        f"range [{d.low:g}, {d.high:g}]",
        *([f"trec_eval: {', '.join(f'`{t}`' for t in d.trec)}"] if d.trec else []),
        f"properties: {', '.join(p for p in PROPERTIES if p in d.claims) or 'none'}",
        f"after {reference(d.cite)}",
    ]
    return f"## {d.name}\n\n{body}\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"


def commands_page() -> str:
    """The help of every command."""
    parts = ["# Commands\n\nGenerated from the signatures and docstrings.\n"]
    parts += [f"## {name}\n\n```text\n{command_help(find(name))}```\n" for name in index()]
    return "\n".join(parts)


def rules_page() -> str:
    """What a verdict may say, from which number on, and who says so."""
    load_sentences()
    ordered = sorted(RULES.values(), key=lambda rule: place(rule.name))
    plain, caveats = ("\n".join(_rule(r) for r in ordered if r.caveat is kind) for kind in (False, True))
    return (
        f"# Rules of the verdict\n\nGenerated from the declarations. A verdict has at most {MOST_SENTENCES} "
        f"sentences, in the order below; with fewer than {MANY_RUNS} runs the differences between runs come first. "
        "[The verdict](../explanation/verdict.md) says how to disagree with a threshold. One sentence always stands:"
        f"\n\n> {STANDING}\n\n## Sentences\n\n{plain}\n"
        f"## What to beware of\n\nThese are the clauses of one sentence, the last of the verdict.\n\n{caveats}\n"
        f"## Thresholds\n\n{_thresholds()}"
    )


def _rule(of: Rule) -> str:
    thresholds = ", ".join(f"`{one.name}` = {one}" for one in of.thresholds)
    facts = [
        f"reads {', '.join(f'[{name}](commands.md#{name})' for name in of.of) or 'any section'}",
        *([f"[measured](../explanation/how-often-wrong.md): {of.measured}"] if of.measured else []),
        *([f"thresholds: {thresholds}"] if thresholds else []),
        *(f"after {reference(key)}" for key in of.cite if key != OWN),
        *(["a threshold is this project's own choice"] if OWN in of.cite else []),
    ]
    prose = rendered(inspect.getdoc(of.function) or "")
    return f"### {of.name}\n\n{prose}\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"


def _thresholds() -> str:
    for name in folders():
        find(name)
    rows = [f"| `{one.name}` | {one} | {one.unit} | {one.meaning} | {one.cite} |" for one in _sorted_thresholds()]
    head = ["| threshold | value | unit | what changes there | source |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def _sorted_thresholds() -> list[Threshold]:
    return [THRESHOLDS[name] for name in sorted(THRESHOLDS)]


def tests_page() -> str:
    """One card per significance test."""
    names = " · ".join(f"[{name}](#{name})" for name in significance_tests())
    cards = "\n".join(_test_card(test) for test in significance_tests().values())
    return (
        "# Significance tests\n\nGenerated from the declarations. A command is asked for one by its name, as in "
        f"`--test t`.\n\n{names}\n\n[Tests of significance](../explanation/tests-of-significance.md) has the rules "
        f"that all obey, how often each rejects a true null hypothesis, and what they cost.\n\n{cards}"
    )


def _test_card(test: SignificanceTest) -> str:
    family_wise = "p-values are corrected for the number of pairs of runs (family-wise error)"
    facts = [
        f"called {test.title}",
        family_wise if test.family_wise else "each pair of runs is tested by itself",
        f"Monte Carlo, {test.resamples:,} resamples unless asked otherwise" if test.resamples else "analytic",
        "has a critical difference of means" if test.critical else "has no critical difference of means",
        test.caveat,
    ]
    return f"## {test.name}\n\n{test.doc}\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"


def public_names() -> str:
    """The source of the package with its public names imported by name, as type checkers and editors read them."""
    source = PUBLIC.read_text(encoding="utf-8")
    homes = runpy.run_path(str(PUBLIC))["_homes"]()
    ordered = sorted(homes.items(), key=lambda item: (f"assay.{item[1]}", item[0].islower(), item[0]))
    lines = "".join(f"    from assay.{home} import {name} as {name}\n" for name, home in ordered)
    return source[: source.index("if TYPE_CHECKING:")] + f"{_GENERATED}\n{lines}"


PAGES = {
    "measures.md": measures_page,
    "commands.md": commands_page,
    "rules.md": rules_page,
    "significance-tests.md": tests_page,
}

ERROR_RATES = runpy.run_path(str(Path(__file__).with_name("error_rates.py")))

if __name__ == "__main__":
    for file, page in PAGES.items():
        (HERE / file).write_text(page(), encoding="utf-8")
    ERROR_RATES["PAGE"].write_text(ERROR_RATES["page"](), encoding="utf-8")
    PUBLIC.write_text(public_names(), encoding="utf-8")
