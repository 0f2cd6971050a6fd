"""A match read from MAT, as `mat.py` and other programs write it.

Each line has a turn of both sides: dice with a colon and the moves, or a word such as `Doubles`.
Headers stand behind semicolons. Before the first game anything may stand. After it, a line that is
nothing of this is refused, because what a game misses would change all that follows.
"""

import re
from collections.abc import Iterator
from typing import Final

from arena.games.result import Seat
from arena.matches.state import other
from arena.records.foreign import NO_LIMIT, ForeignGame, ForeignMatch, ForeignTurn
from arena.records.mat import TURN_LIMIT
from arena.words import Said, SaidError

LONGEST_LINE: Final = 400
"""Characters; a turn has some 40."""
MOST_TURNS: Final = 20_000
"""Turns of a match that is read; one of 25 points has some 2,000."""

_HEADER: Final = re.compile(r'; *\[(\w+) "?([^"]*)"?\]')
_GAME: Final = re.compile(r"\s*Game\s+\d+\s*", re.IGNORECASE)
_SCORES: Final = re.compile(r"([^:]*):\s*\d+\s([^:]*):\s*\d+")
"""Both names, each with a score behind it. Names have no colons."""
_NUMBER: Final = re.compile(r"\s*\d+\)")
_OFFERED: Final = ("doubles", "redoubles", "beavers")
_TAKEN: Final = ("takes", "accepts")
_DROPPED: Final = ("drops", "passes", "rejects")
_LOST: Final = ("resigns", "resigned", "loses", "lost", "forfeits")
_WORDS: Final = "|".join((*_OFFERED, *_TAKEN, *_DROPPED, *_LOST, "wins"))
_CELL: Final = re.compile(
    rf"(?<!\S)(?<!: )(?:([1-6])([1-6]):|({_WORDS})\b)",
    re.IGNORECASE,
)
"""The beginning of a cell. A word behind a colon is what a program writes for a pass."""
_POINTS: Final = re.compile(r"wins? (\d{1,4}) points?", re.IGNORECASE)
_PASSED: Final = "???"
"""What GNU Backgammon writes for a roll that was not played."""


class MatError(SaidError):
    """A text is no match in MAT."""


class _Game:
    """A game while its lines are read."""

    def __init__(self) -> None:
        self.turns: list[ForeignTurn] = []
        self.doubles = 0
        self.winner: Seat | None = None
        self.points = 0
        self.seats: tuple[Seat, Seat] = (1, 2)
        """The seats of the left and the right column."""
        self.middle: int | None = None
        """Where the right half of a line begins; None before the line with the names."""

    def take(self, words: re.Match[str], text: str, seat: Seat, line: int) -> None:
        """Take a cell: a turn, or a word about the cube or the end."""
        if words[1]:
            moves = text.partition(":")[2].strip()
            if moves != _PASSED:
                dice = (int(words[1]), int(words[2]))
                self.turns.append(ForeignTurn(seat, dice, moves, line))
            return
        word = words[3].lower()
        if word in _OFFERED:
            self.doubles += 1
        elif word in (*_DROPPED, *_LOST):
            self.winner, self.points = other(seat), 1
        elif word == "wins":
            self.winner = seat
            won = _POINTS.match(text)
            self.points = int(won[1]) if won else 1

    def read(self) -> ForeignGame:
        """Return the game as the file has it."""
        return ForeignGame(self.turns, self.doubles, self.winner, self.points)

    def cells(self, line: str) -> Iterator[tuple[re.Match[str], str, Seat]]:
        """Yield the cells of a line with their texts and seats. Raises `MatError`."""
        cells = list(_CELL.finditer(line))
        starts = [*(cell.start() for cell in cells), len(line)]
        before = _NUMBER.sub("", line[: starts[0]], count=1)
        if before.strip() or len(cells) > 2 or self.middle is None:
            raise MatError(Said("foreign.no_turn", {"text": repr(line.strip())}))
        for place, cell in enumerate(cells):
            text = line[starts[place] : starts[place + 1]].strip()
            is_right = place == 1
            if len(cells) == 1:
                is_right = cell.start() >= self.middle
            yield cell, text, self.seats[is_right]


class _Reader:
    """Reads the lines of a match."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.names: tuple[str, str] = ("", "")
        self.games: list[_Game] = []
        self.parts = 0
        """Games and cells so far."""

    def take(self, line: str, number: int) -> None:
        """Take a line. Raises `MatError`."""
        if len(line) > LONGEST_LINE:
            raise MatError(Said("foreign.long_line", {"most": LONGEST_LINE}))
        header = _HEADER.match(line)
        if header:
            self.headers[header[1].lower()] = header[2]
        elif line.startswith(";"):
            return
        elif _GAME.fullmatch(line):
            self.games.append(_Game())
            self.parts += 1
        elif self.games and line:
            self._take_in_game(self.games[-1], line, number)

    def _take_in_game(self, game: _Game, line: str, number: int) -> None:
        players = _SCORES.fullmatch(line)
        if game.middle is None and players:
            names = (players[1].strip(), players[2].strip())
            if len(self.games) == 1:
                self.names = names
            elif names == self.names[::-1] != self.names:
                game.seats = (2, 1)
            game.middle = line.rindex(players[2].lstrip()) // 2
            return
        for cell, text, seat in game.cells(line):
            game.take(cell, text, seat, number)
            self.parts += 1


def parse_mat(text: str) -> ForeignMatch:
    """Read a match in MAT. Raises `MatError`: it has no game, or a line that is no turn."""
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            reader.take(line.rstrip(), number)
        except MatError as error:
            place = {"line": number, "problem": error.said}
            raise MatError(Said("foreign.at_line", place)) from error
        if reader.parts > MOST_TURNS:
            raise MatError(Said("foreign.many_turns", {"most": MOST_TURNS}))
    if not reader.games:
        raise MatError(Said("foreign.no_game"))
    headers = reader.headers
    turn_limit = NO_LIMIT
    if re.fullmatch("[1-9][0-9]{0,5}", headers.get(TURN_LIMIT.lower(), "")):
        turn_limit = int(headers[TURN_LIMIT.lower()])
    return ForeignMatch(
        names=reader.names,
        games=[game.read() for game in reader.games],
        gammons=headers.get("jacoby", "").lower() != "on",
        date=headers.get("eventdate") or headers.get("date", ""),
        turn_limit=turn_limit,
    )
