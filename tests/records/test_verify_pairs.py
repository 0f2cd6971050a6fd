"""Records of pairs: the order of the steps, the dice and the ends that were kept back are worked out anew."""

from dataclasses import replace
from itertools import chain

import pytest

from arena.matches.facts import FlagFell, GameStarted, TurnPlayed, TurnRejected
from arena.matches.state import pair_of
from arena.records.facts import FixtureSettled
from arena.records.lines import RecordError, read_attempts, tournament_lines
from arena.records.replay import find_turn
from arena.records.verify import verify_run
from tests.matches.sitting import SEED, Sitting
from tests.records.forgeries import LEDGER
from tests.records.small_run import (
    RECORD,
    Files,
    attempt_record,
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
