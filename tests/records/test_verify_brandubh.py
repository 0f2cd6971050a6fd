"""`verify_run` of games without dice, and of draws by agreement."""

from collections.abc import Callable

import pytest

from arena.records.verify import Verified, verify_run
from tests.records.forgeries import (
    LEDGER,
    Line,
    assert_refused,
    bytes_of,
    replaced,
    setting,
    twice,
    without,
    without_field,
)
from tests.records.small_run import RECORD, Files, agreed_attempt, brandubh_attempt, forge, opened_tournament, run_of


def brandubh_run() -> Files:
    """A finished run of Brandubh."""
    sitting = brandubh_attempt()
    return run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)


def test_a_run_of_brandubh_is_in_order() -> None:
    assert verify_run(brandubh_run()) == Verified(fixtures=1, scheduled=1, games=3, turns=18, is_finished=True)
    endings = [(one.result.ending, one.result.winner, one.result.points) for one in brandubh_attempt().ended]
    assert endings == [("turn_limit", None, 0), ("repetition", None, 0), ("forfeit", 1, 1)]


BRANDUBH_FORGERIES = {
    "dice in a game without": setting("turn_played", 0, dice=[6, 1]),
    "another move": setting("turn_played", 9, moves=[["d1", "b1"]]),
    "an illegal move as played": setting("turn_played", 9, moves=[["d1", "d2"]]),
    "who starts": setting("game_started", 1, starter=1),
    "a throw for the start": setting("game_started", 0, opening=[[3, 1]]),
    "a winner of a repetition": setting("game_ended", 1, winner=1),
    "points for a repetition": setting("game_ended", 1, points=1),
    "another reason for the draw": setting("game_ended", 1, ending="no_move"),
    "a rank": setting("game_ended", 2, rank=1),
}


@pytest.mark.parametrize("change", BRANDUBH_FORGERIES.values(), ids=BRANDUBH_FORGERIES)
def test_a_false_line_in_a_record_of_brandubh_is_found(change: Callable[[list[Line]], None]) -> None:
    assert_refused(forge(brandubh_run(), RECORD, change), RECORD, LEDGER)


def agreed_run() -> Files:
    """A finished run with games drawn by agreement."""
    sitting = agreed_attempt()
    return run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)


def test_a_run_with_draws_by_agreement_is_in_order() -> None:
    assert verify_run(agreed_run()) == Verified(fixtures=1, scheduled=1, games=3, turns=6, is_finished=True)
    assert [one.result.ending for one in agreed_attempt().ended] == ["agreement", "turn_limit", "agreement"]


AGREED_FORGERIES = {
    "an agreement without an offer": without_field("turn_played", "draw_offered"),
    "an offer taken back": setting("turn_played", 0, draw_offered=False),
    "an offer said not to be one": setting("turn_played", 2, draw_offered=False),
    "an acceptance too early": lambda found: found.insert(3, found.pop(6)),
    "an acceptance left out": without("draw_agreed"),
    "an acceptance told twice": twice("draw_agreed"),
    "who accepted": setting("draw_agreed", 0, seat=1),
    "the turn of an acceptance": setting("draw_agreed", 0, turn=1),
    "the game of an acceptance": setting("draw_agreed", 0, game=2),
    "the time of an acceptance": setting("draw_agreed", 0, spent_ms=140),
    "what is left after an acceptance": setting("draw_agreed", 0, left_ms=200),
    "an acceptance that took more than there was": setting("draw_agreed", 0, spent_ms=301),
    "a rejected acceptance as moves": setting("turn_rejected", 0, moves=[["d1", "d2"]]),
    "a rejected acceptance as an offer": setting("turn_rejected", 0, draw="offer"),
    "a rejected acceptance as a turn": without_field("turn_rejected", "draw"),
    "a rejected acceptance as accepted": setting("turn_rejected", 0, code="no_agreement"),
    "the ending": setting("game_ended", 0, ending="repetition"),
    "the clause": setting("game_ended", 0, clause="T8"),
    "a winner of a draw": setting("game_ended", 0, winner=1, points=1),
    "the turns": setting("game_ended", 0, turns=2),
    "an agreement as a limit": setting("game_ended", 2, ending="turn_limit", clause="B10.3"),
}


@pytest.mark.parametrize("change", AGREED_FORGERIES.values(), ids=AGREED_FORGERIES)
def test_a_false_line_about_a_draw_is_found(change: Callable[[list[Line]], None]) -> None:
    assert_refused(forge(agreed_run(), RECORD, change), RECORD, LEDGER)


@pytest.mark.unmeasured
@pytest.mark.parametrize("run", [brandubh_run(), agreed_run()], ids=["brandubh", "agreed"])
def test_any_byte_of_a_run_of_brandubh_with_a_bit_flipped_is_found(run: Files) -> None:
    """Every third byte, which is enough for every field."""
    for number, (name, place) in list(enumerate(bytes_of(run)))[::3]:
        assert_refused(replaced(run, name, place, 1, bytes([run[name][place] ^ 1 << number % 8])), name)


def test_won_games_of_brandubh_cannot_have_been_compared_by_rank() -> None:
    """The endings have none, so that no arena has played such a tournament."""
    forged = forge(brandubh_run(), LEDGER, setting("tournament_opened", best_game="rank"))
    assert "the endings of brandubh-1 have no ranks" in str(assert_refused(forged, LEDGER))
