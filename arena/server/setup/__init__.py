"""What a run is given: the tournament file, the run folder, credentials."""
