"""`arena stats`, and the tables of standings on terminals of different widths."""

import io
import json
import re
from pathlib import Path

import pytest

from arena.cli.shared.standings import print_standings
from arena.cli.shared.tables import SafeConsole
from arena.records.state import TournamentState
from arena.tournaments.standings import standings
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.small_run import opened_tournament, small_run, unfinished_run
from tests.fixtures.tournament_builders import tournament


def test_the_statistics_of_a_run(arena: Arena, run_folder: Path) -> None:
    result = arena("stats", run_folder)
    assert (result.exit_code, result.stderr) == (0, "")
    words = [line.split() for line in result.stdout.splitlines()]
    assert "small: vasa; 1 match of 3 games" in result.stdout
    assert ["1", "anna", "1", "83.3", "%"] in [line[:5] for line in words]
    assert ["anna", "+4.000", "-"] in words
    assert ["bo", "3", "1", "1", "0", "0", "0", "2", "0"] in words
    assert ["anna", "2:0", "1"] in words
    assert "\x1b" not in result.stdout


def test_the_statistics_as_json(arena: Arena, run_folder: Path) -> None:
    found = json.loads(arena("stats", "--json", run_folder).stdout)
    keys = ("name", "games_in_unit", "units", "seed", "draws")
    assert [found[key] for key in keys] == ["small", 3, 1, 1, 1000]
    ((best, last),) = found["fields"]
    assert (best["entrant"], last["entrant"]) == ("anna", "bo")
    assert best["elo"] == pytest.approx(-last["elo"])
    low, high = best["interval_95"]
    assert low < best["elo"] < high
    assert best["superior_to"]["bo"] == best["ranks"][0] == last["ranks"][1]
    anna, bo = found["entrants"]
    assert (anna["points_per_game"], anna["points_interval_95"], bo["points_per_game"]) == (
        4.0,
        None,
        -4.0,
    )
    assert bo["forfeits"] == {
        "illegal_turns": 1,
        "time": 1,
        "disconnect": 0,
        "no_show": 0,
        "no_reveal": 0,
    }
    assert (anna["rejections"], bo["rejections"], anna["lost_connections"]) == (1, 2, 1)
    assert {"ending": "forfeit", "monk": False, "won": 2, "drawn": 0, "lost": 0} in anna["endings"]
    assert {"ending": "turn_limit", "monk": False, "won": 0, "drawn": 1, "lost": 0} in bo["endings"]


def test_a_run_without_a_settled_match(arena: Arena, here: Path) -> None:
    folder = write_run(here / "going-on", unfinished_run())
    result = arena("stats", folder)
    assert (result.exit_code, "small: vasa; no match counts yet" in result.stdout) == (0, True)
    found = json.loads(arena("stats", "--json", folder).stdout)
    assert found["fields"] == []
    assert found["entrants"][0]["points_per_game"] is None


def test_the_name_of_an_ending_is_shown_as_it_is(arena: Arena, here: Path) -> None:
    """One that somebody has written into a record is neither markup nor an emoji."""
    files = small_run()
    record = (
        files["tournament.jsonl"].rstrip(b"\n").rpartition(b"\n")[0] + b"\n"
    )  # without its closing line
    forged = record.replace(b'"ending":"turn_limit"', b'"ending":"[/b]:100:"')
    assert forged != record
    result = arena("stats", write_run(here / "forged", files | {"tournament.jsonl": forged}))
    assert (result.exit_code, "[/b]:100:" in result.stdout) == (0, True)


def test_why_the_standings_have_another_order_is_told(
    arena: Arena, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert json.loads(arena("stats", "--json", run_folder).stdout)["disagreements"] == []
    monkeypatch.setattr(
        "arena.records.statistics.disagreements", lambda _table, _found: ["a [b] stands above c"]
    )
    shown = arena("stats", run_folder).stdout
    assert (
        shown.index("Strength")
        < shown.index("  a [b] stands above c\n")
        < shown.index("Points per game")
    )
    assert json.loads(arena("stats", "--json", run_folder).stdout)["disagreements"] == [
        "a [b] stands above c"
    ]


def test_the_same_seed_gives_the_same_output(arena: Arena, run_folder: Path) -> None:
    outputs = [arena("stats", "--json", "--seed", seed, run_folder).stdout for seed in (7, 7, 8)]
    assert outputs[0] == outputs[1] != outputs[2]


# Standings and cross-table of entrants with long names, on terminals of different widths


NAMES = {
    "asa": "Åsa Ek, Vasa 1628",
    "bo": "Bo Lundström, Norrköping",
    "carl": "Carl-Gustaf von Rosenstierna",
    "eskil": "Eskil Långström, Uppsala [kår]",
}
FIELD = """
asa-bo: asa jan, asa jan, asa jan
carl-eskil: carl jan, carl off, carl off
asa-carl: asa jan, asa jan, asa off
bo-eskil: bo jan, eskil off, bo off
asa-eskil: asa jan, asa jan, eskil off
bo-carl: bo jan, bo off, carl off
"""


def printed(width: int, *, is_terminal: bool = True) -> list[str]:
    entrants, schedule, results = tournament(FIELD)
    table = standings(entrants, schedule, results, names=NAMES)
    file = io.StringIO()
    console = SafeConsole(
        file=file,
        width=width,
        force_terminal=is_terminal,
        color_system=None,
        soft_wrap=True,
        highlight=False,
    )
    state = TournamentState(opened_tournament(entrants=entrants))
    state.results += results
    state.is_finished = True
    print_standings(console, state, table, [])
    return [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [80, 90, 100])
def test_a_table_that_does_not_fit_has_places_for_heads_and_shorter_names(width: int) -> None:
    """The terminal would break each line in its middle, and no column stood below another."""
    lines = printed(width)
    assert max(map(len, lines)) <= width
    assert [line.split()[1:] for line in lines if line.split()[:2] == ["#", "1"]] == [
        ["1", "2", "3", "4"]
    ]
    [first] = [line.split() for line in lines if line.startswith(" 1  Åsa") and "·" in line]
    assert sorted(first[-4:]) == ["12:0", "8:1", "9:0", "·"]


def test_names_are_cut_only_as_far_as_they_must_be() -> None:
    assert any(" 2  Bo Lundström, Norrköpi…  " in line for line in printed(80)), printed(80)
    narrow = printed(30)
    assert any("29:1" in line and "Åsa Ek," in line for line in narrow), narrow


@pytest.mark.parametrize(("width", "is_terminal"), [(200, True), (80, False)])
def test_a_wide_terminal_and_a_file_have_whole_names(width: int, *, is_terminal: bool) -> None:
    *lines, _ = printed(width, is_terminal=is_terminal)  # the last one says who has won
    for name in NAMES.values():
        assert sum(name in line for line in lines) == 3, (
            "standings, head and row of the cross-table"
        )
