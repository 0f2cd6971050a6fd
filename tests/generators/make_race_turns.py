"""Makes the networks of `arena/analysis/race_turns.py`: `python -m tests.generators.make_race_turns`.

Sides of races come from games of players of all strengths, and are shaken a little. A side plays each of the
21 rolls in every legal way. The network should say of it, one turn later, what it says of the best way: the
one with the fewest turns on average. That is repeated until both agree. Some minutes on two cores; another
machine gets other weights, since sums of floats depend on it.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.analysis import evaluator_for
from arena.analysis.arrays import Array, Flags, Floats, counts_of, has_contact
from arena.analysis.bearing_off import FIRST, TURNS
from arena.analysis.headed_files import SHIPPED, write_headed
from arena.analysis.network import Examples, new_network
from arena.analysis.race_turns import (
    EXACT,
    GOALS,
    INPUTS,
    KIND,
    SUFFIX,
    Goal,
    RaceTurns,
    RaceTurnsHead,
    inputs_of,
)
from arena.games import load_game
from arena.games.playing import rolls
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_counts
from arena.lab.playing_out import play_games, players_of_all_strengths
from arena.lab.training import Adam, learn

GAMES = 1500
SIDES = 9_000
HIDDEN = (96, 48)
SWEEPS = 14
PASSES = 10
UNTIL_PRUNED = 4
"""The sweep in which ways that need more turns than the best, by `NEAR`, are left out."""
NEAR = 0.3
PART = 100_000
SHAKEN = 3
"""Checkers that are put elsewhere."""
CHANCES = np.array([*rolls(2).values()], dtype=np.float32)


def write_race_turns(turns: RaceTurns, name: str, path: Path) -> str:
    """Write the networks; return the SHA-256 of the file."""
    hidden = tuple(map(len, turns.networks["all"].biases[:-1]))
    head = RaceTurnsHead(format=KIND.format, name=name, hidden=hidden)
    arrays: list[Floats] = []
    for goal in GOALS:
        arrays += turns.networks[goal].arrays
    return write_headed(head, b"".join(array.astype("<f4").tobytes() for array in arrays), path)


class Ways(NamedTuple):
    """Every way in which some sides play each roll."""

    sides: Array
    """Shape (28, sides)."""
    after: Array
    """Shape (28, ways): the sides after each way."""
    begins: NDArray[np.intp]
    """The first way of each side and roll."""


def sides_of_games(game: TablesGame) -> Array:
    """Return sides without contact that have a checker outside Q4, shape (28, sides)."""
    players = players_of_all_strengths(evaluator_for(game), 4)[:5]
    states = [decision.position.state for decision in play_games(game, players, GAMES, 9)]
    counts = counts_of(states)
    counts = counts[..., ~has_contact(counts, game.rules.facing)]
    sides = np.unique(np.concatenate((counts[0], counts[1]), axis=1), axis=1)
    return sides[:, sides[:FIRST].any(axis=0)]


def shaken(sides: Array, chance: np.random.Generator) -> Array:
    """Return the sides with some checkers moved to points nearby, or borne off where some are off."""
    sides = sides.copy()
    every = np.arange(sides.shape[1])
    for _ in range(SHAKEN):
        origin = 1 + (sides[1:OFF] * chance.random((OFF - 1, len(every)))).argmax(axis=0)
        target = np.clip(origin + chance.integers(-5, 6, len(every)), 2, OFF - 1)
        sides[origin, every] -= 1
        sides[target, every] += 1
    for _ in range(8):
        has_off = (sides[OFF] > 0) & (chance.random(len(every)) < 0.4)
        origin = FIRST + (sides[FIRST:OFF] * chance.random((OFF - FIRST, len(every)))).argmax(
            axis=0
        )
        goes = every[has_off & (sides[origin, every] > 0)]
        sides[origin[goes], goes] -= 1
        sides[OFF, goes] += 1
    return sides[:, sides[:FIRST].any(axis=0) & (sides[1] == 0)]


def ways_of_all(game: TablesGame, sides: Array) -> Ways:
    """Let each side play every roll in every way, against one checker that is nearly off."""
    after, begins, ways = [], [], 0
    done = from_counts({OFF: CHECKERS}, {OFF - 1: 1, OFF: CHECKERS - 1}, game.rules.layout).state
    for begin in range(0, sides.shape[1], 500):
        states: list[int] = []
        for side in sides[:, begin : begin + 500].T.tolist():
            mine = {slot: number for slot, number in enumerate(side[: OFF + 1]) if number}
            position = from_counts(mine, {OFF - 1: 1, OFF: CHECKERS - 1}, game.rules.layout)
            for roll in rolls(2):
                begins.append(ways + len(states))
                for state, ending in game.legal_turns(position, roll).results():
                    states.append(state if ending is None else done)
        after.append(counts_of(states)[0])
        ways += len(states)
    return Ways(sides, np.concatenate(after, axis=1), np.array(begins))


def learn_goal(ways: Ways, turns: RaceTurns, goal: Goal, chance: np.random.Generator) -> None:
    """Let the network of a goal learn what it says one turn later."""
    numbers = np.arange(TURNS, dtype=np.float32)
    inputs = inputs_of(ways.sides)
    network = turns.networks[goal]
    adam = Adam(network.arrays)
    for sweep in range(SWEEPS):
        parts = [ways.after[:, at : at + PART] for at in range(0, ways.after.shape[1], PART)]
        means = np.concatenate([turns.estimates(part, goal) @ numbers for part in parts])
        sizes = np.diff(ways.begins, append=len(means))
        least = np.repeat(np.minimum.reduceat(means, ways.begins), sizes)
        best = _first_of_each(means == least, sizes)
        later = turns.estimates(ways.after[:, best], goal).reshape(-1, len(CHANCES), TURNS)
        targets: Floats = np.tensordot(CHANCES, later, axes=(0, 1))
        if sweep == UNTIL_PRUNED:
            ways = _pruned(ways, means <= least + NEAR, sizes)
        most = targets[:, -1].copy()
        targets = np.roll(targets, 1, axis=1)
        targets[:, 0] = 0
        targets[:, -1] += most
        examples = Examples(inputs, targets.astype(np.float32))
        last = sweep == SWEEPS - 1
        passes = 3 * PASSES if last else PASSES
        for rate in np.geomspace(3e-3, 3e-5 if last else 3e-4, passes):
            loss = learn(network, adam, examples, chance.permutation(len(inputs)), float(rate))
        errors = (network.probabilities(inputs) - targets) @ numbers
        soon = targets @ numbers < 9
        print(
            f"{goal}, sweep {sweep + 1}: loss {loss:.4f}, off by {errors[soon].std():.4f} turns",
            flush=True,
        )


def _first_of_each(chosen: Flags, sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first chosen way of each side and roll."""
    places = np.flatnonzero(chosen)
    rolled = np.repeat(np.arange(len(sizes)), sizes)[places]
    _, first = np.unique(rolled, return_index=True)
    return places[first]


def _pruned(ways: Ways, kept: Flags, sizes: NDArray[np.intp]) -> Ways:
    """Leave out the ways that are never the best."""
    rolled = np.repeat(np.arange(len(sizes)), sizes)[kept]
    _, begins = np.unique(rolled, return_index=True)
    return Ways(ways.sides, ways.after[:, kept], begins)


def main() -> None:
    game = load_game("backgammon")
    assert isinstance(game, TablesGame)
    chance = np.random.default_rng(1)
    drawn = sides_of_games(game)
    print(f"{drawn.shape[1]} sides of games", flush=True)
    parts = [drawn]
    while sum(part.shape[1] for part in parts) < SIDES:
        parts.append(shaken(drawn, chance))
    sides = np.unique(np.concatenate(parts, axis=1), axis=1)
    widths = [INPUTS, *HIDDEN, TURNS]
    turns = RaceTurns(rules=EXACT, networks={goal: new_network(widths, chance) for goal in GOALS})
    for goal in GOALS:
        of_goal = sides[:, sides[OFF] == 0] if goal == "first" else sides
        ways = ways_of_all(game, of_goal)
        print(f"{goal}: {of_goal.shape[1]} sides, {ways.after.shape[1]} ways", flush=True)
        learn_goal(ways, turns, goal, deepcopy(chance))
    print(write_race_turns(turns, "turns-exact", SHIPPED / f"turns-exact{SUFFIX}"))


if __name__ == "__main__":
    main()
