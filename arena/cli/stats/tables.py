"""The statistics of a run as tables for a terminal."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console

from arena.cli.shared.language import translate
from arena.cli.shared.tables import UNLIMITED, plain_table
from arena.records.luck import EntrantLuck, LuckStatistics
from arena.records.statistics import (
    CAUSES,
    Conduct,
    EndingKind,
    Field,
    RunStatistics,
    kinds_of,
)

WIDEST: Final = 16
"""Most entrants in a table of all against all; --json has it for more."""


def print_statistics(
    console: Console,
    statistics: RunStatistics,
    disagreements: Sequence[str],
) -> None:
    """Print every figure with its error, and where the standings order bots differently."""
    console.width = UNLIMITED
    for field in statistics.fields:
        _print_strength(console, statistics, field)
        if len(field.ratings.entrants) <= WIDEST:
            _print_order(console, statistics, field)
    if len(statistics.fields) > 1:
        console.print(
            "  entrants in different tables have not met, nor through others; "
            "their ratings do not compare"
        )
    for sentence in disagreements:
        console.print(f"  {sentence}")
    if statistics.units:
        _print_points(console, statistics)
        _print_conduct(console, statistics)
        _print_endings(console, statistics)


def _print_strength(console: Console, statistics: RunStatistics, field: Field) -> None:
    ratings = field.ratings
    units = "pairs" if statistics.unit == "pair" else "matches"
    shown = plain_table(
        "Strength", "#", "entrant", numbers=(units, "games won", "Elo", "±", "95 %")
    )
    shown.columns[0].justify = "right"
    for number, name in enumerate(ratings.entrants):
        units_of_entrant = [
            unit.seen_by(name) for unit in statistics.units if name in (unit.first, unit.second)
        ]
        won = sum(unit.score for unit in units_of_entrant)
        share = won / sum(unit.games for unit in units_of_entrant)
        low, high = ratings.interval(name)
        shown.add_row(
            str(number + 1),
            statistics.names[name],
            str(len(units_of_entrant)),
            f"{100 * share:.1f} %",
            _format_signed(ratings.elo[number], 0),
            f"{ratings.error(name):.0f}",
            f"{_format_signed(low, 0)} to {_format_signed(high, 0)}",
        )
    console.print(shown)


def _print_points(console: Console, statistics: RunStatistics) -> None:
    shown = plain_table("Points per game", "entrant", numbers=("points", "95 %"))
    played = {name: points for name, points in statistics.points.items() if points is not None}
    for name in sorted(played, key=lambda name: (-round(played[name].mean, 9), name)):
        margin, mean = played[name].margin, played[name].mean
        interval = "-"
        if margin is not None:
            interval = f"{_format_signed(mean - margin, 3)} to {_format_signed(mean + margin, 3)}"
        shown.add_row(statistics.names[name], _format_signed(mean, 3), interval)
    console.print(shown)


def _format_signed(number: float, digits: int) -> str:
    """Format a number with its sign; zero gets a plus."""
    return f"{round(number, digits) + 0.0:+.{digits}f}"


def _print_order(console: Console, statistics: RunStatistics, field: Field) -> None:
    names = [statistics.names[name] for name in field.ratings.entrants]
    superior = plain_table("Likelihood of superiority, % (row stronger than column)", "")
    for name in names:  # not through plain_table, which would translate them
        superior.add_column(name, justify="right")
    places = [str(place) for place in range(1, len(names) + 1)]
    ranks = plain_table("Probability of each rank, %", "", numbers=places)
    for number, name in enumerate(names):
        cells = [*map(_percent, field.order.superior[number])]
        cells[number] = "·"
        superior.add_row(name, *cells)
        ranks.add_row(name, *map(_percent, field.order.ranks[number]))
    console.print(superior)
    console.print(ranks)


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f}"


def _print_conduct(console: Console, statistics: RunStatistics) -> None:
    headings = ["games"]
    headings += [cause.replace("_", "\n") for cause in CAUSES]
    headings += ["rejec-\ntions", "lost con-\nnections"]
    forfeits = plain_table(
        "Forfeits by cause, rejections, lost connections",
        "entrant",
        numbers=headings,
    )
    thinking = plain_table(
        "Thinking time of a turn",
        "entrant",
        numbers=("turns", "mean ms", "99 % within ms"),
    )
    for name in statistics.entrants:
        conduct = statistics.conduct[name]
        counts = [conduct.games]
        counts += [conduct.forfeits[cause] for cause in CAUSES]
        counts += [conduct.rejections, conduct.lost_connections]
        forfeits.add_row(statistics.names[name], *map(str, counts))
        mean, longest = "-", "-"
        if conduct.mean_ms is not None:
            mean, longest = f"{conduct.mean_ms:.1f}", str(conduct.percentile_ms(99))
        thinking.add_row(statistics.names[name], str(conduct.turns), mean, longest)
    console.print(forfeits)
    console.print(thinking)


def _print_endings(console: Console, statistics: RunStatistics) -> None:
    """Print a table: how many games of each entrant ended in which way."""
    conducts = statistics.conduct
    counts: list[Counter[EndingKind]] = []
    for conduct in conducts.values():
        counts += [conduct.won, conduct.drawn, conduct.lost]
    kinds = kinds_of(counts)
    headings = [translate(kind.said) for kind in kinds]
    shown = plain_table(
        "Endings (games won:lost, or the number of drawn ones)", "entrant", numbers=headings
    )
    for name in statistics.entrants:
        cells = [_ending_cell(conducts[name], kind) for kind in kinds]
        shown.add_row(statistics.names[name], *cells)
    console.print(shown)


def _ending_cell(conduct: Conduct, kind: EndingKind) -> str:
    if conduct.drawn[kind]:
        return str(conduct.drawn[kind])
    if conduct.won[kind] or conduct.lost[kind]:
        return f"{conduct.won[kind]}:{conduct.lost[kind]}"
    return "·"


def print_luck(
    console: Console,
    names: Mapping[str, str],
    luck: LuckStatistics | None,
    notes: Sequence[str],
) -> None:
    """Print points and Elo as played and without luck, if there is an analysis, and the notes."""
    if luck is not None:
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
        for name in sorted(luck.entrants, key=lambda name: _rank(luck.entrants[name], name)):
            shown.add_row(names[name], *_luck_cells(luck, name, luck.entrants[name]))
        console.print(shown)
        console.print(
            "  net luck: of its own rolls (the own luck of arena analyse) "
            "less that of its opponents' rolls, in points"
        )
        console.print(
            "  raw is as it was played, ± half the 95 % interval, that of Elo the standard error"
        )
        console.print(f"  {translate(luck.source)}")
    for note in notes:
        console.print(f"  {note}")


def _rank(entrant: EntrantLuck, name: str) -> tuple[float, str]:
    """Return a sort key: the highest points first, then by name."""
    return -round(entrant.adjusted.mean, 9), name


def _luck_cells(luck: LuckStatistics, name: str, entrant: EntrantLuck) -> list[str]:
    cells = [_format_signed(entrant.given, 1)]
    for points in (entrant.raw, entrant.adjusted):
        cells.append(_format_signed(points.mean, 2))
        cells.append("-" if points.margin is None else f"{points.margin:.2f}")
    cells.append("-" if entrant.times is None else f"{entrant.times:.1f} x games")
    for field in luck.fields:
        if name in field.entrants:
            elo = field.elo[field.entrants.index(name)]
            return [*cells, _format_signed(elo, 0), f"{field.error(name):.0f}"]
    return [*cells, "-", "-"]
