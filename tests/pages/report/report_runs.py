"""Runs for the tests of the report, as bytes, and what the page must say of them, worked out by the rules alone."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from msgspec.structs import replace

from arena.games import Game, load_game
from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from arena.records.analysed import Analysis, decode_analysis, encode_analysis
from arena.records.files import analysis_file
from arena.tournaments.formats import AnyFormat
from arena.tournaments.formats.gauntlet import Gauntlet
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.swiss import SwissMonrad
from tests.matches.sitting import SEED, VASA, Sitting
from tests.records.sample_runs import whole_run
from tests.records.small_run import RECORD, Files, opened_tournament, run_of

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"> & <b>"
"""What a bot may call itself, and a tournament be called."""

LONG = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=60_000),
    rejections=3,
    turn_limit=1000,
    startup_ms=5000,
)


def played_match(
    rules: Game[Any] = VASA, terms: Terms = LONG, said: str = HOSTILE, seed: bytes = SEED
) -> Sitting:
    """A match played to its end with first legal turns; it begins with two rejected turns and a note of the bot."""
    sitting = Sitting(rules=rules, terms=terms, seed=seed)
    sitting.ready(version=said)
    sitting.plays_illegally()
    sitting.waits(5)
    sitting.plays_illegally()
    sitting.plays(info={"note": said})
    sitting.waits(1500)
    while not sitting.is_over:
        sitting.plays()
    return sitting


def long_run(
    rules: Game[Any] = VASA, name: str = HOSTILE, seed: bytes = SEED, **terms: int
) -> Files:
    """A finished run of one match, in which everything that is free text is hostile."""
    sitting = played_match(rules, replace(LONG, **terms), seed=seed)
    return run_of(replace(opened_tournament(sitting.opened.terms, rules=rules), name=name), sitting)


def games_to_play() -> dict[str, Game[Any]]:
    return {name: load_game(name) for name in ("vasa", "backgammon", "fiske", "brandubh-1")}


OPENING_SEED = bytes([4] * 32)
"""With these dice anna begins, and the second game of vasa ends in a jan."""


@cache
def _run(ruleset: str, turns: int) -> tuple[tuple[str, bytes], ...]:
    return tuple(long_run(games_to_play()[ruleset], seed=OPENING_SEED, turn_limit=turns).items())


def run(ruleset: str = "vasa") -> Files:
    """A run of three games of some 40 turns, with hostile names."""
    return dict(_run(ruleset, 40))


def short_run() -> Files:
    """The same with games of 12 turns: what is worked out for each turn takes a third of the time."""
    return dict(_run("vasa", 12))


def words(rules: Any, plain: dict[str, Any]) -> str:
    """A position from seat 1's side as the page tells it, each side in its own numbering."""
    told = []
    for name, sign, view in (
        ("anna", 1, plain),
        ("bo", 1, rules.to_plain(rules.flip(rules.from_plain(plain)))),
    ):
        points = [
            (25 - p if rules.ruleset["facing"] == "opposite_ways" else p, sign * n)
            for p, n in points_of(view)
        ]
        stands = [f"{number} on {point}" for point, number in sorted(points) if number > 0]
        told.append(
            f"{name}: "
            + ", ".join([*stands, f"{view['bar'][0]} on the bar", f"{view['off'][0]} off"])
        )
    return "; ".join(told)


def points_of(view: dict[str, Any]) -> list[tuple[int, int]]:
    return list(enumerate(view["points"], start=1))


def positions(rules: Any, files: Files) -> list[dict[str, Any]]:
    """The positions of game 1 from seat 1's side, worked out from its moves by the rules alone."""
    facts = [json.loads(line) for line in files[RECORD].splitlines()]
    turns = [fact for fact in facts if fact.get("event") == "turn_played" and fact["game"] == 1]
    position, found = rules.start(), []
    for fact in turns:
        after = rules.judge(position, tuple(fact["dice"]), fact["moves"]).position
        found.append(rules.to_plain(after if fact["seat"] == 1 else rules.flip(after)))
        position = rules.flip(after)
    return found


@cache
def _analysed(ruleset: str) -> bytes:
    from arena.analysis import analyse
    from tests.analysis.small_evaluators import small

    return encode_analysis(analyse(RECORD, run(ruleset)[RECORD], small(ruleset)))


def analysed_run(ruleset: str = "vasa") -> Files:
    return {**run(ruleset), analysis_file(RECORD): _analysed(ruleset)}


def analysis(ruleset: str = "vasa") -> Analysis:
    return decode_analysis(_analysed(ruleset))


SEEDS = ("eva", "dag", "cia", "bo", "anna")
FORMATS: dict[str, AnyFormat] = {
    "bracket": Knockout(),
    "rounds": SwissMonrad(),
    "boards": Gauntlet(challengers=("cia",), cycles=2),
}


def run_of_format(schedule: AnyFormat) -> Files:
    """A run of five; the name that comes first in the alphabet wins."""
    return whole_run(replace(opened_tournament(entrants=SEEDS, violations=100), schedule=schedule))
