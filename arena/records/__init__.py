"""The match log: its lines, the dice behind it, replay and verification, summaries."""
