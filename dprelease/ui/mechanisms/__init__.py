"""The screen of the ledger: the log, and each population's budget."""
