"""A run that is followed while it is played."""

from typing import Final

VENUE_PAGES: Final = "arena.pages.live.venue_serving"
"""The module that is run to serve the pages of a venue."""
