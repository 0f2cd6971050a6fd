"""Endings that the rules exclude from a position on get no chance, whatever a network says.

An excluded ending stays excluded: checkers that are off stay off, and without contact no checker is
hit, so checkers only move forward. Not every ending that remains can really be reached.
"""

from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from arena.analysis.arrays import Array, Counts, Flags, Floats
from arena.analysis.features import may_stand_handsome
from arena.games.tables.board import BAR, BOUND, CHECKERS, HOME, OFF, opposite
from arena.games.tables.endings import HANDSOME, BorneOff, EndingName
from arena.games.tables.ruleset import Ruleset

Ways: TypeAlias = tuple[tuple[EndingName | BorneOff, bool], ...]
"""The ways to win: endings, and whether the loser has a checker on the bar (B10.1)."""

Q1_POINTS: Final = 6
ALWAYS_ROLLED: Final = 3
"""The pips that any roll of two dice has at least: 2-1."""
TINY: Final = np.float32(1e-30)
"""The least chance of a possible ending, so that it can take the chance of an excluded one."""


def give_to_possible(
    chances: Floats,
    counts: Counts,
    meets: Flags,
    rules: Ruleset,
    ways: Ways,
) -> None:
    """Move the chances of excluded endings to the others of the same side, in proportion.

    `chances` has shape (positions, 2 * ways) and is changed; `meets` says which positions have
    contact. A side that cannot win any more leaves its chance to the other one.
    """
    if meets.all() and not counts[:, OFF].any() and _ways_by_off(rules, ways)[0, 0].all():
        return  # as in most positions of a game: nothing is excluded
    possible = possible_ways(counts, meets, rules, ways)
    by_side = chances.reshape(possible.shape)
    rows = np.flatnonzero(((by_side > 0) & ~possible).any(axis=(1, 2)))
    if not len(rows):
        return
    by_side, possible = by_side[rows], possible[rows]
    can_win = possible.any(axis=2)
    total = np.maximum(by_side.sum(axis=2), TINY)
    wins = np.where(can_win, total, np.float32(0))
    wins /= wins.sum(axis=1, keepdims=True)
    kept = np.where(possible, np.maximum(by_side, TINY), np.float32(0))
    growth = wins / np.where(can_win, kept.sum(axis=2), 1)
    kept *= growth[..., np.newaxis]
    chances[rows] = kept.reshape(len(rows), -1)


def possible_ways(counts: Counts, meets: Flags, rules: Ruleset, ways: Ways) -> Flags:
    """Return which ways to win are possible, shape (positions, 2, ways).

    The side that has just moved comes first.
    """
    off = counts[:, OFF]
    by_off = _ways_by_off(rules, ways)
    mine, theirs = off
    possible = np.stack((by_off[mine, theirs], by_off[theirs, mine]), axis=1)
    race = np.flatnonzero(~meets)
    if len(race):
        possible[race] &= _possible_in_race(counts[..., race], rules, ways)
    over = np.flatnonzero(_wins_with_any_roll(counts, meets))
    if len(over):
        possible[over, 0] = False
        possible[over, 1] = _borne_off_now(counts[0][:, over], rules, ways)
    return possible


@lru_cache(maxsize=64)
def _ways_by_off(rules: Ruleset, ways: Ways) -> Flags:
    """Return which ways are possible by the checkers that winner and loser have off.

    The shape is (16, 16, ways).
    """
    possible = np.ones((CHECKERS + 1, CHECKERS + 1, len(ways)), dtype=np.bool_)
    for winner_off in range(CHECKERS + 1):
        for loser_off in range(CHECKERS + 1):
            for place, (ending, _) in enumerate(ways):
                is_possible = _is_possible(ending, rules, winner_off, loser_off)
                possible[winner_off, loser_off, place] = is_possible
    return possible


def _is_possible(
    ending: EndingName | BorneOff,
    rules: Ruleset,
    winner_off: int,
    loser_off: int,
) -> bool:
    """Return whether checkers that are off leave an ending possible: they never come back."""
    if ending in ("gammon", "backgammon"):
        return loser_off == 0  # G6
    if ending in HANDSOME.values():
        return winner_off == 0  # B8.1: all 15
    if ending == "jan":
        return CHECKERS - loser_off > Q1_POINTS  # B9.1: more on the bar than free points of Q1
    if ending == "forced_jan":
        return _can_force_jan(rules, CHECKERS - winner_off, CHECKERS - loser_off)
    return True


def _can_force_jan(rules: Ruleset, winner: int, loser: int) -> bool:
    """Return whether both sides have enough checkers for a strike that overfills the bar (B9.2).

    After it the loser has more checkers on the bar than points of its Q1 without one, so seven at
    least on the bar and on points of its Q1. Its other checkers hold the other points that had to
    be closed for the strike.
    """
    if winner == 1 and not rules.last_checker_strikes:
        return False  # B5.6
    if rules.entry_strikes != "never":
        # B5.4, B5.5: `closed` points of the winner's Q1 are closed, and one of them is struck. The
        # winner has one checker more on the bar and on points of its Q1 than Q1 has other points.
        for closed in range(1, Q1_POINTS + 1):
            if winner > Q1_POINTS - closed and loser > Q1_POINTS + 2 * (closed - 1):
                return True
    if rules.strikeable_prime is None:
        return False
    # B6.3: the other points of the prime stay closed, as many as possible in the loser's Q1
    others = rules.strikeable_prime - 1
    in_q1 = min(others, Q1_POINTS)
    if rules.stacking == "from_head" and rules.start == ((HOME, CHECKERS),):  # B4.3, B4.4
        in_q1 = min(others, 1)  # only the home point
    return loser > Q1_POINTS + 2 * others - in_q1


def _possible_in_race(counts: Counts, rules: Ruleset, ways: Ways) -> Flags:
    """Return which ways are possible without contact, shape (positions, 2, ways).

    No checker is hit any more. So there is no jan and no monk (B9.1, B10.1), a checker too far
    forward for a handsome game stays there (B8.1), and a side that has left the winner's last
    quarter does not come back (G6).
    """
    by_game = np.swapaxes(may_stand_handsome(counts), 0, 1)  # in the order of HANDSOME
    is_handsome_possible = dict(zip(HANDSOME.values(), by_game, strict=True))
    numbers = opposite(rules.facing)
    last_behind = max(numbers[point] for point in range(OFF - Q1_POINTS, OFF))
    losers = counts[::-1]
    is_behind = losers[:, : last_behind + 1].any(axis=1)
    possible = np.ones((counts.shape[-1], 2, len(ways)), dtype=np.bool_)
    for place, (ending, monk) in enumerate(ways):
        if monk or ending in ("jan", "forced_jan"):
            possible[..., place] = False
        elif ending == "backgammon":
            possible[..., place] = is_behind.T
        elif ending in is_handsome_possible:
            possible[..., place] = is_handsome_possible[ending].T
    return possible


def _wins_with_any_roll(counts: Counts, meets: Flags) -> Flags:
    """Return whether the side about to roll bears off its last checkers in any case (B7.1, B7.2).

    It does with one checker for each die on 24, or without contact with one checker that is no
    further away than the smallest roll.
    """
    side = counts[1]
    number = CHECKERS - side[OFF]
    dice = np.where(side[BOUND] > 0, 1, 2)  # B11.3
    all_on_24 = side[OFF - 1] == number
    one_for_each_die = all_on_24 & (number <= dice)
    is_close = side[OFF - ALWAYS_ROLLED : OFF].any(axis=0)
    one_close = (number == 1) & (dice == 2) & is_close & ~meets
    return np.asarray(one_for_each_die | one_close)


def _borne_off_now(losers: Array, rules: Ruleset, ways: Ways) -> Flags:
    """Return the one way in which these losers lose now by bearing off, shape (positions, ways).

    `losers` has shape (28, positions).
    """
    numbers = opposite(rules.facing)
    behind = [BAR, *(numbers[point] for point in range(OFF - Q1_POINTS, OFF))]
    is_first = losers[OFF] == 0
    is_behind = losers[behind].any(axis=0)
    on_bar = losers[BAR] > 0
    has_monks = any(monk for _, monk in ways)
    kinds = {
        "bearing_off": ~is_first,
        "gammon": is_first & ~is_behind,
        "backgammon": is_first & is_behind,
    }
    if not any(ending == "gammon" for ending, _ in ways):
        kinds = {"bearing_off": np.ones_like(is_first)}
    now = np.zeros((losers.shape[1], len(ways)), dtype=np.bool_)
    for place, (ending, monk) in enumerate(ways):
        if ending in kinds:
            now[:, place] = kinds[ending]
            if has_monks:
                now[:, place] &= on_bar == monk
    return now
