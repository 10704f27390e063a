"""The reference pages say what the declarations say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
GENERATOR = runpy.run_path(str(DOCS / "generate.py"))


@pytest.mark.parametrize("file", GENERATOR["PAGES"])
def test_a_generated_page_is_current(file: str) -> None:
    written = (DOCS / "reference" / file).read_text(encoding="utf-8")
    assert written == GENERATOR["PAGES"][file](), "run `make docs`"


@pytest.mark.parametrize("page", [*DOCS.rglob("*.md"), DOCS.parent / "README.md"], ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+\.md)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).is_file()] == []
