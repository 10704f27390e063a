"""The GitHub Action and the workflow of the docs, step by step, as a runner would do them, but for installing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml  # type: ignore[import-untyped]

from tests import ROOT

STEP = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an export of two systems; `assay` is the one of this environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    place = {"run01": 2, "new": 1}  # of the relevant document, one further down for every other query
    rows = [
        {"query_id": f"q{t}", "system": name, "doc_id": "good" if good else f"bad{r}", "rank": r, "relevance": good}
        for t in range(40)
        for name, first in place.items()
        for r in (1, 2, 3)
        for good in [int(r == first + t % 2)]
    ]
    (tmp_path / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def steps(of: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for step in of["steps"] if "run" in step and step["name"] != "Install"]


def run(step: dict[str, Any], inputs: dict[str, str]) -> int:
    """Do a step as a runner does: bash that stops at the first error."""
    env = {name: STEP.sub(lambda m: inputs[m[1]], value) for name, value in step.get("env", {}).items()}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(words, env=os.environ | env, check=False).returncode


def with_defaults(action: dict[str, Any], **given: str) -> dict[str, str]:
    return {name: given.get(name, one.get("default", "")) for name, one in action["inputs"].items()}


@pytest.mark.parametrize(
    ("condition", "inconclusive", "code"),
    [
        ("nDCG@3 > -0.01", "pass", 0),
        ("nDCG@3 > +0.5", "pass", 1),
        ("nDCG@3 > +50%", "", None),
        ("nDCG@3 better", "pass", 2),
    ],
)
def test_the_action_decides_and_leaves_a_summary_and_a_report(
    condition: str, inconclusive: str, code: int | None, here: Path
) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    words = f"table.jsonl -m nDCG@3 --baseline run01 --gate '{condition}'"
    inputs = with_defaults(action, arguments=words, inconclusive=inconclusive)
    (compare,) = steps(action["runs"])
    found = run(compare, inputs)
    assert found == code or (code is None and found in (0, 1, 3))
    assert Path("gate.xml").is_file() is (found != 2)
    if found != 2:
        assert Path("summary.md").read_text().startswith("### The gate is ")
        assert ElementTree.parse("gate.xml").getroot().get("tests") == "1"


def test_the_workflow_of_the_docs_does_what_the_page_says(here: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "gate.md").read_text()
    workflow = yaml.safe_load(re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0])
    (gate,) = steps(workflow["jobs"]["gate"])
    assert run(gate, {}) == 0
    assert Path("summary.md").read_text().startswith("### The gate is passed")
    assert ElementTree.parse("gate.xml").getroot().get("failures") == "0"
