"""How far values of races with an open gammon are from GNU Backgammon's: `python benchmarks/gammons_by_gnubg.py`.

The races come from games of players of all strengths: up to 100 with all checkers of both sides at home, of one, and
of none, where a gammon is neither certain nor excluded. GNU Backgammon looks two plies deep; its own values without
looking ahead are printed beside ours, in points. Where ours are more than 0.02 away, GNU Backgammon rolls the race
out, and a second line takes that as its value: two plies from a checker outside its home it still asks its network.
A rollout is up to 324 games to its bear-off database, until the standard error is below 0.005, luck taken out, with
turns chosen two plies deep; those chosen without looking ahead save fewer gammons. It needs the program `gnubg` with
its Python. A quarter of an hour; with `--quick` a tenth of the games and up to 25 races of each kind, some minutes.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import numpy as np
from inside_gnubg import rolled_out, values_of_gnubg

from arena.analysis import evaluator_for
from arena.analysis.arrays import Array, counts_of, has_contact
from arena.analysis.bearing_off import FIRST
from arena.games import load_game
from arena.games.tables.board import OFF
from arena.games.tables.position import swapped
from arena.lab.playing_out import play_games, players_of_all_strengths

GAMES = 3000
OF_KIND = 100
TRIALS = 324
APART = 0.02
"""Points from which a race is rolled out."""
TO_DATABASE = """set rollout truncation enable off
set rollout bearofftruncation exact on
set rollout bearofftruncation onesided on
set rollout limit enable on
set rollout limit minimumgames 36
set rollout limit maxerror 0.005"""


def report(kind: str, name: str, values: Array, truth: Array) -> None:
    """Print how far values of races are from GNU Backgammon's."""
    apart = np.abs(values - truth)
    print(
        f"{kind}, {len(apart)} races, {name}: rms {np.sqrt((apart**2).mean()):.4f}, "
        f"{apart.max():.3f} at most, {(apart > 0.03).sum()} above 0.03",
        flush=True,
    )


def main() -> None:
    game: Any = load_game("backgammon")
    evaluator = evaluator_for(game)
    quick = "--quick" in sys.argv[1:]
    games, of_kind = (GAMES // 10, 25) if quick else (GAMES, OF_KIND)
    players = players_of_all_strengths(evaluator, 4)[:5]
    states = sorted({swapped(one.position.state) for one in play_games(game, players, games, 4)})
    Random(3).shuffle(states)
    counts = counts_of(states)
    is_open = ~has_contact(counts, game.rules.facing) & (counts[:, OFF] == 0).any(axis=0)
    races = np.flatnonzero(is_open)
    gammons = evaluator.probabilities([states[race] for race in races])[:, [1, 2, 4, 5]].sum(axis=1)
    races = races[(gammons > 0.01) & (gammons < 0.99)]
    at_home = (counts[:, :FIRST, races] == 0).all(axis=1).sum(axis=0)
    for sides, kind in ((2, "both sides at home"), (1, "one side at home"), (0, "no side at home")):
        chosen = races[at_home == sides][:of_kind]
        ours = evaluator.points([states[race] for race in chosen])
        static, deep = values_of_gnubg(counts[..., chosen])
        report(kind, "GNU Backgammon, 0 plies", static, deep)
        report(kind, "ours", ours, deep)
        settled = deep.copy()
        unsettled = np.flatnonzero(np.abs(ours - deep) > APART)
        for place in unsettled:
            settled[place], _ = rolled_out(states[chosen[place]], TRIALS, 2, TO_DATABASE)
        report(kind, f"ours, {len(unsettled)} rolled out", ours, settled)


if __name__ == "__main__":
    main()
