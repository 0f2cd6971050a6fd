"""What the standings say in a sentence: who has won and why, and while it is played who can still win."""

from collections import Counter

import pytest

from arena.tournaments.formats import DEFAULT_FORMAT
from arena.tournaments.formats.gauntlet import Gauntlet
from arena.tournaments.formats.interface import SoFar
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.swiss import SwissMonrad
from arena.tournaments.schedule import Fixture, Round
from arena.tournaments.standings import FormatAdditions, standings
from arena.words import say
from tests.tournaments.builders import DRAWN_GAME, games, settle, tournament, void

NAMES = ["anna", "bo", "cia", "dag", "eva", "finn"]


def outcome(text, form=DEFAULT_FORMAT, *, is_over=True, withdrawn=frozenset()):
    entrants, schedule, results = tournament(text)
    table = standings(entrants, schedule, results, withdrawn=withdrawn, names={"anna": "Anna A"})
    so_far = SoFar(entrants=entrants, results=results, withdrawn=withdrawn)
    played = {result.fixture for result in results}
    left = Counter(
        name for fixture in schedule if fixture.id not in played for name in fixture.entrants
    )
    return list(
        map(say, form.outcome(so_far, table) if is_over else form.outlook(so_far, table, left))
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "anna-bo: anna jan\nbo-cia: bo jan\nanna-cia: -",
            "Anna A won by match points, 1½ against 1",
        ),
        (
            "anna-bo: anna off\nbo-cia: bo jan\ncia-anna: cia crown",
            "bo won by game points, 4 against 2; it was level with Anna A and cia on match points (1)",
        ),
        (
            "anna-cia: anna forfeit, cia off\nbo-cia: bo forced-jan, cia off",
            "bo won by best won game, forced jan (6) against none; it was level with Anna A on match points (1)",
        ),
        (
            "anna-bo: -",
            (
                "Anna A and bo share place 1: level on match points (½), game points (0), best won games, "
                "direct encounter and Sonneborn-Berger (¼)"
            ),
        ),
        ("anna-bo: void", "there is no winner"),
    ],
)
def test_who_has_won_and_by_which_step(text, words) -> None:
    assert outcome(text) == [words]


def test_who_has_won_when_all_others_are_annulled() -> None:
    text = "anna-bo: anna jan\nanna-cia:\nbo-cia: bo jan\nbo-dag:\ncia-dag:\nanna-dag: anna jan\nbo-anna:\ncia-bo:"
    assert outcome(text, withdrawn={"bo", "cia", "dag"}) == [
        "Anna A won: no other entrant remained"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("anna-bo:\ncia-dag:", []),
        ("anna-bo: -\ncia-dag:", ["Anna A and bo share the lead"]),
        ("anna-bo: anna jan\ncia-bo:", ["Anna A leads by match points, 1 against 0"]),
        (
            "anna-bo: anna jan\nanna-bo: anna jan\ncia-bo:",
            [
                "Anna A leads by match points, 2 against 0",
                "only Anna A can still come first",
            ],
        ),
        (
            "anna-bo: anna jan\ncia-bo: cia off\nanna-cia:\ndag-eva: -",
            [
                "Anna A leads by game points, 4 against 1; it is level with cia on match points (1)",
                "only Anna A and cia can still come first",
            ],
        ),
    ],
)
def test_who_leads_and_who_can_still_come_first(text, words) -> None:
    assert outcome(text, is_over=False) == words


def test_rounds_that_are_still_to_be_drawn_count_in_a_swiss_tournament() -> None:
    text = "anna-bo: anna jan\ncia-dag: cia jan"
    assert len(outcome(text, SwissMonrad(rounds=2), is_over=False)) == 1
    found = outcome(text, SwissMonrad(rounds=2), is_over=False, withdrawn={"bo", "dag"})
    assert found[1:] == ["only Anna A and cia can still come first"]


def test_a_gauntlet_says_how_its_challenger_did() -> None:
    found = outcome(
        "anna-bo: anna jan\nanna-cia: cia off\nanna-dag:",
        Gauntlet(challengers=("anna",)),
        is_over=False,
    )
    assert found == ["Anna A has won 1 of 2 matches and lost 1, with 4 game points against 1"]
    assert outcome("anna-bo: void", Gauntlet(challengers=("anna",))) == ["there is no winner"]
    assert outcome("anna-bo:", Gauntlet(challengers=("anna",)), is_over=False) == []


def knocked_out(*ends, withdrawn=frozenset(), is_over=True):
    """What a knock-out of four says when so many of its matches have ended so, in the order of play."""
    entrants, rounds, results, ended = NAMES[:4], [], [], list(ends)
    while drawn := Knockout().next_round(
        SoFar(entrants=entrants, rounds=rounds, results=results, withdrawn=withdrawn)
    ):
        rounds.append(drawn)
        for fixture in drawn.fixtures[: len(ended)]:
            end = ended.pop(0)
            result = void(fixture) if end == "void" else settle(fixture, (DRAWN_GAME,))
            if end not in ("void", "drawn"):
                result = settle(fixture, games(end, fixture.first, fixture.second))
            results.append(result)
        if not ended and not is_over:
            break
    so_far = SoFar(entrants=entrants, rounds=rounds, results=results, withdrawn=withdrawn)
    fixtures = [fixture for each in rounds for fixture in each.fixtures]
    columns = Knockout().columns(so_far)
    table = standings(
        entrants,
        fixtures,
        results,
        withdrawn=withdrawn,
        additions=FormatAdditions(rounds=rounds, columns=columns),
    )
    knockout = Knockout()
    [said] = knockout.outcome(so_far, table) if is_over else knockout.outlook(so_far, table, {})
    return say(said)


@pytest.mark.parametrize(
    ("final", "words"),
    [
        ("bo jan", "bo won the final against anna by game points, 4 against 0"),
        (
            "bo jan, anna crown, anna crown",
            "bo won the final against anna by best won game, jan (4) against tower (2)",
        ),
        ("drawn", "anna won the final against bo by the better seed, 1 against 2"),
        ("void", "anna won the final against bo by the better seed, 1 against 2"),
    ],
)
def test_a_knock_out_says_what_decided_its_final(final, words) -> None:
    assert knocked_out("anna jan", "bo jan", final).replace("single crown", "tower") == words


def test_a_knock_out_says_who_is_still_in() -> None:
    assert knocked_out(is_over=False) == "4 of 4 entrants are still in: anna, dag, bo and cia"
    assert knocked_out("dag jan", is_over=False) == "3 of 4 entrants are still in: dag, bo and cia"
    assert (
        knocked_out("dag jan", is_over=False, withdrawn={"bo"})
        == "2 of 4 entrants are still in: dag and cia"
    )
    assert knocked_out("anna jan", withdrawn={"bo", "cia"}) == "anna won: no other entrant remained"


FIVE = "anna-bo: anna jan\nanna-cia: anna jan\nbo-cia:\nanna-dag:\ncia-dag:"
"""Two matches of five were played."""
ALL_GONE = {"anna", "bo", "cia", "dag"}
SHORT = "the tournament ended early, and 3 matches were not played: "


@pytest.mark.parametrize(
    ("form", "withdrawn", "words"),
    [
        (DEFAULT_FORMAT, {"dag"}, None),
        (DEFAULT_FORMAT, {"bo", "cia", "dag"}, f"{SHORT}only 1 entrant is left"),
        (DEFAULT_FORMAT, ALL_GONE, f"{SHORT}no entrant is left"),
        (Gauntlet(challengers=("anna",)), {"bo"}, None),
        (Gauntlet(challengers=("anna",)), {"anna"}, f"{SHORT}no challenger is left"),
        (
            Gauntlet(challengers=("anna",)),
            {"bo", "cia", "dag"},
            f"{SHORT}only challengers are left",
        ),
        (Gauntlet(challengers=("anna", "bo")), ALL_GONE, f"{SHORT}no challenger is left"),
    ],
)
def test_a_tournament_that_withdrawals_ended_early_says_why(form, withdrawn, words) -> None:
    entrants, schedule, results = tournament(FIVE)
    played = {result.fixture for result in results}
    unplayed = [fixture for fixture in schedule if fixture.id not in played]
    said = form.early_end(SoFar(entrants=entrants, results=results, withdrawn=withdrawn), unplayed)
    assert (said and say(said)) == words


def test_a_match_between_two_that_withdrew_is_no_early_end_for_one_who_has_played_all() -> None:
    entrants, schedule, results = tournament("anna-bo: anna jan\nanna-cia: anna jan\nbo-cia:")
    so_far = SoFar(entrants=entrants, results=results, withdrawn={"bo", "cia"})
    assert DEFAULT_FORMAT.early_end(so_far, schedule[2:]) is None


def test_a_knock_out_that_nobody_can_win_ended_early() -> None:
    def ended_early(withdrawn):
        rounds = []
        while drawn := Knockout().next_round(
            SoFar(entrants=NAMES[:4], rounds=rounds, withdrawn=withdrawn)
        ):
            rounds.append(drawn)
        return Knockout().early_end(
            SoFar(entrants=NAMES[:4], rounds=rounds, withdrawn=withdrawn), ()
        )

    assert ended_early(set(NAMES[1:4])) is None
    told = "the tournament ended early, without a winner: all entrants that were still in have withdrawn"
    assert say(ended_early(set(NAMES[:4]))) == told


@pytest.mark.parametrize(
    ("withdrawn", "why"),
    [
        ({"bo", "cia"}, "the 2 entrants that are still in have met"),
        ({"bo", "cia", "dag"}, "only 1 entrant is left"),
        (set(NAMES[:4]), "no entrant is left"),
    ],
)
def test_a_swiss_tournament_without_a_round_that_was_due_ended_early(withdrawn, why) -> None:
    swiss = SwissMonrad(rounds=2)
    fixtures = tuple(
        Fixture(round=1, first=one, second=other) for one, other in (("anna", "dag"), ("bo", "cia"))
    )
    so_far = SoFar(
        entrants=NAMES[:4], rounds=[Round(number=1, fixtures=fixtures)], withdrawn=withdrawn
    )
    assert swiss.next_round(so_far) is None
    assert (
        say(swiss.early_end(so_far, ())) == f"the tournament ended early, after round 1 of 2: {why}"
    )
    assert SwissMonrad(rounds=1).early_end(so_far, ()) is None


def test_many_that_are_still_in_are_counted() -> None:
    entrants = [f"bot{number}" for number in range(12)]
    table = standings(
        entrants,
        [],
        [],
        additions=FormatAdditions(columns=Knockout().columns(SoFar(entrants=entrants))),
    )
    assert [*map(say, Knockout().outlook(SoFar(entrants=entrants), table, {}))] == [
        "12 of 12 entrants are still in"
    ]
