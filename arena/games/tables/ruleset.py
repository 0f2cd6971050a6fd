"""The rulesets of the tables games: every rule on which they differ is one named field.

A ruleset is a value. The engine reads only its fields, never its name, so a house ruleset is a base
and the fields that differ.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from arena.games.tables.board import Facing, Layout

OpeningByThrow = Literal["lower_starts", "higher_starts"]
Stacking = Literal["from_head", "after_head", "anywhere"]
EntryStrikes = Literal["never", "no_free_point", "outnumbered"]
BearingOff = Literal["any", "rearmost", "exact"]
Handsome = Literal["never", "after_turn", "at_once"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """All rules of a tables game that differ between rulesets, in the rule book's order."""

    name: str
    """Its name in records and tournament files; the name never changes its meaning."""
    family: Literal["tables"] = "tables"
    """The engine that plays it."""
    facing: Facing = "same_way"
    """B1.1 both sides travel the same way; G1 against each other."""
    start: tuple[tuple[int, int], ...] = ((1, 15),)
    """B1.2, G1: pairs of own point and number of checkers, the same for both sides."""
    opening: OpeningByThrow = "lower_starts"
    """B2.1 the lower die starts and rolls afresh; G2 the higher starts and plays the two dice
    thrown."""
    stacking: Stacking = "from_head"
    """B4.3: where a side may hold two checkers: from its head on; [F] anywhere after a landing
    there; G3 anywhere."""
    entry_strikes: EntryStrikes = "outnumbered"
    """B5.4-B5.5, B5.7: when an entering checker may strike a closed point."""
    last_checker_strikes: bool = False
    """B5.6: whether a side with 14 checkers off may still strike."""
    longest_prime: int | None = None
    """B6.1: how many closed points in a row a side may own at most; None for no limit. Lifted by
    B6.2."""
    strikeable_prime: int | None = 6
    """B6.3, B6.4: the length from which on the points of a prime may be struck; None for never."""
    bearing_off: BearingOff = "rearmost"
    """B7.3 any checker for which the die suffices; B7.4 only the rearmost; G5 an exact one, or the
    rearmost."""
    least_waste: bool = True
    """B7.6: whether a turn may waste more of its dice than another legal one."""
    winning_turn_is_exempt: bool = True
    """B3.6: whether a turn that ends the game is free of the duty to use the dice; not so in G3."""
    handsome: Handsome = "at_once"
    """B8.2 handsome games count at the end of the turn; B8.3 at once."""
    jan: bool = True
    """B9.1, B9.3: whether an overfilled bar loses the game."""
    points_forced_jan: int = 6
    """B10: the points of a forced jan."""
    points_jan: int = 4
    """B10: the points of a jan."""
    points_handsome: int = 2
    """B10: the points of each of the four handsome games."""
    points_bearing_off: int = 1
    """B10, G6: the points of bearing off."""
    gammons: bool = False
    """G6: whether bearing off pays double or threefold while the loser has none off."""
    points_monk: int = 1
    """B10.1: added to a handsome or bearing-off win when the loser has a checker on the bar."""
    points_forfeit: int = 6
    """B10.2: what a forfeited game pays: the most that the ruleset can."""
    double_six: bool = False
    """B11.1: whether a first roll of 6-6 may move six checkers from home to point 7."""
    one_die: bool = False
    """B11.3: whether a player one die short of a handsome game may call for a single die."""

    @property
    def layout(self) -> Layout:
        """Layout: how its positions are numbered, and what they hold besides checkers."""
        return Layout(self.facing, self.stacking == "after_head", self.double_six, self.one_die)

    def cited(self, clause: str) -> str:
        """Return the clause of a rule in this ruleset: backgammon's chapter renumbers some."""
        if self.facing == "opposite_ways":
            return _IN_BACKGAMMON.get(clause, clause)
        return clause


_IN_BACKGAMMON: Final = {
    "B4.1": "G3",
    "B5.1": "G4",
    "B5.2": "G4",
    "B5.7": "G4",
    "B7.1": "G5",
    "B7.2": "G5",
    "B7.4": "G5",
    "B7.7": "G6",
}
"""Clauses of Bräde that backgammon restates; it takes over B3.1-B3.5 (G3)."""

VASA: Final = Ruleset(name="vasa")
SWEDISH_TABLES: Final = replace(VASA, name="swedish-tables")
CLASSIC: Final = Ruleset(
    name="classic",
    entry_strikes="no_free_point",
    last_checker_strikes=True,
    longest_prime=5,
    strikeable_prime=None,
    bearing_off="any",
    least_waste=False,
    handsome="after_turn",
)
FISKE: Final = Ruleset(
    name="fiske",
    stacking="after_head",
    entry_strikes="never",
    strikeable_prime=None,
    bearing_off="any",
    least_waste=False,
    jan=False,
    points_forfeit=3,
)
BACKGAMMON: Final = Ruleset(
    name="backgammon",
    facing="opposite_ways",
    start=((1, 2), (12, 5), (17, 3), (19, 5)),
    opening="higher_starts",
    stacking="anywhere",
    entry_strikes="never",
    strikeable_prime=None,
    bearing_off="exact",
    least_waste=False,
    winning_turn_is_exempt=False,
    handsome="never",
    jan=False,
    gammons=True,
    points_monk=0,
    points_forfeit=3,
)
OPTIONS: Final[dict[str, dict[str, dict[str, object]]]] = {
    "classic": {
        "double_six": {"double_six": True},  # B11.1
        "easy_reentry": {"entry_strikes": "outnumbered"},  # B11.2
        "one_die": {"one_die": True},  # B11.3
    },
    "backgammon": {"no_gammons": {"gammons": False, "points_forfeit": 1}},  # G6
}
"""Ruleset to option to the fields it changes."""
RULESETS: Final = {
    ruleset.name: ruleset for ruleset in (VASA, CLASSIC, SWEDISH_TABLES, FISKE, BACKGAMMON)
}
