"""Charts as files: SVG, PNG and PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import UsageError, suggestion
from assay.core.progress import steps
from assay.data.outputs import make_directory, write_files
from assay.render.formats import PICTURES
from assay.results.charts import Chart
from assay.results.result import Report, Result


def charts_of(result: Result) -> dict[str, Chart]:
    """Name the charts of a result, those of a report by their sections, as in power.asl."""
    if not isinstance(result, Report):
        return {chart.name: chart for chart in result.charts}
    return {f"{p.name}.{chart.name}": chart for p in result.parts if p.result for chart in p.result.charts}


def pick_chart(result: Result, name: str | None = None) -> Chart:
    """Find a chart of a result by name; the first without one."""
    by_name = charts_of(result)
    if not by_name:
        raise UsageError(f"{result.analysis} draws no chart; write a table: .json, .csv, .tex, .md or .parquet")
    if name is not None and name not in by_name:
        raise UsageError(f"no chart '{name}' (there is {', '.join(by_name)}){suggestion(name, by_name)}")
    return by_name[name] if name is not None else next(iter(by_name.values()))


def figures(result: Result, directory: str | Path) -> list[Path]:
    """Write every chart as SVG, PNG and PDF, named after its section; return the paths."""
    folder, named = Path(directory), dict(_file_names(result))
    drawn: list[tuple[Path, bytes]] = []
    for name in steps(list(named), doing="drawing ", lines=False):
        drawn += [(folder / f"{name}{suffix}", draw(named[name], suffix)) for suffix in PICTURES]
    make_directory(folder)
    write_files(drawn)
    return [path for path, _ in drawn]


def _file_names(result: Result) -> Iterator[tuple[str, Chart]]:
    """Name the files of charts; no two alike, whatever the charts are called."""
    taken: set[str] = set()
    for name, chart in charts_of(result).items():
        own = slug(name if isinstance(result, Report) else f"{result.analysis}.{name}")
        numbered = (own, *(f"{own}-{i}" for i in range(2, len(taken) + 3)))
        taken.add(free := next(one for one in numbered if one not in taken))
        yield free, chart


def slug(name: str) -> str:
    """Make a name fit for files and links: letters, digits, - and _ only.

    >>> slug("power.asl"), slug("../../x")
    ('power-asl', 'x')
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") or "x"


def draw(chart: Chart, suffix: str) -> bytes:
    """Draw a chart as the contents of a file with this extension; nothing is fetched from anywhere."""
    import vl_convert

    spec = chart.spec()
    if suffix == ".svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
    return bytes(vl_convert.vegalite_to_png(spec, scale=2) if suffix == ".png" else vl_convert.vegalite_to_pdf(spec))
