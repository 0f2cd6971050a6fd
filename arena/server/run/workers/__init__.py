"""Many cores, many machines: chunks of fixtures are played by workers, the arena keeps the tournament."""
