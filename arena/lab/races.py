"""Make the tables of short races: `python -m arena.lab.races` (docs/races.md).

The engine lists what each placement and roll can lead to. The values follow from the lower totals of pips to the
higher ones. Only additions, comparisons and one division are used, in a fixed order: every machine gets the same bytes.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic

import click
import numpy as np
from numpy.typing import NDArray

from arena.analysis import races
from arena.analysis.arrays import Array
from arena.analysis.headed_files import SHIPPED
from arena.games.playing import rolls
from arena.games.tables.board import CHECKERS, OFF, count
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_counts
from arena.games.tables.ruleset import RULESETS

WAYS_TO_THROW = {roll: 1 if roll[0] == roll[1] else 2 for roll in rolls(2)}
"""Of 36 throws of two dice, how many show a roll."""


def make_table(name: str, rules: races.RaceRules, checkers: int) -> races.RaceTable:
    """The table of the races that are played so."""
    game = TablesGame(next(ruleset for ruleset in RULESETS.values() if races.race_rules(ruleset) == rules))
    values = np.rint(win_chances(game, checkers) * races.CERTAIN).astype(np.uint16)
    return races.RaceTable(name=name, rules=rules, checkers=checkers, values=values)


def win_chances(game: TablesGame, checkers: int) -> NDArray[np.float64]:
    """Return the chance of the side about to roll to bear off first; shape as `RaceTable.values`, not rounded."""
    standing = races.placements(checkers)
    pips = np.array([races.pips_of(placement) for placement in standing])
    most = int(pips[-1])
    begins = np.searchsorted(pips, range(most + 2))  # placements are ordered by pips
    numbers = {placement: place for place, placement in enumerate(standing)}
    results = [_results(game, placement, numbers) for placement in standing[1:]]
    values = np.zeros((len(standing), len(standing)))
    values[0, 1:] = 1  # it has won before
    for total in range(2, 2 * most + 1):
        for place, (reached, starts) in enumerate(results, start=1):
            theirs = total - int(pips[place])
            if 1 <= theirs <= most:
                others = slice(*begins[theirs : theirs + 2])
                values[place, others] = _means(1 - values[others][:, reached], starts)
    return values


def _means(after: Array, starts: Array) -> Array:
    """The mean over all rolls of the best result of each; `after` has a row for each placement of the other side."""
    best = np.maximum.reduceat(after, starts, axis=1)
    total = np.zeros(len(best))
    for column, ways in enumerate(WAYS_TO_THROW.values()):
        total += ways * best[:, column]
    return np.asarray(total / 36)


def _results(
    game: TablesGame, placement: races.Placement, numbers: Mapping[races.Placement, int]
) -> tuple[Array, Array]:
    """Return the results of each roll, as numbers of placements, roll after roll; and where those of each begin."""
    mine = {races.FIRST + place: number for place, number in enumerate(placement)} | {OFF: CHECKERS - sum(placement)}
    position = from_counts(mine, {24: 1, OFF: CHECKERS - 1}, game.rules.layout)  # any opponent that cannot be met
    reached: list[int] = []
    starts: list[int] = []
    for roll in WAYS_TO_THROW:
        states, won = game.legal_turns(position, roll).states_and_endings()
        # B7.7: nothing is better than to bear the last one off
        counts = [tuple(count(state, point) for point in range(races.FIRST, OFF)) for state in states]
        found = [0] if won else [numbers[left] for left in counts]
        assert found, "every roll has a turn"
        assert all(place < numbers[placement] for place in found), "in Q4 a die always moves a checker"
        starts.append(len(reached))
        reached += found
    return np.array(reached), np.array(starts)


@click.command
@click.option(
    "--folder", default=SHIPPED, type=click.Path(path_type=Path, exists=True, file_okay=False), help="Where to write."
)
def main(folder: Path) -> None:
    """Make the tables of short races that ship with the package, and compare them with what is pinned."""
    differ = []
    for name, rules in races.TABLES.items():
        begun = monotonic()
        click.echo(f"{name}: {len(races.placements(races.LEFT))} placements a side ...", err=True)
        path = folder / (name + races.SUFFIX)
        sha256 = races.write_table(make_table(name, rules, races.LEFT), path)
        click.echo(f"{name}: {monotonic() - begun:.1f} s", err=True)
        click.echo(f"{path.name}  {path.stat().st_size:,} bytes  {sha256}")
        if races.PINNED.get(name) != sha256:
            differ.append(name)
    if differ:
        click.echo(f"not as pinned in arena/analysis/races.py: {', '.join(differ)}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
