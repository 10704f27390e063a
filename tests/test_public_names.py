"""The public names: which analyses are among them, that type checkers see the same, and what importing them costs."""

from __future__ import annotations

import runpy
import subprocess
import sys
from types import ModuleType

import assay
from assay.results.analysis import Analysis, folders
from tests import ROOT


def test_no_public_name_is_a_module() -> None:
    assert [name for name in assay.__all__ if isinstance(getattr(assay, name), ModuleType)] == []


def test_every_analysis_is_a_function_unless_a_package_or_another_function_has_its_name() -> None:
    analyses = {name for name in assay.__all__ if isinstance(getattr(assay, name), Analysis)}
    assert folders().keys() - analyses == {"measures", "score"}
    assert all(getattr(assay, name).name == name for name in analyses)


def test_type_checkers_see_the_public_names_that_there_are() -> None:
    generator = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    source = (ROOT / "src" / "assay" / "__init__.py").read_text(encoding="utf-8")
    assert source == generator["public_names"](), "run `python docs/generate.py`"


def test_importing_the_package_imports_none_of_its_modules() -> None:
    code = "import assay, sys; print(sorted(name for name in sys.modules if name.startswith(('assay.', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
