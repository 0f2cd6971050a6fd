"""The weights of the evaluation, in points of a game of `vasa`.

Which features count was settled by hand. What they weigh was found by letting the bot play some
thousand games, without looking ahead, against itself and against `greedy`, and fitting what
positions turned out to be worth (least squares on temporal differences, LSTD). A weight says what
its feature is worth besides all others: where two overlap, a closed point and the prime it belongs
to for instance, only their sum means anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """What a side is worth by itself.

    Counted for the side that has moved, and against it for its opponent.
    """

    room: tuple[float, ...]
    """By how many more hits outside Q1 it stands before it is jan (B9.1): none, 1, 2, 3, 4 and
    more."""
    on_bar: float
    """A checker is on the bar, besides what that costs in way, in room and in shots."""
    at_home: float
    """Each checker at home still."""
    left_home: float
    """The last checker has left home."""
    blot: tuple[float, ...]
    """Each blot in Q1 (home left out), Q2, Q3, Q4, whether it can be hit just now or not."""
    closed: tuple[float, ...]
    """Each closed point: the head, in Q3 (where the opponent enters), in Q4 (on the opponent's
    way)."""
    prime: tuple[float, ...]
    """By the length of the longest prime, 0 to 6 and more: what the opponent has to jump."""
    checker: tuple[float, ...]
    """Each checker on the head, in Q3, in Q4, and once more on 24, from where nothing can move but
    off."""
    handsome: tuple[float, ...]
    """Where a handsome game can still stand (B8.1): by how many checkers have yet to move for it, 0
    to 9 and more.

    Who can make none any more has 0 here, being further in the race."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The race, for the side that has moved."""

    moved: float
    """Whatever the position: it has moved, the opponent is to roll."""
    lead: float
    """Each pip of lead."""
    race: float
    """Times the odds of a race without contact, -1 (lost) to 1 (won): the nearer the end, the more
    a pip counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """What one side may suffer from the other; below 0 in most cases."""

    jan_shots: tuple[float, ...]
    """More blots outside Q1 are within reach of one die than it has room for: jan (B9.1). By room:
    0, 1, 2 and more."""
    shots_by_room: tuple[float, ...]
    """Such blots there are, but no more than room. By room: 1, 2, 3 and more."""
    shot: float
    """Each blot outside Q1 within reach of one die."""
    shot_in_q1: float
    """Each blot in Q1 within reach of one die: it goes to the bar, but leaves room there."""
    far_shot: float
    """Each blot outside Q1 that only both dice together reach."""
    home_shut: tuple[float, ...]
    """Each checker at home, by how many of the six points before it the opponent has closed: 0 to
    6."""
    barred: float
    """For each checker on the bar each point of Q1 where it cannot enter, being closed or its own
    (B5.2)."""
    strike: float
    """The opponent may strike as it enters (B5.4, B5.5)."""
    strike_jan: float
    """That strike can be forced jan (B9.2): the stack is higher than there is room."""
    strike_near: float
    """As many on the opponent's bar as it has free points: one more, and it may strike."""
    long_run: float
    """It has a prime that may be struck from anywhere (B6.3)."""


ALONE = Alone(
    room=(-0.71, -0.30, -0.10, -0.03, 0.0),
    on_bar=0.13,
    at_home=0.036,
    left_home=-0.12,
    blot=(0.04, 0.01, -0.05, -0.09),
    closed=(0.08, -0.04, 0.03),
    prime=(0.0, 0.0, 0.0, 0.04, 0.14, 0.25, 0.05),
    checker=(0.045, 0.021, -0.018, -0.027),
    handsome=(0.44, 0.44, 0.16, -0.02, -0.10, -0.10, -0.17, -0.17, -0.17, -0.27),
)
BETWEEN = Between(moved=0.0, lead=0.0027, race=0.74)
NOW = Danger(
    jan_shots=(-1.65, -1.39, -1.07),
    shots_by_room=(-0.29, -0.12, 0.05),
    shot=-0.11,
    shot_in_q1=-0.04,
    far_shot=-0.06,
    home_shut=(0.000, -0.012, -0.024, -0.036, -0.026, -0.029, -0.041),
    barred=-0.034,
    strike=-0.86,
    strike_jan=-0.92,
    strike_near=-0.05,
    long_run=-0.18,
)
LATER = Danger(
    jan_shots=(-1.59, -1.10, -0.75),
    shots_by_room=(-0.27, -0.11, 0.02),
    shot=-0.04,
    shot_in_q1=-0.03,
    far_shot=-0.04,
    home_shut=(0.000, -0.013, -0.026, -0.040, -0.030, -0.035, -0.048),
    barred=-0.024,
    strike=-0.68,
    strike_jan=-0.48,
    strike_near=-0.10,
    long_run=-0.02,
)


def scaled(ruleset: Mapping[str, Any]) -> tuple[Alone, Between, Danger, Danger]:
    """The weights under a ruleset: alone, between, danger to the side that has moved, danger to the other.

    Their weights follow what jan and handsome games pay (B10); where there is no such thing there
    is no weight.
    """
    jan = ruleset["points_jan"] / 4 if ruleset["jan"] else 0.0
    handsome = ruleset["points_handsome"] / 2 if ruleset["handsome"] != "never" else 0.0
    alone = replace(ALONE, room=times(jan, ALONE.room), handsome=times(handsome, ALONE.handsome))
    return alone, BETWEEN, with_jan(NOW, jan), with_jan(LATER, jan)


def times(factor: float, weights: tuple[float, ...]) -> tuple[float, ...]:
    """Every weight times the factor."""
    return tuple(factor * weight for weight in weights)


def with_jan(danger: Danger, jan: float) -> Danger:
    """The danger where jan pays `jan` times what it pays in `vasa`, 0 if it is unknown."""
    return replace(
        danger,
        jan_shots=times(jan, danger.jan_shots),
        shots_by_room=times(jan, danger.shots_by_room),
        strike_jan=jan * danger.strike_jan,
    )
