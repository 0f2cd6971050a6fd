"""What results say of the strength of bots, with the error they leave: pure functions (docs/statistics.md)."""
