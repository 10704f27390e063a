"""A source distribution and wheels, built and installed into fresh places, with a compiler and without one."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests import ROOT

pytestmark = pytest.mark.slow
RUN = "1 Q0 d1 1 0.30000000000000004 bm25\n1\tQ0  d2 2 .25 bm25\n"
READERS = {"cc": "compiled reader", "false": "pure Python reader"}
"""What a compiler makes; `false` is none."""


def pip(*words: str, compiler: str = "cc") -> str:
    """Run pip, which fetches what builds the package; skip where it cannot."""
    words = (sys.executable, "-m", "pip", *words, "--disable-pip-version-check", "--no-deps", "--no-cache-dir")
    environment = {**os.environ, "CC": compiler}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("there is no package index here, to fetch hatchling from")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def says(package: Path, *words: str) -> str:
    """Run the command from where it is installed, and nowhere near the source."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ASSAY_PURE")}
    environment["PYTHONPATH"] = str(package)
    words = (sys.executable, "-m", "assay", *words)
    return subprocess.run(
        words, capture_output=True, text=True, check=True, env=environment, cwd=package.parent
    ).stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    fresh = folder / "venv"
    venv.create(fresh, with_pip=True)
    python = str(fresh / "bin" / "python")
    pip("--python", python, "install", "hatchling", "packaging", "pathspec", "pluggy", "trove-classifiers", "tomlkit")
    subprocess.run([python, "-m", "hatchling", "build", "-t", "sdist", "-d", folder], check=True, cwd=ROOT)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.mark.parametrize("compiler", READERS)
def test_a_wheel_of_the_source_distribution_scores_with_and_without_a_compiler(
    source: Path, compiler: str, tmp_path: Path
) -> None:
    said = pip("wheel", str(source), "-w", str(tmp_path), "-v", compiler=compiler)
    assert ("without its compiled part" in said) == (compiler == "false")
    (wheel,) = tmp_path.glob("*.whl")
    assert ("cp311-abi3" if compiler == "cc" else "py3-none-any") in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("assay/core/_compiled.") and name.endswith(".so") for name in names) == (
        compiler == "cc"
    )
    assert not [name for name in names if name.endswith(".c") or name.startswith("hatch_build")]
    package = tmp_path / "package"
    pip("install", str(wheel), "--target", str(package))
    assert READERS[compiler] in says(package, "--version")
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text("1 0 d2 1\n")
    table = says(
        package, "score", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels"), "-m", "RR", "--format=csv"
    )
    assert ",0.5" in table


def test_an_editable_install_compiles_into_the_tree_or_removes_what_was_there(source: Path, tmp_path: Path) -> None:
    for compiler, n_built in (("cc", 1), ("false", 0)):
        pip("install", "-e", str(source), "--target", str(tmp_path / compiler), compiler=compiler)
        assert len(list((source / "src" / "assay" / "core").glob("_compiled*.so"))) == n_built
        assert READERS[compiler] in says(source / "src", "--version")
