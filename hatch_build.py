"""Builds the compiled part of the package where a compiler is at hand; where none is, the wheel is pure Python.

What is built uses CPython's limited API only, so that one wheel serves every CPython from 3.11 on.
"""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_MODULE = "assay.core._compiled"
_SOURCE = Path("src", *_MODULE.split(".")).with_suffix(".c")
_TAG = "cp311-abi3"  # what the C file declares by Py_LIMITED_API


class CompiledPart(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the extension to a wheel, or to the source tree where that is what is installed (`pip install -e`)."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it, or say why it is left out."""
        root = Path(self.root)
        in_place = version == "editable"
        self.scratch = tempfile.TemporaryDirectory(prefix="assay-build-")
        if in_place:
            for stale in (root / _SOURCE).parent.glob("_compiled*.so"):
                stale.unlink()
        folder = root / "src" if in_place else Path(self.scratch.name)
        try:
            built = compiled(root / _SOURCE, folder)
        except (Exception, SystemExit) as problem:  # no compiler, no headers, another Python
            self.app.display_warning(f"assay is installed without its compiled part, as pure Python: {problem}")
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data.update(pure_python=False, tag=f"{_TAG}-{platform}")
        if not in_place:
            build_data["force_include"][str(built)] = str(built.relative_to(folder))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel now holds."""
        self.scratch.cleanup()


def compiled(source: Path, folder: Path) -> Path:
    """Compile the C file into a package below the folder, with the flags that Python itself was built with."""
    if sys.implementation.name != "cpython":
        raise RuntimeError("it is for CPython")
    from setuptools import Distribution, Extension

    build = Distribution({"ext_modules": [Extension(_MODULE, [str(source)], py_limited_api=True)]}).get_command_obj(
        "build_ext"
    )
    with tempfile.TemporaryDirectory() as scratch:
        build.build_lib, build.build_temp = str(folder), scratch
        build.ensure_finalized()
        build.run()
    return Path(build.get_outputs()[0])
