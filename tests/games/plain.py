"""A game of the arena in the terms of the plain reference, so that the two can be asked the same question."""

from random import Random
from typing import Any

from arena.games import Dice, Game, load_game
from tests.reference.boards import RULES, Position, Rules, with_options
from tests.reference.tables import turns

Key = tuple[tuple[tuple[int, ...], ...], str | None, int]

_HANDSOME = {"never": "never", "after_turn": "whole_turn", "at_once": "at_once"}


def house(number: int) -> Game:
    """A house ruleset that mixes the fields of the others."""
    rng = Random(number)
    facing = rng.choice(["same_way", "same_way", "opposite_ways"])
    handsome = rng.choice(["never", "after_turn", "at_once"])
    return load_game(
        {
            "base": rng.choice(["vasa", "classic"]),
            "name": f"house-{number}",
            "facing": facing,
            "start": [[1, 15]] if facing == "same_way" else [[1, 2], [12, 5], [17, 3], [19, 5]],
            "stacking": rng.choice(["from_head", "after_head", "anywhere"]),
            "entry_strikes": rng.choice(["never", "no_free_point", "outnumbered"]),
            "last_checker_strikes": rng.random() < 0.5,
            "longest_prime": rng.choice([None, 3, 4, 5]),
            "strikeable_prime": rng.choice([None, 2, 5, 6]),
            "bearing_off": rng.choice(["any", "rearmost", "exact"]),
            "least_waste": rng.random() < 0.5,
            "winning_turn_is_exempt": rng.random() < 0.5,
            "handsome": handsome,
            "jan": rng.random() < 0.7,
            "one_die": handsome != "never" and rng.random() < 0.3,
        }
    )


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


def bound(plain: Position, rng: Random) -> Position:
    """A position of the reference with turns bound to one die, which the reference does not know."""
    return plain | {"one_die": [rng.choice([0, 0, 0, 1, 2, 6]), rng.choice([0, 0, 0, 3])]}


def key(plain: Position, ending: str | None, points: int) -> Key:
    """A result, in a form that both sides can give."""
    return tuple(tuple(plain[name]) for name in sorted(plain)), ending, points


def packed_results(game: Game, position: Any, roll: Dice) -> list[Key]:
    """What the arena makes of the roll."""
    return [
        key(
            game.to_plain(turn.position),
            *((turn.ending.name, turn.ending.points) if turn.ending else (None, 0)),
        )
        for turn in game.legal_turns(position, roll)
    ]


def plain_results(game: Game, plain: Position, roll: Dice) -> set[Key]:
    """What the reference makes of it, with the turns bound to one die (B11.3) that are left after the turn."""
    rules, extra = reference_rules(game), {}
    if rules.one_die:
        mine, theirs = plain["one_die"]
        left = mine if len(roll) == 2 else mine - 1 if mine else roll[0]
        extra = {"one_die": [left, theirs]}
    legal = turns(rules, plain, list(roll))
    return {key(turn["position"] | extra, turn["ending"], turn["points"]) for turn in legal}
