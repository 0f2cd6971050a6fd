"""A match that goes on, as its person saw it before: a sitting is told once more what is on record."""

from arena.games.result import Result, Seat
from arena.matches import facts
from arena.matches.state import other
from arena.person.sitting import Sitting
from arena.person.told import GameOver
from arena.records.lines import Attempt
from arena.records.reasons import reason
from arena.records.timeline import Why
from protocol.client import GameStart, MatchStart


def recall(sitting: Sitting, match: MatchStart, attempt: Attempt) -> None:
    """Tell a sitting, which has just heard of the match, all turns and ends of games that are on record."""
    seat = match.seat
    for _, fact in attempt.facts:
        match fact:
            case facts.GameStarted():
                sitting.game_started(_start(match, fact))
            case facts.TurnPlayed():
                sitting.turn_played(fact.dice, fact.moves, is_mine=fact.seat == seat)
            case facts.GameEnded():
                sitting.game_over(_over(attempt.opened, fact, seat))
            case _:
                pass  # nothing that is shown


def _start(match: MatchStart, fact: facts.GameStarted) -> GameStart:
    is_swapped = match.form == "pairs" and fact.game % 2 == 0
    seat = other(match.seat) if is_swapped else match.seat
    return GameStart(
        game=0, match=match.match, number=fact.game, seat=seat, starts=fact.starter == match.seat
    )


def _over(opened: facts.MatchOpened, fact: facts.GameEnded, seat: Seat) -> GameOver:
    result = fact.result
    return GameOver(
        number=fact.game,
        result=_outcome(result, seat),
        ending=result.ending,
        clause=result.clause,
        monk=result.monk,
        points=result.points,
        score=fact.score if seat == 1 else fact.score[::-1],
        why=reason(Why(result=result, terms=opened.terms)),
    )


def _outcome(result: Result, seat: Seat) -> str:
    if result.winner is None:
        return "drawn"
    return "won" if result.winner == seat else "lost"
