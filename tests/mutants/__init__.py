"""Wrong lines, put into a copy of the program one at a time: some test must notice each.

`mutants.toml` says what is wrong, `mutant.py` finds where, `probing.py` and `recording.py` learn which tests reach it,
`run.py` tries: `python -m tests.mutants.run`.
"""
