"""Makes the pictures of the gallery and of the README: the report on four collections, looked at in a browser.

The public collections are taken from $ASSAY_DATA (default: ../shared/data), as for the atlas; four systems in a file
of JSON lines are synthetic. `make gallery` runs it. Needs chromium.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import atlas
from playwright.sync_api import Page, sync_playwright

from assay.cli import main as assay

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "gallery"
MADE = ROOT / "build" / "gallery"
WIDTH, HEIGHT = 1280, 900
LAYERS = {"decide": "#page-decide", "look": "#page-look", "evidence": "#page-evidence"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A collection of the gallery: how its report is asked for."""

    name: str
    words: tuple[str, ...]


def collections(data: Path) -> Iterator[Shown]:
    """The collections, unpacked or made where they are not there yet."""
    adhoc8 = data / "trec8-adhoc"
    yield Shown("trec8", (str(adhoc8 / "runs"), "--qrels", str(adhoc8 / "qrels.gz")))
    for name, place in (("trec-covid", "trec-covid/round1"), ("dl2021", "trec-dl2021-passage")):
        qrels = data / atlas.PACKED[place]
        folder = atlas.COLLECTIONS / place
        atlas.unpack(data / place / "rankings.tsv.xz", qrels, folder)
        yield Shown(name, (str(folder / "runs"), "--qrels", str(folder / qrels.name)))
    yield Shown("four-systems", (str(four_systems(MADE / "systems.jsonl")),))


def four_systems(table: Path) -> Path:
    """Write ten documents of 300 queries by four synthetic systems as JSON lines, a grade in every row."""
    if table.is_file():
        return table
    folder = MADE / "four"
    size = {"n-runs": 4, "n-contributors": 4, "n-topics": 300, "n-docs": 20_000, "n-relevant": 30}
    size |= {"depth": 10, "pool-depth": 10, "n-equal": 1, "top-grade": 3}
    assay(["simulate", str(folder), *(word for name, n in size.items() for word in (f"--{name}", str(n)))])
    lines = (folder / "qrels.txt").read_text(encoding="utf-8").splitlines()
    grade = {(topic, doc): int(one) for topic, _, doc, one in map(str.split, lines)}
    rows = []
    for run in sorted((folder / "runs").iterdir()):
        for line in gzip.decompress(run.read_bytes()).decode().splitlines():
            topic, _, doc, rank, _, system = line.split()
            row = {"query_id": topic, "system": system, "doc_id": doc, "rank": int(rank)}
            rows.append(json.dumps(row | {"relevance": grade.get((topic, doc), 0)}))
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return table


def photograph(page: Page, report: Path, name: str) -> None:
    """Take a picture of the first screen of every layer."""
    page.goto(report.as_uri())
    page.wait_for_load_state("networkidle")
    for layer, place in LAYERS.items():
        if page.locator(place).count():
            page.locator(place).evaluate("element => element.scrollIntoView()")
            page.wait_for_timeout(500)
            page.screenshot(path=PICTURES / f"{name}-{layer}.png")


def main() -> int:
    """Make the reports, then the pictures; 2 where the collections or the browser are not there."""
    data = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data"))
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not data.is_dir() or browser is None:
        print("the gallery needs the public collections ($ASSAY_DATA) and chromium", file=sys.stderr)
        return 2
    for folder in (PICTURES, MADE):
        folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for shown in collections(data):
            report = MADE / f"{shown.name}.html"
            if not report.is_file():
                assay(["report", *shown.words, "-o", str(report)])
            photograph(page, report, shown.name)
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
