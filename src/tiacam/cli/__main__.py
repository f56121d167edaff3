"""`python -m tiacam.cli`: the same as the command `tiacam`."""

import sys

from tiacam.cli import main

sys.exit(main())
