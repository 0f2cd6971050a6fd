"""A tournament file that contradicts the record of its run."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from arena.matches.facts import FixedEvaluator
from arena.records.facts import TournamentOpened
from arena.records.lines import RecordError
from arena.records.verify import verify_run
from arena.server.setup.plan_on_record import contradictions, header_of
from arena.server.setup.tournament_file import parse_plan
from arena.words import say
from tests.fixtures.sample_runs import joined, knockout
from tests.fixtures.small_run import Files, forge, small_run

FILE = """
[tournament]
name = "Friday"
ruleset = { base = "classic", name = "club", entry_strikes = "outnumbered" }
games = 5
cycles = 2
[clock]
bank_ms = 900000
[luck]
evaluator = "brade-classic-3"
[[bot]]
name = "Åsa B"
command = "true"
[[bot]]
name = "bo"
person = true
"""


def recorded(text: str = FILE) -> TournamentOpened:
    """The first line of the record of this file."""
    plan = parse_plan(text)
    return header_of(plan, plan.entrants, at_ms=1, file_sha256="00" * 32)


@pytest.mark.parametrize("old, new, said", [
    ("games = 5", "games = 3", "tournament.games: 3 in the file, 5 in the record"),
    ("games = 5", "pairs = 2", "tournament.pairs: 2 in the file, nothing in the record"),
    ("games = 5", "games = 4", "it is not a tournament file: [tournament] games = 4"),
    ("cycles = 2", "", "tournament.cycles: 1 in the file, 2 in the record"),
    ("cycles = 2", 'format = "knockout-1"', "tournament.format: 'knockout-1' in the file, 'round_robin' in the record"),
    ('name = "club"', 'name = "pub"', "tournament.ruleset: 'pub' in the file, 'club' in the record"),
    ('strikes = "outn', 'strikes = "no_free_point" #', "it is not a tournament file"),
    (', entry_strikes = "outnumbered"', "", "entry_strikes: 'no_free_point' in the file, 'outnumbered' in the record"),
    ('"Friday"', '"Monday"', "tournament.name: 'Monday' in the file, 'Friday' in the record"),
    ("[luck]", "[limits]\nviolations = 1\n[luck]", "limits.violations: 1 in the file, 5 in the record"),
    ("bank_ms = 900000", "bank_ms = 800000", "clock.bank_ms: 800000 in the file, 900000 in the record"),
    ('name = "bo"', 'name = "eve"', "bot: entrants: ['asa-b', 'eve'] in the file, ['asa-b', 'bo'] in the record"),
    ('name = "bo"', 'name = "Bo"', "bot: names: "),
    ('evaluator = "brade-classic-3"', "", "luck.evaluator: nothing in the file, 'brade-classic-3' in the record"),
])  # fmt: skip
def test_each_field_that_contradicts_is_named(old: str, new: str, said: str) -> None:
    assert old in FILE
    found = [*map(say, contradictions(FILE.replace(old, new).encode(), recorded()))]
    assert any(said in problem for problem in found), found
    assert contradictions(FILE.encode(), recorded()) == []


def test_what_is_no_tournament_file_is_told_so() -> None:
    [not_text] = contradictions(b"\xff", recorded())
    assert say(not_text) == "it is not UTF-8 text"
    [problem] = contradictions(b"[tournament", recorded())
    assert say(problem).startswith("it is not a tournament file: ")


def test_an_evaluator_that_this_arena_does_not_have_any_more_contradicts_nothing() -> None:
    older = FILE.replace("brade-classic-3", "brade-classic-1")
    header = replace(recorded(), luck=FixedEvaluator(name="brade-classic-1", sha256="00" * 32))
    assert contradictions(older.encode(), header) == []
    assert len(contradictions(older.encode(), replace(header, luck=UNSET))) == 1


def checked(files: Files) -> Any:
    return verify_run(files, contradictions=contradictions)


@pytest.mark.parametrize("make", [small_run, knockout, joined])
def test_a_run_in_order_has_the_file_of_its_record(make: Any) -> None:
    assert checked(make()).is_finished


def test_a_resigned_run_with_another_file_is_refused() -> None:
    """All its hashes fit."""
    files = small_run()

    def rename(found: list[dict[str, Any]]) -> None:
        found[0]["name"] = "Monday"

    forged = forge(files, "tournament.jsonl", rename)
    assert verify_run(forged).is_finished
    with pytest.raises(
        RecordError,
        match=r"tournament\.toml: it contradicts the record: tournament\.name: 'small' in",
    ):
        checked(forged)
