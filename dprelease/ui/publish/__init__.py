"""The screen that publishes: the summary of what is charged, and how far it is."""
