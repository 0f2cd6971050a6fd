"""The length of games between good bots, which the clock of a bot has to last for."""

from collections.abc import Mapping
from typing import Any, Final

SHARE: Final = "19 of 20"
LONG_GAMES: Final = {
    "vasa": 103,  # in half of the games at most 66
    "classic": 106,  # 65
    "swedish-tables": 99,  # 65
    "fiske": 88,  # 68
    "backgammon": 47,  # 29
    "brandubh-1": 21,  # 13
    "brandubh-2": 29,  # 12
}
"""Turns that a game takes each side, so that `SHARE` of those measured take no more; by ruleset.

Measured in a round robin of 20 pairs (120 games): `neural`, `lookahead` and `greedy` in Bräde,
twice `neural` and `greedy` in backgammon. In Brandubh twice `brandubh`, in 12 matches of 7 games.
The numbers of turns are those of `arena query RUN "SELECT (turns + 1) / 2 FROM games"`.
"""


def turns_of_long_games(ruleset: str | Mapping[str, Any]) -> int | None:
    """Return the turns per side of long games; None if they were not measured.

    Those of a house ruleset are those of its base.
    """
    if isinstance(ruleset, str):
        return LONG_GAMES.get(ruleset)
    return LONG_GAMES.get(ruleset.get("base", ""))
