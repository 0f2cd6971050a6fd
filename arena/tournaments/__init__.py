"""Who meets whom, who won, who stands where: pure functions of entrants, schedule and results (chapter M)."""
