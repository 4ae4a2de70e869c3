"""The conformance kit: single values whose codes every engine must find, and a reader in plain Python that knows them.

Nothing here shares code with the dialects, so that a mistake in one is seen by the other.
"""
