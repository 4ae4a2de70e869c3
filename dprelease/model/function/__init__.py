"""A published model as a function: from models/ID.json to values of new rows. Public facts in, no row of anybody's."""
