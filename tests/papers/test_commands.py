"""Every command that a cell of a paper names is one that the command line understands."""

from __future__ import annotations

import shlex

import pytest

from assay.cli import _check_measures, _loader, _parser
from assay.results.analysis import find
from assay.results.papers import about_papers, find_paper


def commands() -> list[str]:
    papers = [find_paper(key) for key in about_papers()]
    named = {cell.command for paper in papers for cell in (*paper.cells, *paper.everywhere)}
    return sorted(named - {""})


@pytest.mark.parametrize("command", commands())
def test_a_command_of_a_cell_is_understood(command: str) -> None:
    program, name, *words = shlex.split(command)
    assert program == "assay"
    function = find(name).function
    parsed, unknown = _parser(name, function, _loader(function), described=False).parse_known_intermixed_args(words)
    assert unknown == []
    _check_measures(vars(parsed))


def test_most_cells_name_one() -> None:
    assert len(commands()) > 150
