"""Writes the atlas of the papers, atlas.html, and its summary for these pages.

The public collections are taken from $ASSAY_DATA (default: ../shared/data); rankings that are packed there are
unpacked below build/ first. `make atlas` runs it.
"""

from __future__ import annotations

import lzma
import os
import sys
from collections import defaultdict
from pathlib import Path

from assay import reproduce
from assay.analyses.reproduce.tracks import public_files
from assay.core import progress
from assay.render.formats import to_file
from assay.results.atlas import Atlas

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explanation" / "atlas.md"
COLLECTIONS = ROOT / "build" / "collections"
PACKED = {
    "trec-covid/round1": "trec-covid/round1/qrels.covid-round1.txt.gz",
    "trec-covid/round2": "trec-covid/round2/qrels.covid-round2.txt.gz",
    "trec-covid/round5": "trec-covid/round5/qrels.covid-round5.txt.gz",
    "trec-dl2021-passage": "trec-dl2021-passage/qrels.dl21-passage.txt.gz",
    "cranfield-runs": "cranfield/qrels.graded.txt",
    "npl-runs": "npl/qrels.txt.gz",
}
"""Folders with packed rankings, and their judgments."""


def main() -> int:
    """Unpack, compute, write; 2 where the collections are not there."""
    data = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data"))
    if not data.is_dir():
        print(f"{data}: the public collections are not there; $ASSAY_DATA names their folder", file=sys.stderr)
        return 2
    for place, qrels in PACKED.items():
        unpack(data / place / "rankings.tsv.xz", data / qrels, COLLECTIONS / place)
    with progress.shown():
        atlas = reproduce(all=True, everywhere=[str(data), str(COLLECTIONS)])
        (ROOT / "atlas.html").write_bytes(to_file(atlas, str(ROOT / "atlas.html")))
    PAGE.write_text(summary(atlas), encoding="utf-8")
    print(f"wrote atlas.html and {PAGE.relative_to(ROOT)}")
    return 0


def unpack(packed: Path, qrels: Path, folder: Path) -> None:
    """Write one TREC run per system; `=` before a document says that it ties with the one before."""
    if (folder / "runs").is_dir():
        return
    lists: dict[str, list[str]] = defaultdict(list)
    with lzma.open(packed, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, run, documents = line.rstrip("\n").split("\t")
            score = 0
            for rank, document in enumerate(documents.split(" "), 1):
                score -= not document.startswith("=")
                lists[run].append(f"{topic} Q0 {document.removeprefix('=')} {rank} {score} {run}\n")
    making = folder / "unpacking"
    making.mkdir(parents=True, exist_ok=True)
    for run, rows in lists.items():
        (making / run.replace("/", "_")).write_text("".join(rows), encoding="utf-8")
    (folder / qrels.name).write_bytes(qrels.read_bytes())
    making.rename(folder / "runs")


def summary(atlas: Atlas) -> str:
    """The page: how many numbers match, how many claims hold, and each claim on every collection in a sentence."""
    lines = [
        "# The atlas",
        "",
        "Every published number and claim of the papers, computed again. `make atlas` writes this page and",
        "`atlas.html`, which shows each table and figure beside ours, every claim with its verdict on every",
        "collection, and the command behind each number.",
        "",
        "| paper | item | cells | ok | off | open | no data |",
        "|---|---|---|---|---|---|---|",
    ]
    for paper, item, n, *counts in atlas.tables["summary"].iter_rows():
        shown = ["" if n is None else n for n in counts]
        lines.append("| " + " | ".join(map(str, (paper, item, n, *shown))) + " |")
    claims = atlas.tables["claims"]
    for (paper,), own in claims.group_by("paper", maintain_order=True):
        lines += ["", f"## {paper} on every collection", ""]
        lines += [f"- {sentence}." for sentence in own["sentence"]]
    left_out = atlas.tables["left_out"]
    lines += ["", "## Not counted", "", "| place | because of |", "|---|---|"]
    known = {of.left_out for of in public_files()} - {""}
    lines += [f"| {place} | {why} |" for place, why in left_out.iter_rows() if why in known]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
