"""The screen of datasets and populations: bringing tables, registering, caps."""
