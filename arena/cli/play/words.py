"""The words of the board on a terminal: English stands in terminal.py, Swedish in the catalogue."""

from __future__ import annotations

from typing import Final

from arena.cli.shared.language import language, told
from arena.words import Said, word

COMMANDS: Final = {
    "hjälp": "help",
    "ångra": "undo",
    "tips": "hint",
    "en": "one",
    "två": "two",
    "remi": "draw",
    "anta": "accept",
    "bräde": "board",
    "ge upp": "resign",
    "stå över": "pass",
    "ja": "yes",
    "j": "yes",
}
"""What can be typed in Swedish, beside the English."""


def say(english: str, **values: object) -> str:
    """Return the words, with values in place of `{name}`. Raises KeyError if the catalogue does not have them."""
    return word(english, language(), **values)


def turn_words(text: str) -> str:
    """Return a turn as the game writes it: only a pass and an ending are words."""
    moves, *ending = text.split(", ")
    return ", ".join([told(moves), *(told(Said(f"ending.{one.replace(' ', '_')}")) for one in ending)])


def command_of(typed: str) -> str:
    """Return the English of a command; everything else as it was typed, without capitals."""
    lowered = typed.lower()
    return COMMANDS.get(lowered, lowered) if language() == "sv" else lowered
