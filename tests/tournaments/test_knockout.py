"""`knockout-1`: the bracket, byes, winners that go on, and whole tournaments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats.interface import SoFar
from arena.tournaments.formats.knockout import Knockout, first_bracket_round
from arena.tournaments.standings import FormatAdditions, standings
from arena.words import say
from tests.examples import tries
from tests.fixtures.tournament_builders import DRAWN_GAME, games, settle, void

KNOCKOUT = Knockout()
NAMES = ["anna", "bo", "cia", "dag", "eva", "finn", "gun", "hans", "ida"]


def following(names, rounds, results, withdrawn=frozenset()):
    return KNOCKOUT.next_round(
        SoFar(entrants=names, rounds=rounds, results=results, withdrawn=withdrawn)
    )


def survived(names, rounds, results, withdrawn=frozenset()):
    [column] = KNOCKOUT.columns(
        SoFar(entrants=names, rounds=rounds, results=results, withdrawn=withdrawn)
    )
    assert column.heading == "rounds survived"
    return column.numbers


def won(fixture, name):
    return settle(fixture, games(f"{name} jan", fixture.first, fixture.second))


def test_the_best_seeds_meet_last() -> None:
    assert first_bracket_round("12345678") == tuple("18452736")
    assert first_bracket_round("123456") == ("1", None, "4", "5", "2", None, "3", "6")
    first = following(NAMES[:6], [], [])
    assert ([tuple(sorted(f.entrants)) for f in first.fixtures], first.byes) == (
        [("dag", "eva"), ("cia", "finn")],
        ("anna", "bo"),
    )


@pytest.mark.parametrize("end", ["drawn", "void"])
def test_the_better_seed_goes_on_when_nobody_won(end) -> None:
    names = NAMES[:4]
    first = following(names, [], [])
    assert [tuple(sorted(f.entrants)) for f in first.fixtures] == [("anna", "dag"), ("bo", "cia")]
    results = [settle(f, (DRAWN_GAME,)) if end == "drawn" else void(f) for f in first.fixtures]
    second = following(names, [first], results)
    assert second.names == {"anna", "bo"}
    final = settle(second.fixtures[0], (DRAWN_GAME,))
    for rounds in ([first], [first, second]):
        so_far = SoFar(entrants=names, rounds=rounds, results=[*results, final][: len(rounds) + 1])
        told = tuple(map(say, KNOCKOUT.notes(so_far, {"anna": "Anna A"})))
        assert told[:2] == (
            f"{first.fixtures[0].id} was {end}: Anna A survives the round as the better seed (1 against 4)",
            f"{first.fixtures[1].id} was {end}: bo survives the round as the better seed (2 against 3)",
        )
    assert told[2:] == (
        f"{second.fixtures[0].id} was drawn: Anna A survives the round as the better seed (1 against 2)",
    )
    assert not KNOCKOUT.notes(
        SoFar(entrants=names, rounds=[first], results=[won(first.fixtures[0], "dag")]), {}
    )


def test_the_opponent_of_a_withdrawn_entrant_goes_on() -> None:
    names = NAMES[:4]
    first = following(names, [], [])
    one, other = first.fixtures
    walkover = following(names, [first], [won(other, "cia")], withdrawn={"anna"})
    assert walkover.names == {"dag", "cia"}
    results = [won(one, "anna"), won(other, "cia")]
    final = following(names, [first], results, withdrawn={"anna"})
    assert (final.fixtures, final.byes) == ((), ("cia",))
    assert survived(names, [first, final], results, withdrawn={"anna"}) == {
        "anna": 0,
        "bo": 0,
        "cia": 2,
        "dag": 0,
    }


def test_a_winner_who_is_withdrawn_leaves_a_bye_to_its_next_opponent() -> None:
    names = NAMES[:8]
    first = following(names, [], [])
    results = [won(fixture, min(fixture.entrants)) for fixture in first.fixtures]
    second = following(names, [first], results, withdrawn={"anna"})
    assert (second.byes, second.names) == (("dag",), {"bo", "cia", "dag"})


@tries(40)
@given(st.integers(2, 9), st.data())
def test_one_entrant_wins_and_every_loser_is_out(size, data) -> None:
    """Losers are drawn no more, everybody else goes on, and the standings are by rounds survived."""
    names = NAMES[:size]
    rounds, results, still_in = [], [], set(names)
    while (drawn := following(names, rounds, data.draw(st.permutations(results)))) is not None:
        assert drawn.names == still_in
        rounds.append(drawn)
        for fixture in drawn.fixtures:
            end = data.draw(st.sampled_from(["first", "second", "drawn"]))
            seeds = sorted(fixture.entrants, key=names.index)
            winner = {"first": fixture.first, "second": fixture.second, "drawn": seeds[0]}[end]
            results.append(
                settle(fixture, (DRAWN_GAME,)) if end == "drawn" else won(fixture, winner)
            )
            still_in -= fixture.entrants - {winner}
    assert len(still_in) == 1
    assert len(rounds) == (size - 1).bit_length()
    assert len(results) == size - 1
    fixtures = [fixture for each in rounds for fixture in each.fixtures]
    reached = survived(names, rounds, results)
    columns = KNOCKOUT.columns(SoFar(entrants=names, rounds=rounds, results=results))
    table = standings(
        names, fixtures, results, additions=FormatAdditions(rounds=rounds, columns=columns)
    )
    assert {table.rows[0].entrant} == still_in
    places = [reached[row.entrant] for row in table.rows]
    assert places == sorted(places, reverse=True)
    assert places[:2] == [len(rounds), len(rounds) - 1]


@tries(40)
@given(st.integers(2, 9), st.data())
def test_withdrawals_at_any_time_leave_one_winner_at_most(size, data) -> None:
    names = NAMES[:size]
    rounds, results, gone = [], [], set()
    while (drawn := following(names, rounds, results, withdrawn=gone)) is not None:
        assert not drawn.names & gone
        rounds.append(drawn)
        for fixture in drawn.fixtures:
            leaving = data.draw(st.sets(st.sampled_from(sorted(fixture.entrants)), max_size=2))
            if not leaving or data.draw(st.booleans()):
                results.append(won(fixture, data.draw(st.sampled_from(sorted(fixture.entrants)))))
            gone |= leaving
    assert len(rounds) <= (size - 1).bit_length()
    reached = survived(names, rounds, results, withdrawn=gone)
    assert sum(number == (size - 1).bit_length() for number in reached.values()) <= 1
    fixtures = [fixture for each in rounds for fixture in each.fixtures]
    columns = KNOCKOUT.columns(
        SoFar(entrants=names, rounds=rounds, results=results, withdrawn=gone)
    )
    table = standings(
        names,
        fixtures,
        results,
        withdrawn=gone,
        additions=FormatAdditions(rounds=rounds, columns=columns),
    )
    assert len(table.rows) == size
