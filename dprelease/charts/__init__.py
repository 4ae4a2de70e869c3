"""A table as it is read and drawn: what it asks, its values as text, its picture."""
