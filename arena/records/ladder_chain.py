"""How a day of a ladder follows from the day before: what it begins with, and what it takes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from msgspec import UNSET
from msgspec.structs import astuple, replace

from arena.records.facts import TournamentFact
from arena.records.files import TOURNAMENT_RECORD
from arena.records.ladder_day import LadderBook, edges_since
from arena.records.ladder_facts import EarlierDay, KnownPlayer, LadderOpened
from arena.records.lines import digest_of, opened_in, read_tournament
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
    """The tournament record of a day, or its beginning, and what follows from it."""

    run: str
    lines: Sequence[bytes]
    facts: Sequence[TournamentFact]
    state: TournamentState

    @classmethod
    def of(cls, run: str, lines: Sequence[bytes]) -> "DayRecord":
        """Read a record of whole lines. Raises `RecordError`."""
        read = read_tournament(f"runs/{run}/{TOURNAMENT_RECORD}", b"".join(lines))
        facts = [fact for _, fact in read]
        return cls(run, lines, facts, state_of(opened_in(facts), facts))

    def moment(self, lines: int) -> EarlierDay:
        """Return the moment after its first lines; it may have fewer."""
        first_lines = self.lines[:lines]
        sha256 = digest_of(b"".join(first_lines))
        return EarlierDay(run=self.run, lines=len(first_lines), sha256=sha256)


def problem_of_day(day: DayRecord, book: LadderBook, before: DayRecord | None) -> str | None:
    """Say why a day with this book does not follow from the one before; None if it does."""
    opened = book.opened
    if before is None:
        if opened.before or opened.edges:
            return "it is the first day, and begins with results of another one"
        return None
    if not opened.before or opened.before.run != before.run:
        return f"it does not say that it follows {before.run}"
    lines = opened.before.lines
    if before.moment(lines) != opened.before:
        return f"it follows other lines than the first {lines} of {before.run}"
    book_before = DayRecord.of(before.run, before.lines[:lines]).state.book
    if book_before is None or list(opened.edges) != book_before.edges:
        return f"its edges are not those of {before.run}"
    return (
        _problem_of_players(opened, book_before, before.run)
        or _problem_of_anchors(opened, book_before)
        or _problem_of_taking(day, book, before)
    )


def _problem_of_players(opened: LadderOpened, book: LadderBook, run: str) -> str | None:
    """Say why a day begins with other players than it must."""
    known_players = [player.known for player in book.players.values()]
    for before, player in zip_longest(known_players, opened.players):
        if before is None:
            break  # anchors that are new
        if player is None or not _is_same_version(before, player):
            return f"it does not know {before.entrant} as {run} does, or under another number"
        if player.constant_elo is UNSET:
            continue
        elo = before.constant_elo
        if elo is UNSET:
            elo = book.ratings.elo(before.entrant)
        if abs(player.constant_elo - elo) > CLOSE_ELO:
            return _other_rating(before.entrant, player.constant_elo, elo)
    return None


def _is_same_version(before: KnownPlayer, player: KnownPlayer) -> bool:
    """Return whether a player differs at most in what may change from day to day."""
    unchanged = replace(
        player,
        is_anchor=before.is_anchor,
        frozen_ms=before.frozen_ms,
        constant_elo=before.constant_elo,
    )
    return unchanged == before


def _problem_of_anchors(opened: LadderOpened, book: LadderBook) -> str | None:
    """Say why the mean of the anchors is not the one before, or that of the new ones."""
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


def _problem_of_taking(day: DayRecord, book: LadderBook, before: DayRecord) -> str | None:
    """Say why the edges are not those that came while the day before drained."""
    taken_edges = book.taken_edges
    if taken_edges is None:
        if day.state.is_finished:
            return f"it never takes the last edges of {before.run}"
        return None
    sealed = before.moment(len(before.lines))
    is_whole = (taken_edges.run, taken_edges.lines, taken_edges.sha256) == astuple(sealed)
    book_before = before.state.book
    if not is_whole or not before.state.is_finished or book_before is None:
        return f"it takes edges of {before.run}, which is not over, or has other lines"
    if list(taken_edges.edges) != edges_since(book.opened.edges, book_before.edges):
        return f"its edges are not those of {before.run}"
    return None
