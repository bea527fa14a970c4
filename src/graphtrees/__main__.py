"""`python -m graphtrees` is the command `graphtrees`."""

from __future__ import annotations

import sys

from graphtrees.cli import main

if __name__ == "__main__":
    sys.exit(main())
