"""Records and tournament files, read by Python: values out, errors by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.records.facts import TournamentOpened
from arena.records.files import TOURNAMENT_RECORD, match_records
from arena.services.errors import ServiceError
from arena.services.plans import PlanRefusedError, TournamentFileError, given_ruleset, given_text
from arena.services.sources import (
    NoBeginningError,
    NoEntrantError,
    SourceError,
    attempts_of,
    entrant_named,
    run_folder,
    source_of,
    tournament_of,
)


def test_a_run_folder_and_one_of_its_records_are_sources(run: Path) -> None:
    records = [*match_records(source_of(run).files)]
    record = run / records[0]
    assert [*match_records(source_of(record).files)] == records[:1]
    assert [attempt.opened.attempt for attempt in attempts_of(record)] == [1, 2]
    opened, facts = tournament_of(run)
    assert isinstance(opened, TournamentOpened)
    assert facts[0] == opened


def test_an_entrant_goes_by_id_or_by_name() -> None:
    names = {"anna": "Anna Ek", "bo": "Bo"}
    assert [entrant_named(wanted, names) for wanted in ("anna", "Anna Ek")] == ["anna", "anna"]
    with pytest.raises(NoEntrantError, match="there are: Anna Ek, Bo"):
        entrant_named("Ana", names)


@pytest.mark.parametrize("wanted", ["Gustav Wasa", "gv"])
def test_the_suggestion_for_an_unknown_entrant_is_a_name_of_the_list(wanted: str) -> None:
    with pytest.raises(NoEntrantError, match=r"are: Gustav Vasa, Bo; did you mean 'Gustav Vasa'\?"):
        entrant_named(wanted, {"gvb": "Gustav Vasa", "bo": "Bo"})


def test_a_tournament_file_gives_its_text_and_its_ruleset(tmp_path: Path) -> None:
    file = tmp_path / "money.toml"
    file.write_bytes(
        b'\xef\xbb\xbftournament.ruleset = "fiske"\nbot = [{name = "a", remote = true}, {name = "b", remote = true}]'
    )
    assert given_text(file).startswith("tournament")
    ruleset = given_ruleset(str(file))
    assert isinstance(ruleset, dict)
    assert (ruleset["name"], given_ruleset("vasa")) == ("fiske", "vasa")


@pytest.mark.parametrize(
    ("read", "name", "error"),
    [
        (source_of, "nowhere", SourceError),
        (source_of, TOURNAMENT_RECORD, SourceError),
        (run_folder, ".", SourceError),
        (tournament_of, "cut", NoBeginningError),
        (given_text, "nowhere", TournamentFileError),
        (given_text, "matches", TournamentFileError),
        (lambda path: given_ruleset(str(path)), "bad.toml", PlanRefusedError),
    ],
)
def test_what_is_no_source_is_refused_by_name(
    run: Path, read: Callable[[Path], Any], name: str, error: type[ServiceError]
) -> None:
    (run / "cut").mkdir()
    (run / "cut" / TOURNAMENT_RECORD).touch()
    (run / "bad.toml").write_text("tournament.games = 4")
    place = run.parent if name == "." else run / name
    with pytest.raises(error):
        read(place)
