"""Reasons to be said: why games ended or were forfeited, and why turns were never answered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.games.interface import wrong_said
from arena.games.result import Cause, Seat
from arena.matches.facts import (
    BotMissing,
    BotReady,
    FlagFell,
    GameEnded,
    MatchVoided,
    TurnRejected,
)
from arena.matches.state import MOST_LOSSES, other
from arena.records.facts import (
    EntrantsAbsent,
    FixtureSettled,
    FixtureVoided,
    TournamentFact,
)
from arena.records.files import Files, match_record
from arena.records.lines import (
    Attempt,
    RecordError,
    read_attempts,
)
from arena.records.timeline import (
    ABSENCES,
    Why,
    end_of_game,
)
from arena.tournaments.schedule import Fixture, parse_fixture
from arena.words import (
    DEFAULT,
    Said,
    catalogue,
)


def explain_end(end: Why) -> Said | None:
    """Explain why a game ended, and was worth its points.

    None if the catalogue has no sentence for the ending: games of other packages have endings of
    their own.
    """
    if end.code == "turn_limit":
        return Said("why.turn_limit", {"turns": end.terms.turn_limit})
    if end.code in ABSENCES:
        absent = Said("why.absent", {"what": absence(end)})
        return Said("why.forfeit", {"why": absent})
    if end.code == "illegal_turns":
        illegal = Said("why.illegal_turns", {"number": end.terms.rejections})
        return Said("why.forfeit", {"why": illegal})
    if end.code == "time":
        late = Said("why.time", {"clock": end.terms.clock.said})
        return Said("why.forfeit", {"why": late})
    ending = Said(f"why.{end.code}")
    if ending.code not in catalogue(DEFAULT):
        return None
    if end.result.monk:
        return Said("why.with_monk", {"why": ending})
    return ending


def absence(why: Why) -> Said:
    """Say what the loser did, to put after its name: `was lost for good: it hung up`.

    The code is one of `ABSENCES`.
    """
    away = why.absence
    if away is None:
        return Said(f"absence.{why.code}")
    if why.losses == MOST_LOSSES:
        return Said("absence.too_often", {"count": MOST_LOSSES})
    if isinstance(away, BotMissing):
        return Said("absence.did_not_come", {"reason": away.reason})
    if why.code == "disconnect" and away.grace_ms == 0:
        return Said("absence.lost_for_good", {"reason": away.reason})
    return Said(f"absence.{why.code}")


def forfeit_said(why: Why) -> Said | None:
    """Explain why a game was forfeited: the illegal turn and its clause, the time, the absence."""
    last = why.last
    if why.code in ABSENCES:
        if why.absence is None or why.losses == MOST_LOSSES:
            return Said("forfeit.it", {"what": absence(why)})
        return why.absence.reason
    if why.code == "illegal_turns" and isinstance(last, TurnRejected):
        wrong = wrong_said(last.code, last.values)
        return Said("forfeit.illegal", {"what": wrong, "clause": last.clause})
    if why.code == "time" and isinstance(last, FlagFell):
        return Said(
            "forfeit.time",
            {
                "spent": last.spent_ms,
                "delay": why.terms.clock.delay_ms,
                "left": why.left_ms[last.seat - 1],
            },
        )
    return None


def why_unanswered(attempt: Attempt, number: int, mover: Seat) -> Said:
    """Explain why a turn was never answered in this attempt: `it hung up; forfeit (disconnect)`."""
    ended = end_of_game(attempt, number)
    if ended is None:
        end = attempt.end
        if isinstance(end, MatchVoided):
            return Said("unanswered.void", {"why": end.reason})
        return Said("unanswered.record_ends")
    assert isinstance(ended.fact, GameEnded)
    assert ended.why is not None, "the end of a game has a reason"
    game = ended.fact.result
    if game.cause is None:
        return Said("unanswered.over")
    cause = Said(f"cause.{game.cause}")
    if game.winner == mover:
        loser = attempt.opened.shown[other(mover) - 1]
        return Said("unanswered.opponent", {"cause": cause, "name": loser})
    forfeit = Said("unanswered.forfeit", {"cause": cause})
    away = ended.why.absence
    if away is None:
        return forfeit
    return Said("unanswered.lost", {"why": away.reason, "forfeit": forfeit})


@dataclass(slots=True, kw_only=True)
class Forfeits:
    """The games that an entrant has forfeited for one cause."""

    entrant: str
    cause: Cause
    games: int = 0
    fixture: str
    """The fixture of the first of them."""
    attempt: int
    game: int
    """The number of the first of them in its match."""

    @property
    def said_cause(self) -> Said:
        """The cause as people say it."""
        if self.cause == "illegal_turns":
            return Said("forfeited.illegal_turn")
        return Said(f"cause.{self.cause}")


def forfeits_in(facts: Sequence[TournamentFact]) -> list[Forfeits]:
    """Return the forfeits in the matches settled by these facts, by entrant and cause.

    They are in the order of their first games.
    """
    forfeits: dict[tuple[str, Cause], Forfeits] = {}
    for fact in facts:
        if not isinstance(fact, FixtureSettled):
            continue
        fixture = parse_fixture(fact.fixture)
        for number, game in enumerate(fact.games, 1):
            if game.cause is not None:
                loser = fixture.second if game.winner == 1 else fixture.first
                first = Forfeits(
                    entrant=loser,
                    cause=game.cause,
                    fixture=fact.fixture,
                    attempt=fact.attempt,
                    game=number,
                )
                forfeits.setdefault((loser, game.cause), first).games += 1
    return list(forfeits.values())


def forfeit_why(forfeits: Forfeits, files: Files) -> Said:
    """Say the cause, and why the first of the games was forfeited.

    The cause stands alone if the record cannot be read.
    """
    cause = forfeits.said_cause
    why = _first_forfeit(forfeits, files)
    if why is None:
        return cause
    return Said("forfeited.why", {"cause": cause, "why": why})


def _first_forfeit(forfeits: Forfeits, files: Files) -> Said | None:
    """Explain why the first of these games was forfeited; None if the record does not tell."""
    for attempt in _attempts(forfeits.fixture, files):
        if attempt.opened.attempt != forfeits.attempt:
            continue
        try:
            end = end_of_game(attempt, forfeits.game)
        except RecordError:
            return None
        if end is not None and end.why is not None:
            return forfeit_said(end.why)
    return None


def forfeit_sentences(
    facts: Sequence[TournamentFact], files: Files, names: Mapping[str, str]
) -> list[Said]:
    """Say for every entrant and cause how many games were forfeited, and why the first of them.

    `names` are the display names by id.
    """
    sentences = []
    for forfeits in forfeits_in(facts):
        sentence = Said(
            "forfeited.games",
            {
                "name": names.get(forfeits.entrant, forfeits.entrant),
                "count": forfeits.games,
                "why": forfeit_why(forfeits, files),
                "fixture": forfeits.fixture,
                "game": forfeits.game,
            },
        )
        sentences.append(sentence)
    return sentences


def never_appeared(facts: Sequence[TournamentFact], files: Files) -> list[str]:
    """Return the entrants that missed a match and were ready for none.

    An entrant misses a match that it forfeits by not coming, or if it is away to the end.
    """
    missed: dict[str, None] = {}
    present: set[str] = set()
    fixtures: dict[str, Fixture] = {}
    for fact in facts:
        if isinstance(fact, EntrantsAbsent):
            missed |= dict.fromkeys(fact.away)
        elif isinstance(fact, FixtureVoided):
            fixtures[fact.fixture] = parse_fixture(fact.fixture)
        elif isinstance(fact, FixtureSettled):
            fixture = parse_fixture(fact.fixture)
            fixtures[fact.fixture] = fixture
            present |= _present_in(fact, fixture)
            if fact.games:
                missed |= dict.fromkeys((fixture.first, fixture.second))
    return [
        name
        for name in missed
        if name not in present and not _was_ready(name, fixtures.values(), files)
    ]


def _present_in(fact: FixtureSettled, fixture: Fixture) -> set[str]:
    """Return the entrants that did not lose all games of a fixture by not coming."""
    present: set[str] = set()
    for game in fact.games:
        if game.cause != "no_show":
            present |= fixture.entrants
        elif game.winner == 1:
            present.add(fixture.first)
        elif game.winner == 2:
            present.add(fixture.second)
    return present


def _was_ready(name: str, fixtures: Iterable[Fixture], files: Files) -> bool:
    """Return whether an entrant was ready for an attempt at one of these fixtures.

    Void attempts count, too.
    """
    for fixture in fixtures:
        if name not in fixture.entrants:
            continue
        for attempt in _attempts(fixture.id, files):
            entrants = attempt.opened.entrants
            for _, fact in attempt.facts:
                if isinstance(fact, BotReady) and entrants[fact.seat - 1] == name:
                    return True
    return False


def _attempts(fixture: str, files: Files) -> list[Attempt]:
    name = match_record(fixture)
    try:
        return read_attempts(name, files[name])
    except (RecordError, KeyError):
        return []
