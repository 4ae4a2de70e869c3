"""The desk: what waits, drafts, budgets, the last releases and today."""
