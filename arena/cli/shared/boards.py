"""Drawn boards on a terminal, in colours where it has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.language import language, translate
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
"""Colours of each style, for light and dark terminals. The text says the same without them."""


def board_lines(lines: Sequence[DrawnLine], indent: str = "") -> str:
    """Return a drawing as text; without colours off a terminal, or with NO_COLOR set."""
    from arena.games.interface import text_of

    console = output()
    if console.no_color or console.color_system is None:
        text = text_of(lines, language())
    else:
        text = "\n".join(map(_colour, lines))
    return "\n".join(indent + line for line in text.split("\n"))


def _colour(line: DrawnLine) -> str:
    spans = []
    for span in line:
        text = translate(span.text)
        if span.style:
            text = click.style(text, **LOOKS[span.style])
        spans.append(text)
    return "".join(spans)


def turn_words(text: str) -> str:
    """Return a turn in the language of the terminal: only a pass and an ending are words."""
    moves, *endings = text.split(", ")
    if moves == "pass":
        moves = translate(Said("turn.pass"))
    words = [translate(Said(f"ending.{ending.replace(' ', '_')}")) for ending in endings]
    return ", ".join([moves, *words])
