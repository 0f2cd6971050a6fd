"""A seat at the board for a person in a browser."""

from typing import Final

SEATS_OF_TOURNAMENT: Final = "arena.pages.by_hand.hand_tournament"
"""The module that is run to serve the seats of the persons in a tournament."""
