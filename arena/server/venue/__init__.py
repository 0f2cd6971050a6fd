"""The venue, which outlives runs: the loop, the door, the bots that stay, and the shutdown."""
