"""Many cores, many machines: batches of fixtures are played by workers, the arena keeps the tournament."""
