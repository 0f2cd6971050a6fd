"""Consoles and tables of rich, with all characters visible.

`arena --help` does not import this module.
"""

from collections.abc import Iterable, Iterator
from typing import IO, Any, Final, TextIO, cast

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from arena.cli.shared.language import in_words
from arena.cli.shared.streams import innermost, visible

UNLIMITED: Final = 10_000
"""Width in characters: a terminal may wrap a table, but no number is cut off."""


class SafeConsole(Console):
    """A console that makes all characters of its texts visible; control codes of rich stay."""

    def __init__(self, **options: Any) -> None:
        """Take no text for markup or for the code of an emoji."""
        super().__init__(markup=False, emoji=False, **options)

    @property
    def file(self) -> IO[str]:
        """The stream below the guard, even while a live display of rich covers it."""
        return innermost(cast("TextIO", super().file))

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render(
        self,
        renderable: RenderableType,
        options: ConsoleOptions | None = None,
    ) -> Iterator[Segment]:
        """Yield the segments of a renderable."""
        for segment in super().render(renderable, options):
            if segment.control is None:
                yield Segment(visible(segment.text), segment.style)
            else:
                yield segment


def short_name(name: str, room: int | None) -> str:
    """Return a name, cut to this many cells; None for no limit."""
    if room is None or cell_len(name) <= room:
        return name
    return set_cell_size(name, room - 1).rstrip() + "…"


def plain_table(title: str, *names: str, numbers: Iterable[str] = ()) -> Table:
    """Return an empty table in the style of all commands: columns of names, then of numbers."""
    table = Table(
        box=SIMPLE_HEAD,
        title=in_words(title),
        title_justify="left",
        title_style="bold",
        padding=(0, 1, 0, 0),
    )
    for heading in names:
        table.add_column(in_words(heading))
    for heading in numbers:
        table.add_column(in_words(heading), justify="right")
    return table
