"""The rulesets of Brandubh: every rule on which the versions differ is one named field."""

from dataclasses import dataclass
from typing import Final, Literal

KingOnThrone = Literal["two_opposite", "all_four"]
KingBesideThrone = Literal["two_opposite", "other_three"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandubhRuleset:
    """All rules of Brandubh that differ between rulesets, in the rule book's order."""

    name: str
    """Its name in records and tournament files; the name never changes its meaning."""
    family: Literal["brandubh"] = "brandubh"
    """The engine that plays it."""
    throne_hostile: bool = False
    """T6, T7: whether the empty throne acts as an enemy of every piece beside it."""
    king_on_throne: KingOnThrone = "two_opposite"
    """T6, T7: what captures the king on the throne: enemies on two opposite sides or on all."""
    king_beside_throne: KingBesideThrone = "two_opposite"
    """T6, T7: what captures the king next to the throne, enemies on two opposite sides (the throne
    being one of them if it is hostile) or on the three sides where the throne is not."""
    repetitions: int = 3
    """T9: the occurrence of a placement with the same side to move that draws the game; or 0."""
    draw_by_agreement: bool = True
    """T9: whether the sides may agree on a draw; the match handles this, not the board."""
    points_win: int = 1
    """T8: the points of a win."""
    points_forfeit: int = 1
    """B10.2: what a forfeited game pays: the most that the ruleset can."""


BRANDUBH_1: Final = BrandubhRuleset(name="brandubh-1")  # T6
BRANDUBH_2: Final = BrandubhRuleset(  # T7
    name="brandubh-2",
    throne_hostile=True,
    king_on_throne="all_four",
    king_beside_throne="other_three",
)
RULESETS: Final = {ruleset.name: ruleset for ruleset in (BRANDUBH_1, BRANDUBH_2)}
