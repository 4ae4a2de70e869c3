"""The screen of what waits for a second person."""
