"""Reasons to be said: why games ended or were forfeited, and why turns were never answered."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.games.interface import wrong_said
from arena.games.result import Cause, Seat
from arena.matches.facts import BotMissing, BotReady, FlagFell, GameEnded, MatchVoided, TurnRejected
from arena.matches.state import MOST_LOSSES, other
from arena.records.facts import EntrantsAbsent, FixtureSettled, FixtureVoided, TournamentFact
from arena.records.files import Files, match_record
from arena.records.lines import Attempt, RecordError, read_attempts
from arena.records.timeline import ABSENCES, Why, end_of_game
from arena.tournaments.schedule import Fixture, parse_fixture
from arena.words import DEFAULT, Said, catalogue


def reason(why: Why) -> Said | None:
    """Explain why a game ended, and was worth its points; None for an ending of a game from elsewhere."""
    if why.code == "turn_limit":
        return Said("why.turn_limit", {"turns": why.terms.turn_limit})
    if why.code in ABSENCES:
        return Said("why.forfeit", {"why": Said("why.absent", {"what": absence(why)})})
    if why.code == "illegal_turns":
        return Said(
            "why.forfeit", {"why": Said("why.illegal_turns", {"number": why.terms.rejections})}
        )
    if why.code == "time":
        return Said("why.forfeit", {"why": Said("why.time", {"clock": why.terms.clock.said})})
    ending = Said(f"why.{why.code}")
    if ending.code not in catalogue(DEFAULT):
        return None
    return Said("why.with_monk", {"why": ending}) if why.result.monk else ending


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
    """Explain why a game was forfeited: the illegal turn and its clause, the time, or what kept the bot away."""
    last = why.last
    if why.code in ABSENCES:
        if why.absence is None or why.losses == MOST_LOSSES:
            return Said("forfeit.it", {"what": absence(why)})
        return why.absence.reason
    if why.code == "illegal_turns" and isinstance(last, TurnRejected):
        return Said(
            "forfeit.illegal", {"what": wrong_said(last.code, last.values), "clause": last.clause}
        )
    if why.code == "time" and isinstance(last, FlagFell):
        times = {
            "spent": last.spent_ms,
            "delay": why.terms.clock.delay_ms,
            "left": why.left_ms[last.seat - 1],
        }
        return Said("forfeit.time", times)
    return None


def why_unanswered(attempt: Attempt, number: int, mover: Seat) -> Said:
    """Explain why a turn was never answered in this attempt: `it hung up; forfeit (disconnect)`."""
    ended = end_of_game(attempt, number)
    if ended is None:
        if isinstance(end := attempt.end, MatchVoided):
            return Said("unanswered.void", {"why": end.reason})
        return Said("unanswered.record_ends")
    assert isinstance(ended.fact, GameEnded)
    assert ended.why is not None, "the end of a game has a reason"
    result = ended.fact.result
    if result.cause is None:
        return Said("unanswered.over")
    cause = Said(f"cause.{result.cause}")
    if result.winner == mover:
        loser = attempt.opened.shown[other(mover) - 1]
        return Said("unanswered.opponent", {"cause": cause, "name": loser})
    forfeit = Said("unanswered.forfeit", {"cause": cause})
    away = ended.why.absence
    return (
        forfeit
        if away is None
        else Said("unanswered.lost", {"why": away.reason, "forfeit": forfeit})
    )


@dataclass(slots=True, kw_only=True)
class Forfeits:
    """The games that an entrant has forfeited for one cause."""

    entrant: str
    cause: Cause
    games: int = 0
    fixture: str
    """Of the first of them."""
    attempt: int
    game: int
    """The number of the first of them in its match."""

    @property
    def said_cause(self) -> Said:
        """The cause as people say it."""
        return Said(
            "forfeited.illegal_turn" if self.cause == "illegal_turns" else f"cause.{self.cause}"
        )


def forfeits_in(facts: Sequence[TournamentFact]) -> list[Forfeits]:
    """Return what was forfeited in the matches settled by these facts, by entrant and cause, the first first."""
    found: dict[tuple[str, Cause], Forfeits] = {}
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
                found.setdefault((loser, game.cause), first).games += 1
    return list(found.values())


def forfeit_why(forfeits: Forfeits, files: Files) -> Said:
    """The cause, and why the first of the games was forfeited; the cause alone if the record cannot be read."""
    try:
        attempts = [
            one
            for one in _attempts(forfeits.fixture, files)
            if one.opened.attempt == forfeits.attempt
        ]
        ends = [end_of_game(attempt, forfeits.game) for attempt in attempts]
    except RecordError:
        ends = []
    whys = [forfeit_said(end.why) for end in ends if end is not None and end.why is not None]
    why = next(filter(None, whys), None)
    return (
        Said("forfeited.why", {"cause": forfeits.said_cause, "why": why})
        if why
        else forfeits.said_cause
    )


def forfeit_sentences(
    facts: Sequence[TournamentFact], files: Files, names: Mapping[str, str]
) -> list[Said]:
    """A sentence for every entrant and cause, by display `names`: how many games, and why the first of them."""
    return [
        Said(
            "forfeited.games",
            {
                "name": names.get(one.entrant, one.entrant),
                "count": one.games,
                "why": forfeit_why(one, files),
                "fixture": one.fixture,
                "game": one.game,
            },
        )
        for one in forfeits_in(facts)
    ]


def never_appeared(facts: Sequence[TournamentFact], files: Files) -> list[str]:
    """The entrants that were ready for none of their matches, of those that forfeited one or were away to the end."""
    missed: dict[str, None] = {}
    came: set[str] = set()
    played: dict[str, Fixture] = {}
    for fact in facts:
        if isinstance(fact, EntrantsAbsent):
            missed |= dict.fromkeys(fact.away)
        elif isinstance(fact, FixtureSettled | FixtureVoided):
            played[fact.fixture] = fixture = parse_fixture(fact.fixture)
            games = fact.games if isinstance(fact, FixtureSettled) else ()
            for seat, name in enumerate((fixture.first, fixture.second), 1):
                if any(game.cause != "no_show" or game.winner == seat for game in games):
                    came.add(name)
                elif games:
                    missed[name] = None
    return [
        name for name in missed if name not in came and not _was_ready(name, played.values(), files)
    ]


def _was_ready(name: str, played: Iterable[Fixture], files: Files) -> bool:
    """Return whether an entrant was ready for an attempt at one of these fixtures, void ones included."""
    return any(
        isinstance(fact, BotReady) and attempt.opened.entrants[fact.seat - 1] == name
        for fixture in played
        if name in fixture.entrants
        for attempt in _attempts(fixture.id, files)
        for _, fact in attempt.facts
    )


def _attempts(fixture: str, files: Files) -> list[Attempt]:
    name = match_record(fixture)
    try:
        return read_attempts(name, files[name])
    except (RecordError, KeyError):
        return []
