"""Make the tables of short races: `python -m arena.lab.races` (docs/races.md).

The values follow from the lower totals of pips to the higher ones. Only additions, comparisons and
one division are used, in a fixed order: every machine gets the same bytes.
"""

import sys
from pathlib import Path
from time import monotonic

import click
import numpy as np
from numpy.typing import NDArray

from arena.analysis import races
from arena.analysis.bearing_off import (
    WAYS_TO_THROW,
    DieMoves,
    RaceRules,
    best_turns_by_pips,
    moves_of,
    pips_left,
    placements,
)
from arena.analysis.headed_files import SHIPPED


def make_table(name: str, rules: RaceRules, checkers: int) -> races.RaceTable:
    """Return the table of the races that are played by these rules."""
    chances = win_chances(rules, checkers)
    rounded = np.rint(chances * races.CERTAIN).astype(np.uint16)
    return races.RaceTable(
        name=name,
        rules=rules,
        checkers=checkers,
        values=rounded,
        most=checkers,
    )


def win_chances(rules: RaceRules, checkers: int) -> NDArray[np.float64]:
    """Return the chance of the side about to roll to bear off first, not rounded.

    The shape is that of `RaceTable.values`: (placements, placements), of the side about to roll and
    of the opponent.
    """
    standing = placements(checkers)
    count = len(standing)
    after, waste = moves_of(rules, checkers)
    # A state is the placement of the side about to roll, times `count`, plus that of the opponent.
    # It is over when either is off; placement 0 is off.
    is_open = (after > 0)[..., np.newaxis]
    states = count * after[..., np.newaxis] + np.arange(count)
    next_states = np.where(is_open, states, 0)  # state 0: over
    next_states = next_states.reshape(*after.shape[:2], -1)
    moves = DieMoves(next_states, np.repeat(waste, count, axis=-1))
    pips = np.add.outer(pips_left(standing), pips_left(standing))
    pips[0] = pips[:, 0] = 0
    opponent_wins = np.zeros(count**2)  # by the state that a turn leaves; the opponent rolls next
    for states, after_rolls in best_turns_by_pips(moves, pips.ravel(), opponent_wins):
        mine, theirs = np.divmod(states, count)
        wins = sum(
            throws * (1 - opponent_wins[row])
            for throws, row in zip(WAYS_TO_THROW, after_rolls, strict=True)
        )
        opponent_wins[theirs * count + mine] = wins / 36
    chances = opponent_wins.reshape(count, count).T
    chances[0, 1:] = 1  # row 0: the side about to roll has borne off before
    return chances


@click.command
@click.option(
    "--folder",
    default=SHIPPED,
    type=click.Path(
        path_type=Path,
        exists=True,
        file_okay=False,
    ),
    help="Where to write.",
)
def main(folder: Path) -> None:
    """Make the tables of short races that ship with the package; compare them with the pins."""
    differ = []
    for name, rules in races.TABLES.items():
        started = monotonic()
        click.echo(f"{name}: {len(placements(races.LEFT))} placements a side ...", err=True)
        path = folder / (name + races.SUFFIX)
        sha256 = races.write_table(make_table(name, rules, races.LEFT), path)
        click.echo(f"{name}: {monotonic() - started:.1f} s", err=True)
        click.echo(f"{path.name}  {path.stat().st_size:,} bytes  {sha256}")
        if races.PINNED.get(name) != sha256:
            differ.append(name)
    if differ:
        click.echo(f"not as pinned in arena/analysis/races.py: {', '.join(differ)}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
