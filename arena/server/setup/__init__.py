"""Setup of a run: the tournament file, the run folder, credentials."""
