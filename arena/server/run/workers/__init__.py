"""Workers on many cores and machines: they play chunks of fixtures, the arena keeps the record."""
