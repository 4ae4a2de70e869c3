"""What every screen is made of: blocks, fields, charts, phrases, problems and the session."""
