"""Results and charts as a notebook shows them."""

from __future__ import annotations

import pytest

from assay.render.notebook import fragment
from assay.results.result import Report
from assay.results.sentences import STANDING
from tests.render.test_page import Outline, hand_made, n_charts


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return hand_made(tmp_path_factory.mktemp("collection"))


def test_a_result_shows_itself_in_a_notebook_without_scripts(report: Report) -> None:
    result = report.parts[3].result
    assert result is not None
    for shown in (fragment(result), result._repr_html_()):
        found = Outline(shown)
        assert found.unbalanced == []
        assert found.names("script") == []
        assert len(found.names("figure")) == len(found.names("details")) == 1
        assert len(found.names("table")) == 2
        assert (
            shown.index("<table>") < shown.index('aria-label="Beware"') < shown.index("<summary>long <small>150 rows")
        )
        assert "20 of 150 rows; all of them in <code>.tables[&#x27;long&#x27;]</code>" in shown
        assert "alert(1)" in shown
        assert f"<style>{''.join(found.data['style'])}</style>" in shown
    assert all(rule.startswith(".assay") for rule in Outline(fragment(result)).data["style"][0].strip().splitlines())


def test_a_chart_shows_itself_in_a_notebook(report: Report) -> None:
    results = [part.result for part in report.parts if part.result]
    shown = results[1].charts[0]._repr_html_()
    assert Outline(shown).names("svg")
    assert Outline(shown).names("figure")[0]["aria-label"] == results[1].charts[0].alt


def test_a_report_shows_its_verdict_in_a_notebook(report: Report) -> None:
    shown = fragment(report)
    found = Outline(shown)
    assert "<ol><li>Report AP: its power is highest (80% of pairs, 75 to 85%). [power]</li>" in shown
    assert "<p><b>Inconclusive on these topics:</b> whether &lt;script&gt;" in shown
    assert "<p><b>Beware:</b> lists have ties; " in shown
    assert f"<p>{STANDING}</p>" in shown
    assert "<p>depth: left out; needs at least 10 runs</p>" in shown
    assert "<script>" not in shown
    assert "\x1b" not in shown
    assert found.unbalanced == []
    assert found.names("script") == []


def test_the_sections_of_a_report_are_folded_in_a_notebook(report: Report) -> None:
    shown = fragment(report)
    power = shown.partition("<details><summary><b>power</b> What of power?</summary>")[2]
    assert power.index("<figure") < power.index("<table") < power.index("<summary>pairs <small>198 rows</small>")
    assert "20 of 198 rows; all of them in <code>.tables[&#x27;power.pairs&#x27;]</code>" in power
    found = Outline(shown)
    results = [part.result for part in report.parts if part.result]
    assert len(found.names("figure")) == n_charts(report)
    assert len(found.names("table")) == sum(1 + len(result.tables) for result in results)
    assert shown.partition("<details>")[0].count("<table") == 0
    assert max(block.count("<tr>") for block in shown.split("<table")) <= 61
