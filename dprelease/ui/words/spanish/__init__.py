"""Spanish of what the rooms below say in English where something is wrong."""
