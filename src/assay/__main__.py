"""`python -m assay` is the command."""

from __future__ import annotations

import sys

from assay.cli import main

if __name__ == "__main__":
    sys.exit(main())
