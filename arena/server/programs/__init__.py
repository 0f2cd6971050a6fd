"""Launched bots: the supervisor of each program, its limits, its sandbox."""
