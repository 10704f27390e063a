"""Messages: one line, whatever they quote."""

from __future__ import annotations

import time

from assay.core.errors import InputError, suggestion


def test_a_message_that_quotes_a_megabyte_keeps_where_and_what_would_be_right() -> None:
    said = str(InputError(f"run.txt:3: score '{'x' * 1_000_000}' is not a number; write a number"))
    assert said.startswith("run.txt:3: score 'xxx")
    assert said.endswith("xxx' is not a number; write a number")
    assert len(said) < 1300
    short = "run.txt:3: 5 fields, expected 6"
    assert str(InputError(short)) == short


def test_a_word_of_a_megabyte_has_no_close_match_and_none_is_looked_for() -> None:
    started = time.process_time()
    assert suggestion("x" * 1_000_000, ["AP"] * 1000) == ""
    assert time.process_time() - started < 1
