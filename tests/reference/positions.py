"""Positions in which the tables games are won, lost and misjudged, made by the dozen from a seed.

Each kind of position is drafted side by side: a side is a list of 26 counts in its *own* numbering,
index 0 the bar and 25 off. Drafts that break a rule are thrown away.
"""

from collections.abc import Callable, Collection, Iterator
from random import Random

from tests.reference.boards import (
    BAR,
    CHECKERS,
    HANDSOME,
    HEAD,
    HOME,
    OFF,
    STACK_POINT,
    Board,
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
from tests.reference.near_misses import near_misses
from tests.reference.tables import handsome_game, longest_own_run, turns

__all__ = ["near_misses", "problems", "random_positions", "random_positions_under"]

Side = list[int]


# ---------------------------------------------------------------------------------------------------------
# What makes a position possible


def problems(rules: Rules, position: Position) -> list[str]:
    """Everything that could not have come about in a game still going on; empty for a good position."""
    return [
        f"{who}: {problem}"
        for who, view in (("mover", position), ("opponent", flip(rules, position)))
        for problem in _problems_of_mover(rules, board_of(view))
    ]


def _problems_of_mover(rules: Rules, board: Board) -> list[str]:
    mine, locked = board.mine, rules.head_unlocks and not board.unlocked[0]
    found = []
    if sum(mine) != CHECKERS:
        found.append(f"{sum(mine)} checkers")
    if any(m and t for m, t in zip(mine[1:25], board.theirs[1:25], strict=True)):
        found.append("a point held by both")
    if mine[OFF] == CHECKERS:
        found.append("has won by bearing off")
    if rules.handsome != "never" and handsome_game(board):
        found.append("has a handsome game")
    if rules.jan and mine[BAR] > sum(1 for p in range(1, 7) if mine[p] == 0):
        found.append("is janed")
    if locked or not (rules.head_unlocks or rules.free_stacking):
        single = [p for p in range(2, HEAD) if not (p == STACK_POINT and board.stack[0])]
        if any(mine[p] > 1 for p in single):
            found.append("two on one of 2-11")
    if locked and mine[HEAD]:
        found.append("locked with a checker on the head")
    if board.stack[0] and (not 2 <= mine[STACK_POINT] <= 6 or mine[HOME] > 9):
        found.append("a stack that cannot be")
    if longest_own_run(rules, board) > rules.longest_prime and board.theirs[OFF] != 14:
        found.append("a prime too long")
    return found


# ---------------------------------------------------------------------------------------------------------
# Drafting


class Draft:
    """Two sides under construction."""

    def __init__(self, rules: Rules, rng: Random) -> None:
        self.rules, self.rng = rules, rng
        self.sides: list[Side] = [[0] * 26, [0] * 26]
        self.unlocked = [rules.head_unlocks and rng.random() < 0.5 for _ in range(2)]
        self.stack = [False, False]

    def room(self, who: int, point: int) -> bool:
        """May one more checker of this side stand there?"""
        own = self.sides[who]
        if self.sides[1 - who][mirror(self.rules, point)]:
            return False
        if self.rules.free_stacking or self.unlocked[who]:
            return True
        if self.rules.head_unlocks and point == HEAD:
            return False
        return own[point] == 0 or not 2 <= point < HEAD

    def put(self, who: int, point: int, count: int = 1) -> None:
        """Place checkers as long as there are any left and the rules have room."""
        for _ in range(count):
            if sum(self.sides[who]) < CHECKERS and (point in (BAR, OFF) or self.room(who, point)):
                self.sides[who][point] += 1

    def spread(self, who: int, points: list[int], most: int = CHECKERS) -> None:
        """Scatter up to this many checkers over these points."""
        for _ in range(most):
            self.put(who, self.rng.choice(points))

    def finish(self, who: int) -> None:
        """Find a place for all that are left: mostly on the board, in heaps and alone."""
        rng, own = self.rng, self.sides[who]
        if rng.random() < 0.3:
            self.put(who, OFF, rng.randint(0, CHECKERS - sum(own)))
        low, high = sorted((rng.randint(1, 24), rng.randint(1, 24)))
        for _ in range(60):
            point = rng.randint(low, high) if rng.random() < 0.8 else rng.randint(1, 24)
            self.put(who, point, rng.choice([1, 1, 2, 3]))
        self.put(who, OFF, CHECKERS)

    def position(self) -> Position:
        mine, theirs = self.sides
        seen = [0] * 26
        seen[BAR], seen[OFF] = theirs[BAR], theirs[OFF]
        for point in range(1, 25):
            seen[mirror(self.rules, point)] = theirs[point]
        return position_of(self.rules, Board(mine, seen, self.unlocked, self.stack))


def closed_run(draft: Draft, who: int, points: list[int]) -> None:
    for point in points:
        draft.put(who, point, 2)


def a_long_run(draft: Draft) -> None:
    """Four to seven closed points in a row, home among them at times (fifteen checkers close no eighth)."""
    rng = draft.rng
    length = rng.randint(4, 7)
    last_start = 24 if draft.unlocked[0] else 13  # locked sides close nothing after home
    first = rng.choice([13 - length, rng.randint(0, max(0, last_start - length))])
    closed_run(draft, 0, as_the_opponent_walks(draft.rules)[first : first + length])
    if rng.random() < 0.3:
        draft.sides[1][BAR] = rng.randint(1, 4)
    if rng.random() < 0.2 or (draft.rules.longest_prime < length):
        draft.put(1, OFF, 14)
    if rng.random() < 0.2:
        draft.put(0, BAR, rng.randint(1, 2))


def a_bar_jam(draft: Draft) -> None:
    """Many wait on the bar before few free points."""
    rng = draft.rng
    draft.put(0, BAR, rng.randint(1, 5))
    entry = rng.sample(range(1, 7), 6)
    closed = rng.randint(2, 6)
    for point in entry[:closed]:
        draft.put(1, mirror(draft.rules, point), 2)
    for point in entry[closed:]:
        if rng.random() < 0.6:
            draft.put(
                rng.choice([0, 0, 1]), point if rng.random() < 0.5 else mirror(draft.rules, point)
            )
    if rng.random() < 0.4:
        draft.put(0, OFF, 12)


def a_bear_off(draft: Draft) -> None:
    """All at the end of the path, with gaps; now and then a last straggler."""
    rng = draft.rng
    draft.put(0, OFF, rng.choice([0, rng.randint(1, 9), rng.randint(10, 14)]))
    if rng.random() < 0.25:
        draft.put(0, rng.randint(13, 18))
    if rng.random() < 0.4:
        draft.put(1, mirror(draft.rules, rng.randint(19, 24)), rng.randint(1, 2))
    if rng.random() < 0.3:
        draft.put(1, BAR, rng.randint(1, 3))
    points = rng.sample(range(19, 25), rng.randint(1, 6))
    for _ in range(CHECKERS * 3):
        draft.put(0, rng.choice(points))
    draft.put(0, max(points), CHECKERS)


def a_near_handsome(draft: Draft) -> None:
    """A handsome game short of one to four dice."""
    rng = draft.rng
    pattern = rng.choice(list(HANDSOME.values()))
    side = draft.sides[0]
    side[20:25] = pattern
    for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 4])):
        point = rng.choice([p for p in range(15, 25) if side[p]])
        side[point] -= 1
        side[point - rng.randint(1, 6)] += 1
    if rng.random() < 0.4:
        draft.put(1, BAR, rng.randint(1, 3))


def a_last_checker(draft: Draft) -> None:
    """Fourteen are off; the fifteenth waits, runs or is nearly there (B5.6, B6.2)."""
    rng = draft.rng
    draft.put(0, OFF, 14)
    draft.put(0, rng.choice([BAR, BAR, rng.randint(1, 18), rng.randint(1, 24)]))
    if rng.random() < 0.5:  # nothing free, or a prime on the way
        first = rng.choice([0, 0, rng.randint(0, 6)])
        closed_run(draft, 1, as_the_opponent_walks(draft.rules)[first : first + rng.randint(5, 7)])


def a_near_jan(draft: Draft) -> None:
    """The opponent's bar is full or one short of it, and there are blots and closed points to hit."""
    rng = draft.rng
    blots = rng.sample(range(1, 7), rng.randint(0, 5))
    for point in blots:
        draft.put(1, point)
    draft.put(1, BAR, max(0, 6 - len(blots) - rng.choice([0, 0, 1, 2])))
    if rng.random() < 0.5:  # something to strike: on my way, or where I come in
        first = rng.choice([0, rng.randint(0, 6)])
        closed_run(
            draft, 1, as_the_opponent_walks(draft.rules)[first : first + rng.choice([4, 6, 6, 7])]
        )
    targets = [mirror(draft.rules, p) for p in range(1, 25) if draft.sides[1][p]]
    for _ in range(rng.randint(2, 6)):
        draft.put(0, max(1, rng.choice(targets or [13]) - rng.randint(1, 6)), rng.choice([1, 2]))
    if rng.random() < 0.4:
        draft.put(0, BAR, rng.randint(1, 3))


def a_jammed_jan(draft: Draft) -> None:
    """Nothing or little is free for my entry, and one closed point struck may overfill the opponent's bar."""
    rng = draft.rng
    entry = rng.sample(range(1, 7), 6)
    closed = rng.randint(1, 3)
    for point in entry[:closed]:
        draft.put(1, mirror(draft.rules, point), rng.choice([2, 2, 3]))
    for point in entry[closed:]:
        if rng.random() < 0.85:
            draft.put(0, point)
    draft.put(0, BAR, rng.randint(1, closed))
    blots = rng.sample(range(1, 7), rng.randint(0, 4))
    for point in blots:
        draft.put(1, point)
    draft.put(1, BAR, 6 - len(blots) - rng.choice([0, 1, 1, 2]))


def a_stack(draft: Draft) -> None:
    """B11.1: one side's six-checker stack or what is left of it, with enemies behind it."""
    rng = draft.rng
    draft.sides[0][STACK_POINT], draft.stack[0] = rng.randint(2, 6), True
    draft.sides[0][HOME] = rng.randint(0, 9)
    behind = mirror(draft.rules, STACK_POINT)
    for _ in range(rng.randint(1, 3)):
        draft.put(1, behind - rng.randint(1, 6))
    if rng.random() < 0.3:
        draft.put(0, BAR, rng.randint(1, 4))
    if rng.random() < 0.2:
        draft.sides[1][STACK_POINT], draft.stack[1] = rng.randint(2, 6), True


def anything(draft: Draft) -> None:
    """No plan at all."""
    draft.put(0, BAR, draft.rng.choice([0, 0, 1, 2]))


def _drafted(rules: Rules, rng: Random, kind: Callable[[Draft], None]) -> Position:
    while True:
        draft = Draft(rules, rng)
        kind(draft)
        draft.finish(0)
        draft.finish(1)
        position = draft.position()
        if problems(rules, position):
            continue
        if rng.random() < 0.5:
            position = flip(rules, position)
        if rules.double_six and position["points"][HOME - 1] == CHECKERS:
            continue  # a first turn; those come from play only
        return position


# ---------------------------------------------------------------------------------------------------------
# Self-play


def roll(rng: Random) -> list[int]:
    return [rng.randint(1, 6), rng.randint(1, 6)]


def self_play(rules: Rules, rng: Random) -> Iterator[Position]:
    """Positions of random games without end, the very first of each game among them."""
    while True:
        position = start(rules)
        yield position
        for number in range(200):
            opening = rules.double_six and number < 3 and rng.random() < 0.3
            turn = rng.choice(turns(rules, position, [6, 6] if opening else roll(rng)))
            if turn["ending"]:
                break
            position = flip(rules, turn["position"])
            if number < 2 or rng.random() < 0.3:
                yield position


# ---------------------------------------------------------------------------------------------------------
# The mixture


def random_positions(
    rules_name: str, count: int, seed: int, options: Collection[str] = ()
) -> Iterator[Position]:
    """That many possible positions of all kinds, seen by the mover; the same for the same seed."""
    return random_positions_under(with_options(rules_name, options), count, seed)


def random_positions_under(rules: Rules, count: int, seed: int) -> Iterator[Position]:
    """The same under rules that may have no name."""
    rng = Random(seed)
    played = self_play(rules, rng)
    kinds: list[Callable[[Draft], None]] = [
        a_long_run,
        a_bar_jam,
        a_bear_off,
        a_last_checker,
        anything,
    ]
    if rules.jan or rules.handsome != "never":
        kinds += [a_near_handsome, a_near_handsome, a_near_jan, a_jammed_jan]
    if rules.double_six:
        kinds += [a_stack, a_stack]
    for _ in range(count):
        if rng.random() < 0.2:
            yield next(played)
        else:
            yield _drafted(rules, rng, rng.choice(kinds))


def has_long_prime(position: Position, rules: Rules, length: int) -> bool:
    """Does either side hold a prime of at least this many closed points?"""
    return any(
        longest_own_run(rules, board_of(view)) >= length
        for view in (position, flip(rules, position))
    )
