"""What Tab offers: the scripts are sourced by the shells that they are for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import main
from assay.measures.declare import CATALOGUE
from assay.results.analysis import index
from assay.stats.significance.declare import significance_tests


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    written = {}
    for shell in ("bash", "zsh", "fish"):
        written[shell] = folder / shell
        done = subprocess.run(
            [sys.executable, "-m", "assay", "--completion", shell], capture_output=True, check=True, text=True
        )
        written[shell].write_text(done.stdout)
    return written


def asked(shell: str, code: str) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split("\n")


def in_bash(script: Path, *words: str) -> list[str]:
    """Ask as readline does: the words so far, the last of them unfinished; = is a word of its own."""
    array = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _assay; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return [word for word in asked("bash", f"source {script}; complete -p assay >/dev/null; {ask}") if word]


def in_zsh(script: Path, *words: str) -> list[str]:
    """Ask with stand-ins for what zsh's own completion would do with the words."""
    stubs = "compdef() { }; _files() { print FILES }; compadd() { shift; print -l -- $@ }; "
    stubs += "_describe() { print -l $commands }"
    ask = f"words=({' '.join(repr(word) for word in words)}); CURRENT={len(words)}; PREFIX={words[-1]!r}; _assay"
    return [word for word in asked("zsh", f"{stubs}; source {script}; {ask}") if word]


def in_fish(script: Path, *words: str) -> list[str]:
    line = " ".join(words)
    return [row.split("\t")[0] for row in asked("fish", f"source {script}; complete -C '{line}'") if row]


ASK = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}
EACH = pytest.mark.parametrize("shell", list(ASK))


@EACH
def test_commands_are_offered_first(scripts: dict[str, Path], shell: str) -> None:
    offered = ASK[shell](scripts[shell], "assay", "")
    assert set(index()) <= {word.split(":")[0] for word in offered}


@EACH
def test_flags_and_their_choices_are_those_of_the_command(scripts: dict[str, Path], shell: str) -> None:
    ask, script = ASK[shell], scripts[shell]
    assert {"--ties", "--qrels", "-m", "--measure", "--format"} <= {
        *ask(script, "assay", "score", "--"),
        *ask(script, "assay", "score", "-"),
    }
    assert "--test" not in ask(script, "assay", "score", "x", "--")
    assert {"trec", "file", "rank"} <= set(ask(script, "assay", "score", "x", "--ties", ""))
    assert set(ask(script, "assay", "power", "--test", "")) == set(significance_tests())
    assert set(ask(script, "assay", "--completion", "")) == {"bash", "zsh", "fish"}


@EACH
def test_measures_are_offered_after_their_flag(scripts: dict[str, Path], shell: str) -> None:
    offered = ASK[shell](scripts[shell], "assay", "power", "-m", "")
    assert {name.split("@")[0] for name in offered} == set(CATALOGUE)
    assert "P@10" in offered


@EACH
def test_where_files_are_meant_the_shell_offers_them(
    scripts: dict[str, Path], shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("")
    for words in (("assay", "score", ""), ("assay", "score", "--qrels", "")):
        offered = ASK[shell](scripts[shell], *words)
        assert offered == {"bash": [], "zsh": ["FILES"], "fish": ["qrels.txt"]}[shell]  # bash has -o default


def test_bash_completes_behind_an_equals_sign_too(scripts: dict[str, Path]) -> None:
    assert in_bash(scripts["bash"], "assay", "score", "--ties", "=", "f") == ["file"]
    assert "file" in in_bash(scripts["bash"], "assay", "score", "--ties", "=")


def test_a_shell_that_is_none_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--completion"], ["--completion", "fsh"], ["--completion=bahs"]):
        assert main(words) == 2
        assert capfd.readouterr().err.startswith("assay: --completion: '")
