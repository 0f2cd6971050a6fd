"""Runs for the tests of the report, as bytes: matches played by the machine without sockets."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from arena.games import Game, load_game
from arena.matches.facts import Terms
from tests.matches.sitting import SEED, VASA, Sitting
from tests.records.small_run import Files, opened_tournament, run_of

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"> & <b>"
"""What a bot may call itself, and a tournament be called."""

LONG = Terms(games=2, delay_ms=100, bank_ms=60_000, rejections=3, turn_limit=1000, startup_ms=5000)


def played_match(rules: Game[Any] = VASA, terms: Terms = LONG, said: str = HOSTILE, seed: bytes = SEED) -> Sitting:
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


def long_run(rules: Game[Any] = VASA, name: str = HOSTILE, seed: bytes = SEED, **terms: int) -> Files:
    """A finished run of one match, in which everything that is free text is hostile."""
    sitting = played_match(rules, replace(LONG, **terms), seed=seed)
    return run_of(replace(opened_tournament(sitting.opened.terms, rules=rules), name=name), sitting)


def games_to_play() -> dict[str, Game[Any]]:
    """A ruleset for every kind of board."""
    return {name: load_game(name) for name in ("vasa", "backgammon", "fiske", "brandubh-1")}
