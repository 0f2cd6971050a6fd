"""The bots that ship with the arena, as opponents: how strong they are, and what they play."""

import shlex
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from arena.games import load_game
from arena.shipped import shipped

Strength = Literal["beginner", "easy", "medium", "strong", "strongest"]


class SampleOpponent(msgspec.Struct, frozen=True, kw_only=True):
    """A bot to play against; the catalogue says how it plays."""

    name: str
    strength: Strength
    games: tuple[str, ...] = ("brade", "backgammon", "brandubh")
    folder: str = ""
    options: tuple[str, ...] = ()

    def command(self) -> str:
        """Return the command that starts it."""
        file = shipped("sample_bots") / (self.folder or self.name) / "bot.py"
        return shlex.join(["python", str(file), *self.options])


PERSON: Final = "person"
"""Stands in the place of a bot's name for another person."""
_BRANDUBH: Final = ("brandubh",)
_TABLES: Final = ("brade", "backgammon")

OPPONENTS: Final = (
    SampleOpponent(name="random", strength="beginner"),
    SampleOpponent(name="greedy", strength="easy", games=_TABLES),
    SampleOpponent(name="lookahead", strength="medium", games=("brade",)),
    SampleOpponent(name="neural", strength="strongest", games=_TABLES),
    SampleOpponent(
        name="brandubh-easy",
        strength="easy",
        games=_BRANDUBH,
        folder="brandubh",
        options=("--depth", "2"),
    ),
    SampleOpponent(name="brandubh", strength="strong", games=_BRANDUBH),
)
"""Every sample bot that plays to win, and the one that plays at random."""


def opponents_for(ruleset: str | Mapping[str, Any]) -> list[SampleOpponent]:
    """Return the bots that play a ruleset, the weakest first.

    Raises `GameError` for an unknown ruleset.
    """
    fields = load_game(ruleset).ruleset
    game = fields["family"]
    if game == "tables":
        game = "brade" if fields["facing"] == "same_way" else "backgammon"
    return [opponent for opponent in OPPONENTS if game in opponent.games]


def default_opponent(ruleset: str) -> SampleOpponent:
    """Return an opponent that a beginner can beat at times, and learn from."""
    by_name = {opponent.name: opponent for opponent in opponents_for(ruleset)}
    return by_name.get("greedy") or by_name.get("brandubh-easy") or by_name["random"]


def opponent_named(name: str) -> SampleOpponent | None:
    """Return the opponent of this name; None if there is none."""
    for opponent in OPPONENTS:
        if opponent.name == name:
            return opponent
    return None
