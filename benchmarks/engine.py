"""How fast the tables engine is, as ratios measured within one run.

    python benchmarks/engine.py            four rulesets, 5,000 positions of each kind of play, about four minutes
    python benchmarks/engine.py --quick    two rulesets, 2,000 positions, fewer for the reference, under 20 seconds

It compares, over positions of random play and of careful play and over all 36 rolls: generating
every distinct result of a roll, the same by the plain-list reference of the tests, listing the
moves of every result, and judging one full turn. The contestants alternate within each round, on
one CPU if the system allows pinning. It prints medians over the rounds, in CPU time. The positions
depend on the seed only, not on the order in which results come.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.games.interface import LegalTurn
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from arena.games.tables.ruleset import RULESETS
from tests.reference import tables as reference

Dice = tuple[int, ...]
Choose = Callable[[TablesGame, list[LegalTurn[Position]]], LegalTurn[Position]]
ALL_ROLLS: list[Dice] = [(a, b) for a in range(1, 7) for b in range(1, 7)]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """Positions with a roll each, in the forms that the contestants need."""

    name: str
    asked: list[tuple[Position, Dice]]
    plain: list[tuple[dict[str, Any], list[int]]]
    """The same for the reference, possibly fewer."""
    full: list[tuple[Position, Dice, list[list[int]]]]
    """With one legal turn that uses all dice of the roll, if there is one."""


# Positions


def careful(game: TablesGame, turns: list[LegalTurn[Position]]) -> LegalTurn[Position]:
    """The turn with the best next position, without looking further."""
    return max(turns, key=lambda turn: _value(game, turn))


def _value(game: TablesGame, turn: LegalTurn[Position]) -> float:
    if turn.ending is not None:
        return 1000.0 * turn.ending.points
    plain, position = game.to_plain(turn.position), turn.position
    theirs = position.closed | position.blots
    in_range = 0
    for die in range(1, 7):  # both sides travel the same way round, or against each other
        same_way = (theirs << die | theirs << die >> 24) & 0x1FFFFFE
        in_range |= same_way if game.rules.facing == "same_way" else theirs >> die
    exposed = (position.own_points & ~position.own_closed & in_range).bit_count()
    pips: int = (
        sum(p * count for p, count in enumerate(plain["points"], start=1) if count > 0)
        + 25 * plain["off"][0]
    )
    their_bar: int = plain["bar"][1]
    return 20 * their_bar + 6 * position.own_closed.bit_count() - 8 * exposed + pips / 2


def _play(
    game: TablesGame, choose: Choose, number: int, rng: Random
) -> list[tuple[Position, Dice]]:
    """Positions of games from the start, each with a roll; all 36 rolls come equally often."""
    asked: list[tuple[Position, Dice]] = []
    position = game.start()
    rolls: list[Dice] = []
    while len(asked) < number:
        rolls = rolls or rng.sample(ALL_ROLLS, 36)
        asked.append((position, rolls.pop()))
        turns = list(game.legal_turns(position, rng.choice(ALL_ROLLS)))
        turns.sort(key=lambda turn: (turn.position.state, turn.ending.name if turn.ending else ""))
        turn = choose(game, turns)
        position = game.start() if turn.ending else game.flip(turn.position)
    return asked


def workloads(game: TablesGame, number: int, for_reference: int, seed: int) -> list[Workload]:
    """Random play and careful play."""
    rng = Random(seed)
    found = []
    kinds: list[tuple[str, Choose]] = [
        ("random play", lambda _, turns: rng.choice(turns)),
        # one turn in ten at random, or careful games would resemble each other
        (
            "careful play",
            lambda game, turns: rng.choice(turns) if rng.random() < 0.1 else careful(game, turns),
        ),
    ]
    for name, choose in kinds:
        asked = _play(game, choose, number, rng)
        plain = [
            (game.to_plain(position), sorted(dice)) for position, dice in asked[:for_reference]
        ]
        full = []
        for position, dice in asked:
            wanted = 4 if dice[0] == dice[1] else 2
            turns = game.legal_turns(position, dice)
            lists = sorted(turns.moves(index) for index in range(len(turns)))
            lists = [moves for moves in lists if len(moves) == wanted]
            if lists:
                full.append((position, dice, rng.choice(lists)))
        found.append(Workload(name=name, asked=asked, plain=plain, full=full))
    return found


# Contestants: each runs over everything once and returns microseconds per roll


def _us(number: int, started: float) -> float:
    return (process_time() - started) / max(1, number) * 1e6


def generate(game: TablesGame, asked: Sequence[tuple[Position, Dice]]) -> float:
    """Every distinct result of every roll."""
    legal_turns = game.legal_turns
    started = process_time()
    for position, dice in asked:
        legal_turns(position, dice)
    return _us(len(asked), started)


def list_moves(game: TablesGame, asked: Sequence[tuple[Position, Dice]]) -> tuple[float, float]:
    """The moves of every result, as they are sent to a bot: per roll, and per result."""
    generated = [game.legal_turns(position, dice) for position, dice in asked]
    number = sum(map(len, generated))
    started = process_time()
    for turns in generated:
        for index in range(len(turns)):
            turns.moves(index)
    return _us(len(asked), started), _us(number, started)


def refer(name: str, plain: Sequence[tuple[dict[str, Any], list[int]]]) -> float:
    """Every distinct result by the reference."""
    rules = reference.RULES[name]
    started = process_time()
    for position, dice in plain:
        reference.turns(rules, position, dice)
    return _us(len(plain), started)


def judge(game: TablesGame, full: Sequence[tuple[Position, Dice, list[list[int]]]]) -> float:
    """One legal turn that uses all dice."""
    started = process_time()
    for position, dice, moves in full:
        game.judge(position, dice, moves)
    return _us(len(full), started)


# The run


def measure(game: TablesGame, work: Workload, rounds: int) -> dict[str, float]:
    """Medians of interleaved rounds, in microseconds."""
    doubles = [pair for pair in work.asked if pair[1][0] == pair[1][1]]
    others = [pair for pair in work.asked if pair[1][0] != pair[1][1]]
    same = work.asked[: len(work.plain)]
    judged = [(position, dice) for position, dice, _ in work.full]
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        per_roll, per_result = list_moves(game, work.asked)
        for name, value in (
            ("every roll", generate(game, work.asked)),
            ("non-doubles", generate(game, others)),
            ("doubles", generate(game, doubles)),
            ("same as reference", generate(game, same)),
            ("reference", refer(game.name, work.plain)),
            ("same as judged", generate(game, judged)),
            ("judge", judge(game, work.full)),
            ("moves per roll", per_roll),
            ("moves per result", per_result),
        ):
            times.setdefault(name, []).append(value)
    return {name: median(values) for name, values in times.items()}


def report(game: TablesGame, work: Workload, us: dict[str, float]) -> None:
    """One block of lines for people."""
    results = sum(len(game.legal_turns(position, dice)) for position, dice in work.asked) / len(
        work.asked
    )
    print(
        f"{game.name}, {work.name}: {len(work.asked)} rolls, {results:.1f} results a roll on average"
    )
    print(
        f"  generate            {us['every roll']:8.2f} us a roll"
        f"   (non-doubles {us['non-doubles']:.2f}, doubles {us['doubles']:.2f})"
    )
    print(
        f"  list all moves      {us['moves per roll']:8.2f} us a roll   ({us['moves per result']:.2f} a result)"
    )
    faster = us["reference"] / us["same as reference"]
    print(
        f"  reference           {us['reference']:8.2f} us a roll   takes {faster:.1f}x, over {len(work.plain)} rolls"
    )
    faster = us["same as judged"] / us["judge"]
    print(
        f"  judge a full turn   {us['judge']:8.2f} us a turn   generating takes {faster:.1f}x, over {len(work.full)}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 0."""
    parser = argparse.ArgumentParser(
        description="Ratios of the tables engine, measured within one run."
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and rolls; under 20 seconds"
    )
    parser.add_argument(
        "--ruleset", action="append", choices=sorted(RULESETS.keys() & reference.RULES.keys())
    )
    parser.add_argument(
        "--positions", type=int, help="of each kind of play (default 5000, with --quick 2000)"
    )
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 5, with --quick 3)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rounds = options.rounds or (3 if options.quick else 5)
    number = options.positions or (2000 if options.quick else 5000)
    for name in options.ruleset or [
        "vasa",
        "classic",
        *([] if options.quick else ["fiske", "backgammon"]),
    ]:
        game = TablesGame(RULESETS[name])
        for work in workloads(
            game, number, min(number, 400 if options.quick else 2000), options.seed
        ):
            report(game, work, measure(game, work, rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
