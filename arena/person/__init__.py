"""A person at the board: what a turn may still become, the seat that answers for it, opponents and hints."""
