"""The order of the lines of a day, and what each must say: for resume and verification alike."""

from typing import Final

from arena.records.facts import (
    EntrantsAbsent,
    EntrantsAdded,
    EntrantsAwaited,
    EntrantWithdrawn,
    FixtureIssued,
    RoundDrawn,
    TournamentEnded,
    TournamentFact,
    TournamentOpened,
)
from arena.records.ladder_day import LadderBook, rest_of
from arena.records.ladder_draws import commitment_of_key, digest_of_free, drawn_number
from arena.records.ladder_facts import (
    EdgesTaken,
    EntrantCame,
    EntrantRests,
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
            if player is None or player.came is None:
                return Said("record.ladder_not_there", {"name": fact.entrant})
        case EntrantRests():
            return _problem_of_rest(book, fact)
        case PairDrawn():
            return _problem_of_pairing(book, fact)
        case FixtureIssued() if book.due_to_rest():
            return _missing_rest(book)
        case EdgesTaken():
            return _problem_of_edges(book, fact)
        case PairingKey():
            return _problem_of_key(book, fact)
    return None


def _problem_of_coming(book: LadderBook, fact: EntrantCame) -> Said | None:
    """Say why an entrant cannot come; a version stays what it was when it came first."""
    player = book.players.get(fact.entrant)
    if player is None:
        return None
    if player.came is not None:
        return Said("record.ladder_there_already", {"name": fact.entrant})
    known = player.known
    said = (fact.bot, fact.version, fact.is_house, fact.is_anchor)
    is_same = said == (known.bot, known.version, known.is_house, known.is_anchor)
    if not is_same or known.is_frozen:
        return Said("record.ladder_other_version", {"name": fact.entrant})
    return None


def _missing_rest(book: LadderBook) -> Said:
    return Said("record.ladder_must_rest", {"names": ", ".join(book.due_to_rest())})


def _problem_of_rest(book: LadderBook, fact: EntrantRests) -> Said | None:
    is_due = fact.entrant in book.due_to_rest()
    if is_due and fact == rest_of(book.players[fact.entrant], fact.at_ms):
        return None
    return Said("record.ladder_no_rest", {"name": fact.entrant})


def _problem_of_pairing(book: LadderBook, fact: PairDrawn) -> Said | None:
    """Say why a pairing is not the next one; None if only its number has to be checked."""
    if book.due_to_rest():
        return _missing_rest(book)
    free = book.free(fact.at_ms)
    if (fact.free, fact.free_sha256) != (len(free), digest_of_free(free)):
        values = {"number": len(free), "found": fact.free, "fixture": fact.fixture}
        return Said("record.ladder_others_free", values)
    fixture = parse_fixture(fact.fixture)
    if fixture != book.fixture_of(fixture.first, fixture.second):
        return Said("record.ladder_other_number", {"fixture": fact.fixture})
    if not fixture.entrants <= set(free) or book.is_full:
        return Said("record.ladder_not_free", {"fixture": fact.fixture})
    if not book.draws(fixture, fact.number, fact.probability, fact.at_ms):
        return Said("record.ladder_other_pair", {"fixture": fact.fixture})
    return None


def _problem_of_edges(book: LadderBook, fact: EdgesTaken) -> Said | None:
    before = book.opened.before
    if not before or before.run != fact.run or book.taken is not None:
        return Said("record.ladder_edges_once", {"run": fact.run})
    if any(max(edge[:2]) >= len(book.opened.players) for edge in fact.edges):
        return Said("record.ladder_edges_of_strangers", {"run": fact.run})
    return None


def _problem_of_key(book: LadderBook, fact: PairingKey) -> Said | None:
    """Say why the key cannot be revealed here: only when all have gone and all is decided."""
    if book.in_play or any(player.came for player in book.players.values()):
        return Said("record.ladder_key_too_early")
    if commitment_of_key(bytes.fromhex(fact.key)) != book.opened.key_commitment:
        return Said("record.ladder_other_key")
    return None


def problem_of_number(fact: PairDrawn, head: str, key: bytes) -> Said | None:
    """Say why a number does not follow from the key of the day; `head` is that of the record."""
    if fact.number == drawn_number(key, head, fact.free, fact.free_sha256):
        return None
    return Said("record.ladder_drawn_otherwise", {"fixture": fact.fixture})
