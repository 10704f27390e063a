"""Charts as files: SVG, PNG, PDF, or a page by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.analysis import Result
from assay.charts import Chart
from assay.errors import UsageError, suggestion


def pick_chart(result: Result, name: str | None = None) -> Chart:
    """Find a chart of a result by name; the first without one."""
    if not result.charts:
        raise UsageError(f"{result.analysis} draws no chart; write a table: .json, .csv, .tex, .md or .parquet")
    by_name = {chart.name: chart for chart in result.charts}
    if name is not None and name not in by_name:
        raise UsageError(f"no chart '{name}' (there is {', '.join(by_name)}){suggestion(name, by_name)}")
    return by_name[name] if name is not None else result.charts[0]


def _svg(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec)).encode()


def _png(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(spec, scale=2))


def _pdf(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return bytes(vl_convert.vegalite_to_pdf(spec))


def _html(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return str(vl_convert.vegalite_to_html(spec, bundle=True)).encode()


PICTURES: dict[str, Callable[[dict[str, Any]], bytes]] = {".svg": _svg, ".png": _png, ".pdf": _pdf, ".html": _html}
"""Extension -> how a chart is drawn; nothing is fetched from anywhere."""
