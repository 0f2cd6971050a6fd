"""Explanations of illegal turns: a code, the clause, what was wrong and what would be legal."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.games.interface import Breach, Illegal, cut_short
from arena.games.tables import double_six
from arena.games.tables.board import BAR, HOME, OFF, Facing, count, shown
from arena.games.tables.endings import EndingName
from arena.games.tables.notation import format_moves, marks_of
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import BEFORE_Q4, DieSteps, Moves, Node
from arena.games.tables.turns import Turns
from arena.words import Said


class MoveWalk(NamedTuple):
    """Walk through the listed moves, as far as they can be played with the dice in one order."""

    node: Node
    """The node after the moves, or where the first impossible one was tried."""
    ending: EndingName | None
    played: int
    """How many of the listed moves could be played."""
    dice: tuple[int, ...]
    """The dice in the order assigned; move i takes die i."""
    waste: int
    """Pips wasted in bearing off (B7.6)."""


def illegal(
    steps: DieSteps, dice: tuple[int, ...], moves: Moves, walks: Sequence[MoveWalk], turns: Turns
) -> Illegal:
    """Return the verdict on a turn that no order of the dice makes legal.

    `walks` holds how far each order got.
    """
    breach = _breach(steps, dice, moves, walks, turns)
    return _verdict(steps.ruleset, breach, moves, turns)


def unreadable(ruleset: Ruleset, moves: object, turns: Turns) -> Illegal:
    """Return the verdict on moves that do not have the form of this game's moves."""
    words = {"shown": cut_short(moves), "form": Said("form.tables")}
    return _verdict(ruleset, Breach("unreadable_moves", "B3.1", words), (), turns)


def _verdict(ruleset: Ruleset, breach: Breach, moves: Moves, turns: Turns) -> Illegal:
    """Return the verdict on a breach, with the nearest of the legal turns."""
    number = len(turns)
    if turns.duty.dice == 0:
        legal = Said("legal.pass")
    else:
        best = _nearest(moves, turns)
        nearest = format_moves(best, ruleset.facing, marks_of(turns.start, best))
        legal = Said("legal.turns", {"count": number, "nearest": nearest})
    return Illegal(
        code=breach.code,
        clause=ruleset.cited(breach.clause),
        values={**breach.values, "legal": legal},
        legal_turns=number,
    )


def _nearest(moves: Moves, turns: Turns) -> Moves:
    """Return the legal turn that shares the most moves with the submitted one."""
    nearest: Moves = ()
    most_shared = -1
    for index in range(len(turns)):
        candidate = turns.moves(index)
        shared = _shared_moves(candidate, moves)
        if shared > most_shared:
            nearest, most_shared = candidate, shared
    return nearest


def _shared_moves(candidate: Moves, moves: Moves) -> int:
    """Return how many moves two turns share."""
    not_shared = [tuple(move) for move in moves]
    shared = 0
    for move in map(tuple, candidate):
        if move in not_shared:
            not_shared.remove(move)
            shared += 1
    return shared


def _breach(
    steps: DieSteps, dice: tuple[int, ...], moves: Moves, walks: Sequence[MoveWalk], turns: Turns
) -> Breach:
    """Return the rule that the turn breaks, by the order of dice in which it gets furthest."""
    if steps.ruleset.double_six and [*map(tuple, moves)] == [*double_six.MOVES]:
        return Breach("no_double_six", "B11.1")
    played = max(walk.played for walk in walks)
    furthest = [walk for walk in walks if walk.played == played]
    walk = furthest[0]
    if played == len(moves):
        return _undone_duty(dice, furthest, turns)
    if walk.ending is not None:
        over = Said("over.by_move", {"number": played, "ending": Said(f"ending.{walk.ending}")})
        return Breach("game_over", _CLAUSE_OF_END.get(walk.ending, "B8.3"), {"over": over})
    number = len(walk.dice)
    if len(moves) > number:
        words = {"count": len(moves), "dice": _words(dice), "number": number}
        return Breach("too_many_moves", "B3.1", words)
    unused = sorted({walk.dice[played] for walk in furthest}, reverse=True)
    return _bad_step(steps, walk.node, moves[played], tuple(unused))


_CLAUSE_OF_END: Final[dict[EndingName, str]] = {
    "bearing_off": "B7.7",
    "jan": "B9.1",
    "forced_jan": "B9.1",
}
"""The clause by which a move ends the game; of handsome games it is B8.3."""


def _undone_duty(dice: tuple[int, ...], walks: Sequence[MoveWalk], turns: Turns) -> Breach:
    """Return the duty left undone by a turn whose moves are all possible (B3.3, B3.4, B7.6)."""
    duty = turns.duty
    played = walks[0].played
    if played < duty.dice:
        usable = Said("number.dice", {"count": duty.dice})
        words = {"count": played, "usable": usable, "dice": _words(dice)}
        return Breach("fewer_dice", "B3.3", words)
    if duty.die is not None and duty.die not in [walk.dice[0] for walk in walks]:
        return Breach("lower_die", "B3.4", {"dice": _words(dice), "die": duty.die})
    waste = min(walk.waste for walk in walks)
    return Breach("waste", "B7.6", {"waste": waste, "least": duty.waste})


def _bad_step(steps: DieSteps, node: Node, move: Sequence[int], unused: tuple[int, ...]) -> Breach:
    """Return why a move cannot be made with the unused dice; each test is a clause."""
    state, own_points, _, closed, _ = node
    slot, target = move
    facing = steps.ruleset.facing
    if not 0 <= slot < target <= OFF or (slot == BAR and target == OFF):
        return Breach("no_such_move", "B3.1", {"move": _text_of(slot, target, facing)})
    text = format_moves([move], facing)
    if not count(state, slot):
        where = Said("place.bar")
        if slot != BAR:
            where = Said("place.point", {"point": shown(slot, facing)})
        return Breach("no_checker", "B3.1", {"move": text, "where": where})
    if slot != BAR and state & 15:
        return Breach("bar_first", "B5.1", {"move": text, "number": state & 15})
    if target == OFF:
        return _bad_bearing_off(steps.ruleset, node, slot, unused)
    die = target - slot
    if die not in unused:
        return Breach("no_such_die", "B3.1", {"move": text, "die": die, "dice": _words(unused)})
    point = 1 << target
    if closed & point:
        return _closed(steps, node, slot, target)
    if own_points & point & steps.no_adding(state):
        return _own_point(text, slot, target, facing)
    return Breach("prime_too_long", "B6.1", {"move": text, "number": steps.ruleset.longest_prime})


def _text_of(slot: int, target: int, facing: Facing) -> str:
    """Return an impossible move as it would be written, or as it was submitted."""
    if 0 <= slot < OFF and 0 < target <= OFF:
        return format_moves([(slot, target)], facing)
    return f"[{slot}, {target}]"


def _own_point(text: str, slot: int, target: int, facing: Facing) -> Breach:
    """Return why a checker may not join one of its side (B4.3, B4.4, B5.2)."""
    words = {"move": text, "point": shown(target, facing)}
    if slot == BAR:
        return Breach("entry_own_point", "B5.2", words)
    if target == HOME:
        return Breach("own_point", "B4.4", words)
    return Breach("own_point", "B4.3", words)


def _closed(steps: DieSteps, node: Node, slot: int, target: int) -> Breach:
    """Return why a closed point may not be struck (B4.1, B5.4-B5.7)."""
    ruleset = steps.ruleset
    state, own_points, _, closed, _ = node
    facing = ruleset.facing
    text = format_moves([(slot, target)], facing)
    if slot != BAR:
        least = ruleset.strikeable_prime or 0
        words = {"move": text, "point": shown(target, facing), "count": least}
        return Breach("closed_point", "B4.1", words)
    free = steps.free_points(own_points, closed)
    waiting = state & 15
    if not steps.may_strike(state):
        why, clause = Said("no_strike.nearly_home"), "B5.6"
    elif ruleset.entry_strikes == "no_free_point":
        why, clause = Said("no_strike.free_points", {"free": free}), "B5.4"
    elif ruleset.entry_strikes == "outnumbered":
        why, clause = Said("no_strike.outnumbered", {"number": waiting, "free": free}), "B5.5"
    else:
        why, clause = Said("no_strike.never"), "B5.7"
    return Breach("entry_closed", clause, {"move": text, "why": why})


def _bad_bearing_off(ruleset: Ruleset, node: Node, slot: int, unused: tuple[int, ...]) -> Breach:
    """Return why a checker may not be borne off (B7.1, B7.2, B7.4)."""
    facing = ruleset.facing
    text = format_moves([(slot, OFF)], facing)
    _, own_points, _, _, _ = node
    outside = own_points & BEFORE_Q4
    if outside:
        foremost = shown(outside.bit_length() - 1, facing)
        last_quarter = "19-24" if facing == "same_way" else "6-1"
        return Breach("not_home", "B7.1", {"move": text, "point": foremost, "last": last_quarter})
    needed = OFF - slot
    if max(unused) < needed:
        words = {"move": text, "die": needed, "dice": _words(unused)}
        return Breach("die_too_small", "B7.2", words)
    rearmost = (own_points & -own_points).bit_length() - 1
    return Breach("not_rearmost", "B7.4", {"move": text, "point": shown(rearmost, facing)})


def _words(dice: tuple[int, ...]) -> str:
    """Return dice as they are said: `6-5`."""
    return "-".join(map(str, dice))
