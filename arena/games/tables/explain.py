"""Explanations of illegal turns: a code, the clause, and values that say what was wrong and what would be legal."""

from collections.abc import Sequence
from typing import NamedTuple

from arena.games.interface import Breach, Illegal, cut_short
from arena.games.tables import double_six
from arena.games.tables.board import OFF, count, shown
from arena.games.tables.endings import EndingName
from arena.games.tables.notation import format_moves, marks_of
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import BEFORE_Q4, DieSteps, Moves, Node
from arena.games.tables.turns import Turns
from arena.words import Said


class MoveWalk(NamedTuple):
    """Walk through the listed moves, as far as they can be played under one assignment of dice to moves."""

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
    """The verdict on a turn that no assignment of dice makes legal; `walks` holds how far each assignment got."""
    breach = _breach(steps, dice, moves, walks, turns)
    return _verdict(steps.ruleset, breach, moves, turns)


def unreadable(ruleset: Ruleset, moves: object, turns: Turns) -> Illegal:
    """The verdict on moves that do not have the form of this game's moves."""
    values = {"shown": cut_short(moves), "form": Said("form.tables")}
    return _verdict(ruleset, Breach("unreadable_moves", "B3.1", values), (), turns)


def _verdict(ruleset: Ruleset, breach: Breach, moves: Moves, turns: Turns) -> Illegal:
    number = len(turns)
    best = _nearest(moves, turns)
    nearest = format_moves(best, ruleset.facing, marks_of(turns.start, best))
    legal = (
        Said("legal.pass")
        if turns.duty.dice == 0
        else Said("legal.turns", {"count": number, "nearest": nearest})
    )
    values = {**breach.values, "legal": legal}
    return Illegal(
        code=breach.code, clause=ruleset.cited(breach.clause), values=values, legal_turns=number
    )


def _nearest(moves: Moves, turns: Turns) -> Moves:
    """The legal turn that shares the most moves with the submitted one."""

    def shared(candidate: Moves) -> int:
        left = list(map(tuple, moves))
        common = 0
        for move in map(tuple, candidate):
            if move in left:
                left.remove(move)
                common += 1
        return common

    best = max(range(len(turns)), key=lambda index: shared(turns.moves(index)))
    return turns.moves(best)


def _breach(
    steps: DieSteps, dice: tuple[int, ...], moves: Moves, walks: Sequence[MoveWalk], turns: Turns
) -> Breach:
    if steps.ruleset.double_six and [*map(tuple, moves)] == [*double_six.MOVES]:
        return Breach("no_double_six", "B11.1")
    played = max(walk.played for walk in walks)
    furthest = [walk for walk in walks if walk.played == played]
    walk = furthest[0]
    if played == len(moves):
        return _undone_duty(dice, furthest, turns)
    if walk.ending is not None:
        clause = {"bearing_off": "B7.7", "jan": "B9.1", "forced_jan": "B9.1"}.get(
            walk.ending, "B8.3"
        )
        over = Said("over.by_move", {"number": played, "ending": Said(f"ending.{walk.ending}")})
        return Breach("game_over", clause, {"over": over})
    number = len(walk.dice)
    if len(moves) > number:
        return Breach(
            "too_many_moves", "B3.1", {"count": len(moves), "dice": _words(dice), "number": number}
        )
    slot, target = moves[played]
    left = sorted({one.dice[played] for one in furthest}, reverse=True)
    return _bad_step(steps, walk.node, (slot, target), left)


def _undone_duty(dice: tuple[int, ...], walks: Sequence[MoveWalk], turns: Turns) -> Breach:
    """Return the duty that a turn leaves undone whose moves are all possible (B3.3, B3.4, B7.6)."""
    duty = turns.duty
    played = walks[0].played
    if played < duty.dice:
        usable = Said("number.dice", {"count": duty.dice})
        return Breach(
            "fewer_dice", "B3.3", {"count": played, "usable": usable, "dice": _words(dice)}
        )
    if duty.die is not None and duty.die not in [walk.dice[0] for walk in walks]:
        return Breach("lower_die", "B3.4", {"dice": _words(dice), "die": duty.die})
    waste = min(walk.waste for walk in walks)
    return Breach("waste", "B7.6", {"waste": waste, "least": duty.waste})


def _bad_step(steps: DieSteps, node: Node, move: tuple[int, int], left: list[int]) -> Breach:
    state, own, _, closed, _ = node
    slot, target = move
    facing = steps.ruleset.facing
    text = (
        format_moves([move], facing)
        if 0 <= slot < OFF and 0 < target <= OFF
        else f"[{slot}, {target}]"
    )
    if not 0 <= slot < target <= OFF or (slot == 0 and target == OFF):
        return Breach("no_such_move", "B3.1", {"move": text})
    if not count(state, slot):
        where = (
            Said("place.bar") if slot == 0 else Said("place.point", {"point": shown(slot, facing)})
        )
        return Breach("no_checker", "B3.1", {"move": text, "where": where})
    if slot and state & 15:
        return Breach("bar_first", "B5.1", {"move": text, "number": state & 15})
    if target == OFF:
        return _bad_bearing_off(steps.ruleset, node, slot, left)
    die = target - slot
    if die not in left:
        return Breach(
            "no_such_die", "B3.1", {"move": text, "die": die, "dice": _words(tuple(left))}
        )
    point = 1 << target
    if closed & point:
        return _closed(steps, node, slot, target)
    if own & point & steps.no_adding(state):
        values = {"move": text, "point": shown(target, facing)}
        if slot == 0:
            return Breach("entry_own_point", "B5.2", values)
        return Breach("own_point", "B4.4" if target == 1 else "B4.3", values)
    return Breach("prime_too_long", "B6.1", {"move": text, "number": steps.ruleset.longest_prime})


def _closed(steps: DieSteps, node: Node, slot: int, target: int) -> Breach:
    ruleset = steps.ruleset
    state, own, _, closed, _ = node
    facing = ruleset.facing
    text = format_moves([(slot, target)], facing)
    if slot:
        values = {
            "move": text,
            "point": shown(target, facing),
            "count": ruleset.strikeable_prime or 0,
        }
        return Breach("closed_point", "B4.1", values)
    free = steps.free_points(own, closed)
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


def _bad_bearing_off(ruleset: Ruleset, node: Node, slot: int, left: list[int]) -> Breach:
    facing = ruleset.facing
    text = format_moves([(slot, OFF)], facing)
    own = node[1]
    if own & BEFORE_Q4:
        outside = shown((own & BEFORE_Q4).bit_length() - 1, facing)
        last = "19-24" if facing == "same_way" else "6-1"
        return Breach("not_home", "B7.1", {"move": text, "point": outside, "last": last})
    if max(left) < OFF - slot:
        return Breach(
            "die_too_small", "B7.2", {"move": text, "die": OFF - slot, "dice": _words(tuple(left))}
        )
    rearmost = shown((own & -own).bit_length() - 1, facing)
    return Breach("not_rearmost", "B7.4", {"move": text, "point": rearmost})


def _words(dice: tuple[int, ...]) -> str:
    return "-".join(map(str, dice))
