"""Brandubh, the tafl game: one engine for both versions; the rules on which they differ are fields of a ruleset."""
