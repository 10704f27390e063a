"""Files in which users declare measures, features, significance tests, analyses, sentences or papers of their own."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.core.errors import MeasureError

_LOADED: set[tuple[Path, bytes]] = set()


def load(*paths: str | Path) -> None:
    """Run Python files, so that what they declare joins the catalogues; each once, however often it is named."""
    for path in paths:
        _load(path)


def _load(path: str | Path) -> None:
    if not Path(path).is_file():
        what = "not a file, as one of Python is" if Path(path).exists() else "no such file"
        raise MeasureError(f"{path}: {what}")
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


def same_name_twice(known: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Whether two functions of one name are two, and not one that was edited and declared again.

    They are two at two places of one file, or in two files. The cells of a notebook are files that share all names:
    what is declared in one of them may be declared again in another. What has no code cannot be compared.
    """
    if not (hasattr(known, "__code__") and hasattr(new, "__code__")):
        return True
    one, other = known.__code__, new.__code__
    same_file = one.co_filename == other.co_filename
    if known.__globals__ is new.__globals__:
        return same_file and one.co_firstlineno != other.co_firstlineno
    return not same_file
