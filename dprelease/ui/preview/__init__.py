"""The screen of previews: true values beside a simulated draw, for the curator alone."""
