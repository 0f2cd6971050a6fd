"""`arena stats`: what a run shows about each bot's strength and conduct."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.language import with_noun
from arena.cli.shared.output import CHECK_FAILED, echo_json, fail, json_option, output, run_argument
from arena.services.sources import tournament_of
from arena.words import say

if TYPE_CHECKING:
    from arena.records.luck import EntrantLuck, LuckStatistics
    from arena.records.statistics import Conduct, Field, RunStatistics


@click.command()
@run_argument
@click.option(
    "--seed",
    type=int,
    default=1,
    help="Seed of the bootstrap; the same seed gives the same numbers.",
)
@click.option(
    "--draws",
    type=click.IntRange(100, 100_000),
    default=1000,
    help="Number of bootstrap samples.",
)
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Take out the luck of the dice, even if that was not prepared.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes that compute luck.  [default: one for each core]",
)
@json_option("Print one JSON object instead of tables.")
def command(
    run: Path,
    seed: int,
    draws: int,
    workers: int | None,
    *,
    luck_adjusted: bool,
    as_json: bool,
) -> None:
    """Print ratings, points per game, conduct and endings of the bots in a RUN folder.

    Each number has its error. If the standings order two bots differently, a sentence says why.
    Works while the run is going on. docs/statistics.md explains every number.

    A second table shows the results without the luck of the dice: if the tournament file names an
    evaluator under [luck] and the run is over, if every match is analysed, or with --luck-adjusted.

    \b
    Examples:
      arena stats my-run
      arena stats my-run --luck-adjusted
    """
    from arena.cli.shared.bars import bar_of_analysis
    from arena.cli.stats.tables import print_luck, print_statistics
    from arena.records.lines import RecordError
    from arena.records.state import state_of
    from arena.records.statistics import conduct_of, counted_of, disagreements, statistics_of
    from arena.server.setup.run_folder import RunFiles
    from arena.services.luck import luck_taken_out

    opened, facts = tournament_of(run)
    try:
        state = state_of(opened, facts)
        conduct = conduct_of(state.entrants, counted_of(opened, facts), RunFiles(run))
        statistics = statistics_of(opened, facts, conduct, seed=seed, draws=draws)
        differences = disagreements(state.standings(), statistics)
        with bar_of_analysis() as tell:
            luck, notes = luck_taken_out(
                run,
                opened,
                facts,
                is_wanted=luck_adjusted,
                workers=workers,
                tell=tell,
            )
    except RecordError as error:
        fail(f"a match record cannot be read: {error}", code=CHECK_FAILED)
    luck_notes = [*map(say, notes)]
    if as_json:
        entry = {"name": opened.name, **_as_json(statistics)}
        entry |= {
            "disagreements": differences,
            "seed": seed,
            "draws": draws,
        }
        echo_json(entry | _luck_as_json(luck, luck_notes))
        return
    console = output()
    console.print(f"{opened.name}: {opened.ruleset['name']}; {_extent(statistics)}")
    print_statistics(console, statistics, differences)
    print_luck(console, statistics.names, luck, luck_notes)


def _extent(statistics: RunStatistics) -> str:
    if not statistics.units:
        return "no match counts yet"
    plural = "matches" if statistics.unit == "match" else "pairs"
    units = with_noun(len(statistics.units), statistics.unit, plural)
    return f"{units} of {statistics.games_in_unit} games"


def _as_json(statistics: RunStatistics) -> dict[str, Any]:
    entrants = []
    for name in statistics.entrants:
        entry = {"entrant": name, "name": statistics.names[name]}
        entry |= _points_as_json(statistics, name)
        entrants.append(entry | _conduct_as_json(statistics.conduct[name]))
    return {
        "unit": statistics.unit,
        "games_in_unit": statistics.games_in_unit,
        "units": len(statistics.units),
        "fields": list(map(_field_as_json, statistics.fields)),
        "entrants": entrants,
    }


def _field_as_json(field: Field) -> list[dict[str, Any]]:
    """Return the ratings of a field, best first; `superior_to` and `ranks` are probabilities."""
    ratings = field.ratings
    entries = []
    for number, name in enumerate(ratings.entrants):
        superior_to = dict(zip(ratings.entrants, field.order.superior[number], strict=True))
        del superior_to[name]
        rating = {
            "entrant": name,
            "elo": ratings.elo[number],
            "error": ratings.error(name),
            "interval_95": ratings.interval(name),
            "error_if_games_were_independent": ratings.model_error(name),
            "superior_to": superior_to,
            "ranks": field.order.ranks[number],
        }
        entries.append(rating)
    return entries


def _points_as_json(statistics: RunStatistics, name: str) -> dict[str, Any]:
    points = statistics.points[name]
    if points is None:
        return {"points_per_game": None, "points_interval_95": None}
    interval = None
    if points.margin is not None:
        interval = [points.mean - points.margin, points.mean + points.margin]
    return {"points_per_game": points.mean, "points_interval_95": interval}


def _conduct_as_json(conduct: Conduct) -> dict[str, Any]:
    from arena.records.statistics import CAUSES, kinds_of

    counts = {
        "won": conduct.won,
        "drawn": conduct.drawn,
        "lost": conduct.lost,
    }
    endings = []
    for kind in kinds_of(counts.values()):
        ending: dict[str, Any] = {"ending": kind.name, "monk": kind.monk}
        for outcome, count in counts.items():
            ending[outcome] = count.get(kind, 0)
        endings.append(ending)
    return {
        "games": conduct.games,
        "forfeits": {cause: conduct.forfeits[cause] for cause in CAUSES},
        "rejections": conduct.rejections,
        "lost_connections": conduct.lost_connections,
        "turns": conduct.turns,
        "mean_ms": conduct.mean_ms,
        "p99_ms": conduct.percentile_ms(99),
        "endings": endings,
    }


def _luck_as_json(luck: LuckStatistics | None, notes: list[str]) -> dict[str, Any]:
    """Return the figures without luck, and notes on them; empty if there are neither."""
    if luck is None:
        return {"luck": None, "luck_notes": notes} if notes else {}
    entrants = [_entrant_as_json(luck, name, entry) for name, entry in luck.entrants.items()]
    entry = {
        "evaluator": luck.evaluator.name,
        "evaluator_sha256": luck.evaluator.sha256,
        "fixed_before_the_first_game": luck.is_fixed,
        "entrants": entrants,
    }
    return {"luck": entry, "luck_notes": notes}


def _entrant_as_json(luck: LuckStatistics, name: str, entrant: EntrantLuck) -> dict[str, Any]:
    elo = elo_error = None
    for field in luck.fields:
        if name in field.entrants:
            elo, elo_error = field.elo[field.entrants.index(name)], field.error(name)
            break
    return {
        "entrant": name,
        "given_by_dice": entrant.given,
        "points_per_game": entrant.raw.mean,
        "margin_95": entrant.raw.margin,
        "adjusted_points_per_game": entrant.adjusted.mean,
        "adjusted_margin_95": entrant.adjusted.margin,
        "as_sure_as_times_the_games": entrant.times,
        "adjusted_elo": elo,
        "adjusted_elo_error": elo_error,
    }
