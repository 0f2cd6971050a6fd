"""A person at the board: the moves that can follow, the seat at the arena, opponents and hints."""
