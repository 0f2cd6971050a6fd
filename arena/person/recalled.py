"""A match that goes on, as its person saw it before: a sitting is told its record once more."""

from arena.games.result import Result, Seat
from arena.matches import facts
from arena.matches.state import other
from arena.person.sitting import Sitting
from arena.person.told import GameOver
from arena.records.lines import Attempt
from arena.records.reasons import explain_end
from arena.records.timeline import Why
from protocol.client import GameStart, MatchStart


def recall(
    sitting: Sitting,
    match: MatchStart,
    attempt: Attempt,
) -> None:
    """Tell a sitting, which has just heard of the match, all turns and ends of games on record."""
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
    seat = match.seat
    if match.form == "pairs" and fact.game % 2 == 0:  # the seats are swapped
        seat = other(match.seat)
    return GameStart(
        game=0,
        match=match.match,
        number=fact.game,
        seat=seat,
        starts=fact.starter == match.seat,
    )


def _over(
    opened: facts.MatchOpened,
    fact: facts.GameEnded,
    seat: Seat,
) -> GameOver:
    ended = fact.result
    score = fact.score
    if seat == 2:
        score = score[::-1]
    return GameOver(
        number=fact.game,
        result=_outcome(ended, seat),
        ending=ended.ending,
        clause=ended.clause,
        monk=ended.monk,
        points=ended.points,
        score=score,
        why=explain_end(Why(result=ended, terms=opened.terms)),
    )


def _outcome(ended: Result, seat: Seat) -> str:
    if ended.winner is None:
        return "drawn"
    return "won" if ended.winner == seat else "lost"
