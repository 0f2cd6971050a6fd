"""Pages of text on a terminal, one at a time, with keys to go forward and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from arena.cli.shared.streams import clear_screen, echo_coloured

NEXT: Final = {"n", " ", "\r", "\n", "\x1b[C", "\x1b[B", "j"}
BACK: Final = {"p", "b", "\x7f", "\x08", "\x1b[D", "\x1b[A", "k"}
FIRST: Final = {"g", "\x1b[H", "\x1b[1~"}
LAST: Final = {"G", "\x1b[F", "\x1b[4~"}
QUIT: Final = {"q", "Q", "\x1b", "\x04"}


def step_through(pages: Sequence[str], number: int = 0) -> None:
    """Show the page with this number, from 0, and follow the keys; q ends it."""
    while True:
        clear_screen()
        echo_coloured(pages[number])
        click.echo(f"\n{number + 1} of {len(pages)}   n next, p back, g first, G last, q quit")
        try:
            key = click.getchar()
        except (KeyboardInterrupt, EOFError):
            return
        if key in QUIT:
            return
        if key in NEXT:
            number = min(number + 1, len(pages) - 1)
        elif key in BACK:
            number = max(number - 1, 0)
        elif key in FIRST:
            number = 0
        elif key in LAST:
            number = len(pages) - 1
