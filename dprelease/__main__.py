"""`python -m dprelease`."""

import sys

from dprelease.cli import main

sys.exit(main())
