"""The atlas as a page: each paper with its tables, figures and claims as published, and as they come out here.

Every number is a button that copies the command behind it; what it says can also be read without scripts, as the
title of the number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from assay.core.text import capital, counted
from assay.render.html import esc, notes_list
from assay.render.page.sections import chart_figure, command, section_id, terms
from assay.render.pictures import slug
from assay.results.atlas import Atlas, CellOutcome, Chapter
from assay.results.charts import Chart
from assay.results.papers import (
    ERROR,
    FAILS,
    HOLDS,
    INCONCLUSIVE,
    NOT_APPLICABLE,
    Cell,
    Claim,
    Number,
    Outcome,
    Paper,
    is_without_data,
    verdicts_in_words,
)

TITLE = "The papers, computed again"
_NEEDS = "needs data"
_ORDER = (HOLDS, FAILS, INCONCLUSIVE, NOT_APPLICABLE, _NEEDS)
_PLURALS = {HOLDS: "hold", FAILS: "fail", _NEEDS: "need data"}
_FIGURES, _CLAIMS, _EVERYWHERE, _ERRORS = (
    "Figures, drawn again",
    "Claims",
    "On every collection",
    "Errors in the paper",
)
_COUNTED = ("missing_data", "inconclusive_claims")  # notes on what the overview counts
_SIGNIFICANT = 4  # figures of a number that the paper does not print
_EXACT = 1e-5  # a tolerance below this is no half of a printed digit
_SHARES = 10  # above all shares, correlations and logarithms, and below nearly all ranks, topics and percentages


def atlas_body(atlas: Atlas) -> Iterator[str]:
    """Everything between the top of the page and its end."""
    yield "<main>"
    yield from _overview(atlas)
    for chapter in atlas.chapters:
        yield from _chapter(chapter, atlas)
    yield from _origin(atlas)
    yield "</main>"


def facts_of(atlas: Atlas) -> str:
    """How much there is: papers, numbers, claims, errors, collections."""
    cells = [cell for chapter in atlas.chapters for cell, _ in chapter.cells]
    n_errors = sum(cell.item == ERROR for cell in cells)
    n_claims = sum(isinstance(cell, Claim) and cell.item != ERROR for cell in cells)
    parts = [
        counted(len(atlas.chapters), "paper"),
        counted(len(cells) - n_claims - n_errors, "number"),
        counted(n_claims, "claim"),
        counted(n_errors, "error"),
    ]
    elsewhere = atlas.tables.get("everywhere")
    if elsewhere is not None and elsewhere.height:
        parts.append(counted(elsewhere["collection"].n_unique(), "collection"))
    return ", ".join(parts)


# --- all papers


def _overview(atlas: Atlas) -> Iterator[str]:
    yield '<section class="first" id="page-verdict" aria-labelledby="page-verdict-title">'
    yield '<h2 id="page-verdict-title">What comes out</h2>'
    counts = [_counts(chapter) for chapter in atlas.chapters]
    shown = [name for name in counts[0] if name not in _ORDER or any(of[name] for of in counts)]
    rows = [
        (
            f'<a href="#{section_id(chapter.paper.key)}">{esc(chapter.paper.key)}</a>',
            *(f'<td class="n">{of[name]}</td>' for name in shown),
        )
        for chapter, of in zip(atlas.chapters, counts, strict=True)
    ]
    yield f'<div class="scroll">{_plain_table(("paper", *shown), rows, label="What comes out")}</div>'
    yield '<p class="about">In every table the number that comes out here stands first, then in small the published'
    yield " one; a dash is for what needs data that is not here. A click on a number copies the command that shows"
    yield " it. Open are numbers that the paper draws or states in words, and rough ones. Verdicts are about these"
    yield " topics: a claim holds when its interval is on its side, and is inconclusive when other topics might"
    yield " disagree.</p>"
    yield notes_list([note for note in atlas.notes if note.severity != "info" and note.code not in _COUNTED])
    yield "</section>"


def _counts(chapter: Chapter) -> dict[str, int]:
    """Count, for one line of the overview, the numbers that match and the claims that hold."""
    numbers = [of for cell, of in chapter.cells if isinstance(cell, Number) and cell.item != ERROR]
    claims = [of for cell, of in chapter.cells if isinstance(cell, Claim) and cell.item != ERROR]
    computed = [of for of in numbers if of.needs is None]
    verdicts = Counter(of.verdict or _NEEDS for of in claims)
    return {
        "numbers": len(numbers),
        "match": sum(of.ok is True for of in computed),
        "off": sum(of.ok is False for of in computed),
        "open": sum(of.ok is None for of in computed),
        "no data": len(numbers) - len(computed),
        "claims": len(claims),
        **{verdict: verdicts[verdict] for verdict in _ORDER},
        "errors": sum(cell.item == ERROR for cell, _ in chapter.cells),
    }


def _origin(atlas: Atlas) -> Iterator[str]:
    yield '<section class="part" aria-labelledby="page-origin"><h2 id="page-origin">Where this came from</h2>'
    yield terms(atlas.settings)
    left_out = atlas.tables.get("left_out")
    if left_out is not None and left_out.height:
        rows = [tuple(map(esc, row)) for row in left_out.iter_rows()]
        inner = f'<div class="scroll words">{_plain_table(("place", "why"), rows, label="Left out")}</div>'
        summary = f"<summary><h3>Left out</h3> <small>{counted(left_out.height, 'place')}</small></summary>"
        yield f"<details>{summary}{inner}</details>"
    yield "</section>"


# --- one paper


def _chapter(chapter: Chapter, atlas: Atlas) -> Iterator[str]:
    paper = chapter.paper
    own = section_id(paper.key)
    yield f'<section class="part" id="{own}" aria-labelledby="{own}-title">'
    question, mark, about = paper.title.partition("?")
    title = capital(question) + mark
    yield f'<h2 id="{own}-title"><span class="name">{esc(paper.key)}</span> {esc(title)}</h2>'
    yield f'<p class="lead">{esc(" ".join([paper.reference, about.strip()]).strip())}</p>'
    if chapter.basis.more:
        yield terms(chapter.basis.more)
    parts = {
        **{capital(item): _item(item, numbers, paper) for item, numbers in _items(chapter).items()},
        _FIGURES: _figures(chapter),
        _CLAIMS: _claims(chapter, atlas),
        _EVERYWHERE: _elsewhere(chapter, atlas),
        _ERRORS: _errors(chapter),
    }
    bodies = {title: body for title, lines in parts.items() if (body := list(lines))}
    yield _contents(own, list(bodies))
    for title, (short, *body) in bodies.items():
        small = f" <small>{esc(short)}</small>" if short else ""
        yield f'<h3 id="{own}-{slug(title)}">{esc(title)}{small}</h3>'
        yield from body
    yield command(f"assay reproduce {paper.key}{_own_data(paper)}")
    yield "</section>"


def _contents(own: str, titles: Sequence[str]) -> str:
    """List the parts of a paper, and the way back."""
    links = [f'<a href="#{own}-{slug(title)}">{esc(title)}</a>' for title in titles]
    back = '<a href="#page-verdict">all papers</a>'
    between = " \u00b7 "
    return f'<p class="about">{between.join([*links, back])}</p>'


# Each part of a paper is lines of the page; the first is what stands in small beside its heading.


def _items(chapter: Chapter) -> dict[str, list[tuple[Number, Outcome]]]:
    """The numbers of a paper, item by item."""
    items: dict[str, list[tuple[Number, Outcome]]] = {}
    for cell, outcome in chapter.cells:
        if isinstance(cell, Number) and cell.item != ERROR:
            items.setdefault(cell.item, []).append((cell, outcome))
    return items


def _item(item: str, numbers: Sequence[tuple[Number, Outcome]], paper: Paper) -> Iterator[str]:
    """Set the numbers of an item: a printed table as it is printed, all others in lines."""
    printed = [(cell, of) for cell, of in numbers if cell.at is not None]
    others = [(cell, of) for cell, of in numbers if cell.at is None]
    label = f"{paper.key}, {item}"
    yield _in_short(numbers)
    if printed:
        yield f'<div class="scroll">{_grid(printed, paper, label=label)}</div>'
    if others:
        yield f'<div class="scroll words">{_lines(others, paper, label=label)}</div>'


def _in_short(numbers: Sequence[tuple[Number, Outcome]]) -> str:
    """Count what matches; numbers without a tolerance are shown beside the published ones, and not held to them."""
    held = [(cell, of) for cell, of in numbers if of.needs is None and cell.tolerance is not None]
    by_chance = all(cell.inside for cell, _ in held)
    how = "lie within the range of most samples, which chance decides" if by_chance else "match"
    words = [f"{sum(of.ok is True for _, of in held)} of {len(held)} {how}"] if held else []
    if lacking := sum(of.needs is not None for _, of in numbers):
        words.append(f"{lacking} {'needs' if lacking == 1 else 'need'} data that is not here")
    return ", ".join(words)


def _grid(printed: Sequence[tuple[Number, Outcome]], paper: Paper, *, label: str) -> str:
    """Set a table as it is printed: what comes out, and in small what was published."""
    places = [cell.at for cell, _ in printed if cell.at is not None]
    rows, columns = (list(dict.fromkeys(at[side] for at in places)) for side in (0, 1))
    as_printed = [_digits(cell, of.obtained) for cell, of in printed if cell.published is not None]
    most = max(as_printed, default=None)
    cells = {cell.at: _number(cell, outcome, paper, unprinted=most) for cell, outcome in printed}
    body = [(esc(row), *(cells.get((row, name), "<td></td>") for name in columns)) for row in rows]
    return _plain_table(("", *map(esc, columns)), body, label=label)


def _lines(numbers: Sequence[tuple[Number, Outcome]], paper: Paper, *, label: str) -> str:
    rows = [
        (
            esc(cell.cell),
            _number(cell, outcome, paper),
            _interval(outcome),
            f'<td class="w">{esc(outcome.needs or outcome.note)}</td>',
        )
        for cell, outcome in numbers
    ]
    return _plain_table(("", "obtained, published", "interval", "note"), rows, label=label)


def _number(cell: Number, outcome: Outcome, paper: Paper, *, unprinted: int | None = None) -> str:
    """A cell: what comes out, which copies the command, and what was published.

    A number that the paper does not print has as many decimals as those beside it, `unprinted`, if there are any.
    """
    digits = _digits(cell, outcome.obtained) if cell.published is not None or unprinted is None else unprinted
    kind = {True: "ok", False: "off", None: "open"}[outcome.ok] if outcome.needs is None else "lacking"
    small = "" if cell.published is None else f" <small>{cell.published:,.{digits}f}</small>"
    copied = command_of(cell, paper)
    if outcome.obtained is None or math.isnan(outcome.obtained):
        button = _button(copied, outcome.needs or outcome.note, "\u2013")
        return f'<td class="n {kind}">{button}{small}</td>'
    button = _button(copied, outcome.note, _fixed(outcome.obtained, digits))
    return f'<td class="n {kind}" data-v="{outcome.obtained!r}">{button}{small}</td>'


def _button(copied: str, says: str, shown: str) -> str:
    """What copies a command when it is clicked; the title has the command, and what else is to be said."""
    title = "; ".join(part for part in (copied, says) if part)
    return f'<button type="button" data-command="{esc(copied)}" title="{esc(title)}">{shown}</button>'


def _digits(cell: Number, obtained: float | None) -> int:
    """As many decimals as were printed: a tolerance is half of the last one; counts have none."""
    if cell.published is None:
        return _decimals_of(obtained)
    if cell.tolerance is None:
        return max(2, _printed(cell.published))
    if cell.tolerance < _EXACT:
        return _printed(cell.published)
    return max(0, math.ceil(-math.log10(2 * cell.tolerance) - 1e-9))


def _printed(published: float) -> int:
    """The decimals of a number as it is written.

    >>> _printed(0.9977), _printed(45.0)
    (4, 0)
    """
    return len(f"{published:.6f}".rstrip("0").partition(".")[2])


def _decimals_of(obtained: float | None) -> int:
    """Decimals of a number that was not printed: none of a count, else so that some figures are significant.

    >>> _decimals_of(129.0), _decimals_of(216.6735), _decimals_of(0.25031)
    (0, 1, 4)
    """
    if obtained is None or not math.isfinite(obtained) or obtained % 1 == 0:
        return 0
    whole = math.floor(math.log10(abs(obtained))) + 1
    return min(max(_SIGNIFICANT - max(whole, 0), 0), _SIGNIFICANT)


def _fixed(x: float, digits: int) -> str:
    """A number with its decimals; what rounds to zero has no sign.

    >>> _fixed(-0.0001, 3), _fixed(1234.5, 0)
    ('0.000', '1,234')
    """
    shown = f"{x:,.{digits}f}"
    return shown.removeprefix("-") if not shown.strip("-0.,") else shown


def command_of(cell: Cell, paper: Paper) -> str:
    """The command that shows a cell; RUNS and QRELS stand for the files."""
    data = "" if is_without_data(cell) else _own_data(paper)
    return cell.command or f'assay reproduce {paper.key}{data} --item "{cell.item}"'


def _own_data(paper: Paper) -> str:
    return " --runs RUNS --qrels QRELS" if paper.main else ""


def _interval(outcome: Outcome) -> str:
    return f'<td class="n">{_between(outcome.low, outcome.high)}</td>'


def _between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    digits = _decimals_of_effect(max(abs(low), abs(high)))
    return f"{_fixed(low, digits)} to {_fixed(high, digits)}"


def _effect(x: float | None) -> str:
    return "" if x is None else _fixed(x, _decimals_of_effect(abs(x)))


def _decimals_of_effect(size: float) -> int:
    return 3 if size < _SHARES else 1


def _figures(chapter: Chapter) -> Iterator[str]:
    says = chapter.paper.said_of_figures
    if chapter.charts:
        yield ""
    for i, chart in enumerate(chapter.charts):
        yield chart_figure(chart, f"{section_id(chapter.paper.key)}-{i}", f"{chapter.paper.key}-{chart.name}")
        if chart.name in says:
            yield f'<p class="about">The paper: {esc(says[chart.name])}</p>'


def _claims(chapter: Chapter, atlas: Atlas) -> Iterator[str]:
    """The claims with their verdicts on the paper's own collections and, where they are asked there, on every one."""
    claims = [(cell, of) for cell, of in chapter.cells if isinstance(cell, Claim) and cell.item != ERROR]
    if claims:
        yield _verdicts_in_short(claims)
        everywhere = _verdicts_everywhere(atlas, chapter.paper.key)
        head = ("claim", "verdict", "effect", "interval", *(["everywhere"] if everywhere else []), "note")
        rows = [_claim_row(cell, outcome, chapter.paper, everywhere) for cell, outcome in claims]
        yield f'<div class="scroll words">{_plain_table(head, rows, label=f"Claims of {chapter.paper.key}")}</div>'


def _verdicts_in_short(claims: Sequence[CellOutcome]) -> str:
    verdicts = Counter(str(of.verdict or _NEEDS) for _, of in claims)
    return ", ".join(
        f"{n} {_PLURALS.get(name, name) if n != 1 else name}" for name in _ORDER if (n := verdicts[name])
    )


def _verdicts_everywhere(atlas: Atlas, key: str) -> dict[str, str]:
    """On how many collections each claim of a paper holds."""
    rows = atlas.tables.get("everywhere")
    if rows is None or not rows.height:
        return {}
    by_claim = rows.filter(pl.col("paper") == key).group_by("claim", maintain_order=True)
    return {str(claim): verdicts_in_words(Counter(part["verdict"])) for (claim,), part in by_claim}


def _claim_row(cell: Claim, outcome: Outcome, paper: Paper, everywhere: Mapping[str, str]) -> tuple[str, ...]:
    verdict = outcome.verdict or _NEEDS
    shown = _effect(outcome.obtained) or "\u2013"
    asked = [name for name in cell.everywhere if name in everywhere]
    stated = "; ".join(f"{'' if name in cell.cell else f'{name}: '}{everywhere[name]}" for name in asked)
    return (
        esc(cell.cell),
        f'<td class="{_css(verdict)}">{esc(verdict)}</td>',
        f'<td class="n">{_button(command_of(cell, paper), "", shown)}</td>',
        _interval(outcome),
        *([f'<td class="w">{esc(stated)}</td>'] if everywhere else []),
        f'<td class="w">{esc(outcome.needs or outcome.note)}</td>',
    )


def _elsewhere(chapter: Chapter, atlas: Atlas) -> Iterator[str]:
    """The claims on every collection: a sentence each, and the verdicts as a picture."""
    key = chapter.paper.key
    claims = atlas.tables.get("claims", pl.DataFrame({"paper": []}))
    own = claims.filter(pl.col("paper") == key) if claims.height else claims
    if not own.height:
        return
    rows = atlas.tables["everywhere"].filter(pl.col("paper") == key)
    yield f"{counted(own.height, 'claim')} on {counted(rows['collection'].n_unique(), 'collection')}"
    yield f'<ul class="sentences">{"".join(f"<li>{esc(one)}</li>" for one in own["sentence"])}</ul>'
    name = f"everywhere_{key}"
    charts: Mapping[str, Chart] = {chart.name: chart for chart in atlas.charts}
    if name in charts:
        yield chart_figure(charts[name], f"{section_id(key)}-everywhere", f"{key}-everywhere")
    applicable = rows.filter(pl.col("verdict") != NOT_APPLICABLE)
    rest = rows.height - applicable.height
    size = counted(applicable.height, "verdict") + (f"; {rest:,} more are not applicable" if rest else "")
    summary = f"<summary><h3>Every verdict</h3> <small>{size}</small></summary>"
    inner = _everywhere_table(applicable, f"{key}, everywhere")
    yield f'<details>{summary}<div class="scroll words">{inner}</div></details>'


def _everywhere_table(rows: pl.DataFrame, label: str) -> str:
    head = ("claim", "collection", "runs", "topics", "effect", "interval", "verdict", "note")
    body = [
        (
            esc(row["claim"]),
            esc(row["collection"]),
            *(f'<td class="n">{row[name]}</td>' for name in ("n_runs", "n_topics")),
            f'<td class="n">{_effect(row["effect"])}</td>',
            f'<td class="n">{_between(row["low"], row["high"])}</td>',
            f'<td class="{_css(row["verdict"])}">{esc(row["verdict"])}</td>',
            f'<td class="w">{esc(row["note"])}</td>',
        )
        for row in rows.iter_rows(named=True)
    ]
    return _plain_table(head, body, label=label)


def _errors(chapter: Chapter) -> Iterator[str]:
    errors = [(cell, of) for cell, of in chapter.cells if cell.item == ERROR]
    if not errors:
        return
    yield str(len(errors))
    yield '<dl class="terms">'
    for cell, outcome in errors:
        numbers = [] if cell.published is None else [f"published {_fixed(cell.published, _printed(cell.published))}"]
        if outcome.obtained is not None:
            number = _fixed(outcome.obtained, _decimals_of(outcome.obtained))
            shown = _button(command_of(cell, chapter.paper), "", number)
            numbers.append(f"obtained {shown}")
        text = "; ".join(part for part in (", ".join(numbers), esc(outcome.note or outcome.needs or "")) if part)
        yield f"<dt>{esc(cell.cell)}</dt><dd>{text}</dd>"
    yield "</dl>"


def _css(verdict: str) -> str:
    kinds: Mapping[str, str] = {HOLDS: "ok", FAILS: "off", INCONCLUSIVE: "open"}
    return kinds.get(verdict, "lacking")


def _plain_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, label: str) -> str:
    """Set rows of cells; a text that is no cell yet becomes one, the first of a row its heading."""
    top = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = []
    for first, *others in rows:
        inner = "".join(one if one.startswith("<td") else f"<td>{one}</td>" for one in others)
        body.append(f'<tr><th scope="row">{first}</th>{inner}</tr>')
    return f'<table aria-label="{esc(label)}"><thead><tr>{top}</tr></thead><tbody>{"".join(body)}</tbody></table>'
