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
from tests.fixtures.tournament_builders import DRAWN_GAME, games, settle, tournament, void

NAMES = ["anna", "bo", "cia", "dag", "eva", "finn"]


def outcome(text, form=DEFAULT_FORMAT, *, is_over=True, withdrawn=frozenset()):
    entrants, schedule, results = tournament(text)
    table = standings(entrants, schedule, results, withdrawn=withdrawn, names={"anna": "Anna A"})
    so_far = SoFar(entrants=entrants, results=results, withdrawn=withdrawn)
    if is_over:
        return list(map(say, form.outcome(so_far, table)))
    unplayed = to_play(schedule, results, withdrawn)
    return list(map(say, form.outlook(so_far, table, unplayed)))


def to_play(schedule, results, withdrawn=frozenset()):
    """How many matches each entrant has still to play."""
    decided = {result.fixture for result in results}
    unplayed = Counter()
    for fixture in schedule:
        if fixture.id not in decided and fixture.entrants.isdisjoint(withdrawn):
            unplayed.update(fixture.entrants)
    return unplayed


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
        ("anna-bo:\ncia-dag:", "no match counts yet: 2 matches left"),
        ("anna-bo: void\ncia-dag:", "no match counts yet: 1 match left"),
        (
            "anna-bo: -\ncia-dag:",
            "Anna A and bo lead together; cia and dag can still catch them: 1 match left",
        ),
        (
            "anna-bo: anna jan\ncia-bo:",
            "Anna A leads by 1 match point; bo and cia can still catch it: 1 match left",
        ),
        (
            "anna-bo: -\ncia-dag: dag jan\nanna-dag:\nbo-cia:",
            "dag leads by ½ match point; Anna A, bo and cia can still catch it: 2 matches left",
        ),
        (
            "anna-bo: anna jan\nanna-bo: anna jan\ncia-bo:",
            "Anna A has won: no other entrant can catch it, with 1 match left",
        ),
        (
            "anna-bo: anna jan\ncia-bo: cia off\nanna-cia:\ndag-eva: -",
            (
                "Anna A leads by game points, 4 against 1, level on match points with cia; "
                "cia can still catch it: 1 match left"
            ),
        ),
        (
            "anna-bo: anna jan\ncia-dag: cia jan\nbo-dag:",
            ("Anna A and cia lead together; bo and dag can still catch them: 1 match left"),
        ),
        (
            "anna-bo: anna jan\ncia-bo: cia jan\nanna-dag: anna jan\ncia-dag: cia jan\nbo-dag:",
            "Anna A and cia lead together; no other entrant can catch them: 1 match left",
        ),
        (
            "\n".join(f"anna-{name}: anna jan" for name in NAMES[1:]) + "\nbo-cia:",
            "Anna A has won: no other entrant can catch it, with 1 match left",
        ),
        (
            "anna-bo: anna jan\n" + "\n".join(f"anna-{name}:" for name in NAMES[1:]),
            "Anna A leads by 1 match point; 5 others can still catch it: 5 matches left",
        ),
    ],
)
def test_what_is_at_stake(text, words) -> None:
    assert outcome(text, is_over=False) == [words]


def test_an_entrant_without_a_match_left_that_is_behind_on_game_points_cannot_catch_up() -> None:
    text = "anna-bo: anna jan\ncia-bo: cia off\nbo-dag: bo off\nbo-eva:"
    assert outcome(text, is_over=False) == [
        (
            "Anna A leads by game points, 4 against 1, level on match points with bo and cia; "
            "bo and eva can still catch it: 1 match left"
        )
    ]


def test_annulled_matches_are_no_lead_and_the_withdrawn_cannot_catch_up() -> None:
    text = "anna-dag: dag jan\nanna-bo: anna jan\ncia-anna:\ncia-dag:\nbo-dag:\nbo-cia:"
    assert outcome(text, is_over=False, withdrawn={"dag"}) == [
        "Anna A leads by 1 match point; bo and cia can still catch it: 2 matches left"
    ]


def test_when_all_is_played_it_says_who_has_won_before_the_run_is_finished() -> None:
    assert outcome("anna-bo: anna jan", is_over=False) == [
        "Anna A won by match points, 1 against 0"
    ]


def test_rounds_that_are_still_to_be_drawn_count_in_a_swiss_tournament() -> None:
    text = "anna-bo: anna jan\ncia-dag: cia jan"
    assert outcome(text, SwissMonrad(rounds=2), is_over=False) == [
        "Anna A and cia lead together; bo and dag can still catch them: 4 matches left"
    ]
    assert outcome(text, SwissMonrad(rounds=2), is_over=False, withdrawn={"bo", "dag"}) == [
        "Anna A and cia lead together; no other entrant can catch them: 2 matches left"
    ]


def test_a_gauntlet_says_how_its_challenger_did() -> None:
    gauntlet = Gauntlet(challengers=("anna",))
    score = "Anna A has won 1 of 2 matches and lost 1, with 4 game points against 1"
    played = "anna-bo: anna jan\nanna-cia: cia off\n"
    assert outcome(played, gauntlet) == [score]
    assert outcome(f"{played}anna-dag:", gauntlet, is_over=False) == [
        "Anna A has 1 match point from 2 matches: 1 match left",
        score,
    ]
    assert outcome("anna-bo: void", gauntlet) == ["there is no winner"]
    assert outcome("anna-bo:", gauntlet, is_over=False) == ["no match counts yet: 1 match left"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "anna-bo: anna jan\nanna-cia: anna off\nanna-dag:",
            "Anna A has more than half of all match points already, with 1 match left",
        ),
        (
            "anna-bo: bo jan\nanna-cia: cia off\nanna-dag:",
            "Anna A can no longer get half of all match points: 1 match left",
        ),
        (
            "anna-bo: bo jan\nanna-cia: -\nanna-dag:",
            "Anna A has ½ match point from 2 matches: 1 match left",
        ),
    ],
)
def test_a_challenger_plays_for_half_of_all_match_points(text, words) -> None:
    assert outcome(text, Gauntlet(challengers=("anna",)), is_over=False)[0] == words


def test_several_challengers_are_compared_with_each_other_alone() -> None:
    text = "anna-bo: anna jan\ncia-bo: bo jan\nanna-dag:\ncia-dag:"
    gauntlet = Gauntlet(challengers=("anna", "cia"))
    assert outcome(text, gauntlet, is_over=False)[0] == (
        "Anna A leads by 1 match point; cia can still catch it: 2 matches left"
    )
    text = "anna-bo: anna jan\ncia-bo: bo jan\nanna-dag: anna jan\ncia-dag:"
    assert outcome(text, gauntlet, is_over=False)[0] == (
        "Anna A has won: no other entrant can catch it, with 1 match left"
    )


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
    assert (
        knocked_out("dag jan", is_over=False)
        == "dag is in the final; bo and cia play for the other place"
    )
    assert knocked_out("dag jan", is_over=False, withdrawn={"bo"}) == "dag and cia play the final"
    assert (
        knocked_out("anna jan", is_over=False)
        == "anna is in the final; bo and cia play for the other place"
    )
    assert knocked_out("anna jan", "cia jan", is_over=False) == "anna and cia play the final"
    assert knocked_out("anna jan", "drawn", is_over=False) == "anna and bo play the final"
    assert (
        knocked_out("anna jan", "cia jan", "cia jan", is_over=False)
        == "cia won the final against anna by game points, 4 against 0"
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
