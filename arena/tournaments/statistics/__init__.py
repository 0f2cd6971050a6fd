"""Statistics of results: the strength of bots, with errors. Pure functions (docs/statistics.md)."""
