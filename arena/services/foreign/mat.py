"""A match read from MAT, as `records/mat.py` and other programs write it.

Each line has a cell for either side: dice with a colon and the moves, or a word about the cube or
the end. Before the first game anything may stand. After it, a line that is nothing of this is
refused, because what a game misses would change all that follows.
"""

import io
import re
from typing import Final

from arena.games.result import Seat
from arena.matches.state import SEATS, other
from arena.services.foreign.record import ForeignGame, ForeignMatch, ForeignTurn
from arena.words import Said, SaidError

LONGEST_LINE: Final = 400
"""Characters; a turn has some 40."""
MOST_CELLS: Final = 20_000
"""Cells and games of a match that is read; one of 25 points has some 2,000."""

_HEADER: Final = re.compile(r'; *\[(?:Jacoby "?(on)|TurnLimit "([1-9]\d{0,5})")', re.IGNORECASE)
_GAME: Final = re.compile(r"\s*Game\s+\d+", re.IGNORECASE)
_PLAYERS: Final = re.compile(r"\s*([^:]*[^:\s])\s*:\s*\d+\s+([^:]*[^:\s])\s*:\s*\d+")
_CELL: Final = re.compile(
    r"(?<!\S)(?<!: )(?:(?P<dice>[1-6])(?P<die>[1-6]):|takes\b|accepts\b"
    r"|(?P<double>(?:doubles|redoubles|beavers)\b)"
    r"|(?P<loss>(?:drops|passes|rejects|resigns|resigned|loses|lost|forfeits)\b)"
    r"|wins (?P<win>\d{1,4}) points?)",
    re.IGNORECASE,
)
"""The beginning of a cell. `passes` behind a colon is a turn without moves."""
_UNPLAYED: Final = "???"
"""What GNU Backgammon writes for a roll that was not played."""


class MatError(SaidError):
    """A text is no match in MAT."""


class _Reader:
    """Reads the lines of a match."""

    def __init__(self) -> None:
        self.match = ForeignMatch()
        self.cells = 0
        """Cells and games so far."""
        self._seats: tuple[Seat, ...] = ()
        """The seats of the columns; empty before the line with the names."""
        self._middle = 0
        """Where the right half of a line begins."""

    def take(self, line: str) -> None:
        """Take a line. Raises `MatError`."""
        if len(line) > LONGEST_LINE:
            raise MatError(Said("foreign.long_line", {"most": LONGEST_LINE}))
        header = _HEADER.match(line)
        if header and header[2]:
            self.match.turn_limit = int(header[2])
        elif header:
            self.match.gammons = False
        elif _GAME.fullmatch(line):
            self.match.games.append(ForeignGame())
            self._seats = ()
            self.cells += 1
        elif self.match.games and line and not line.startswith(";"):
            self._take_in_game(line)

    def _take_in_game(self, line: str) -> None:
        """Take a line of a game: first the names, then cells. Raises `MatError`."""
        players = _PLAYERS.fullmatch(line)
        if players is None or self._seats:
            self._take_cells(line)
            return
        names = players[1], players[2]
        self._seats = SEATS
        self._middle = players.start(2) // 2
        if len(self.match.games) == 1:
            self.match.names = names
        elif names == self.match.names[::-1] != self.match.names:
            self._seats = (2, 1)  # they have changed sides

    def _take_cells(self, line: str) -> None:
        """Take the cells of a line. Raises `MatError`."""
        cells = [*_CELL.finditer(line)]
        starts = [*(cell.start() for cell in cells), len(line)]
        number = line[: starts[0]].strip(" 0123456789)")
        if number or len(cells) > 2 or not self._seats:
            raise MatError(Said("foreign.no_turn", {"text": repr(line.strip())}))
        self.cells += len(cells)
        seats = self._seats
        if len(cells) == 1 and starts[0] >= self._middle:
            seats = seats[1:]
        for seat, cell, end in zip(seats, cells, starts[1:], strict=False):
            self._take_cell(seat, cell, line[cell.end() : end].strip())

    def _take_cell(self, seat: Seat, cell: re.Match[str], moves: str) -> None:
        """Take a turn, or a word about the cube or the end."""
        game = self.match.games[-1]
        if cell["dice"] and moves != _UNPLAYED:
            game.turns.append(ForeignTurn(seat, (int(cell["dice"]), int(cell["die"])), moves))
        elif cell["double"]:
            self.match.doubles += 1
        elif cell["loss"]:
            game.winner, game.points = other(seat), 1
        elif cell["win"]:
            game.winner, game.points = seat, int(cell["win"])


def parse_mat(text: str) -> ForeignMatch:
    """Read a match in MAT. Raises `MatError`: it has no game, or a line that is no turn."""
    reader = _Reader()
    for number, line in enumerate(io.StringIO(text), 1):
        printable = "".join(filter(str.isprintable, line.expandtabs()))
        try:
            reader.take(printable.rstrip())
        except MatError as error:
            place = {"line": number, "problem": error.said}
            raise MatError(Said("foreign.at_line", place)) from error
        if reader.cells > MOST_CELLS:
            raise MatError(Said("foreign.many_turns", {"most": MOST_CELLS}))
    if not reader.match.games:
        raise MatError(Said("foreign.no_game"))
    return reader.match
