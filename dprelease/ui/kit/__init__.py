"""The parts of every screen: blocks, fields, charts, phrases, problems and the session."""
