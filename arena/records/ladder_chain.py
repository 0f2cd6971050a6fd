"""How a day of a ladder follows from the day before: what it begins with, and what it takes."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET

from arena.records.facts import TournamentFact
from arena.records.files import TOURNAMENT_RECORD
from arena.records.ladder_day import LadderBook, edges_since
from arena.records.ladder_facts import EdgesTaken, KnownPlayer, LadderOpened
from arena.records.lines import opened_in, read_tournament
from arena.records.state import TournamentState, state_of

CLOSE_ELO: Final = 0.01
"""Floats differ between machines."""


def mean_elo_of(book: LadderBook, anchors: Iterable[KnownPlayer]) -> float:
    """Return the mean rating of new anchors: those that never played have that of their parents."""
    ratings: list[float] = []
    for anchor in anchors:
        entrant = anchor.entrant
        if entrant not in book.players and anchor.parent is not UNSET:
            entrant = anchor.parent
        if entrant in book.players:
            ratings.append(book.ratings.elo(entrant))
    if not ratings:
        return 0.0
    return sum(ratings) / len(ratings)


@dataclass(frozen=True, slots=True)
class DayRecord:
    """The tournament record of a day, or its beginning."""

    run: str
    lines: Sequence[bytes]
    facts: Sequence[TournamentFact]

    @classmethod
    def of(cls, run: str, record: bytes) -> "DayRecord":
        """Read a record of whole lines. Raises `RecordError`."""
        read = read_tournament(TOURNAMENT_RECORD, record)
        return cls(run, record.splitlines(keepends=True), [fact for _, fact in read])

    def first(self, lines: int) -> "DayRecord":
        """Return its beginning."""
        return DayRecord(self.run, self.lines[:lines], self.facts[:lines])

    @property
    def sha256(self) -> str:
        """The SHA-256 of the lines, in hexadecimal."""
        return hashlib.sha256(b"".join(self.lines)).hexdigest()

    @property
    def state(self) -> TournamentState:
        """What follows from the lines. Raises `RecordError`."""
        return state_of(opened_in(self.facts), self.facts)

    @property
    def opened(self) -> LadderOpened | None:
        """Its second line, if it is written."""
        return next((fact for fact in self.facts if isinstance(fact, LadderOpened)), None)

    @property
    def taken_edges(self) -> EdgesTaken | None:
        """The line that took the edges of the day before, if it is written."""
        return next((fact for fact in self.facts if isinstance(fact, EdgesTaken)), None)


def problem_of_day(opened: LadderOpened, day: DayRecord, before: DayRecord | None) -> str | None:
    """Say why a day does not follow from the one before; None if it does."""
    if before is None:
        if opened.before or opened.edges:
            return "it is the first day, and begins with results of another one"
        return None
    if not opened.before or opened.before.run != before.run:
        return f"it does not say that it follows {before.run}"
    moment = before.first(opened.before.lines)
    if (len(moment.lines), moment.sha256) != (opened.before.lines, opened.before.sha256):
        return f"it follows other lines than the first {opened.before.lines} of {before.run}"
    book = moment.state.book
    if book is None or list(opened.edges) != book.edges:
        return f"its edges are not those of {before.run}"
    return _problem_of_players(opened, book, before.run) or _problem_of_taking(opened, day, before)


def _problem_of_players(opened: LadderOpened, book: LadderBook, run: str) -> str | None:
    """Say why a day begins with other players, or other ratings, than it must."""
    for entrant, player in book.players.items():
        number = player.number
        opened_player = opened.players[number] if number < len(opened.players) else None
        before = player.identity
        if opened_player is None or (opened_player.entrant, opened_player.bot) != (
            entrant,
            before.bot,
        ):
            return f"it does not know {entrant}, as {run} does, or under another number"
        if opened_player.constant_elo is UNSET:
            continue
        elo = before.constant_elo
        if elo is UNSET:
            elo = book.ratings.elo(entrant)
        if abs(opened_player.constant_elo - elo) > CLOSE_ELO:
            return _other_rating(entrant, opened_player.constant_elo, elo)
    anchors = [player for player in opened.players if player.is_anchor]
    anchors_before = {player.entrant for player in book.opened.players if player.is_anchor}
    mean_elo = book.opened.anchors_mean_elo
    if anchors_before != {player.entrant for player in anchors}:
        mean_elo = mean_elo_of(book, anchors)
    if abs(opened.anchors_mean_elo - mean_elo) > CLOSE_ELO:
        names = ", ".join(player.entrant for player in anchors)
        return _other_rating(names, opened.anchors_mean_elo, mean_elo)
    return None


def _other_rating(names: str, recorded: float, elo: float) -> str:
    return f"{names} must be rated {elo:.2f}, found {recorded:.2f}"


def _problem_of_taking(opened: LadderOpened, day: DayRecord, before: DayRecord) -> str | None:
    """Say why the edges are not those that came while the day before drained."""
    taken_edges = day.taken_edges
    state_before = before.state
    if taken_edges is None:
        if day.state.is_finished:
            return f"it never takes the last edges of {before.run}"
        return None
    is_whole = (taken_edges.run, taken_edges.lines, taken_edges.sha256) == (
        before.run,
        len(before.lines),
        before.sha256,
    )
    if not is_whole or not state_before.is_finished or state_before.book is None:
        return f"it takes edges of {before.run}, which is not over, or has other lines"
    if list(taken_edges.edges) != edges_since(opened.edges, state_before.book.edges):
        return f"its edges are not those of {before.run}"
    return None
