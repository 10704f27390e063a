"""The names of measures as people write them: ir_measures' grammar and trec_eval's spellings.

>>> parse("nDCG(dcg='exp-log2')@10")
nDCG(gain='exp')@10
>>> parse("ndcg_cut_10")
nDCG@10
"""

from __future__ import annotations

import ast
import re
import shlex
import warnings
from typing import Any, Protocol, runtime_checkable

from assay.core.errors import MeasureError, suggestion
from assay.core.settings import limited_number
from assay.measures.declare import CATALOGUE, Measure

_NUMBER = r"(\d*\.?\d+)"
_LONGEST = 100_000  # characters: a list of weights may be long
_CONDITION = re.compile(r"(.+?[\w)])/[A-Za-z_]+(?:[=/].*)?")  # AP/pool=10: see `assay.scoring.conditions`


@runtime_checkable
class ForeignMeasure(Protocol):
    """A measure of ir_measures, known by its shape: its text is in the grammar that is ours, too."""

    @property
    def NAME(self) -> Any:
        """Its name without parameters."""

    @property
    def SUPPORTED_PARAMS(self) -> Any:
        """What it can be given."""


AnyMeasure = str | Measure | ForeignMeasure


def written(measure: object) -> str:
    """What a measure is called, as text that can be parsed.

    >>> written("AP")
    'AP'
    """
    if isinstance(measure, AnyMeasure):
        return str(measure)
    raise MeasureError(f"{measure!r} is not a measure, such as 'nDCG@10'")


def parse(text: AnyMeasure) -> Measure:
    """Understand a measure: `parse(str(m)) == m`."""
    return parse_open(text).ready()


def parse_open(text: AnyMeasure) -> Measure:
    """Understand a measure whose cutoff is still to come.

    >>> parse_open("P") @ 10
    P@10
    """
    if isinstance(text, Measure):
        return text
    text = written(text).strip()
    if len(text) > _LONGEST:
        raise MeasureError(f"'{text[:40]}...' is too long for a measure: {len(text):,} characters")
    name = re.match(r"[A-Za-z]\w*", text)
    if name and name[0] in CATALOGUE:  # as declared: no other measure need be imported
        return _parse_call(text)
    return _parse_trec(text) or _parse_call(text)


def find(name: str) -> Measure:
    """Find a measure by its name, in any case where that is unambiguous, or by an alias."""
    if name in CATALOGUE:
        return CATALOGUE[name]
    names = [(n, m) for m in CATALOGUE.values() for n in (m.name, *m.declaration.aliases)]
    meant = {m.name: m for n, m in names if n.lower() == name.lower()}
    if len(meant) == 1:
        return next(iter(meant.values()))
    if meant:
        raise MeasureError(f"'{name}' may be {' or '.join(meant)}; write it as declared")
    theirs = [p.replace("{}", "10").replace("{:.2f}", "0.10") for m in CATALOGUE.values() for p in m.declaration.trec]
    known = [*theirs, *(n for n, _ in names)]  # of two spellings alike, ours is offered
    hint = suggestion(name, known) or "; `assay measures` lists them"
    raise MeasureError(f"no measure '{name}'{hint}")


def trec_name(m: Measure) -> str:
    """Name a measure as trec_eval does, or as we do where it has no name for it."""
    plain = str(m.canonical)
    for pattern, expression in m.declaration.trec.items():
        if "{" not in expression:
            if parse(expression) == m:
                return pattern
        elif number := re.fullmatch(re.escape(expression).replace(r"\{\}", _NUMBER), plain):
            value = float(number[1])
            name = pattern.format(value if ":" in pattern else int(value))
            if parse(name) == m:  # two decimals do not say every number
                return name
    return str(m)


def _parse_trec(text: str) -> Measure | None:
    for m in CATALOGUE.values():
        for pattern, expression in m.declaration.trec.items():
            shape = re.escape(re.sub(r"\{[^}]*\}", "{}", pattern)).replace(r"\{\}", _NUMBER)
            if match := re.fullmatch(shape, text):
                numbers = [n if "." in n else str(limited_number(n)) for n in match.groups()]
                return _parse_call(expression.format(*numbers)).canonical
    return None


def _parse_call(text: str) -> Measure:
    hyphened = re.match(r"[A-Za-z]\w*-[\w-]*", text)  # SN-AP is a name, not a difference
    source = find(hyphened[0]).name + text[hyphened.end() :] if hyphened else text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own, about words such as 1or
            tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # whatever Python's parser says of such text
        raise _no_measure(text) from None
    if isinstance(tree, ast.Tuple) and tree.elts:
        each = [ast.get_source_segment(source, part) or "" for part in tree.elts]
        raise MeasureError(f"'{text}': one measure each: {' '.join(f'-m {shlex.quote(one)}' for one in each)}")
    at = None
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.MatMult):
        at = ast.unparse(tree.right) if isinstance(tree.right, ast.Name) else _literal(tree.right, text)
        tree = tree.left
    parameters: dict[str, object] = {}
    if isinstance(tree, ast.Call):
        if tree.args:
            raise MeasureError(f"'{text}': parameters need names, as in RBP(p=0.8)")
        for given in tree.keywords:
            if given.arg is None:
                raise MeasureError(f"'{text}': parameters need names, as in RBP(p=0.8)")
            if given.arg in parameters:
                raise MeasureError(f"'{text}': {given.arg} twice; give it once")
            parameters[given.arg] = _literal(given.value, text)
        tree = tree.func
    if not isinstance(tree, ast.Name):
        raise _no_measure(text)
    found = find(tree.id)
    if at is not None and (twice := {"cutoff", found.declaration.at} & parameters.keys()):
        raise MeasureError(f"'{text}': {min(twice)} twice; give it once")
    named = found(**_translated(parameters, text))
    return named if at is None else named @ at  # type: ignore[operator]


def _no_measure(text: str) -> MeasureError:
    """Say that a text is no measure; of one under a condition, that the measure alone is asked for."""
    if condition := _CONDITION.fullmatch(text):
        return MeasureError(f"'{text}': a measure without conditions is asked for here: {condition[1]}")
    return MeasureError(f"'{text}' is not a measure, such as nDCG@10 or RBP(p=0.8)")


def _literal(node: ast.expr, text: str) -> object:
    try:
        value = ast.literal_eval(node)
        if isinstance(node, ast.Dict) and len(value) < len(node.keys):
            raise MeasureError(f"'{text}': a grade twice; give it once")
        return value
    except ValueError:
        source = ast.unparse(node)
        raise MeasureError(f"'{text}': write words in quotes: '{source}'") from None
    except (TypeError, RecursionError, MemoryError):  # such as a list for a key
        raise _no_measure(text) from None


def _translated(parameters: dict[str, object], text: str) -> dict[str, object]:
    """Translate ir_measures' `dcg=` and `gains=` into gain and discount."""
    translated = dict(parameters)
    if len(same := [name for name in ("gain", "gains", "dcg") if name in parameters]) > 1:
        raise MeasureError(f"'{text}': {same[0]} and {same[1]} say the same; give one of them")
    if "dcg" in translated:
        forms = {"log2": "linear", "exp-log2": "exp"}
        form = translated.pop("dcg")
        if not isinstance(form, str) or form not in forms:
            raise MeasureError(f"dcg={form!r} is not 'log2' or 'exp-log2'{suggestion(str(form), forms)}")
        translated["gain"] = forms[form]
    if "gains" in translated:
        translated["gain"] = translated.pop("gains")
    return translated


def recognised(text: str) -> Measure | None:
    """Understand a measure's name, if it is one of ours."""
    try:
        return parse(text)
    except MeasureError:
        return None
