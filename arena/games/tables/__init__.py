"""Every tables game: one board, one path, one turn generator; the rules are fields of a `Ruleset`."""
