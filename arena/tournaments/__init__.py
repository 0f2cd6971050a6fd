"""Schedules, results and standings: pure functions of entrants, schedule and results (chapter M)."""
