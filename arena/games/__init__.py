"""The rule book as pure functions: positions, legal turns, verdicts and endings of every game.

>>> from arena.games import load_game
>>> vasa = load_game("vasa")
>>> position = vasa.start()
>>> [vasa.format_turn(turn.moves) for turn in vasa.legal_turns(position, (6, 5))]
['1/7 1/6', '1/7 7/12']

docs/rules-library.md shows the rest.
"""

from arena.games.interface import (
    Dice,
    DrawnLine,
    Ending,
    Family,
    Game,
    GameError,
    Illegal,
    Legal,
    LegalTurn,
    LegalTurns,
    Move,
    Span,
    Turn,
)
from arena.games.playing import IllegalTurnError, apply, rolls
from arena.games.rulesets import (
    DEFAULT,
    game_of_record,
    load_game,
    option_names,
    ruleset_names,
    ruleset_record,
)

__all__ = [
    "DEFAULT",
    "Dice",
    "DrawnLine",
    "Ending",
    "Family",
    "Game",
    "GameError",
    "Illegal",
    "IllegalTurnError",
    "Legal",
    "LegalTurn",
    "LegalTurns",
    "Move",
    "Span",
    "Turn",
    "apply",
    "game_of_record",
    "load_game",
    "option_names",
    "rolls",
    "ruleset_names",
    "ruleset_record",
]
