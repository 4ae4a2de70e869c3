"""Grammar of stored values, for every engine alike: the patterns of docs/reading.md, "What a cell says".

They are written in what the regular expressions of all engines have in common: no look-around, no back-references, no
classes but sets of ASCII characters, no `$`. Each dialect matches whole texts with them (`Dialect.matches`).
"""

from __future__ import annotations

BLANKS = "[ \\t\\n\\x0b\\f\\r]*"
"""The six blanks of ASCII. Others, such as U+00A0, are part of a text."""

_DECIMAL = "([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"
_INFINITE = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
NUMBER = f"{BLANKS}[-+]?({_DECIMAL}|{_INFINITE}){BLANKS}"
"""Text that is a number: the double nearest to it."""
LONGEST_NUMBER = 1000
"""Characters, blanks included; a longer text is no number."""

_YEAR = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_MONTH, _DAY = "(0?[1-9]|1[0-2])", "(0?[1-9]|[12][0-9]|3[01])"
_WRITTEN = "|".join(f"{between}{_MONTH}{between}{_DAY}" for between in ("-", "/", "[.]", " "))
_CLOCK = "([01]?[0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]+)?)?|24:00(:00([.,]0+)?)?"
_ZONE = " ?([zZ]|[uU][tT][cC]|[-+]([01][0-9]|2[0-3])(:?[0-5][0-9])?)"
TIME = f"[tT ]({_CLOCK})({_ZONE})?"
DATE = f"{BLANKS}{_YEAR}({_WRITTEN})({TIME})?{BLANKS}"
"""Text that is a day, if there is such a day in the calendar. Neither time nor zone moves it: it is the one written."""
DAY = f"^{BLANKS}([0-9]{{4}})[-/. ]([0-9]{{1,2}})[-/. ]([0-9]{{1,2}})"
"""Year, month and day of such a text."""

YES = f"{BLANKS}([tT]([rR][uU][eE])?|[yY]([eE][sS])?|1){BLANKS}"
NO = f"{BLANKS}([fF]([aA][lL][sS][eE])?|[nN][oO]?|0){BLANKS}"

DECIMALS = ((10**9, 6), (10**12, 3), (None, 0))
SINGLE_DECIMALS = ((10, 6), (1000, 4), (10**5, 2), (None, 1))
"""To how many decimals the text of a fraction is rounded below which absolute value: what its type surely holds."""
