"""Brandubh, the tafl game: one engine; rules on which the versions differ are ruleset fields."""
