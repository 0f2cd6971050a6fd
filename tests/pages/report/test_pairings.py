"""Who meets whom, as pages show it: a bracket, the rounds of a Swiss tournament, the board of a gauntlet."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from arena.pages.contents import PairingsPage
from arena.pages.pairings import pairings_page
from arena.records.facts import EntrantWithdrawn, TournamentOpened
from arena.records.lines import tournament_lines
from arena.records.state import TournamentState, state_of
from arena.tournaments.formats.gauntlet import Gauntlet
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.swiss import SwissMonrad
from tests.browser import axe_violations
from tests.fixtures.report_runs import FORMATS, SEEDS, run_of_format
from tests.fixtures.sample_runs import no_show, won_by_forfeit
from tests.fixtures.small_run import Files, concluded, issued, opened_tournament, settled
from tests.pages.report.conftest import Open


def state_after(files: Files, lines: int | None = None) -> TournamentState:
    opened, *facts = [
        fact for _, fact in tournament_lines.read("tournament.jsonl", files["tournament.jsonl"])
    ]
    assert isinstance(opened, TournamentOpened)
    return state_of(opened, facts[: None if lines is None else lines - 1])


def page(state: TournamentState) -> PairingsPage:
    return pairings_page(state, state.standings())


def shown(state: TournamentState) -> list[list[str]]:
    """Every pairing of a bracket or of rounds: who goes on in capitals."""
    found = []
    for each in page(state).rounds:
        pairs = []
        for one in each.pairings:
            names = [
                name.upper() if one.winner == place else name
                for place, name in enumerate(one.entrants, 1)
            ]
            pairs.append(f"{'-'.join(names)} {one.state}")
        found.append(pairs)
    return found


def test_a_bracket_has_every_round_from_top_to_bottom() -> None:
    files = run_of_format(Knockout())
    assert shown(state_after(files)) == [
        ["EVA- bye", "bo-ANNA played", "DAG- bye", "CIA- bye"],
        ["eva-ANNA played", "dag-CIA played"],
        ["ANNA-cia played"],
    ]
    assert shown(state_after(files, 1)) == [
        ["eva- undrawn", "bo-anna undrawn", "dag- undrawn", "cia- undrawn"],
        ["- undrawn", "- undrawn"],
        ["- undrawn"],
    ]
    assert shown(state_after(files, 3))[0][1] == "bo-anna under way"
    assert shown(state_after(files, 4))[1] == ["eva-anna undrawn", "dag-cia undrawn"]


def test_a_bracket_says_who_went_on_without_a_match() -> None:
    state = state_after(run_of_format(Knockout()), 5)
    assert shown(state)[1] == ["eva-anna open", "dag-cia open"]
    state.apply(EntrantWithdrawn(at_ms=1, entrant="dag", violations=1))
    assert shown(state)[1:] == [["eva-anna open", "dag-CIA dropped"], ["-cia undrawn"]]


def test_rounds_have_their_matches_and_byes() -> None:
    first, second, *_ = shown(state_after(run_of_format(SwissMonrad(rounds=2))))
    assert first == ["eva-DAG played", "BO-cia played", "ANNA- bye"]
    assert [one.partition(" ")[2] for one in second] == ["played", "played", "bye"]


GAUNTLET = replace(
    opened_tournament(entrants=SEEDS[:3], violations=100), schedule=Gauntlet(challengers=("cia",))
)


def test_a_board_sums_up_what_a_challenger_has_played() -> None:
    one, other = state_of(GAUNTLET, ()).fixtures.values()
    [beaten], [next_one] = (fixture.entrants - {"cia"} for fixture in (one, other))
    sitting = won_by_forfeit(one, "cia")
    state = state_of(GAUNTLET, [issued(sitting), settled(sitting, b"")])
    [board] = page(state).boards
    rows = {row.opponent: row for row in board.rows}
    assert (rows[beaten].points, rows[beaten].mean, rows[beaten].left) == ((18, 0), 6.0, 0)
    assert (rows[""].points, rows[""].left, len(rows[""].matches)) == ((18, 0), 1, 0)
    [pair] = rows[next_one].matches
    assert (pair.entrants, pair.state, rows[next_one].mean) == (("cia", next_one), "open", None)
    state.apply(EntrantWithdrawn(at_ms=1, entrant=next_one, violations=1))
    assert page(state).boards[0].rows[-1].left == 0


def test_matches_that_do_not_count_say_so() -> None:
    state = state_of(GAUNTLET, ())
    one, other = state.fixtures.values()
    for attempt in (1, 2, 3):
        sitting = no_show(one.id, 0, attempt=attempt)
        state.apply(issued(sitting))
        state.apply(concluded(state, sitting, b""))
    state.apply(settled(won_by_forfeit(other, "cia"), b""))
    assert {
        pair.fixture: pair.state for row in page(state).boards[0].rows for pair in row.matches
    } == {
        one.id: "void",
        other.id: "played",
    }


@pytest.mark.slow
@pytest.mark.parametrize("shape", FORMATS)
def test_what_is_drawn_leads_to_matches_and_fits_a_phone(opened: Open, shape: str) -> None:
    tab = opened(run_of_format(FORMATS[shape]), width=390, height=844).go()
    assert (tab.page.locator("#crosstable").count(), tab.overflow()) == (int(shape == "rounds"), 0)
    for scheme in ("light", "dark"):
        tab.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert axe_violations(tab.page) == []
    links = tab.page.locator("#pairings a[href^='#r']")
    assert links.count() == {"bracket": 4, "rounds": 6, "boards": 8}[shape]
    if shape == "bracket":
        bold = tab.page.locator("#pairings .ahead .name").all_inner_texts()
        assert bold == ["eva", "anna", "dag", "cia", "anna", "cia", "anna"]
    tab.follow(links.first)
    assert tab.page.locator(".match").count() == 1
