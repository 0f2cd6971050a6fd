"""Check that a bot is quick enough for a whole game under a tournament's clocks, judged by a few of its turns."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from statistics import median
from typing import Any, Final

from arena.conformance.answers import DeviationError
from arena.games import Game
from protocol.messages import ClockTerms

TURNS: Final = 3
"""How many turns have to be timed."""
GAMES: Final = 9
"""Games that are played by chance to learn how long one is."""
LONGEST: Final = 1000
"""Turns after which such a game is over."""


def judge_pace(spent_ms: Sequence[int], game: Game[Any], clock: ClockTerms) -> DeviationError | None:
    """Return what is wrong with the time a bot took for its turns; None if its clock lasts for a game.

    The turn in the middle counts, so that a first turn may take longer.
    """
    turns = turns_of_a_side(game)
    most_ms = clock.delay_ms + clock.bank_ms // turns
    middle_ms = round(median(spent_ms))
    if middle_ms <= most_ms:
        return None
    lasts = clock.bank_ms // (middle_ms - clock.delay_ms) + 1
    return DeviationError(
        f"takes {middle_ms} ms for a turn (the middle one of {len(spent_ms)}), and loses on time in its turn {lasts}",
        f"at most {most_ms} ms a turn: a game of {game.name} takes each side about {turns} turns, "
        f"and the clock gives {clock.delay_ms} ms a turn + {clock.bank_ms} ms a game",
    )


def turns_of_a_side(game: Game[Any]) -> int:
    """Return how many turns a side has in a game: half of the middle one of some that are played by chance."""
    return max(1, round(median(_turns(game, number) for number in range(GAMES)) / 2))


def _turns(game: Game[Any], number: int) -> int:
    """The turns of a game in which both sides play by chance; the same for the same number."""
    position = game.start()
    for turn in range(1, LONGEST + 1):
        chance = hashlib.sha256(f"{number} {turn}".encode()).digest()
        dice = tuple(chance[die] % 6 + 1 for die in range(game.dice_to_roll(position)))
        turns = game.legal_turns(position, dice)
        verdict: Any = game.judge(position, dice, turns.moves(int.from_bytes(chance[2:]) % len(turns)))
        if verdict.ending is not None:
            return turn
        position = game.flip(verdict.position)
    return LONGEST
