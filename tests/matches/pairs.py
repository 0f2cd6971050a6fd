"""Matches of pairs, for their tests."""

from typing import Any

from arena.games import Game
from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from tests.matches.sitting import VASA, Sitting

TERMS = Terms(
    form="pairs",
    games=4,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=1,
    turn_limit=1000,
    startup_ms=5000,
)


def seated(rules: Game[Any] = VASA, dice: str | None = None, terms: Terms = TERMS) -> Sitting:
    """Both bots are ready, and the first pair has begun."""
    sitting = Sitting(rules=rules, terms=terms, dice=dice)
    sitting.ready()
    return sitting


def play_step(sitting: Sitting, *order: int) -> None:
    for number in order or [game.number for game in sitting.asked]:
        sitting.at(number).plays()


def forfeits(sitting: Sitting, number: int) -> None:
    sitting.at(number)
    sitting.plays_illegally()
    sitting.plays_illegally()
