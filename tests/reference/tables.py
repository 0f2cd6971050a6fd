"""A second opinion on the tables games: slow, plain and written from the rule book alone.

It exists for the tests only. Nothing here is shared with the engine, so that an error has to be
made twice before it stays unseen. Clause ids such as B5.4 point into the rule book.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.reference.boards import (
    BAR,
    CHECKERS,
    HANDSOME,
    HEAD,
    HOME,
    OFF,
    RULES,
    STACK_POINT,
    Board,
    Move,
    Position,
    Rules,
    as_the_opponent_walks,
    board_of,
    flip,
    mirror,
    position_of,
    start,
    with_options,
)

__all__ = ["RULES", "Rules", "flip", "judge", "start", "turns", "with_options"]


@dataclass
class Walk:
    """A row of moves, legal one by one; whether it may stop here is another question."""

    board: Board
    dice_left: list[int]
    dice_used: list[int] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    waste: int = 0
    ending: str | None = None


# ---------------------------------------------------------------------------------------------------------
# Questions about a board


def closed_by_me(board: Board, point: int) -> bool:
    """Two or more, unless it is the double-six stack (B11.1)."""
    return board.mine[point] >= 2 and not (board.stack[0] and point == STACK_POINT)


def is_their_stack(board: Board, point: int) -> bool:
    """Their 7 is my 19; only Bräde has the stack."""
    return board.stack[1] and point == 19 and board.theirs[point] >= 2


def closed_by_them(board: Board, point: int) -> bool:
    return board.theirs[point] >= 2 and not is_their_stack(board, point)


def longest_own_run(rules: Rules, board: Board) -> int:
    """B6.1: counted as the opponent walks."""
    longest = length = 0
    for point in as_the_opponent_walks(rules):
        length = length + 1 if closed_by_me(board, point) else 0
        longest = max(longest, length)
    return longest


def their_run_through(board: Board, point: int) -> int:
    """How many closed points in a row they hold around this one, counted as I walk, 1..24 (B6.3)."""
    if not closed_by_them(board, point):
        return 0
    first = last = point
    while first > 1 and closed_by_them(board, first - 1):
        first -= 1
    while last < 24 and closed_by_them(board, last + 1):
        last += 1
    return last - first + 1


def free_points(board: Board) -> int:
    """B5.3."""
    return sum(1 for p in range(1, 7) if board.mine[p] == 0 and not closed_by_them(board, p))


def may_strike(rules: Rules, board: Board, origin: int, target: int) -> bool:
    """May this closed point be broken by this move, as the board stands before the die?"""
    if board.mine[OFF] == 14 and not rules.strikes_with_14_off:
        return False  # B5.6
    if their_run_through(board, target) >= rules.struck_run:
        return True  # B6.3
    if origin != BAR:
        return False
    if rules.entry_strike == "no_free_point":
        return free_points(board) == 0  # B5.4
    if rules.entry_strike == "outnumbered":
        return board.mine[BAR] > free_points(board)  # B5.5
    return False


def own_checkers_forbid(rules: Rules, board: Board, target: int) -> bool:
    """B4.3, B4.4 and the first half of B5.2: may not a second own checker stand there?"""
    if rules.free_stacking or board.mine[target] == 0 or target >= HEAD:
        return False
    return not (rules.head_unlocks and board.unlocked[0])


def may_bear_off(rules: Rules, board: Board, origin: int, die: int) -> bool:
    """B7.1-B7.4, G5; the die is known to reach beyond 24."""
    if any(board.mine[p] for p in range(19)):
        return False
    rearmost = min(p for p in range(1, 25) if board.mine[p])
    if rules.only_rearmost_off:
        return origin == rearmost
    if rules.exact_off:
        return origin + die == OFF or origin == rearmost
    return True


# ---------------------------------------------------------------------------------------------------------
# One die


def steps(rules: Rules, board: Board, die: int) -> list[Move]:
    """Every move of one checker by one die."""
    found: list[Move] = []
    for origin in range(25):
        if board.mine[origin] == 0:
            continue
        if board.mine[BAR] and origin != BAR:
            continue  # B5.1
        target = origin + die
        if target >= OFF:
            if may_bear_off(rules, board, origin, die):
                found.append((origin, OFF))
            continue
        if own_checkers_forbid(rules, board, target):
            continue
        if closed_by_them(board, target) and not may_strike(rules, board, origin, target):
            continue  # B4.1
        if board.theirs[OFF] != 14:  # B6.2
            after, _ = play(rules, board, (origin, target))
            if longest_own_run(rules, after) > rules.longest_prime:
                continue  # B6.1
        found.append((origin, target))
    return found


def play(rules: Rules, board: Board, move: Move) -> tuple[Board, str | None]:
    """The board after one move, and how the game has ended if it has ended at once."""
    origin, target = move
    after = board.copy()
    after.mine[origin] -= 1
    after.mine[target] += 1
    if origin == STACK_POINT and after.mine[STACK_POINT] < 2:
        after.stack[0] = False  # B11.1: the last one is an ordinary blot
    if rules.head_unlocks and target == HEAD:
        after.unlocked[0] = True

    if target != OFF and board.theirs[target]:
        struck = closed_by_them(board, target)
        after.theirs[BAR] += board.theirs[target]
        after.theirs[target] = 0
        if is_their_stack(board, target):
            after.stack[1] = False
        room = sum(1 for p in range(1, 7) if after.theirs[mirror(rules, p)] == 0)
        if rules.jan and after.theirs[BAR] > room:
            return after, "forced_jan" if struck else "jan"  # B9.1, B9.2

    if after.mine[OFF] == CHECKERS:
        return after, borne_off_ending(rules, after)  # B7.7
    if rules.handsome == "at_once":
        return after, handsome_game(after)  # B8.3
    return after, None


def handsome_game(board: Board) -> str | None:
    """B8.1."""
    for name, pattern in HANDSOME.items():
        if board.mine[20:25] == pattern:
            return name
    return None


def borne_off_ending(rules: Rules, board: Board) -> str:
    """B7.7; G6 with its option."""
    if rules.gammons and board.theirs[OFF] == 0:
        if board.theirs[BAR] or any(board.theirs[19:25]):
            return "backgammon"
        return "gammon"
    return "bearing_off"


# ---------------------------------------------------------------------------------------------------------
# Whole turns


def all_dice(dice: list[int]) -> list[int]:
    """B3.2: a double counts four times. One die alone is one die (B11.3)."""
    return dice * 2 if len(dice) == 2 and dice[0] == dice[1] else list(dice)


def extended(rules: Rules, walk: Walk, die: int, move: Move) -> Walk:
    board, ending = play(rules, walk.board, move)
    left = list(walk.dice_left)
    left.remove(die)
    waste = die - (OFF - move[0]) if move[1] == OFF else 0
    return Walk(
        board, left, [*walk.dice_used, die], [*walk.moves, move], walk.waste + waste, ending
    )


def all_walks(rules: Rules, board: Board, dice: list[int]) -> list[Walk]:
    """Every row of moves from none at all to all the dice, those that come to the same thing only once."""
    layer = [Walk(board, all_dice(dice))]
    walks = list(layer)
    while layer:
        following: dict[Any, Walk] = {}
        for walk in layer:
            if walk.ending:
                continue
            for die in sorted(set(walk.dice_left)):
                for move in steps(rules, walk.board, die):
                    longer = extended(rules, walk, die, move)
                    same = (
                        longer.board.key(),
                        sorted(longer.dice_left),
                        longer.waste,
                        longer.ending,
                    )
                    following.setdefault(repr(same), longer)
        layer = list(following.values())
        walks += layer
    return walks


@dataclass
class Duties:
    """What the roll obliges the mover to; found by looking at all walks, winning ones too (B3.6)."""

    dice: int  # B3.3
    higher: int  # B3.4: the die to be used when it is only one
    waste: int  # B7.6

    def uses_enough(self, walk: Walk) -> bool:
        if len(walk.dice_used) != self.dice:
            return False
        return self.dice != 1 or walk.dice_used == [self.higher]


def duties(walks: list[Walk]) -> Duties:
    most = max(len(walk.dice_used) for walk in walks)
    higher = max((walk.dice_used[0] for walk in walks if len(walk.dice_used) == 1), default=0)
    found = Duties(most, higher, 0)
    found.waste = min(walk.waste for walk in walks if found.uses_enough(walk))
    return found


def may_stop(rules: Rules, walk: Walk, due: Duties) -> bool:
    """Is this walk a whole legal turn?"""
    if walk.ending and rules.ending_always_legal:
        return True  # B3.6
    if not due.uses_enough(walk):
        return False
    return not rules.least_waste or walk.waste == due.waste


def before_double_six(rules: Rules, board: Board, dice: list[int]) -> tuple[Board, Walk | None]:
    """B11.1: the board on which 6-6 is played, and the six-checker turn if it is open.

    A first roll is known by the fifteen checkers at home, since a side's first turn always takes
    one away.
    """
    first_roll = board.mine[HOME] == CHECKERS
    if not rules.double_six or dice != [6, 6] or not first_roll:
        return board, None
    board = board.copy()
    if board.stack[1] and board.theirs[13] == 9 and board.theirs[19] == 6:
        board.theirs[13], board.theirs[19] = CHECKERS, 0
        board.stack[1] = False
    if closed_by_them(board, STACK_POINT) or board.mine[STACK_POINT]:
        return board, None
    after, ending, moves = board, None, [(HOME, STACK_POINT)] * 6
    for move in moves:
        after, hit_ending = play(rules, after, move)
        ending = ending or hit_ending
    after.stack[0] = True
    return board, Walk(after, [], [6] * 6, moves, 0, ending)


def result_of(rules: Rules, walk: Walk) -> dict[str, Any]:
    """The walk as a finished turn (B8.2, B10)."""
    ending = walk.ending
    if ending is None and rules.handsome == "whole_turn":
        ending = handsome_game(walk.board)
    worth = {"forced_jan": 6, "jan": 4, "bearing_off": 1, "gammon": 2, "backgammon": 3}
    worth |= dict.fromkeys(HANDSOME, 2)
    has_monk = ending == "bearing_off" or ending in HANDSOME
    monk = has_monk and rules.monk and walk.board.theirs[BAR] > 0  # B10.1
    points = worth[ending] + (1 if monk else 0) if ending else 0
    return {
        "moves": [list(move) for move in walk.moves],
        "position": position_of(rules, walk.board),
        "ending": ending,
        "monk": monk,
        "points": points,
    }


def turns(rules: Rules, position: Position, dice: list[int]) -> list[dict[str, Any]]:
    """All distinct results of a roll, each with one way to play it; a forced pass is one turn of no moves."""
    board, six_checkers = before_double_six(rules, board_of(position), dice)
    walks = all_walks(rules, board, dice)
    due = duties(walks)
    whole = [walk for walk in walks if may_stop(rules, walk, due)]
    if six_checkers:
        whole.append(six_checkers)
    distinct: dict[Any, dict[str, Any]] = {}
    for walk in whole:
        result = result_of(rules, walk)
        distinct.setdefault((walk.board.key(), result["ending"], result["points"]), result)
    return list(distinct.values())


def judge(
    rules: Rules, position: Position, dice: list[int], moves: Iterable[Sequence[int]]
) -> bool:
    """Is exactly this list, in this order, a legal turn with the dice dealt to the moves in some way?"""
    wanted = [(move[0], move[1]) for move in moves]
    board, six_checkers = before_double_six(rules, board_of(position), dice)
    if six_checkers and wanted == six_checkers.moves:
        return True
    walks = [Walk(board, all_dice(dice))]
    for move in wanted:
        walks = [
            extended(rules, walk, die, move)
            for walk in walks
            if walk.ending is None
            for die in sorted(set(walk.dice_left))
            if move in steps(rules, walk.board, die)
        ]
    if not walks:
        return False
    due = duties(all_walks(rules, board, dice))
    return any(may_stop(rules, walk, due) for walk in walks)
