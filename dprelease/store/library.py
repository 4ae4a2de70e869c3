"""sqlite-utils, imported where a database is opened: what only names an event has no use for it."""

import sys

if "pandas" in sys.modules:
    from sqlite_utils import Database as Database
else:
    # sqlite-utils imports pandas where there is one, to know its types, and nobody here gives it any: a second saved.
    sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        from sqlite_utils import Database as Database
    finally:
        del sys.modules["pandas"]
