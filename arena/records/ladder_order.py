"""The order of the lines of a day, and what each must say: for resume and verification alike."""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from arena.records.facts import (
    EntrantsAbsent,
    EntrantsAdded,
    EntrantsAwaited,
    EntrantWithdrawn,
    RoundDrawn,
    TournamentEnded,
    TournamentFact,
    TournamentOpened,
)
from arena.records.ladder_day import LadderBook, has_strangers
from arena.records.ladder_draws import commitment_of_key, digest_of_free
from arena.records.ladder_facts import (
    EdgesTaken,
    EntrantCame,
    EntrantWent,
    LadderOpened,
    PairDrawn,
    PairingKey,
)
from arena.tournaments.schedule import parse_fixture
from arena.words import Said

FOREIGN: Final = (EntrantsAdded, EntrantWithdrawn, EntrantsAwaited, EntrantsAbsent, RoundDrawn)
"""Lines of other formats."""


def problem_of_line(
    book: LadderBook | None,
    last: TournamentFact,
    fact: TournamentFact,
) -> Said | None:
    """Say why this line cannot be the next one of a day; None if it can.

    `book` is that of the lines before, `last` the last of them that is no signature.
    """
    is_second = isinstance(last, TournamentOpened)
    if is_second != isinstance(fact, LadderOpened) or isinstance(fact, FOREIGN):
        return Said("record.ladder_order")
    if book is None:
        return None
    if isinstance(last, PairingKey) != isinstance(fact, TournamentEnded):
        return Said("record.ladder_key_order")
    match fact:
        case EntrantCame():
            return _problem_of_coming(book, fact)
        case EntrantWent():
            player = book.players.get(fact.entrant)
            if player is None or not player.is_there:
                return Said("record.ladder_not_there", {"name": fact.entrant})
        case PairDrawn():
            return _problem_of_pairing(book, fact)
        case EdgesTaken():
            return _problem_of_edges(book, fact)
        case PairingKey():
            return _problem_of_key(book, fact)
    return None


def _problem_of_coming(book: LadderBook, fact: EntrantCame) -> Said | None:
    """Say why an entrant cannot come; a version stays what it was when it came first."""
    player = book.players.get(fact.player.entrant)
    if player is not None and player.is_there:
        return Said("record.ladder_there_already", {"name": fact.player.entrant})
    identity = replace(
        fact.player,
        is_anchor=False,
        is_frozen=False,
        forfeited=(),
        rests_until_ms=0,
        constant_elo=UNSET,
    )
    if player is not None:
        identity = player.identity
    if fact.player != identity or identity.constant_elo is not UNSET:
        return Said("record.ladder_other_version", {"name": fact.player.entrant})
    return None


def _problem_of_pairing(book: LadderBook, fact: PairDrawn) -> Said | None:
    """Say why a pairing is not the next one; None if only its number has to be checked."""
    free = book.free(fact.at_ms)
    if (fact.free, fact.free_sha256) != (len(free), digest_of_free(free)):
        values = {"number": len(free), "found": fact.free, "fixture": fact.fixture}
        return Said("record.ladder_others_free", values)
    fixture = parse_fixture(fact.fixture)
    if fixture != book.fixture_of(fixture.first, fixture.second):
        return Said("record.ladder_other_number", {"fixture": fact.fixture})
    if not fixture.entrants <= set(free) or book.is_full:
        return Said("record.ladder_not_free", {"fixture": fact.fixture})
    if not book.draws(fact):
        return Said("record.ladder_other_pair", {"fixture": fact.fixture})
    return None


def _problem_of_edges(book: LadderBook, fact: EdgesTaken) -> Said | None:
    before = book.opened.before
    if not before or before.run != fact.before.run or book.taken_edges is not None:
        return Said("record.ladder_edges_once", {"run": fact.before.run})
    if has_strangers(fact.edges, len(book.opened.players)):
        return Said("record.ladder_edges_of_strangers", {"run": fact.before.run})
    return None


def _problem_of_key(book: LadderBook, fact: PairingKey) -> Said | None:
    """Say why the key cannot be revealed here: only when all have gone and all is decided."""
    if book.in_play or any(player.is_there for player in book.players.values()):
        return Said("record.ladder_key_too_early")
    if commitment_of_key(bytes.fromhex(fact.key)) != book.opened.key_commitment:
        return Said("record.ladder_other_key")
    return None
