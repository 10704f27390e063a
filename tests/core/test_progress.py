"""Progress: what is under way, in a terminal and elsewhere."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from assay.core.progress import shown, steps
from assay.render.page.document import page
from assay.results.result import Part, Report, Result
from tests.render.test_formats import MEANS

CLEARED = "\r\x1b[K"


class Terminal(io.StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True

    def seen(self) -> list[str]:
        """Every line that was there, one in the place of the other."""
        return self.getvalue().split(CLEARED)[1:]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr("assay.core.progress.sys", SimpleNamespace(stderr=made))  # sys itself is watched by the tests
    monkeypatch.setenv("COLUMNS", "60")
    return made


def bar(filled: int, text: str) -> str:
    return "\u2588" * filled + "\u2591" * (24 - filled) + f" {text}"


def test_steps_within_a_step_move_the_bar_by_their_share_of_it(terminal: Terminal) -> None:
    with shown():
        for name in steps(["power", "swap", "subset"]):
            for _ in steps(["AP", "P@10"], doing="swaps of ", lines=False) if name == "swap" else ():
                pass
    assert terminal.seen() == [
        bar(0, "power"),
        bar(8, "swap"),
        bar(8, "swap: swaps of AP"),
        bar(12, "swap: swaps of P@10"),
        bar(16, "subset"),
        "",
    ]


def test_steps_one_after_another_begin_anew(terminal: Terminal) -> None:
    with shown():
        assert list(steps(["x"], doing="reading ")) == ["x"]
        assert list(steps(["a", "b"])) == ["a", "b"]
    assert terminal.seen() == [bar(0, "reading x"), "", bar(0, "a"), bar(12, "b"), ""]


def test_the_bar_is_gone_before_an_error_is_told(terminal: Terminal) -> None:
    def work() -> None:
        with shown():
            for name in steps(["power", "depth"]):
                for _ in steps(["AP"], doing="of "):
                    raise ValueError(name)

    with pytest.raises(ValueError, match="power"):
        work()
    assert terminal.seen() == [bar(0, "power"), bar(0, "power: of AP"), ""]


def test_a_step_that_was_refused_leaves_nothing_to_the_next(terminal: Terminal) -> None:
    with shown():
        for _ in steps(["a", "b"]):
            try:
                for _ in steps(["x", "y"]):
                    raise ValueError
            except ValueError:
                pass
    assert terminal.seen() == [bar(0, "a"), bar(0, "a: x"), bar(12, "b"), bar(12, "b: x"), ""]


def test_nothing_is_cleared_where_nothing_was_drawn(terminal: Terminal) -> None:
    with shown():
        pass
    assert list(steps(["a"])) == ["a"]  # nobody asked for it
    assert terminal.getvalue() == ""


def test_a_line_is_no_longer_than_the_terminal(terminal: Terminal) -> None:
    with shown():
        assert list(steps(["x" * 100])) == ["x" * 100]
    assert terminal.seen()[0] == bar(0, "x" * 34)


def test_a_terminal_that_knows_ascii_only_gets_a_bar_of_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "encoding", "ascii")
    with shown():
        list(steps(["a", "b"]))
    assert terminal.seen() == ["-" * 24 + " a", "#" * 12 + "-" * 12 + " b", ""]


def test_without_a_terminal_only_the_outer_steps_are_told(capfd: pytest.CaptureFixture[str]) -> None:
    with shown():
        for _ in steps(["power", "swap"]):
            assert list(steps(["AP"])) == ["AP"]
    assert capfd.readouterr().err == "power (1 of 2)\nswap (2 of 2)\n"


def test_drawing_a_page_is_seen(terminal: Terminal) -> None:
    parts = tuple(Part(name, "", result=Result(name, MEANS)) for name in ("power", "depth"))
    with shown():
        page(Report("report", MEANS.rename({"run": "sentence", "measure": "section"}), parts=parts))
    assert terminal.seen() == [bar(0, "drawing power"), bar(12, "drawing depth"), ""]
