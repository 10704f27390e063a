"""Pictures of a population: AP of ever smaller samples, curves, how measures change with size; fits to runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from assay.analyses.population.score_fits import FORMS, ScoreFit, TopicScores
from assay.results.charts import FAINT, GRID, INK, Chart, Spec, category, field, lines, reference_line, thin

_RELEVANT = "relevant documents in the sample"
_BINS, _POINTS = 24, 120
_SIDES = ("relevant", "non-relevant")
_SCORES = "scores"
_SAMPLES = ("#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#56B4E9", "#882255")  # largest sample first
_DASHES = ([1, 0], [8, 3], [4, 2], [8, 2, 2, 2], [2, 2], [10, 2, 2, 2, 2, 2], [5, 1])
_LEAST = 1e-9  # fallout that is still drawn
_OTHER_SCALES = ("ln AP", "pairwise error", "Success@pN")  # not drawn beside the others


def charts(table: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> tuple[Chart, ...]:
    """Draw AP by the size of samples, curves of recall and precision, all measures, and growing collections."""
    pictures = (_ap(table), _curves(tables["curves"]), _sizes(table), _growth(tables["growth"]))
    return (*pictures, _roc(tables["curves"]), _estimators(tables["estimators"]))


def _by_size(table: pl.DataFrame, **more: object) -> tuple[pl.DataFrame, Spec]:
    """The size of samples as a column and an axis: relevant documents, or the others where only these are thinned."""
    if table["n_relevant"].n_unique() > 1 or table["n"].n_unique() == 1:
        sized, title = table.with_columns(size="n_relevant"), _RELEVANT
    else:
        sized, title = (
            table.with_columns(size=0.5 ** pl.col("n")),
            "share of the non-relevant documents in the sample",
        )
    return sized, field("size", title=title, scale={"type": "log", "base": 2, **more})


def _ap(table: pl.DataFrame) -> Chart:
    """Figure 2 of robertson2007: means and standard deviations of AP, and what is exact beside them."""
    own, x = _by_size(table.filter(pl.col("measure") == "AP").drop_nulls("mean"), padding=20, nice=False)
    sd, value = pl.col("sd").fill_nan(0.0).fill_null(0.0), pl.col("expected") - pl.col("bias")
    ends = {"low": (pl.col("mean") - sd).clip(0.0), "high": pl.col("mean") + sd, "population": value}
    rows = own.select("n", "n_relevant", "size", "mean", "expected", **ends)
    y = field("mean", title="AP")
    marks = [
        _mark({"type": "rule"}, x, {**y, "field": "low"}, y2={"field": "high"}),
        _mark({"type": "line"}, x, {**y, "field": "expected"}),
        _mark({"type": "line", "strokeDash": [4, 4], "color": INK}, x, {**y, "field": "population"}),
        _mark({"type": "point", "filled": True, "size": 60, "opacity": 1, "tooltip": True}, x, y),
    ]
    caption = "Dots are means over samples, with a standard deviation either way."
    title = "AP by the size of the sample: mean and deviation (dots), exact (line), the population's (broken line)"
    return Chart("ap", title, rows, {"layer": marks, "width": 480, "height": 300}, caption)


def _mark(mark: Spec, x: Spec, y: Spec, **more: Spec) -> Spec:
    return {"mark": mark, "encoding": {"x": x, "y": y, **more}}


def _curves(table: pl.DataFrame) -> Chart:
    """Figure 1: recall and precision of the population, of one draw of it, and of one sample of every size."""
    x, y = field("recall", scale={"domain": [0, 1]}), field("precision", scale={"domain": [0, 1]})
    title = "Recall and precision: the population, one draw of it (thick), and a sample of each size"
    return Chart("curves", title, thin(table.drop("fallout"), by=["of"]), _by_ranking(table, x, y))


def _by_ranking(table: pl.DataFrame, x: Spec, y: Spec) -> Spec:
    """Draw a line for every ranking: the population grey, the draw thick and black, each sample in its own style."""
    names = table["of"].unique(maintain_order=True).to_list()
    n = len(names) - 2
    colours = [FAINT, INK, *(_SAMPLES[i % len(_SAMPLES)] for i in range(n))]
    dashes = [[1, 2], [1, 0], *(_DASHES[i % len(_DASHES)] for i in range(n))]
    colour = category("of", names, title="ranking", scale={"domain": names, "range": colours})
    drawing = lines(x, y, colour)
    encoding = drawing["layer"][-1]["encoding"]
    encoding["strokeDash"] = {**encoding["strokeDash"], "scale": {"domain": names, "range": dashes}}
    thick = {"test": f"datum.of === '{names[1]}'", "value": 3.5}
    encoding["strokeWidth"] = {"condition": thick, "value": 1.5}
    return drawing


def _roc(table: pl.DataFrame) -> Chart:
    """The ROC curve: recall by fallout, on linear scales and with the logarithm of fallout."""
    rows = thin(table.drop("precision"), by=["of"], rows=1500)
    y = field("recall", scale={"domain": [0, 1]})
    linear = field("fallout", scale={"domain": [0, 1]})
    least = float(rows.filter(pl.col("fallout") > 0)["fallout"].min() or _LEAST)  # type: ignore[arg-type]
    scale = {"type": "log", "domain": [max(least, _LEAST), 1], "clamp": True, "nice": False}
    closer = field("fallout", title="fallout (logarithm)", scale=scale, axis={"format": "~e", "tickCount": 5})
    panels = [_by_ranking(table, x, y) | {"width": 260, "height": 260} for x in (linear, closer)]
    for panel in panels:
        panel["layer"][-1] = {name: part for name, part in panel["layer"][-1].items() if name != "params"}
        del panel["layer"][-1]["encoding"]["opacity"]
    title = "ROC: recall by fallout; the area above the curve is the pairwise error"
    return Chart("roc", title, rows, {"concat": panels, "columns": 2})


def _estimators(table: pl.DataFrame) -> Chart:
    """The bias of estimators of J by the size of the sample."""
    rows, x = _by_size(table.drop_nulls("bias"))
    names = table["estimator"].unique(maintain_order=True).to_list()
    drawing = lines(x, field("bias", title="mean less J"), category("estimator", names), points=True)
    shown = rows.select("estimator", "size", "bias", "rmse")
    return Chart(
        "estimators", "Estimators of J: how far they are off on average", shown, reference_line(drawing, 0.0)
    )


def _sizes(table: pl.DataFrame) -> Chart:
    """What measures show by the size of the sample."""
    own, x = _by_size(table.filter(~pl.col("measure").is_in(_OTHER_SCALES)))
    names: Sequence[str] = own["measure"].unique(maintain_order=True).to_list()
    rows = own.select("measure", "size", shown=pl.coalesce("expected", "mean")).drop_nulls()
    drawing = lines(x, field("shown", title="expected score"), category("measure", names), points=True)
    return Chart("sizes", "What measures are expected to show, by the size of the sample", rows, drawing)


def _growth(table: pl.DataFrame) -> Chart:
    """How measures change as the collection grows beyond all bounds."""
    names = [name for name in table.columns if name not in ("log10_relevant", "bias", "nDCG_left", "L")]
    rows = table.filter(pl.col("log10_relevant") > 0).unpivot(names, index="log10_relevant", variable_name="measure")
    scale = {"type": "log", "domain": [0.3, rows["log10_relevant"].max()], "nice": False}
    ticks = {"values": [0.3, 1, 2, 3, 5, 10, 20, 50, 100]}
    x = field("log10_relevant", title="relevant documents, as a power of ten", scale=scale, axis=ticks)
    y = field("value", title="expected score", scale={"domain": [0, 1]})
    drawing = lines(x, y, category("measure", names), points=True)
    return Chart("growth", "A growing collection: AP converges, nDCG slowly goes to 1", rows, drawing)


def fit_charts(
    run: str, topic: str, scores: TopicScores, fits: Mapping[str, ScoreFit], calibration: pl.DataFrame
) -> tuple[Chart, ...]:
    """Draw the fits to one list, and the calibration of the first run."""
    charts = [_densities(run, topic, scores, fits)]
    own = calibration.filter(pl.col("run") == run)
    return (*charts, _calibration(run, own)) if own.height else tuple(charts)


def _densities(run: str, topic: str, scores: TopicScores, fits: Mapping[str, ScoreFit]) -> Chart:
    kinds = {"documents": pl.String, "of": pl.String, "score": pl.Float64, "end": pl.Float64, "density": pl.Float64}
    rows = pl.DataFrame(list(_density_rows(scores, fits)), schema=kinds, orient="row")
    panels = [_panel(side) for side in _SIDES]
    title = f"{run} on topic {topic}: scores (bars) and the forms fitted to them"
    return Chart("fit", title, rows, {"concat": panels, "columns": 2}, "Density against score, in two panels.")


def _density_rows(scores: TopicScores, fits: Mapping[str, ScoreFit]) -> Iterator[tuple[object, ...]]:
    """Bars of the histogram, and points of the curves; what lies beyond twice the highest bar is cut off."""
    for side, name in zip((scores.relevant, ~scores.relevant), _SIDES, strict=True):
        heights, edges = np.histogram(scores.score[side], bins=_BINS, density=True)
        for low, high, height in zip(edges[:-1], edges[1:], heights, strict=True):
            yield name, _SCORES, float(low), float(high), float(height)
        grid = np.linspace(edges[0], edges[-1], _POINTS)
        for form, own in fits.items():
            law = own.pair.relevant if name == _SIDES[0] else own.pair.nonrelevant
            curve = np.minimum(law.density(grid - own.zero), 2 * heights.max())
            for at, height in zip(grid.tolist(), curve.tolist(), strict=True):
                yield name, form, at, None, height


def _panel(side: str) -> Spec:
    x, y = field("score", scale={"zero": False, "nice": False}), field("density")
    bars: Spec = {
        "mark": {"type": "bar", "color": GRID, "stroke": INK, "strokeWidth": 0.5},
        "transform": [{"filter": f"datum.documents === '{side}' && datum.of === '{_SCORES}'"}],
        "encoding": {"x": x, "x2": {"field": "end"}, "y": y, "y2": {"datum": 0}},
    }
    curves = lines(x, y, category("of", FORMS, title="form"))["layer"][-1]
    curves = {name: part for name, part in curves.items() if name != "params"}
    curves["encoding"] = {name: part for name, part in curves["encoding"].items() if name != "opacity"}
    curves["transform"] = [{"filter": f"datum.documents === '{side}' && datum.of !== '{_SCORES}'"}]
    return {"title": f"{side} documents", "layer": [bars, curves], "width": 300, "height": 240}


def _calibration(run: str, rows: pl.DataFrame) -> Chart:
    """Predicted chances against observed shares, by form; of fits to each topic, and of one to all of them."""
    shown = rows.select("form", "scores", "predicted", "observed", "n_documents")
    ways = ("topic", "pooled")
    ends = [("ideal", way, end, end, None) for way in ways for end in (0.0, 1.0)]
    diagonal = pl.DataFrame(ends, schema=shown.schema, orient="row")
    x = field("predicted", title="predicted chance of relevance", scale={"domain": [0, 1]})
    y = field("observed", title="share that is relevant", scale={"domain": [0, 1]})
    drawing = lines(x, y, category("form", (*FORMS, "ideal")), points=True)
    facet = category("scores", ways, title="fit to each topic, or to all topics pooled")
    spec = {**drawing, "width": 260, "height": 260}
    title = f"{run}: are documents relevant as often as their scores say?"
    return Chart("calibration", title, pl.concat([shown, diagonal]), {"facet": facet, "spec": spec, "columns": 2})
