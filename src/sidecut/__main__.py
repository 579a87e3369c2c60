"""`python -m sidecut` is the `sidecut` command."""

import sys

from sidecut.cli import main

if __name__ == "__main__":
    sys.exit(main())
