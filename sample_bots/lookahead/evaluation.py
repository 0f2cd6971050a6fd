"""What a position is worth: the points the side that has just moved may expect, its opponent being about to roll.

A position is read from its packed form (docs/rules-library.md, "Looking ahead"). Each side is first
judged by itself, which is remembered, since most turns leave most of a side as it was; then the
race between the two is added, and what each may do to the other. The weights stand in `weights.py`.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import sqrt, tanh
from typing import Any, NamedTuple

from weights import Danger, scaled

SIDE_BITS = 112
SIDE = (1 << SIDE_BITS) - 1
REMEMBERED = 1 << 16  # sides kept, some 30 MB at most
# 0.8 / 1.51, and a roll has 8.17 pips on average: the odds of a race turn with lead / (1.51
# sqrt(pips))
SPREAD = 0.53
ON_ROLL = 4  # pips: half a roll, for the side that is about to roll
HANDSOME = (
    (0, 3, 3, 3, 3, 3),
    (0, 0, 0, 5, 5, 5),
    (0, 0, 0, 3, 5, 7),
    (0, 0, 0, 0, 0, 15),
)  # B8.1, on 19 to 24


def span(first: int, last: int) -> int:
    """The mask of the points first..last."""
    return (1 << last + 1) - (1 << first)


POINTS = span(1, 24)
FIRST_HALF = span(1, 12)
Q1, Q2, Q3, Q4 = span(1, 6), span(7, 12), span(13, 18), span(19, 24)
HEAD = 1 << 12
STRETCHES = ((12, 12), (13, 18), (19, 24), (24, 24))
BEFORE_HOME = span(2, 7)  # where the six dice lead from home


class Side(NamedTuple):
    """What is known of one side without looking at the other; masks in its own numbering unless they say otherwise."""

    held: int
    """Points with a checker."""
    shut: int
    """The points it has closed, in the opponent's numbering (B1.1)."""
    blots: int
    """Its blots, in the opponent's numbering."""
    near: int
    """What its checkers can land on with one die; those on the bar first (B5.1)."""
    far: int
    """What they can land on with two dice, 7 to 12 away; nothing while one is on the bar."""
    bar: int
    home: int
    room: int
    """How many more hits outside Q1 it stands before it is jan (B9.1)."""
    highest: int
    """The largest stack on 13 to 18, where the opponent enters: what one strike can send to the
    bar."""
    pips: int
    """What is left of the way until all are off."""
    worth: float
    """The sum of the weights of `Alone`."""


def turned(mask: int) -> int:
    """A mask in the other side's numbering (B1.1): 1 to 12 and 13 to 24 change places."""
    return (mask & FIRST_HALF) << 12 | mask >> 12 & FIRST_HALF


def one_die_on(mask: int) -> int:
    """What lies 1 to 6 pips ahead of the mask."""
    ahead = mask << 1
    ahead |= ahead << 1
    ahead |= ahead << 2
    return ahead | ahead << 2


def longest_prime(shut: int) -> int:
    """The length of the longest prime, given as the opponent meets it (B6.1)."""
    length = 0
    while shut:
        shut &= shut >> 1
        length += 1
    return length


def to_place(counts: list[int]) -> int | None:
    """How many checkers at least have to move before a handsome game stands; None if none can stand any more (B8.1)."""
    fewest = None
    for pattern in HANDSOME:
        beyond = in_place = (
            0  # checkers only move forward: no more may be on the last points than belong there
        )
        for count, wanted in zip(counts[24:18:-1], pattern[::-1], strict=True):
            beyond += count - wanted
            in_place += min(count, wanted)
            if beyond > 0:
                break
        else:
            if not counts[25] and (fewest is None or 15 - in_place < fewest):
                fewest = 15 - in_place
    return fewest


class Evaluation:
    """The value of positions under one ruleset, whose fields it is given."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        """Scale the weights to what the ruleset pays, and leave out what it does not know."""
        self.alone, self.between, self.now, self.later = scaled(fields)
        self.entry_strikes = fields["entry_strikes"]
        self.strikeable_prime = fields["strikeable_prime"] or 25
        self.side = lru_cache(REMEMBERED)(self._side)

    def value(self, state: int) -> float:
        """The points that the side in the low half may expect after its turn."""
        mine, theirs = self.side(state & SIDE), self.side(state >> SIDE_BITS)
        lead = theirs.pips - mine.pips
        chance = tanh(SPREAD * (lead - ON_ROLL) / sqrt(theirs.pips + mine.pips))
        race = self.between.moved + self.between.lead * lead + self.between.race * chance
        danger = self.danger(mine, theirs, self.now) - self.danger(theirs, mine, self.later)
        return race + mine.worth - theirs.worth + danger

    def danger(self, me: Side, them: Side, weights: Danger) -> float:
        """What I stand to lose (below 0) by what they may do to me, hits and strikes, and by where they shut me out."""
        total = 0.0
        hit = me.blots & them.near
        if hit:
            outside = (
                hit & ~Q3
            ).bit_count()  # their 13 to 18 are my Q1: a hit there makes room for its checker
            if outside > me.room:
                total += weights.jan_shots[min(me.room, 2)]
            elif outside:
                total += weights.shots_by_room[min(me.room, 3) - 1]
            total += weights.shot * outside + weights.shot_in_q1 * (hit & Q3).bit_count()
        far = me.blots & them.far & ~hit & ~Q3
        if far:
            total += weights.far_shot * far.bit_count()
        if me.home:
            total += me.home * weights.home_shut[(them.shut & BEFORE_HOME).bit_count()]
        if me.bar:
            total += weights.barred * me.bar * ((me.held | them.shut) & Q1).bit_count()
        if me.shut:
            total += self.struck(me, them, weights)
        return total

    def struck(self, me: Side, them: Side, weights: Danger) -> float:
        """What I stand to lose by strikes: on entry (B5.4, B5.5), and on a prime that is too long (B6.3)."""
        total = 0.0
        if them.bar and me.shut & Q1 and self.entry_strikes != "never":
            free = (Q1 & ~them.held & ~me.shut).bit_count()  # B5.3
            if free == 0 if self.entry_strikes == "no_free_point" else them.bar > free:
                total += weights.strike + weights.strike_jan * (me.highest > me.room)
            elif them.bar == free:
                total += weights.strike_near
        if (
            me.shut.bit_count() >= self.strikeable_prime
            and longest_prime(me.shut) >= self.strikeable_prime
        ):
            total += weights.long_run
        return total

    def _side(self, side: int) -> Side:
        counts = [side >> 4 * slot & 15 for slot in range(26)]
        bar, home = counts[0], counts[1]
        held = sum(1 << point for point in range(1, 25) if counts[point])
        closed = sum(1 << point for point in range(1, 25) if counts[point] > 1)
        room = max(6 - bar - (held & Q1).bit_count(), 0)
        shut, blots = turned(closed), held & ~closed
        near = one_die_on(1 if bar else held) & POINTS
        far = 0 if bar else one_die_on(held) << 6 & POINTS
        return Side(
            held=held,
            shut=shut,
            blots=turned(blots),
            near=near,
            far=far,
            bar=bar,
            home=home,
            room=room,
            highest=max(counts[13:19]),
            pips=sum((25 - slot) * counts[slot] for slot in range(26)),
            worth=self._worth(counts, room, blots, closed, shut),
        )

    def _worth(self, counts: list[int], room: int, blots: int, closed: int, shut: int) -> float:
        """The sum of the weights of `Alone`."""
        weights = self.alone
        total = weights.room[min(room, 4)] + weights.at_home * counts[1]
        if counts[0]:
            total += weights.on_bar
        if not counts[1]:
            total += weights.left_home
        for quarter, blot in zip((Q1 & ~2, Q2, Q3, Q4), weights.blot, strict=True):
            total += blot * (blots & quarter).bit_count()
        for points, point in zip((HEAD, Q3, Q4), weights.closed, strict=True):
            total += point * (closed & points).bit_count()
        total += weights.prime[min(longest_prime(shut), 6)]
        for (first, last), checker in zip(STRETCHES, weights.checker, strict=True):
            total += checker * sum(counts[first : last + 1])
        fewest = to_place(counts)
        if fewest is not None:
            total += weights.handsome[min(fewest, 9)]
        return total
