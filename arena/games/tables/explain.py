"""Explanations of illegal turns: a code, the clause and one sentence that says what would have been legal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.games.interface import Illegal
from arena.games.tables import double_six
from arena.games.tables.board import OFF, count
from arena.games.tables.notation import format_moves, marks_of, shown
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.steps import BEFORE_Q4, DieSteps, Moves, Node
from arena.games.tables.turns import Turns
from arena.games.tables.walk import MoveWalk

CODES: Final = {
    "unreadable_moves": "the moves are not pairs [from, to] of whole numbers",
    "too_many_moves": "more moves than the roll has dice",
    "no_such_move": "from and to are not slots of the board in the direction of play",
    "no_checker": "no own checker stands where the move begins",
    "bar_first": "a checker waits on the bar and another was moved",
    "no_such_die": "no die that is left makes the move",
    "entry_own_point": "a checker may not enter on an own one",
    "entry_closed": "the opponent has closed the point and may not be struck now",
    "closed_point": "the opponent has closed the point and may not be struck now",
    "own_point": "a checker may not join an own one there",
    "prime_too_long": "the move would make a prime longer than allowed",
    "not_home": "bearing off before all checkers are in the last quarter",
    "die_too_small": "the die does not suffice to bear the checker off",
    "not_rearmost": "only the rearmost checker may be borne off with this die",
    "game_over": "a move follows the one that ended the game",
    "fewer_dice": "more dice can be used",
    "lower_die": "only one die can be used, and the higher must be",
    "waste": "another turn wastes less of its dice",
    "no_double_six": "the six-checker turn is not open",
}
"""Every code of a verdict on a tables turn, with what it means."""


class Breach(NamedTuple):
    """Breach of a rule by a turn."""

    code: str
    clause: str
    message: str


def illegal(steps: DieSteps, dice: tuple[int, ...], moves: Moves, walks: Sequence[MoveWalk], turns: Turns) -> Illegal:
    """The verdict on a turn that no assignment of dice makes legal; `walks` holds how far each assignment got."""
    breach = _breach(steps, dice, moves, walks, turns)
    return _verdict(steps.ruleset, breach, moves, turns)


def unreadable(ruleset: Ruleset, moves: object, turns: Turns) -> Illegal:
    """The verdict on moves that do not have the form of this game's moves."""
    try:
        text = repr(moves)
    except ValueError:  # Python does not print numbers of more than 4,300 digits
        text = "a number of thousands of digits"
    shown = text if len(text) <= 60 else text[:57] + "..."
    message = f"{shown} is not a list of moves [from, to] with 0 for the bar and 25 for off"
    return _verdict(ruleset, Breach("unreadable_moves", "B3.1", message), (), turns)


def _verdict(ruleset: Ruleset, breach: Breach, moves: Moves, turns: Turns) -> Illegal:
    number = len(turns)
    best = _nearest(moves, turns)
    nearest = format_moves(best, ruleset.facing, marks_of(turns.start, best))
    if turns.duty.dice == 0:
        legal = "no die can be used, so the only legal turn is to pass"
    elif number == 1:
        legal = f"the only legal turn is {nearest}"
    else:
        legal = f"{number} turns are legal, the nearest is {nearest}"
    message = f"{breach.message}; {legal}."
    return Illegal(code=breach.code, clause=ruleset.cited(breach.clause), message=message, legal_turns=number)


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


def _breach(steps: DieSteps, dice: tuple[int, ...], moves: Moves, walks: Sequence[MoveWalk], turns: Turns) -> Breach:
    if steps.ruleset.double_six and [*map(tuple, moves)] == [*double_six.MOVES]:
        message = "six checkers are moved from 1 to 7 only by a first roll of 6-6, to a point that is not closed"
        return Breach("no_double_six", "B11.1", message)
    played = max(walk.played for walk in walks)
    furthest = [walk for walk in walks if walk.played == played]
    walk = furthest[0]
    if played == len(moves):
        return _undone_duty(dice, furthest, turns)
    if walk.ending is not None:
        clause = {"bearing_off": "B7.7", "jan": "B9.1", "forced_jan": "B9.1"}.get(walk.ending, "B8.3")
        name = walk.ending.replace("_", " ")
        return Breach("game_over", clause, f"move {played} ends the game ({name}) and no move may follow it")
    number = len(walk.dice)
    if len(moves) > number:
        return Breach(
            "too_many_moves", "B3.1", f"{len(moves)} moves were given and the roll {_words(dice)} has {number}"
        )
    slot, target = moves[played]
    left = sorted({one.dice[played] for one in furthest}, reverse=True)
    return _bad_step(steps, walk.node, (slot, target), left)


def _undone_duty(dice: tuple[int, ...], walks: Sequence[MoveWalk], turns: Turns) -> Breach:
    """Return the duty that a turn leaves undone whose moves are all possible (B3.3, B3.4, B7.6)."""
    duty = turns.duty
    played = walks[0].played
    if played < duty.dice:
        what = f"the turn uses {_dice(played)}" if played else "the turn passes"
        return Breach("fewer_dice", "B3.3", f"{what}, but {_dice(duty.dice)} of {_words(dice)} can be used")
    if duty.die is not None and duty.die not in [walk.dice[0] for walk in walks]:
        return Breach("lower_die", "B3.4", f"only one die of {_words(dice)} can be used, and it must be the {duty.die}")
    waste = min(walk.waste for walk in walks)
    return Breach("waste", "B7.6", f"the turn wastes {waste} of its pips where {duty.waste} would do")


def _bad_step(steps: DieSteps, node: Node, move: tuple[int, int], left: list[int]) -> Breach:
    """Explain why one move is impossible with the dice that are left."""
    state, own, _, closed, _ = node
    slot, target = move
    facing = steps.ruleset.facing
    text = format_moves([move], facing) if 0 <= slot < OFF and 0 < target <= OFF else f"[{slot}, {target}]"
    if not 0 <= slot < target <= OFF or (slot == 0 and target == OFF):
        message = f"{text} is not a move: checkers move forward from 0 (bar) or 1-24 to 1-24 or 25 (off)"
        return Breach("no_such_move", "B3.1", message)
    if not count(state, slot):
        where = "on the bar" if slot == 0 else f"on point {shown(slot, facing)}"
        return Breach("no_checker", "B3.1", f"{text} begins where no own checker stands: there is none {where}")
    if slot and state & 15:
        waiting = state & 15
        message = f"{text} moves a checker on the board while {waiting} on the bar must enter first"
        return Breach("bar_first", "B5.1", message)
    if target == OFF:
        return _bad_bearing_off(steps.ruleset, node, slot, left)
    die = target - slot
    if die not in left:
        return Breach("no_such_die", "B3.1", f"{text} needs a {die} and what is left is {_words(tuple(left))}")
    point = 1 << target
    if closed & point:
        return _closed(steps, node, slot, target)
    if own & point & steps.no_adding(state):
        where = shown(target, facing)
        if slot == 0:
            return Breach("entry_own_point", "B5.2", f"{text} enters on point {where}, where an own checker stands")
        clause = "B4.4" if target == 1 else "B4.3"
        return Breach("own_point", clause, f"{text} puts a second checker on point {where}, which may hold only one")
    message = f"{text} would make a prime of more than {steps.ruleset.longest_prime} points"
    return Breach("prime_too_long", "B6.1", message)


def _closed(steps: DieSteps, node: Node, slot: int, target: int) -> Breach:
    ruleset = steps.ruleset
    state, own, _, closed, _ = node
    facing = ruleset.facing
    text = format_moves([(slot, target)], facing)
    if slot:
        message = f"{text} lands on point {shown(target, facing)}, which the opponent has closed"
        if ruleset.strikeable_prime is not None:
            message = f"{message} in no prime of {ruleset.strikeable_prime} that could be struck"
        return Breach("closed_point", "B4.1", message)
    free = steps.free_points(own, closed)
    waiting = state & 15
    if not steps.may_strike(state):
        return Breach("entry_closed", "B5.6", f"{text} strikes a closed point, and with 14 checkers off nobody strikes")
    if ruleset.entry_strikes == "no_free_point":
        why, clause = f"{free} of the points 1-6 are still free", "B5.4"
    elif ruleset.entry_strikes == "outnumbered":
        why, clause = f"{waiting} on the bar do not outnumber {free} free points", "B5.5"
    else:
        why, clause = "closed points are never struck", "B5.7"
    return Breach("entry_closed", clause, f"{text} enters on a point the opponent has closed, and {why}")


def _bad_bearing_off(ruleset: Ruleset, node: Node, slot: int, left: list[int]) -> Breach:
    facing = ruleset.facing
    text = format_moves([(slot, OFF)], facing)
    own = node[1]
    if own & BEFORE_Q4:
        outside = shown((own & BEFORE_Q4).bit_length() - 1, facing)
        last = "19-24" if facing == "same_way" else "6-1"
        message = f"{text} bears off while a checker still stands on point {outside}, outside {last}"
        return Breach("not_home", "B7.1", message)
    if max(left) < OFF - slot:
        message = f"{text} needs a {OFF - slot} or more and what is left is {_words(tuple(left))}"
        return Breach("die_too_small", "B7.2", message)
    rearmost = shown((own & -own).bit_length() - 1, facing)
    message = f"{text} is not the rearmost checker, which stands on point {rearmost}"
    return Breach("not_rearmost", "B7.4", message)


def _dice(number: int) -> str:
    return "1 die" if number == 1 else f"{number} dice"


def _words(dice: tuple[int, ...]) -> str:
    return "-".join(map(str, dice))
