"""Backgammon against OpenSpiel, a C++ library of games with a Python interface, as ratios measured within one run.

    pip install '.[bench]'
    python benchmarks/openspiel.py            5,000 positions of each kind of play, about three minutes
    python benchmarks/openspiel.py --quick    1,000 of them, one round less

Both play the same games, position by position, and get the same rolls. First their answers are compared: the sets of
distinct results must be equal.

The benchmark measures the work of a Python program that asks for the results of a roll. Ours is `legal_turns`: every
distinct result. OpenSpiel's is `legal_actions`: every way to play, as numbers, several of which may give one result. It
treats a double as two turns of two dice, so a whole turn needs `legal_actions` again after each first half. Telling its
results apart needs a state and a look at the board for each, which is printed, too. The contestants alternate within
each round, on one CPU if the system allows pinning. It prints medians over the rounds, in CPU time.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine import ALL_ROLLS, careful

from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_counts
from arena.games.tables.ruleset import BACKGAMMON

try:
    import pyspiel
except ImportError:
    sys.exit("OpenSpiel is not installed; pip install '.[bench]'")

Dice = tuple[int, ...]
Asked = tuple[Position, Dice, Any]
"""A position and a roll in our form, and OpenSpiel's state with that roll."""

GAME = TablesGame(BACKGAMMON)
BAR_OF_OPENSPIEL = 100


def counts(state: Any, player: int) -> dict[int, int]:
    """A player's checkers by the slots of its own path; x counts from OpenSpiel's 0 up, o from its 23 down."""
    found = {p: state.board(player, p - 1 if player == 0 else 24 - p) for p in range(1, 25)}
    found[0] = state.board(player, BAR_OF_OPENSPIEL)
    return found | {25: 15 - sum(found.values())}


def position_of(state: Any, player: int) -> Position:
    """OpenSpiel's board as the player sees it."""
    return from_counts(counts(state, player), counts(state, 1 - player), BACKGAMMON.layout)


def rolled(state: Any, dice: Dice) -> Any | None:
    """The state after this roll; None if it cannot occur, such as a double in the opening."""
    high, low = max(dice), min(dice)
    for outcome, _ in state.chance_outcomes():
        after = state.child(outcome)
        words = next(line for line in str(after).splitlines() if line.startswith("Dice:"))
        if sorted(map(int, words.removeprefix("Dice:").strip())) == [low, high]:
            return after
    return None


def play(number: int, *, is_careful: bool, rng: Random) -> list[Asked]:
    """Positions of games from the start, each with a roll; all 36 rolls come equally often, except in the opening."""
    asked: list[Asked] = []
    while len(asked) < number:
        state = pyspiel.load_game("backgammon").new_initial_state()
        while not state.is_terminal() and len(asked) < number:
            dice = rng.choice(ALL_ROLLS)
            after = rolled(state, dice)
            if after is None:
                continue
            player = after.current_player()
            asked.append((position_of(after, player), dice, after))
            state = _played(after, player, rng, is_careful=is_careful)
    return asked


def _played(state: Any, player: int, rng: Random, *, is_careful: bool) -> Any:
    """The state after a whole turn."""
    results = list(whole_turns(state, player).items())
    turns = {turn.position.state: turn for turn in GAME.legal_turns(position_of(state, player), _dice(state))}
    if not is_careful or rng.random() < 0.1:
        return rng.choice(sorted(results))[1]
    best = careful(GAME, [turns[found] for found, _ in results])
    return dict(results)[best.position.state]


def _dice(state: Any) -> Dice:
    words = next(line for line in str(state).splitlines() if line.startswith("Dice:"))
    return tuple(map(int, words.removeprefix("Dice:").strip()))


def whole_turns(state: Any, player: int) -> dict[int, Any]:
    """Every distinct result of a state with a roll, as our packed state, with OpenSpiel's own."""
    found: dict[int, Any] = {}
    for action in state.legal_actions():
        after = state.child(action)
        if not after.is_terminal() and not after.is_chance_node() and after.current_player() == player:
            found |= {position_of(last, player).state: last for last in map(after.child, after.legal_actions())}
        else:
            found[position_of(after, player).state] = after
    return found


def compare(asked: Sequence[Asked]) -> int:
    """How many rolls get different answers; prints the first few."""
    different = 0
    for position, dice, state in asked:
        ours = {turn.position.state for turn in GAME.legal_turns(position, dice)}
        theirs = set(whole_turns(state, state.current_player()))
        if ours != theirs:
            different += 1
            if different <= 3:
                print(f"{dice}: {GAME.format_position(position)}: ours {len(ours)}, theirs {len(theirs)}")
    return different


# Contestants: each runs over everything once


def ours(asked: Sequence[Asked]) -> None:
    legal_turns = GAME.legal_turns
    for position, dice, _ in asked:
        legal_turns(position, dice)


def theirs_once(asked: Sequence[Asked]) -> None:
    for _, _, state in asked:
        state.legal_actions()


def theirs_whole(asked: Sequence[Asked]) -> None:
    for _, _, state in asked:
        player = state.current_player()
        for action in state.legal_actions():
            after = state.child(action)
            if after.current_player() == player:
                after.legal_actions()


def theirs_apart(asked: Sequence[Asked]) -> None:
    for _, _, state in asked:
        player, ends = state.current_player(), []
        for action in state.legal_actions():
            after = state.child(action)
            ends += map(after.child, after.legal_actions()) if after.current_player() == player else [after]
        {end.observation_string(player) for end in ends}


def measure(asked: Sequence[Asked], contestants: dict[str, Callable[[Sequence[Asked]], None]], rounds: int) -> None:
    """Print the medians of interleaved rounds in microseconds a roll, each with its ratio to ours."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            started = process_time()
            contestant(asked)
            times[name].append((process_time() - started) / len(asked) * 1e6)
    base = times["ours, distinct results"]
    for name, values in times.items():
        ratio = median(value / one for value, one in zip(values, base, strict=True))
        print(f"  {name:46}{median(values):9.2f} us a roll{ratio:8.2f}x")


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, measure and print; returns 1 if the answers differ."""
    parser = argparse.ArgumentParser(description="Backgammon against OpenSpiel, measured within one run.")
    parser.add_argument("--quick", action="store_true", help="fewer positions and rounds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    number, rounds = (1000, 3) if options.quick else (5000, 5)
    rng = Random(options.seed)
    for is_careful in (False, True):
        asked = play(number, is_careful=is_careful, rng=rng)
        different = compare(asked)
        kind = "careful" if is_careful else "random"
        print(f"backgammon, {kind} play: {number} rolls, {different} answered differently")
        if different:
            return 1
        gc.collect()
        gc.freeze()  # so that collections during a measurement skip the benchmark's own objects
        doubles = [one for one in asked if one[1][0] == one[1][1]]
        others = [one for one in asked if one[1][0] != one[1][1]]
        print(f" non-doubles ({len(others)})")
        measure(
            others,
            {
                "ours, distinct results": ours,
                "OpenSpiel, legal actions": theirs_once,
                "OpenSpiel, results told apart": theirs_apart,
            },
            rounds,
        )
        print(f" doubles, whole turns ({len(doubles)})")
        measure(
            doubles,
            {
                "ours, distinct results": ours,
                "OpenSpiel, legal actions of both halves": theirs_whole,
                "OpenSpiel, results told apart": theirs_apart,
            },
            rounds,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
