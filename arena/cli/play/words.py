"""The words of the terminal in the person's language: English stands in terminal.py, Swedish in a catalogue.

Sentences that the arena itself makes have their Swedish in the catalogue of the pages (`arena.pages.swedish`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from arena.cli.play.swedish import COMMANDS, SWEDISH
from arena.games.interface import DrawnLine, Span
from arena.pages.swedish import translated

Language = Literal["en", "sv"]


def language_of(environment: Mapping[str, str]) -> Language:
    """The language that the environment asks for: Swedish if its locale is Swedish."""
    locale = next((found for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (found := environment.get(name))), "")
    return "sv" if re.match(r"sv(?![a-z])", locale, re.IGNORECASE) else "en"


class TerminalWords:
    """Words of one language: those to print, and those to understand."""

    def __init__(self, language: Language) -> None:
        self._is_swedish: Final = language == "sv"

    def say(self, english: str, **values: object) -> str:
        """The words, with values in place of `{name}`. Raises KeyError if the catalogue does not have them."""
        words = SWEDISH[english] if self._is_swedish else english
        return words.format_map(values)

    def told(self, english: str) -> str:
        """A sentence of the arena; in English if there are no other words for it."""
        return (translated(english) if self._is_swedish else None) or english

    def turn(self, text: str) -> str:
        """A turn as the game writes it: only a pass and an ending are words."""
        return ", ".join(map(self.told, text.split(", ")))

    def board(self, lines: list[DrawnLine]) -> list[DrawnLine]:
        """A drawing with its labels."""
        return [[Span(self.told(span.text), span.style) for span in line] for line in lines]

    def decimal(self, value: float, form: str = ".2f") -> str:
        """A number with decimals."""
        text = format(value, form)
        return text.replace(".", ",") if self._is_swedish else text

    def command(self, typed: str) -> str:
        """The English of a command; everything else as it was typed, without capitals."""
        word = typed.lower()
        return COMMANDS.get(word, word) if self._is_swedish else word
