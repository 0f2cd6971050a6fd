"""Why games end, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.matches.facts import Cause, GameEnded
from arena.records.absence import ABSENCES, Absence, absence_words

ENDINGS: Final[Mapping[str, str]] = {
    "forced_jan": "A strike overfilled the loser's bar: more checkers wait there than have room to enter.",
    "jan": "A hit overfilled the loser's bar: more checkers wait there than have room to enter.",
    "single_crown": "A handsome game: all 15 checkers of the winner stand three and three on points 20 to 24.",
    "double_crown": "A handsome game: all 15 checkers of the winner stand five and five on points 22 to 24.",
    "staircase": "A handsome game: the winner's checkers stand 3, 5 and 7 high on points 22, 23 and 24.",
    "tower": "A handsome game: all 15 checkers of the winner stand on point 24.",
    "bearing_off": "The winner has borne off all of its checkers.",
    "gammon": "The winner has borne off all of its checkers, and the loser none: it pays double.",
    "backgammon": "The winner has borne off all of its checkers, the loser none, and one of these stood on the bar or "
    "in the winner's home: it pays threefold.",
    "king_captured": "Black has captured the king.",
    "king_escaped": "The king has reached a corner.",
    "repetition": "The same placement, with the same side to move, came up too often.",
    "no_move": "The side to move has no legal move.",
    "agreement": "A draw was offered and accepted.",
    "turn_limit": "The limit of turns was reached without a result.",
    "forfeit": "A forfeited game pays the most the ruleset can, so that nobody gains by giving up.",
}
"""What brings an ending about, by its name in the records."""

CAUSES: Final[Mapping[Cause, str]] = {
    "illegal_turns": "It answered once more with an illegal turn than the terms forgive.",
    "time": "It did not answer before its time was over.",
}
"""What the loser did at the table to forfeit a game; for the rest see `ABSENCES`."""


def why(ended: GameEnded, ruleset: Mapping[str, Any], absence: Absence | None = None) -> str:
    """How a game ended and why that is worth its points; of games of other packages no more than their clause.

    `absence` is what kept the loser of a forfeit away, if anything did.
    """
    sentences = []
    if ended.cause is not None and ended.cause in ABSENCES:
        sentences.append(f"It {absence_words(ended.cause, absence)}.")
    elif ended.cause is not None:
        sentences.append(CAUSES[ended.cause])
    sentences += [ENDINGS[ended.ending]] if ended.ending in ENDINGS else []
    if ended.monk:
        more = ruleset["points_monk"]
        sentences.append(f"The loser had a checker on the bar: monk, worth {more} more.")
    return " ".join(sentences)


def ending_words(name: str) -> str:
    """An ending for people: `forced jan`."""
    return name.replace("_", " ")
