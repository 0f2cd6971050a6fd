"""Drawn boards on a terminal, in colours where it has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.language import language, told
from arena.cli.shared.output import output
from arena.words import Said

if TYPE_CHECKING:
    from arena.games.interface import DrawnLine

LOOKS: Final[dict[str, dict[str, Any]]] = {
    "": {},
    "first": {"fg": "green", "bold": True},
    "second": {"fg": "magenta", "bold": True},
    "moving": {"bold": True},
    "moved": {"reverse": True, "bold": True},
    "quiet": {"dim": True},
}
"""How each style looks, on light ground and on dark. All that the colours say is in the text as
well."""


def board_lines(lines: Sequence[DrawnLine], indent: str = "") -> str:
    """A drawing; without colours off a terminal, or with NO_COLOR set."""
    from arena.games.interface import text_of

    console = output()
    if console.no_color or console.color_system is None:
        text = text_of(lines, language())
    else:
        text = "\n".join(
            "".join(
                click.style(told(span.text), **LOOKS[span.style]) if span.style else told(span.text)
                for span in line
            )
            for line in lines
        )
    return "\n".join(indent + line for line in text.split("\n"))


def turn_words(text: str) -> str:
    """Return a turn as the game writes it: only a pass and an ending are words."""
    moves, *endings = text.split(", ")
    words = [told(Said("turn.pass")) if moves == "pass" else moves]
    words += (told(Said(f"ending.{ending.replace(' ', '_')}")) for ending in endings)
    return ", ".join(words)
