"""Makes the networks of `arena/analysis/race_turns.py`: `python -m tests.generators.make_race_turns`.

Sides of races come from games of players of all strengths, and are shaken and played on; as many are random. The
networks that ship say how a side plays each of the 21 rolls: in the way with the fewest turns on average. New ones
learn to say of a side what they say of it one turn later. That is repeated until both agree. Since the ways stay the
same, an error does not make a way look good and spread. Run it again to choose the ways by the new networks. Some
minutes on two cores; another machine gets other weights, since sums of floats depend on it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arena.analysis import evaluator_for
from arena.analysis.arrays import Array, Floats, counts_of, has_contact
from arena.analysis.bearing_off import FIRST, TURNS, WAYS_TO_THROW
from arena.analysis.headed_files import SHIPPED, write_headed
from arena.analysis.network import Examples, Network, network_of
from arena.analysis.race_rolls import ways_of_rolls
from arena.analysis.race_turns import (
    EXACT,
    GOALS,
    KIND,
    SUFFIX,
    Goal,
    RaceTurns,
    RaceTurnsHead,
    inputs_of,
    race_turns_for,
)
from arena.games import load_game
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.game import TablesGame
from arena.lab.playing_out import play_games, players_of_all_strengths
from arena.lab.training import Adam, learn

GAMES = 1500
SHAKEN_SIDES = 36_000
PLAYED_ON = 12_000
PLAYED_TURNS = 5
RANDOM_SIDES = 42_000
SWEEPS = 12
PASSES = 4
LAST_PASSES = 20
PART = 1000
SHAKEN = 3
"""Checkers that are put elsewhere."""
NUMBERS = np.arange(TURNS, dtype=np.float32)


def write_race_turns(turns: RaceTurns, name: str, path: Path) -> str:
    """Write the networks; return the SHA-256 of the file."""
    hidden = tuple(map(len, turns.networks["all"].biases[:-1]))
    head = RaceTurnsHead(format=KIND.format, name=name, hidden=hidden)
    arrays: list[Floats] = []
    for goal in GOALS:
        arrays += turns.networks[goal].arrays
    return write_headed(head, b"".join(array.astype("<f4").tobytes() for array in arrays), path)


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


def random_sides(number: int, goal: Goal, chance: np.random.Generator) -> Array:
    """Return random sides: a few checkers outside Q4, unevenly spread, and the others in it."""
    off = np.zeros(number, dtype=int)
    if goal == "all":
        off = np.where(chance.random(number) < 0.4, off, chance.integers(0, 12, number))
    outside = np.minimum(chance.geometric(0.28, number), CHECKERS - off)
    farthest = np.where(chance.random(number) < 0.5, 1, chance.integers(1, FIRST - 4, number))
    weights = chance.gamma(0.5, size=(number, OFF - 1)) + 1e-9
    places = np.arange(OFF - 1)
    weights *= (places >= farthest[:, np.newaxis]) | (places >= FIRST - 1)
    weights_outside, weights_inside = np.split(weights, [FIRST - 1], axis=1)
    sides = np.zeros((OFF + 3, number), dtype=np.uint8)
    shares = weights_outside / weights_outside.sum(axis=1, keepdims=True)
    sides[1:FIRST] = chance.multinomial(outside, shares).T
    shares = weights_inside / weights_inside.sum(axis=1, keepdims=True)
    sides[FIRST:OFF] = chance.multinomial(CHECKERS - off - outside, shares).T
    sides[OFF] = off
    return sides


def best_ways(sides: Array, turns: RaceTurns, goal: Goal) -> Array:
    """Return each side after the best way of each roll, shape (28, sides, 21)."""
    after = np.empty((*sides.shape, len(WAYS_TO_THROW)), dtype=sides.dtype)
    for begin in range(0, sides.shape[1], PART):
        part = sides[:, begin : begin + PART].T
        for roll, (rows, ways) in enumerate(ways_of_rolls(part)):
            means = turns.estimates(ways.T, goal) @ NUMBERS
            order = np.lexsort((means, rows))
            _, best = np.unique(rows[order], return_index=True)
            after[:, begin : begin + PART, roll] = ways[order[best]].T
    return after


def sides_for(drawn: Array, turns: RaceTurns, goal: Goal, chance: np.random.Generator) -> Array:
    """Return sides to learn from, each once."""
    parts = [drawn]
    while sum(part.shape[1] for part in parts) < SHAKEN_SIDES:
        parts.append(shaken(drawn, chance))
    playing = np.concatenate(parts, axis=1)
    playing = playing[:, chance.permutation(playing.shape[1])[:PLAYED_ON]]
    for _ in range(PLAYED_TURNS):
        rolls = chance.choice(len(WAYS_TO_THROW), playing.shape[1], p=WAYS_TO_THROW / 36)
        playing = best_ways(playing, turns, goal)[:, np.arange(playing.shape[1]), rolls]
        playing = playing[:, playing[:FIRST].any(axis=0)]
        parts.append(playing)
    parts.append(random_sides(RANDOM_SIDES, goal, chance))
    sides = np.unique(np.concatenate(parts, axis=1), axis=1)
    return sides[:, sides[OFF] == 0] if goal == "first" else sides


def learn_goal(sides: Array, turns: RaceTurns, goal: Goal, chance: np.random.Generator) -> Network:
    """Return a network that says of sides what it says of them one turn later."""
    after = best_ways(sides, turns, goal).reshape(len(sides), -1)
    after, places = np.unique(after, axis=1, return_inverse=True)
    places = places.reshape(sides.shape[1], -1)
    network = network_of([array.copy() for array in turns.networks[goal].arrays])
    learning = RaceTurns(rules=EXACT, networks={goal: network})
    inputs = inputs_of(sides)
    adam = Adam(network.arrays)
    for sweep in range(SWEEPS):
        later = learning.estimates(after, goal)
        targets = np.zeros((sides.shape[1], TURNS), dtype=np.float32)
        for roll, throws in enumerate(WAYS_TO_THROW):
            targets[:, 1:] += later[places[:, roll], :-1] * np.float32(throws / 36)
        targets[:, -1] += 1 - targets.sum(axis=1)
        examples = Examples(inputs, targets)
        last = sweep == SWEEPS - 1
        for rate in np.geomspace(1e-3, 1e-5 if last else 1e-4, LAST_PASSES if last else PASSES):
            loss = learn(network, adam, examples, chance.permutation(len(inputs)), float(rate))
        errors = (network.probabilities(inputs) - targets) @ NUMBERS
        soon = targets @ NUMBERS < 9
        print(
            f"{goal}, sweep {sweep + 1}: loss {loss:.4f}, off by {errors[soon].std():.4f} turns",
            flush=True,
        )
    return network


def main() -> None:
    game = load_game("backgammon")
    assert isinstance(game, TablesGame)
    chance = np.random.default_rng(1)
    drawn = sides_of_games(game)
    print(f"{drawn.shape[1]} sides of games", flush=True)
    shipped = race_turns_for(EXACT)
    assert shipped is not None
    networks: dict[Goal, Network] = {}
    for goal in GOALS:
        sides = sides_for(drawn, shipped, goal, chance)
        print(f"{goal}: {sides.shape[1]} sides", flush=True)
        networks[goal] = learn_goal(sides, shipped, goal, chance)
    turns = RaceTurns(rules=EXACT, networks=networks)
    print(write_race_turns(turns, "turns-exact", SHIPPED / f"turns-exact{SUFFIX}"))


if __name__ == "__main__":
    main()
