"""`python -m graphtrees.cli`, where the command itself is not on the path."""

import sys

from graphtrees.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
