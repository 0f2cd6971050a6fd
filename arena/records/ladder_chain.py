"""How a day of a ladder follows from the day before: what it begins with, and what it takes."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.records.facts import TournamentFact
from arena.records.files import TOURNAMENT_RECORD
from arena.records.ladder_day import LadderBook, edges_since
from arena.records.ladder_facts import EarlierDay, LadderOpened
from arena.records.lines import digest_of, opened_in, read_tournament
from arena.records.state import TournamentState, state_of
from arena.tournaments.ladder_players import CLOSE_ELO, Player


def players_after(
    book: LadderBook,
    anchors: Sequence[Player],
    old: Container[str],
) -> list[Player]:
    """Return the players that the next day knows: those of this day, and anchors that are new.

    The `old` ones were replaced long ago: if they still are, they keep their rating, and the fit
    does not grow with them.
    """
    anchor_names = {anchor.entrant for anchor in anchors}
    present = _present_versions(book)
    players = []
    for entrant, player in book.players.items():
        identity = player.identity
        is_anchor = entrant in anchor_names
        is_replaced = identity.is_frozen
        if identity.bot in present:
            is_replaced = present[identity.bot] != entrant
        constant_elo: float | UnsetType = UNSET
        if is_replaced and entrant in old and not is_anchor:
            constant_elo = round(book.ratings.elo(entrant), 2)
        following = replace(
            identity,
            forfeited=tuple(player.forfeited),
            rests_until_ms=player.rests_until_ms,
            is_anchor=is_anchor,
            is_frozen=is_replaced and not is_anchor,
            constant_elo=constant_elo,
        )
        players.append(following)
    return players + [anchor for anchor in anchors if anchor.entrant not in book.players]


def _present_versions(book: LadderBook) -> dict[str, str]:
    """Return the entrant that came last, of each bot that came on this day."""
    last_came: dict[str, tuple[int, str]] = {}
    for entrant, player in book.players.items():
        if player.last_coming is not None:
            bot = player.identity.bot
            coming = (player.last_coming.at_ms, entrant)
            last_came[bot] = max(coming, last_came.get(bot, coming))
    return {bot: entrant for bot, (_, entrant) in last_came.items()}


def mean_elo_after(book: LadderBook, players: Sequence[Player]) -> float:
    """Return the mean of the anchors among these players of the next day.

    It stays while the anchors do. A new anchor has the rating of its parent.
    """
    anchors = [player for player in players if player.is_anchor]
    before = {player.entrant for player in book.opened.players if player.is_anchor}
    if {anchor.entrant for anchor in anchors} == before:
        return book.opened.anchors_mean_elo
    ratings = []
    for anchor in anchors:
        entrant = anchor.entrant if anchor.entrant in book.players else anchor.parent
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


def problem_of_day(
    day: DayRecord,
    book: LadderBook,
    before: DayRecord | None,
    old: Container[str],
) -> str | None:
    """Say why a day with this book does not follow from the one before; None if it does.

    `old` are the versions that had been replaced long ago when it was opened.
    """
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
    return _problem_of_players(opened, book_before, old, before.run) or _problem_of_taking(
        day, book, before
    )


def _problem_of_players(
    opened: LadderOpened,
    book: LadderBook,
    old: Container[str],
    run: str,
) -> str | None:
    """Say why a day begins with other players or anchors than it must after a run."""
    anchors = [player for player in opened.players if player.is_anchor]
    players = players_after(book, anchors, old)
    for expected, player in zip_longest(players, opened.players):
        if expected is None or player is None or not _is_same(expected, player):
            entrant = (expected or player).entrant
            return f"it does not know {entrant}, as {run} does, or under another number"
    mean_elo = mean_elo_after(book, players)
    if abs(opened.anchors_mean_elo - mean_elo) > CLOSE_ELO:
        return f"anchors must be rated {mean_elo:.2f}, found {opened.anchors_mean_elo:.2f}"
    return None


def _is_same(expected: Player, player: Player) -> bool:
    """Return whether a player is as expected, but for the rounding of a rating."""
    elo = expected.constant_elo
    if player.constant_elo is not UNSET and elo is not UNSET:
        is_close = abs(player.constant_elo - elo) <= CLOSE_ELO
        return is_close and replace(player, constant_elo=elo) == expected
    return player == expected


def _problem_of_taking(day: DayRecord, book: LadderBook, before: DayRecord) -> str | None:
    """Say why the edges are not those that came while the day before drained."""
    taking = book.taken_edges
    if taking is None:
        if day.state.is_finished:
            return f"it never takes the last edges of {before.run}"
        return None
    book_before = before.state.book
    if taking.before != before.moment(len(before.lines)) or not before.state.is_finished:
        return f"it takes edges of {before.run}, which is not over, or has other lines"
    if book_before is None or list(taking.edges) != edges_since(
        book.opened.edges, book_before.edges
    ):
        return f"its edges are not those of {before.run}"
    return None
