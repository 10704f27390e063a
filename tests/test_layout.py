"""The layout: who may import whom, what is public, what start-up costs, what is written twice."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

import assay
from assay.core.compiled import reader_in_use
from assay.results.analysis import find, folders, index
from tests import ROOT

SOURCE = ROOT / "src" / "assay"
FILES = sorted(SOURCE.rglob("*.py"))
PACKAGES = ["core", "stats", "data", "measures", "scoring", "results", "render", "analyses", "papers", "cli"]
"""A package imports only packages above it in this list."""

DEFERRED = {("results", "render")}
"""Imports against the order, allowed inside functions only: results and charts know how to show themselves."""

MOST_ENTRIES, MOST_FILES, MOST_MODULES = 13, 16, 96
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def parsed(file: Path) -> ast.Module:
    """A file's syntax tree, read once for all tests."""
    return ast.parse(file.read_text())


def package(file: Path) -> str:
    """The package that a file belongs to; a module beside the packages is one by itself."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def name_of(file: Path) -> str:
    """A file's path inside the package, for the reports of tests."""
    return str(file.relative_to(SOURCE))


def imports(tree: ast.AST, *, deferred: bool = False) -> Iterator[tuple[str, bool]]:
    """Every import of assay in a file: the package, and whether a function defers it."""
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


@pytest.mark.parametrize("file", [file for file in FILES if not file.name.startswith("__")], ids=name_of)
def test_a_package_imports_only_packages_above_it(file: Path) -> None:
    here = package(file)
    allowed = {*PACKAGES[: PACKAGES.index(here) + 1]}
    against = {(here, other, late) for other, late in imports(parsed(file)) if other not in allowed}
    assert against <= {(*pair, True) for pair in DEFERRED}


def test_every_exception_to_the_order_is_used() -> None:
    used = {(package(f), other) for f in FILES for other, late in imports(parsed(f)) if late}
    assert used >= DEFERRED


def test_folders_are_small_enough_to_be_seen_at_a_glance() -> None:
    shown = [entry for entry in SOURCE.iterdir() if entry.name != "__pycache__"]
    assert len(shown) <= MOST_ENTRIES
    assert {package(file) for file in FILES} == {*PACKAGES, "__init__", "__main__"}
    crowded = Counter(file.parent for file in FILES)
    assert {str(folder): n for folder, n in crowded.items() if n > MOST_FILES} == {}


def test_every_folder_is_a_package() -> None:
    """Walking over packages passes by what is none."""
    assert [str(folder) for folder in {file.parent for file in FILES} if not (folder / "__init__.py").exists()] == []


def test_what_is_ignored_is_no_source() -> None:
    """The build goes by .gitignore, too, and would leave it out of what `pip install` installs.

    What is compiled is added by hatch_build.py.
    """
    ignored = GitIgnoreSpec.from_lines((ROOT / ".gitignore").read_text().splitlines())
    present = (file for file in SOURCE.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    files = [file.relative_to(ROOT) for file in present if not file.match("_compiled*.so")]
    assert files
    assert [str(file) for file in files if ignored.match_file(file)] == []


def test_the_folders_of_analyses_are_the_commands() -> None:
    inside = {entry.name for entry in (SOURCE / "analyses").iterdir() if entry.is_dir() and entry.name[0] != "_"}
    assert inside == set(folders())
    for name in inside:
        found = find(name)
        assert (found.name, found.function.__module__) == (name, f"assay.analyses.{name}.analysis")


def test_the_index_of_commands_agrees_with_the_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = {name: (a.group, a.place, a.question) for name in folders() if (a := find(name))}
    monkeypatch.setattr("assay.results.analysis.ANALYSES", {})  # as at start-up, when nothing is imported
    assert {name: (c.group, c.place, c.question) for name, c in index().items()} == declared


def test_the_public_names_can_be_imported_and_are_documented() -> None:
    assert dir(assay) == sorted([*assay.__all__, "__version__"])
    for name in assay.__all__:
        assert (getattr(assay, name).__doc__ or "").strip(), name


def test_what_one_would_teach_is_public() -> None:
    taught = {"analysis", "sentence", "measure", "significance_test", "Chart", "reproduce", "Note", "Threshold"}
    assert taught <= set(assay.__all__)
    assert "standardised" not in assay.__all__


def test_no_module_takes_the_place_of_a_public_name() -> None:
    """An imported submodule becomes an attribute of the package, before `__getattr__` is asked."""
    assert not set(assay.__all__) & set(PACKAGES)
    program = "import assay.measures.grammar; from assay import measure; print(measure is assay.measure)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'metric'"):
        assay.metric  # type: ignore[attr-defined]  # noqa: B018 - the access is what is tested


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "assay", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"assay {assay.__version__} ({reader_in_use()})\n"


def test_the_help_imports_nothing_heavy() -> None:
    heavy = ("numpy", "polars", "scipy", "rich", "zstandard")
    program = (
        "import sys; from assay.cli import main; code = main(['--help'])\n"
        f"print(code, [name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
    assert "usage: assay COMMAND" in done.stdout


def loaded(words: list[str]) -> list[str]:
    """The modules of assay that a command imports."""
    program = (
        f"import sys; from assay.cli import main; code = main({words})\n"
        "print(code, *sorted(name for name in sys.modules if name.split('.')[0] == 'assay'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    code, *modules = done.stdout.splitlines()[-1].split()
    assert code == "0"
    return modules


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A small collection, as words of a command line."""
    from tests.builders.dense import collection

    folder = tmp_path_factory.mktemp("small")
    runs, qrels = collection(n_runs=12, n_topics=12, n_docs=60, rng=1).write(folder)
    return [str(runs), "--qrels", str(qrels)]


def test_power_imports_few_modules(files: list[str]) -> None:
    assert len(loaded(["power", *files, "-m", "AP", "-m", "P@10", "-m", "nDCG@10"])) <= MOST_MODULES


@pytest.mark.parametrize("name", ["glance", "score", "power", "agreement", "standardize", "reliability"])
def test_printing_a_table_imports_no_other_analysis(name: str, files: list[str]) -> None:
    measures = [] if name == "glance" else ["-m", "AP", "-m", "P@10"]
    modules = loaded([name, *files, *measures])
    used = {module.split(".")[2] for module in modules if module.startswith("assay.analyses.")}
    assert used == {name}


def test_no_class_name_occurs_twice() -> None:
    names = Counter(node.name for file in FILES for node in parsed(file).body if isinstance(node, ast.ClassDef))
    assert [name for name, n in names.items() if n > 1 and not name.startswith("_")] == []


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_array_types_are_defined_once(file: Path) -> None:
    if package(file) != "core":
        text = file.read_text()
        assert not re.search(r"^(Array|Bools|Index|Counts|Codes|Grades) = ", text, re.MULTILINE)
        assert "NDArray[np.float64]" not in text


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_every_public_function_has_a_docstring(file: Path) -> None:
    tree = parsed(file)
    nodes = [n for n in tree.body if isinstance(n, ast.ClassDef | Function) and not n.name.startswith("_")]
    public = [n for n in nodes if not any(ast.unparse(one) == "overload" for one in n.decorator_list)]
    inner = [m for c in public if isinstance(c, ast.ClassDef) for m in c.body if isinstance(m, Function)]
    methods = [m for m in inner if not m.name.startswith("_")]
    assert [node.name for node in [*public, *methods] if not ast.get_docstring(node)] == []
    assert len(ast.get_docstring(tree) or "") > 1


def test_no_module_is_named_after_nothing() -> None:
    assert not {file.stem for file in FILES} & {"utils", "util", "helpers", "common", "manager", "misc"}


def pins(name: str) -> dict[str, str]:
    """Read a lock: package, in its normal spelling, -> version."""
    lines = (ROOT / name).read_text().splitlines()
    found = [re.fullmatch(r"([A-Za-z0-9][\w.-]*)==([0-9][\w.+!]*)", line) for line in lines]
    wrong = [line for line, match in zip(lines, found, strict=True) if match is None]
    assert wrong == []
    return {normal(match[1]): match[2] for match in found if match}


def normal(distribution: str) -> str:
    """Spell a distribution as an index does."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def wanted(*extras: str) -> set[str]:
    """What the project says it needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *(d for extra in extras for d in project["optional-dependencies"][extra])]
    return {normal(re.split(r"[<>=!~ \[;]", dependency)[0]) for dependency in listed}


def test_the_lock_pins_all_that_the_project_needs_and_names_no_index() -> None:
    locked = set(pins("requirements.lock"))
    assert wanted("dev") <= locked
    assert wanted("bench") <= locked | set(pins("requirements-bench.lock"))


def test_every_module_can_be_imported() -> None:
    for file in FILES:
        if package(file) in PACKAGES:
            module = ".".join(("assay", *file.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
            assert import_module(module) is not None
