"""Files in which users declare measures, significance tests, analyses, sentences or papers of their own."""

from __future__ import annotations

import runpy
from pathlib import Path

from assay.core.errors import MeasureError

_LOADED: set[tuple[Path, bytes]] = set()


def load(*paths: str | Path) -> None:
    """Run Python files, so that what they declare joins the catalogues; each once, however often it is named."""
    for path in paths:
        _load(path)


def _load(path: str | Path) -> None:
    if not Path(path).is_file():
        raise MeasureError(f"{path}: no such file")
    key = Path(path).resolve(), Path(path).read_bytes()
    if key in _LOADED:
        return
    try:
        runpy.run_path(str(path))
    except MeasureError as problem:
        raise MeasureError(f"{path}: {problem}") from None
    except Exception as problem:
        line = _line_in(path, problem)
        raise MeasureError(f"{path}{line}: {type(problem).__name__}: {problem}") from None
    _LOADED.add(key)


def _line_in(path: str | Path, problem: Exception) -> str:
    if isinstance(problem, SyntaxError):
        return f":{problem.lineno}"
    step, line = problem.__traceback__, ""
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(path):
            line = f":{step.tb_lineno}"
        step = step.tb_next
    return line
