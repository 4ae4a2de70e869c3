"""The ledger database of a workspace: the only room with SQL of our own."""
