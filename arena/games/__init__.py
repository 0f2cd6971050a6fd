"""The rule book as pure functions: positions, legal turns, verdicts and endings of every game the arena referees.

>>> from arena.games import load_game
>>> vasa = load_game("vasa")
>>> position = vasa.start()
>>> [turn.moves for turn in vasa.legal_turns(position, (6, 5))]
[[(1, 7), (7, 12)], [(1, 7), (1, 6)]]
"""

from arena.games.interface import Dice, Ending, Game, GameError, Illegal, Legal, LegalTurn, LegalTurns, Move, Turn
from arena.games.rulesets import DEFAULT, game_of_record, load_game, option_names, ruleset_names, ruleset_record

__all__ = [
    "DEFAULT",
    "Dice",
    "Ending",
    "Game",
    "GameError",
    "Illegal",
    "Legal",
    "LegalTurn",
    "LegalTurns",
    "Move",
    "Turn",
    "game_of_record",
    "load_game",
    "option_names",
    "ruleset_names",
    "ruleset_record",
]
