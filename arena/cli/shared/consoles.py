"""Consoles of rich, with all characters visible; a module of its own because `arena --help` does without rich."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from arena.cli.shared.streams import innermost, visible


class SafeConsole(Console):
    """A console whose texts are visible; what rich adds to them by itself stays."""

    @property
    def file(self) -> IO[str]:
        """Stream it writes to: below the guard, even while a live display of rich has put itself over that."""
        return innermost(cast("TextIO", super().file))

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """The segments of a renderable."""
        for segment in super().render(renderable, options):
            yield Segment(visible(segment.text), segment.style) if segment.control is None else segment
