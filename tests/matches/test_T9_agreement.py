"""T9: a draw is offered with a turn and accepted instead of the next one."""

from typing import Any

import pytest

from arena.games import load_game
from arena.games.brandubh.notation import parse_moves
from arena.matches.facts import DrawAgreed, FlagFell, Terms, TurnPlayed
from arena.matches.state import due_ms
from arena.matches.time_control import TimeControl
from arena.records.lines import encode_line
from tests.fixtures.sitting import VASA, Sitting, tags

BRANDUBH = load_game("brandubh-1")
NEVER_AGREED = load_game({"base": "brandubh-1", "name": "to-the-end", "draw_by_agreement": False})
TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=2,
    turn_limit=1000,
    startup_ms=5000,
)
MOVE = [["d1", "c1"]]
REPLY = [["d3", "c3"]]
BLOCKED = [["d3", "d2"]]


def seated(rules: Any = BRANDUBH, terms: Terms = TERMS) -> Sitting:
    sitting = Sitting(rules=rules, terms=terms)
    sitting.ready()
    return sitting


def offered() -> Sitting:
    """Seat 1 has moved and offered a draw."""
    sitting = seated()
    sitting.plays(MOVE, offers_draw=True)
    return sitting


@pytest.fixture
def sitting() -> Sitting:
    return offered()


def test_T9_an_offer_that_is_accepted_draws_the_game(sitting: Sitting) -> None:
    assert sitting.of(TurnPlayed)[0].draw_offered is True
    sitting.waits(150)
    agreed, ended, started = sitting.accepts_draw(info="dead even")
    assert (agreed.game, agreed.turn, agreed.seat, agreed.info) == (1, 2, 2, "dead even")
    assert (agreed.spent_ms, agreed.left_ms) == (150, 950)
    result = ended.result
    assert (result.ending, result.clause, result.winner, result.points) == (
        "agreement",
        "T9",
        None,
        0,
    )
    assert (ended.turns, ended.result.cause, ended.result.rank, ended.score) == (
        1,
        None,
        None,
        (0, 0),
    )
    assert (started.starter, sitting.match.standing.violations) == (2, (0, 0))


def test_T9_the_bot_to_move_sees_an_offer_until_it_has_played(sitting: Sitting) -> None:
    assert sitting.game.draw_offered
    sitting.plays(BLOCKED)
    assert sitting.game.draw_offered
    sitting.plays(REPLY)
    assert not sitting.game.draw_offered


def test_T9_an_offer_lapses_when_the_opponent_plays_on(sitting: Sitting) -> None:
    sitting.plays(REPLY)
    [own] = sitting.accepts_draw()
    assert (own.code, own.clause, own.seat) == ("no_draw_offered", "T9", 1)
    sitting.plays([["c1", "d1"]])
    assert sitting.accepts_draw()[0].code == "no_draw_offered"


def test_T9_an_offer_may_be_answered_by_an_offer(sitting: Sitting) -> None:
    assert tags(sitting.plays(REPLY, offers_draw=True)) == ["turn_played"]
    assert tags(sitting.accepts_draw())[:2] == ["draw_agreed", "game_ended"]
    assert sitting.of(DrawAgreed)[0].seat == 1


def test_T9_a_draw_may_still_be_accepted_after_an_illegal_turn(sitting: Sitting) -> None:
    sitting.plays(BLOCKED)
    assert tags(sitting.accepts_draw())[:2] == ["draw_agreed", "game_ended"]


def test_T9_an_acceptance_without_an_offer_is_an_illegal_turn() -> None:
    sitting = seated()
    sitting.waits(40)
    [fact] = sitting.accepts_draw(info="please")
    assert (fact.code, fact.clause, fact.left, fact.legal_turns) == ("no_draw_offered", "T9", 1, 40)
    assert (fact.moves, fact.draw, fact.dice, fact.spent_ms) == (None, "accept", (), 40)
    assert fact.message == (
        "a draw was accepted, but the opponent did not offer one with its last turn; "
        "play a turn without it; 40 are legal."
    )
    sitting.accepts_draw()
    assert tags(sitting.accepts_draw())[:2] == ["turn_rejected", "game_ended"]
    assert (sitting.ended[0].result.winner, sitting.ended[0].result.cause) == (2, "illegal_turns")


@pytest.mark.parametrize("rules", [VASA, NEVER_AGREED], ids=lambda rules: rules.name)
def test_T9_where_draws_are_not_agreed_offers_and_acceptances_are_illegal_turns(rules: Any) -> None:
    """With a code of its own, whatever the moves; the same moves without the offer are legal."""
    sitting = seated(rules)
    legal = sitting.legal
    [offer] = sitting.plays(legal[0].moves, offers_draw=True)
    assert (offer.code, offer.clause, offer.draw, offer.legal_turns) == (
        "no_agreement",
        "T9",
        "offer",
        len(legal),
    )
    assert offer.moves == legal[0].moves
    assert (
        f"a draw was offered, but a game under {rules.name} is never drawn by agreement"
        in offer.message
    )
    [acceptance] = sitting.accepts_draw()
    assert (acceptance.code, acceptance.draw, acceptance.moves) == ("no_agreement", "accept", None)
    assert tags(sitting.plays(legal[0].moves)) == ["turn_played"]


@pytest.mark.parametrize(("rules", "code"), [(VASA, "no_agreement"), (BRANDUBH, "no_such_choice")])
def test_T9_an_offer_with_a_choice_beyond_the_list_is_rejected_for_the_offer_where_none_may_be_made(
    rules: Any, code: str
) -> None:
    [fact] = seated(rules).chooses(1000, offers_draw=True)
    assert (fact.code, fact.draw, fact.choice, fact.moves) == (code, "offer", 1000, None)


def test_T9_an_illegal_turn_with_an_offer_is_judged_by_its_moves_and_offers_nothing() -> None:
    sitting = seated()
    [fact] = sitting.plays([["d1", "d3"]], offers_draw=True)
    assert (fact.code, fact.clause, fact.draw) == ("blocked", "T2", "offer")
    sitting.plays(MOVE)
    assert not sitting.game.draw_offered
    assert sitting.accepts_draw()[0].code == "no_draw_offered"


def test_T9_an_offer_with_the_move_that_ends_the_game_counts_for_nothing() -> None:
    sitting = seated()
    moves = "d1-b1 d3-a3 b1-d1 d4-d3 d1-b1 d3-b3 b4-b7 b3-b2 b7-c7 b2-a2 c7-b7"
    for move in moves.split():
        sitting.plays(parse_moves(move))
    played, ended, _ = sitting.plays(parse_moves("a2-a1"), offers_draw=True)
    assert played.draw_offered is True
    assert (ended.result.ending, ended.result.winner) == ("king_escaped", 2)
    assert not sitting.game.draw_offered


def test_T9_an_offer_with_the_last_turn_of_the_limit_counts_for_nothing() -> None:
    sitting = seated(
        terms=Terms(
            games=1,
            clock=TimeControl(delay_ms=0, bank_ms=9),
            rejections=0,
            turn_limit=1,
            startup_ms=1,
        )
    )
    assert sitting.plays(MOVE, offers_draw=True)[1].result.ending == "turn_limit"


@pytest.mark.parametrize("late_ms", [1, 5000])
def test_T9_an_acceptance_that_comes_too_late_is_the_flag(sitting: Sitting, late_ms: int) -> None:
    """Time is looked at first; on the very millisecond it is in time."""
    sitting.now_ms += 1100
    assert tags(sitting.accepts_draw())[0] == "draw_agreed"
    sitting = offered()
    sitting.now_ms += 1100 + late_ms
    facts = sitting.accepts_draw()
    assert isinstance(facts[0], FlagFell)
    assert (facts[1].result.winner, facts[1].result.cause) == (1, "time")


def test_what_is_not_said_of_draws_is_not_in_the_lines() -> None:
    """Records of other games look as they always did."""
    sitting = seated()
    sitting.plays(MOVE)
    sitting.plays(BLOCKED)
    for line in map(encode_line, sitting.facts[1:]):
        assert b"draw" not in line
    assert due_ms(sitting.match) is not None
