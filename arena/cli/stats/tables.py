"""The statistics of a run as tables for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console

from arena.cli.shared.language import told
from arena.cli.shared.tables import UNLIMITED, plain_table
from arena.records.luck import EntrantLuck, LuckStatistics
from arena.records.statistics import CAUSES, Field, RunStatistics, kinds_of

WIDEST: Final = 16
"""Most entrants for which everybody is set against everybody in a table; more are in --json."""


def print_statistics(console: Console, found: RunStatistics, disagreements: Sequence[str]) -> None:
    """Print every figure with its error; `disagreements` tell where the standings order bots otherwise."""
    console.width = UNLIMITED
    for field in found.fields:
        _print_strength(console, found, field)
        if len(field.ratings.entrants) <= WIDEST:
            _print_order(console, found, field)
    if len(found.fields) > 1:
        console.print(
            "  entrants in different tables have not met, nor through others; their ratings do not compare"
        )
    for sentence in disagreements:
        console.print(f"  {sentence}")
    if found.units:
        _print_points(console, found)
        _print_conduct(console, found)
        _print_endings(console, found)


def _print_strength(console: Console, found: RunStatistics, field: Field) -> None:
    ratings = field.ratings
    units = "pairs" if found.unit == "pair" else "matches"
    shown = plain_table(
        "Strength", "#", "entrant", numbers=(units, "games won", "Elo", "±", "95 %")
    )
    shown.columns[0].justify = "right"
    for number, name in enumerate(ratings.entrants):
        own = [unit.seen_by(name) for unit in found.units if name in (unit.first, unit.second)]
        share = sum(unit.score for unit in own) / sum(unit.games for unit in own)
        low, high = ratings.interval(name)
        shown.add_row(
            str(number + 1),
            found.names[name],
            str(len(own)),
            f"{100 * share:.1f} %",
            _signed(ratings.elo[number], 0),
            f"{ratings.error(name):.0f}",
            f"{_signed(low, 0)} to {_signed(high, 0)}",
        )
    console.print(shown)


def _print_points(console: Console, found: RunStatistics) -> None:
    shown = plain_table("Points per game", "entrant", numbers=("points", "95 %"))
    played = [(name, points) for name, points in found.points.items() if points is not None]
    for name, points in sorted(played, key=lambda each: (-round(each[1].mean, 9), each[0])):
        margin, mean = points.margin, points.mean
        interval = (
            "-" if margin is None else f"{_signed(mean - margin, 3)} to {_signed(mean + margin, 3)}"
        )
        shown.add_row(found.names[name], _signed(mean, 3), interval)
    console.print(shown)


def _signed(value: float, digits: int) -> str:
    """Format a number with its sign; zero gets a plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def _print_order(console: Console, found: RunStatistics, field: Field) -> None:
    names = [found.names[name] for name in field.ratings.entrants]
    superior = plain_table("Likelihood of superiority, % (row stronger than column)", "")
    for name in names:  # which are not words of the arena
        superior.add_column(name, justify="right")
    ranks = plain_table(
        "Probability of each rank, %", "", numbers=[str(rank + 1) for rank in range(len(names))]
    )
    for number, name in enumerate(names):
        row = [f"{100 * each:.1f}" for each in field.order.superior[number]]
        row[number] = "·"
        superior.add_row(name, *row)
        ranks.add_row(name, *(f"{100 * each:.1f}" for each in field.order.ranks[number]))
    console.print(superior)
    console.print(ranks)


def _print_conduct(console: Console, found: RunStatistics) -> None:
    headings = (
        "games",
        *(cause.replace("_", "\n") for cause in CAUSES),
        "rejec-\ntions",
        "lost con-\nnections",
    )
    forfeits = plain_table(
        "Forfeits by cause, rejections, lost connections", "entrant", numbers=headings
    )
    thinking = plain_table(
        "Thinking time of a turn", "entrant", numbers=("turns", "mean ms", "99 % within ms")
    )
    for name in found.entrants:
        conduct = found.conduct[name]
        causes = (conduct.forfeits[cause] for cause in CAUSES)
        counts = (conduct.games, *causes, conduct.rejections, conduct.lost_connections)
        forfeits.add_row(found.names[name], *map(str, counts))
        mean, longest = conduct.mean_ms, conduct.percentile_ms(99)
        times = ("-", "-") if mean is None else (f"{mean:.1f}", str(longest))
        thinking.add_row(found.names[name], str(conduct.turns), *times)
    console.print(forfeits)
    console.print(thinking)


def _print_endings(console: Console, found: RunStatistics) -> None:
    conducts = found.conduct
    kinds = kinds_of(
        count for each in conducts.values() for count in (each.won, each.drawn, each.lost)
    )
    headings = [told(kind.said) for kind in kinds]
    shown = plain_table("Endings (won:lost; drawn games once)", "entrant", numbers=headings)
    for name in found.entrants:
        conduct = conducts[name]
        cells = []
        for kind in kinds:
            decided = f"{conduct.won[kind]}:{conduct.lost[kind]}"
            cells.append(
                str(conduct.drawn[kind])
                if conduct.drawn[kind]
                else decided
                if decided != "0:0"
                else "·"
            )
        shown.add_row(found.names[name], *cells)
    console.print(shown)


def print_luck(
    console: Console, names: Mapping[str, str], found: LuckStatistics | None, notes: Sequence[str]
) -> None:
    """Points per game and Elo as played and with the luck taken out; or why it cannot be."""
    if found is not None:
        headings = (
            "net\nluck",
            "raw",
            "±",
            "luck-\nadjusted",
            "±",
            "as sure as",
            "Elo,\nadjusted",
            "±",
        )
        title = "Points per game and Elo with the luck of the dice taken out"
        shown = plain_table(title, "entrant", numbers=headings)
        ranked = sorted(
            found.entrants.items(), key=lambda each: (-round(each[1].adjusted.mean, 9), each[0])
        )
        for name, one in ranked:
            shown.add_row(names[name], *_luck_cells(found, name, one))
        console.print(shown)
        console.print(
            "  net luck: of its own rolls (the own luck of arena analyse) less that of its opponents' rolls, in points"
        )
        console.print(
            "  raw is as it was played, ± half the 95 % interval, that of Elo the standard error"
        )
        console.print(f"  {told(found.source)}")
    for note in notes:
        console.print(f"  {note}")


def _luck_cells(found: LuckStatistics, name: str, one: EntrantLuck) -> list[str]:
    margins = [
        "-" if each.margin is None else f"{each.margin:.2f}" for each in (one.raw, one.adjusted)
    ]
    cells = [
        _signed(one.given, 1),
        _signed(one.raw.mean, 2),
        margins[0],
        _signed(one.adjusted.mean, 2),
        margins[1],
    ]
    cells.append("-" if one.times is None else f"{one.times:.1f} x games")
    for field in found.fields:
        if name in field.entrants:
            cells += [_signed(field.elo[field.entrants.index(name)], 0), f"{field.error(name):.0f}"]
    return cells + ["-"] * (8 - len(cells))
