"""What outlives a run: the loop, the door, the bots that stay, and how all of it ends."""
