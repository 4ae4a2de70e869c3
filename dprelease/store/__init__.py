"""The ledger database of a workspace: the only room with SQL of our own."""

import sys

if "pandas" not in sys.modules:
    # sqlite-utils imports pandas where there is one, to know its types, and nobody here gives it any: a second saved.
    sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        import sqlite_utils as sqlite_utils
    finally:
        del sys.modules["pandas"]
