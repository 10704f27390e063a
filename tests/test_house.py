"""The house itself: who may import whom, what is public, how long things are, what start-up costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import assay
from assay.analysis import ANALYSES, COMMANDS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "assay"
FILES = sorted(SOURCE.rglob("*.py"))

ORDER = [
    "errors",
    "references",
    "settings",
    "origin",
    "progress",
    "numeric",
    "files",
    "tables",
    "sheets",
    "columns",
    "longtable",
    "frames",
    "trec",
    "read",
    "rankings",
    "judged",
    "unjudged",
    "weightfiles",
    "catalogue",
    "measures",
    "weighed",
    "grammar",
    "claims",
    "residuals",
    "universe",
    "paper_universe",
    "scores",
    "leaveout",
    "conditions",
    "scorefiles",
    "factorfiles",
    "synthetic",
    "runlists",
    "inputs",
    "charts",
    "reproduce",
    "analysis",
    "rules",
    "render",
    "analyses",
    "cli",
]
"""Modules and packages of the house: each imports only what stands above it."""

DEFERRED = {("analysis", "render"), ("charts", "render")}
"""Imports against the order, allowed inside functions only: results and charts know how to show themselves."""

FILE_LIMIT, FUNCTION_LIMIT = 400, 50

Function = ast.FunctionDef | ast.AsyncFunctionDef


def room(file: Path) -> str:
    """The module or package of the house that a file belongs to."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def name_of(file: Path) -> str:
    """A file's path inside the package, for the reports of tests."""
    return str(file.relative_to(SOURCE))


def imports(tree: ast.AST, *, deferred: bool = False) -> Iterator[tuple[str, bool]]:
    """Every import of the house in a file: the room, and whether a function defers it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [
                f"{node.module}.{alias.name}" if node.module == "assay" else str(node.module) for alias in node.names
            ]
        else:
            yield from imports(node, deferred=deferred or isinstance(node, Function))
            continue
        yield from ((name.split(".")[1], deferred) for name in names if name.startswith("assay."))


def functions(file: Path) -> Iterator[tuple[str, Function]]:
    """Every function and method of a file, by name."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, Function):
            yield node.name, node


def test_every_module_has_its_place_in_the_order() -> None:
    assert {room(file) for file in FILES if file.parent != SOURCE or file.name != "__init__.py"} == set(ORDER)
    assert len(ORDER) == len(set(ORDER))


@pytest.mark.parametrize("file", [file for file in FILES if room(file) != "__init__"], ids=name_of)
def test_a_module_imports_only_modules_above_it(file: Path) -> None:
    here = room(file)
    above = {*ORDER[: ORDER.index(here)], here if file.parent != SOURCE else ""}
    against = {
        (here, other, deferred) for other, deferred in imports(ast.parse(file.read_text())) if other not in above
    }
    assert against <= {(*pair, True) for pair in DEFERRED}


def test_every_exception_to_the_order_is_used() -> None:
    used = {(room(f), other) for f in FILES for other, deferred in imports(ast.parse(f.read_text())) if deferred}
    assert used >= DEFERRED


def test_the_index_of_commands_agrees_with_the_decorators() -> None:
    for file in sorted((SOURCE / "analyses").glob("*.py")):
        import_module(f"assay.analyses.{file.stem}")
    declared = {a.name: (a.group, a.function.__module__, a.question) for a in ANALYSES.values()}
    assert declared == COMMANDS


def test_the_public_names_are_the_same_wherever_they_are_listed() -> None:
    assert sorted(assay._HOME) == assay.__all__
    assert dir(assay) == sorted([*assay.__all__, "__version__"])
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    shown = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and str(node.module).startswith("assay.")
    ]
    for_checkers = {alias.name: str(node.module).removeprefix("assay.") for node in shown for alias in node.names}
    assert for_checkers == assay._HOME


@pytest.mark.parametrize("name", assay.__all__)
def test_every_public_name_can_be_imported_and_is_documented(name: str) -> None:
    thing = getattr(assay, name)
    assert thing is getattr(import_module(f"assay.{assay._HOME[name]}"), name)
    assert (thing.__doc__ or "").strip()


def test_no_module_takes_the_place_of_a_public_name() -> None:
    """An imported submodule becomes an attribute of the package, before `__getattr__` is asked."""
    assert not set(assay.__all__) & {module.partition(".")[0] for module in ORDER}
    program = "import assay.grammar; from assay import measure; print(measure.__module__, measure is assay.measure)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "assay.catalogue True\n"


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'metric'"):
        assay.metric  # noqa: B018 - the access is what is tested


def test_the_help_imports_nothing_heavy() -> None:
    heavy = ("numpy", "polars", "scipy", "rich", "zstandard")
    program = (
        "import sys; from assay.cli import main; code = main(['--help'])\n"
        f"print(code, [name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
    assert "usage: assay COMMAND" in done.stdout


def pins(name: str) -> dict[str, str]:
    """Read a lock: package, in its normal spelling, -> version."""
    lines = (ROOT / name).read_text().splitlines()
    found = [re.fullmatch(r"([A-Za-z0-9][\w.-]*)==([0-9][\w.+!]*)", line) for line in lines]
    wrong = [line for line, match in zip(lines, found, strict=True) if match is None]
    assert wrong == []
    return {normal(match[1]): match[2] for match in found if match}


def normal(package: str) -> str:
    """Spell a package as an index does."""
    return re.sub(r"[-_.]+", "-", package).lower()


def wanted(*extras: str) -> set[str]:
    """What the project says it needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *(d for extra in extras for d in project["optional-dependencies"][extra])]
    return {normal(re.split(r"[<>=!~ \[;]", dependency)[0]) for dependency in listed}


def test_the_lock_pins_all_that_the_project_needs_and_names_no_index() -> None:
    locked = set(pins("requirements.lock"))
    assert wanted("dev") <= locked
    assert wanted("bench") <= locked | set(pins("requirements-bench.lock"))


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_no_file_and_no_function_is_too_long(file: Path) -> None:
    assert len(file.read_text().splitlines()) <= FILE_LIMIT
    assert {name: n for name, node in functions(file) if (n := code_lines(node)) > FUNCTION_LIMIT} == {}


def code_lines(node: Function) -> int:
    """Count a function's lines, its docstring aside."""
    first = node.body[0]
    told = ast.get_docstring(node) is not None
    return (node.end_lineno or 0) - node.lineno + 1 - ((first.end_lineno or 0) - first.lineno + 1 if told else 0)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_every_public_function_has_a_docstring(file: Path) -> None:
    tree = ast.parse(file.read_text())
    public = [n for n in tree.body if isinstance(n, ast.ClassDef | Function) and not n.name.startswith("_")]
    inner = [m for c in public if isinstance(c, ast.ClassDef) for m in c.body if isinstance(m, Function)]
    methods = [m for m in inner if not m.name.startswith("_")]
    assert [node.name for node in [*public, *methods] if not ast.get_docstring(node)] == []
    assert ast.get_docstring(tree)


def test_no_module_is_named_after_nothing() -> None:
    assert not {file.stem for file in FILES} & {"utils", "util", "helpers", "common", "manager", "misc"}
