"""Many cores, many machines: workers play batches of fixtures, and the arena keeps the tournament."""
