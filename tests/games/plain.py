"""A game of the arena in the terms of the plain reference, so that the two can be asked the same question."""

from arena.games import Game
from tests.reference.boards import RULES, Rules, with_options

_HANDSOME = {"never": "never", "after_turn": "whole_turn", "at_once": "at_once"}


def reference_rules(game: Game) -> Rules:
    """The reference's rules for a tables game: its own where it knows the name, else built field by field."""
    base, *options = game.name.split("+")
    if base in RULES:
        return with_options(base, options)
    fields = game.ruleset
    return Rules(
        name=game.name,
        entry_strike=fields["entry_strikes"],
        strikes_with_14_off=fields["last_checker_strikes"],
        opposite_ways=fields["facing"] == "opposite_ways",
        free_stacking=fields["stacking"] == "anywhere",
        exact_off=fields["bearing_off"] == "exact",
        longest_prime=24 if fields["longest_prime"] is None else fields["longest_prime"],
        struck_run=25 if fields["strikeable_prime"] is None else fields["strikeable_prime"],
        head_unlocks=fields["stacking"] == "after_head",
        only_rearmost_off=fields["bearing_off"] == "rearmost",
        least_waste=fields["least_waste"],
        handsome=_HANDSOME[fields["handsome"]],
        jan=fields["jan"],
        ending_always_legal=fields["winning_turn_is_exempt"],
        double_six=fields["double_six"],
        one_die=fields["one_die"],
        gammons=fields["gammons"],
        monk=fields["points_monk"] > 0,
    )
