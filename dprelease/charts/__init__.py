"""Table as it is read and drawn: its question, its values as text, its picture."""
