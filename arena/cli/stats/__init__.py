"""`arena stats`: what a run shows about each bot's strength and conduct."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.language import counted
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
    help="How often the bootstrap draws the units again.",
)
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Take the luck of the dice out, whether or not it was prepared.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes that look for luck.  [default: one for each core]",
)
@json_option("Print one JSON object instead of tables.")
def command(
    run: Path, seed: int, draws: int, workers: int | None, *, luck_adjusted: bool, as_json: bool
) -> None:
    """Print ratings, points per game, conduct and endings of the bots in a RUN folder, with the error of each number.

    Where the standings order two bots in another way, a sentence says why. Works while the run is
    going on. docs/statistics.md explains every number.

    Beside the results as they were played stand those without the luck of the dice: where the
    tournament file names an evaluator under [luck] and the run is over, where every match is
    analysed, or with --luck-adjusted.

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
        found = statistics_of(opened, facts, conduct, seed=seed, draws=draws)
        told = disagreements(state.standings(), found)
        with bar_of_analysis() as tell:
            luck, notes = luck_taken_out(
                run, opened, facts, is_wanted=luck_adjusted, workers=workers, tell=tell
            )
    except RecordError as error:
        fail(f"a match record cannot be read: {error}", code=CHECK_FAILED)
    luck_notes = [*map(say, notes)]
    if as_json:
        more = {"disagreements": told, "seed": seed, "draws": draws}
        echo_json({"name": opened.name, **_plain(found), **more, **_plain_luck(luck, luck_notes)})
        return
    console = output()
    units = counted(len(found.units), found.unit, "matches" if found.unit == "match" else "")
    extent = f"{units} of {found.games_in_unit} games" if found.units else "no match counts yet"
    console.print(f"{opened.name}: {opened.ruleset['name']}; {extent}")
    print_statistics(console, found, told)
    print_luck(console, found.names, luck, luck_notes)


def _plain(found: RunStatistics) -> dict[str, Any]:
    return {
        "unit": found.unit,
        "games_in_unit": found.games_in_unit,
        "units": len(found.units),
        "fields": [_plain_field(field) for field in found.fields],
        "entrants": [
            {
                "entrant": name,
                "name": found.names[name],
                **_plain_points(found, name),
                **_plain_conduct(found.conduct[name]),
            }
            for name in found.entrants
        ],
    }


def _plain_field(field: Field) -> list[dict[str, Any]]:
    """The ratings of a field, best first; `superior_to` and `ranks` are probabilities."""
    ratings = field.ratings
    return [
        {
            "entrant": name,
            "elo": ratings.elo[number],
            "error": ratings.error(name),
            "interval_95": ratings.interval(name),
            "error_if_games_were_independent": ratings.model_error(name),
            "superior_to": {
                other: field.order.superior[number][place]
                for place, other in enumerate(ratings.entrants)
                if other != name
            },
            "ranks": field.order.ranks[number],
        }
        for number, name in enumerate(ratings.entrants)
    ]


def _plain_points(found: RunStatistics, name: str) -> dict[str, Any]:
    points = found.points[name]
    if points is None or points.margin is None:
        return {"points_per_game": points and points.mean, "points_interval_95": None}
    interval = [points.mean - points.margin, points.mean + points.margin]
    return {"points_per_game": points.mean, "points_interval_95": interval}


def _plain_conduct(conduct: Conduct) -> dict[str, Any]:
    from arena.records.statistics import CAUSES, kinds_of

    counts = {"won": conduct.won, "drawn": conduct.drawn, "lost": conduct.lost}
    return {
        "games": conduct.games,
        "forfeits": {cause: conduct.forfeits[cause] for cause in CAUSES},
        "rejections": conduct.rejections,
        "lost_connections": conduct.lost_connections,
        "turns": conduct.turns,
        "mean_ms": conduct.mean_ms,
        "p99_ms": conduct.percentile_ms(99),
        "endings": [
            {
                "ending": kind.name,
                "monk": kind.monk,
                **{how: count.get(kind, 0) for how, count in counts.items()},
            }
            for kind in kinds_of(counts.values())
        ],
    }


def _plain_luck(found: LuckStatistics | None, notes: list[str]) -> dict[str, Any]:
    """The figures with the luck taken out, and what there is to say of them; nothing if nobody has asked for any."""
    if found is None:
        return {"luck": None, "luck_notes": notes} if notes else {}
    whole = {
        "evaluator": found.evaluator.name,
        "evaluator_sha256": found.evaluator.sha256,
        "fixed_before_the_first_game": found.is_fixed,
        "entrants": [_plain_entrant(found, name, one) for name, one in found.entrants.items()],
    }
    return {"luck": whole, "luck_notes": notes}


def _plain_entrant(found: LuckStatistics, name: str, one: EntrantLuck) -> dict[str, Any]:
    rating = next((field for field in found.fields if name in field.entrants), None)
    return {
        "entrant": name,
        "given_by_dice": one.given,
        "points_per_game": one.raw.mean,
        "margin_95": one.raw.margin,
        "adjusted_points_per_game": one.adjusted.mean,
        "adjusted_margin_95": one.adjusted.margin,
        "as_sure_as_times_the_games": one.times,
        "adjusted_elo": rating and rating.elo[rating.entrants.index(name)],
        "adjusted_elo_error": rating and rating.error(name),
    }
