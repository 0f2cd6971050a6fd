"""A game of the arena in the terms of the plain reference, so that the two can be asked the same question."""

from __future__ import annotations

from arena.games import Game
from tests.reference.boards import RULES, Rules, with_options

_HANDSOME = {"never": "never", "after_turn": "whole_turn", "at_once": "at_once"}


def reference_rules(game: Game) -> Rules:
    """The reference's rules for a ruleset of Bräde: its own where it knows the name, else built field by field."""
    base, *options = game.name.split("+")
    if base in RULES:
        return with_options(base, options)
    fields = game.ruleset
    assert fields["facing"] == "same_way", "house rulesets of backgammon are not translated"
    assert fields["stacking"] != "anywhere", "the reference has no Bräde with free stacking"
    assert fields["strikeable_run"] in (None, 6), "the reference strikes runs of six or none"
    assert fields["bearing_off"] != "exact", "the reference bears off exactly in backgammon only"
    return Rules(
        name=game.name,
        entry_strike=fields["entry_strikes"],
        strikes_with_14_off=fields["last_checker_strikes"],
        longest_run=fields["longest_run"] or 24,
        long_runs_struck=fields["strikeable_run"] == 6,
        head_unlocks=fields["stacking"] == "after_head",
        only_rearmost_off=fields["bearing_off"] == "rearmost",
        least_waste=fields["least_waste"],
        handsome=_HANDSOME[fields["handsome"]],
        jan=fields["jan"],
        ending_always_legal=fields["winning_turn_is_exempt"],
    )
