"""Submitted turns that are nearly right, for trying a judge."""

from random import Random
from typing import Any

from tests.reference.boards import BAR, HOME, OFF, STACK_POINT, Position, Rules, board_of
from tests.reference.tables import Walk, all_dice, extended, steps, turns

Moves = list[list[int]]


def near_misses(rules: Rules, position: Position, dice: list[int], rng: Random) -> list[Moves]:
    """Move lists beside the legal ones, no list twice; by chance some of them are legal after all."""
    legal: list[Moves] = [turn["moves"] for turn in turns(rules, position, dice)]
    found: list[Moves] = [[]]
    for moves in rng.sample(legal, min(4, len(legal))):
        found += _reordered(moves, rng)
        found += _shortened(moves)
        found += _with_one_changed(moves, rng)
        found += _lengthened(position, moves, dice, rng)
        found += _with_two_joined(moves)
    for _ in range(8):
        found.append(_loose_walk(rules, position, dice, rng))
    found.append(_die_used_twice(rules, position, dice, rng))
    found += _early_bearing_off(position, dice, rng)
    if rules.double_six:
        found += [[[HOME, STACK_POINT]] * number for number in (4, 5, 6, 7)]
    distinct: list[Moves] = []
    for moves in found:
        if moves not in distinct:
            distinct.append(moves)
    return distinct


def _reordered(moves: Moves, rng: Random) -> list[Moves]:
    return [moves[::-1], rng.sample(moves, len(moves))]


def _shortened(moves: Moves) -> list[Moves]:
    return [moves[:i] + moves[i + 1 :] for i in range(len(moves))]


def _with_one_changed(moves: Moves, rng: Random) -> list[Moves]:
    changed = []
    for i, (origin, target) in enumerate(moves):
        others = [
            [target, origin],  # the wrong way
            [origin, max(0, min(OFF, target + rng.choice([-1, 1])))],
            [max(0, origin + rng.choice([-1, 1])), target],
            [rng.randint(1, 24), target],
            [BAR, target],
            [origin, OFF],
        ]
        shift = rng.randint(-6, 6)
        others.append([max(0, min(24, origin + shift)), max(0, min(OFF, target + shift))])
        changed += [[*moves[:i], other, *moves[i + 1 :]] for other in rng.sample(others, 3)]
    return changed


def _lengthened(position: Position, moves: Moves, dice: list[int], rng: Random) -> list[Moves]:
    held = [p for p in range(1, 25) if position["points"][p - 1] > 0] or [1]
    origin = rng.choice(held)
    extra = [origin, min(OFF, origin + rng.choice(dice))]
    return [[*moves, extra], [extra, *moves], moves + moves[-1:]]


def _with_two_joined(moves: Moves) -> list[Moves]:
    """One checker's two moves told as one."""
    return [
        [*moves[:i], [moves[i][0], moves[i + 1][1]], *moves[i + 2 :]]
        for i in range(len(moves) - 1)
        if moves[i][1] == moves[i + 1][0]
    ]


def _walk(rules: Rules, walk: Walk, rng: Random, stop: float) -> Walk:
    while walk.dice_left and not walk.ending and rng.random() >= stop:
        die = rng.choice(walk.dice_left)
        possible = steps(rules, walk.board, die)
        if not possible:
            break
        walk = extended(rules, walk, die, rng.choice(possible))
    return walk


def _as_lists(walk: Walk) -> Moves:
    return [list(move) for move in walk.moves]


def _loose_walk(rules: Rules, position: Position, dice: list[int], rng: Random) -> Moves:
    """Moves legal one by one, without a thought for the rest of the roll."""
    return _as_lists(_walk(rules, Walk(board_of(position), all_dice(dice)), rng, 0.05))


def _die_used_twice(rules: Rules, position: Position, dice: list[int], rng: Random) -> Moves:
    wrong: Any = [rng.choice(dice)] * len(all_dice(dice))
    return _as_lists(_walk(rules, Walk(board_of(position), wrong), rng, 0.0))


def _early_bearing_off(position: Position, dice: list[int], rng: Random) -> list[Moves]:
    held = [p for p in range(13, 25) if position["points"][p - 1] > 0]
    return [[[origin, OFF] for origin in rng.choices(held, k=k)] for k in {1, len(dice)} if held]
