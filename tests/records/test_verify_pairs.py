"""Records of pairs: the order of the steps, the dice and the ends that were kept back are worked out anew."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import pytest

from arena.matches.facts import FlagFell, GameStarted, TurnPlayed, TurnRejected
from arena.matches.state import pair_of
from arena.records.facts import FixtureSettled
from arena.records.lines import RecordError, read_attempts, tournament_lines
from arena.records.replay import find_turn
from arena.records.verify import Verified, verify_run
from tests.matches.sitting import SEED, Sitting
from tests.records.forgeries import LEDGER, Line, assert_refused, bytes_of, nth, replaced, setting, twice
from tests.records.small_run import (
    RECORD,
    Files,
    attempt_record,
    forge,
    lines,
    opened_tournament,
    pairs_attempt,
    run_of,
)


def pairs_run() -> Files:
    """A finished run with one match of two pairs."""
    sitting = pairs_attempt()
    assert [(fact.game, fact.result.cause) for fact in sitting.ended] == [
        (2, "illegal_turns"),
        (1, None),
        (3, "time"),
        (4, "illegal_turns"),
    ]
    return run_of(opened_tournament(sitting.opened.terms), sitting)


def test_a_run_of_pairs_is_in_order() -> None:
    assert verify_run(pairs_run()) == Verified(fixtures=1, scheduled=1, games=4, turns=4, is_finished=True)


def test_the_games_are_settled_in_the_order_of_their_numbers() -> None:
    """So that two and two of them are a pair, however they ended."""
    facts = [fact for _, fact in tournament_lines.read(LEDGER, pairs_run()[LEDGER])]
    [settled] = [fact for fact in facts if isinstance(fact, FixtureSettled)]
    assert [game.cause for game in settled.games] == [None, "illegal_turns", "time", "illegal_turns"]


def test_the_dice_of_both_halves_are_counted_once() -> None:
    """Figures of dice would look odd if each of them came twice."""
    facts = pairs_attempt().facts
    thrown = [die for fact in facts if isinstance(fact, GameStarted) and fact.game % 2 for die in chain(*fact.opening)]
    rolled = {
        (pair_of(fact.game), fact.turn): fact.dice
        for fact in facts
        if isinstance(fact, TurnPlayed | TurnRejected | FlagFell)
    }
    dealt = verify_run(pairs_run()).dealt
    assert sorted(chain(*dealt)) == sorted([*thrown, *chain(*rolled.values())])


def test_any_turn_of_either_half_is_found_as_it_was_put_to_its_bot() -> None:
    """Also while the other half stands elsewhere; turns that neither half came to are not."""
    sitting = pairs_attempt()
    [attempt] = read_attempts(RECORD, attempt_record(sitting))
    asked = [fact for fact in sitting.facts if isinstance(fact, TurnPlayed | TurnRejected | FlagFell)]
    for fact in asked:
        _, game = find_turn(attempt, fact.game, fact.turn)
        assert (game.number, game.turn, game.mover, game.dice) == (fact.game, fact.turn, fact.seat, tuple(fact.dice))
    for number, turns in ((1, 3), (2, 2), (3, 1), (4, 1)):
        with pytest.raises(RecordError, match=f"game {number} has turns 1 to {turns}"):
            find_turn(attempt, number, turns + 1)


def test_a_turn_is_found_that_was_lost_with_the_connection() -> None:
    """The bot that left was asked in one half and waited in the other; the open turn is found in both."""
    sitting = Sitting(terms=pairs_attempt().opened.terms)
    sitting.ready()
    sitting.leaves(1, grace_ms=0)
    [attempt] = read_attempts(RECORD, lines([*sitting.facts]))
    for number in (1, 2):
        assert find_turn(replace(attempt, seed=SEED), number, 1)[1].turn == 1


def test_a_half_that_waits_for_the_other_has_no_next_turn_yet() -> None:
    sitting = Sitting(terms=pairs_attempt().opened.terms)
    sitting.ready()
    sitting.at(1).plays()
    [attempt] = read_attempts(RECORD, lines([*sitting.facts]))
    with pytest.raises(RecordError, match="game 1 has turns 1 to 1"):
        find_turn(replace(attempt, seed=SEED), 1, 2)


def moved(event: str, number: int, before: str, at: int) -> Callable[[list[Line]], None]:
    """Put one line in front of another."""

    def change(found: list[Line]) -> None:
        line = nth(found, event, number)
        place = found.index(nth(found, before, at))
        found.remove(line)
        found.insert(place, line)

    return change


def swapped_halves(found: list[Line]) -> None:
    """Give out each half as the other, without its start."""
    for line in found:
        if line["event"] == "turn_played":
            line["game"] = {1: 2, 2: 1}[line["game"]]


FORGERIES = {
    "a turn before the other half has come as far": moved("turn_played", 2, "turn_played", 1),
    "an end before the other half has come as far": moved("game_ended", 3, "flag_fell", 0),
    "an end after it was due": moved("turn_played", 3, "game_ended", 0),
    "other dice in the first half": setting("turn_played", 0, dice=[6, 6]),
    "other dice in the second half": setting("turn_played", 1, dice=[6, 6]),
    "dice of the half that went on alone": setting("turn_played", 3, dice=[1, 1]),
    "the throw of the second half not mirrored": lambda found: nth(found, "game_started", 1).__setitem__(
        "opening", nth(found, "game_started")["opening"]
    ),
    "the same side starting both halves": lambda found: nth(found, "game_started", 1).__setitem__(
        "starter", nth(found, "game_started")["starter"]
    ),
    "only one half started": lambda found: found.remove(nth(found, "game_started", 1)),
    "a half started twice": twice("game_started", 1),
    "the halves taken for each other": swapped_halves,
    "a turn of another game": setting("turn_played", 2, game=2),
    "time taken while it waited": setting("turn_played", 2, spent_ms=1),
    "the cause of an end that was kept back": setting("game_ended", 3, result__cause="time"),
    "an answer in a half that is over": twice("turn_rejected", 3),
    "a series": lambda found: nth(found, "match_opened")["terms"].__setitem__("form", "series"),
    "an odd number of games": lambda found: nth(found, "match_opened")["terms"].__setitem__("games", 3),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_false_line_in_a_record_of_pairs_is_found(change: Callable[[list[Line]], None]) -> None:
    files = pairs_run()
    forged = forge(files, RECORD, change)
    assert forged[RECORD] != files[RECORD]
    assert_refused(forged, RECORD, LEDGER)


@pytest.mark.parametrize(("best_game", "form"), [("value", "pairs"), ("none", "series")])
def test_won_games_are_compared_in_a_series_and_not_in_pairs(best_game: str, form: str) -> None:
    def change(found: list[Line]) -> None:
        opened = nth(found, "tournament_opened")
        opened["best_game"] = best_game
        opened["terms"]["form"] = form

    assert "best_game is" in str(assert_refused(forge(pairs_run(), LEDGER, change), LEDGER))


def test_any_byte_of_a_run_of_pairs_with_a_bit_flipped_is_found() -> None:
    """Every third byte, which is enough for every field."""
    run = pairs_run()
    for number, (name, place) in list(enumerate(bytes_of(run)))[::3]:
        assert_refused(replaced(run, name, place, 1, bytes([run[name][place] ^ 1 << number % 8])), name)
