"""The screen that declares columns: the table, its undo, imports and private bounds."""
