"""A tournament from its first line to its last: schedule, log, shutdown, resume, workers."""
