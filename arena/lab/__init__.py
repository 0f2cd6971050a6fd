"""Training of evaluators by self-play. Needs the extra `analysis`."""
