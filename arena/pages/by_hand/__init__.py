"""A seat at the board for a person in a browser."""
