"""`python -m tests.fuzz.sanitized`: the compiled part under AddressSanitizer and UndefinedBehaviorSanitizer.

It is compiled anew, apart from the installed one, and fed mutated TREC files; what the sanitizers find ends the
process with their report. It is for GCC, whose library of the sanitizer is loaded before Python.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np

from tests import ROOT

_NAME = "assay.core._compiled"
_SOURCE = ROOT / "src" / "assay" / "core" / "_compiled.c"
_FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1", "-Wall", "-Wextra", "-Werror")
_KINDS = ("s-difs", "s-ddfs", "d-di", "d-dd", "ddi", "s", "f", "d", "i", "sdif-sdif-sdif")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.sanitized", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--library", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.library:
        return _try(asked.library, asked.inputs, asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder) / "_compiled.so")
        compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
        include = f"-I{sysconfig.get_paths()['include']}"
        subprocess.run([compiler, *_FLAGS, "-shared", "-fPIC", include, str(_SOURCE), "-o", library], check=True)
        found = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": found.stdout.strip(),
            "PYTHONMALLOC": "malloc",  # so that every object has bounds of its own
            "ASAN_OPTIONS": "detect_leaks=0",  # Python and polars keep much to their end
        }
        words = ["--library", library, "--inputs", str(asked.inputs), "--seed", str(asked.seed)]
        return subprocess.run([sys.executable, "-m", "tests.fuzz.sanitized", *words], env=environment).returncode


def _try(library: str, n: int, seed: int) -> int:
    """Read mutated files with the sanitized library."""
    spec = spec_from_file_location(_NAME, library)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[_NAME] = module  # before anything imports the installed one
    from assay.core import compiled
    from assay.data.formats.columns import compiled_run
    from tests.fuzz.mutations import mutated
    from tests.fuzz.readers import QRELS, RUN, SPACED

    assert compiled.columns is not None
    assert compiled.order_ties is not None
    assert compiled.columns is module.columns
    rng = random.Random(seed)
    n_read = 0
    for _ in range(n):
        data = mutated(rng.choice([RUN, SPACED, QRELS]), rng)
        with suppress(UnicodeDecodeError):  # the readers look before
            n_read += compiled.columns(data, rng.choice(_KINDS)) is not None
        if data.isascii() and (run := compiled_run(data)) is not None:
            n_read += 1
            assert len(run.doc.hash()) == run.score.size
            assert "".join(run.doc.to_list()).isascii()
            rows, group = np.arange(run.score.size), np.sort(np.array(rng.choices(range(3), k=run.score.size)))
            assert compiled.order_ties(run.doc.__arrow_c_stream__(), rows, group.astype(np.uint32))
    print(f"{n:,} inputs, {2 * n:,} readings at most, {n_read:,} with columns: nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
