"""A match replayed from its record: the machine produces the same facts, and nothing else."""

from dataclasses import replace
from itertools import chain

import msgspec
import pytest
from msgspec import UNSET

from arena.matches.facts import (
    BotLeft,
    ClockExtended,
    FlagFell,
    GameStarted,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.state import MOST_LOSSES, pair_of
from arena.matches.time_control import TimeControl
from arena.records.facts import FixtureSettled
from arena.records.lines import RecordError, read_attempts, tournament_lines
from arena.records.replay import Replay, find_turn, verify_attempt
from arena.records.verify import verify_run
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.forgeries import LEDGER
from tests.fixtures.pair_matches import TERMS as PAIRS
from tests.fixtures.sample_runs import run_with
from tests.fixtures.sitting import SEED, TERMS, Sitting
from tests.fixtures.small_run import (
    RECORD,
    agreed_attempt,
    attempt_record,
    brandubh_attempt,
    called_attempt,
    closed,
    facts_of,
    lines,
    pairs_attempt,
    played_attempt,
    rested_attempt,
    starved_attempt,
    voided_attempt,
)

BOTH = pytest.mark.parametrize(
    "sitting",
    [voided_attempt(), played_attempt(), brandubh_attempt(), agreed_attempt(), rested_attempt()],
    ids=["void", "played", "brandubh", "agreed", "rested"],
)


@BOTH
def test_without_the_seed_the_dice_are_taken_from_the_record(sitting: Sitting) -> None:
    for length in range(1, len(sitting.facts) + 1):
        [attempt] = read_attempts("x", lines(sitting.facts[:length]))
        verify_attempt(attempt)
        replay = Replay(attempt.opened, sitting.seed, "x")
        for where, fact in attempt.facts:
            replay.check(fact, where)
        followed = [*sitting.facts[1:length], *replay.missing()]
        assert followed == sitting.facts[1 : len(followed) + 1]


@BOTH
def test_any_two_neighbouring_facts_that_are_swapped_are_found(sitting: Sitting) -> None:
    """No two facts of different times may change places."""
    facts = facts_of(sitting)
    for first in range(1, len(facts) - 2):
        if facts[first].at_ms == facts[first + 1].at_ms:
            # what happened in one millisecond and does not depend on each other may stand in either
            # order
            continue
        swapped = [*facts[:first], facts[first + 1], facts[first], *facts[first + 2 :]]
        with pytest.raises(RecordError):
            verify_attempt(read_attempts("x", closed(b"", swapped))[0])


def test_without_the_seed_the_dice_that_were_called_for_are_taken_from_the_record() -> None:
    sitting = called_attempt()
    with by_these_rules(CALLER):
        for length in range(1, len(sitting.facts) + 1):
            verify_attempt(read_attempts("x", lines(sitting.facts[:length]))[0])
        number = next(
            number for number, fact in enumerate(sitting.facts) if isinstance(fact, TurnPlayed)
        )
        for dice in ((), (4, 1)):
            changed = [
                *sitting.facts[:number],
                msgspec.structs.replace(sitting.facts[number], dice=dice),
            ]
            with pytest.raises(RecordError):
                verify_attempt(read_attempts("x", lines(changed))[0])


def test_every_turn_can_be_found_with_the_position_and_dice_it_was_asked_with() -> None:
    """Also the last one that was asked and never answered; with and without the seed as far as dice are recorded."""
    sitting = Sitting(terms=TERMS)
    sitting.ready()
    asked = [sitting.game]
    sitting.plays_illegally()
    for _ in range(3):
        sitting.plays()
        asked.append(sitting.game)
    [attempt] = read_attempts("x", lines(sitting.facts))
    for seed in (None, sitting.seed):
        attempt.seed = seed
        for game in asked if seed else asked[:-1]:
            _, found = find_turn(attempt, 1, game.turn)
            assert (found.position, found.dice, found.mover, found.rejections) == (
                game.position,
                game.dice,
                game.mover,
                (0, 0) if game.turn == 1 else game.rejections,
            )
    attempt.seed = None
    with pytest.raises(RecordError, match="not known until the match is over"):
        find_turn(attempt, 1, asked[-1].turn)


def test_a_turn_that_never_was_is_refused_with_those_there_are() -> None:
    [attempt] = read_attempts("x", attempt_record(played_attempt()))
    with pytest.raises(
        RecordError, match="there is no turn 999 of game 1 in attempt 2: game 1 has turns 1 to "
    ):
        find_turn(attempt, 1, 999)
    with pytest.raises(RecordError, match="game 9 was not started"):
        find_turn(attempt, 9, 1)


def test_a_turn_after_a_call_is_found_with_the_dice_that_were_called_for() -> None:
    sitting = called_attempt()
    with by_these_rules(CALLER):
        [attempt] = read_attempts("x", lines(sitting.facts))
        played = next(fact for fact in sitting.facts if isinstance(fact, TurnPlayed))
        _, found = find_turn(attempt, played.game, played.turn)
        assert (found.dice, found.calls) == (tuple(played.dice), ())


def test_a_flag_that_fell_before_its_clock_had_run_out_is_found() -> None:
    """On the very millisecond an answer would have been in time."""
    sitting = Sitting(terms=TERMS)
    sitting.ready()
    sitting.waits(1101)
    [flag] = sitting.of(FlagFell)
    early = msgspec.structs.replace(flag, at_ms=flag.at_ms - 1, spent_ms=1100)
    [attempt] = read_attempts("x", lines([*sitting.facts[: sitting.facts.index(flag)], early]))
    with pytest.raises(
        RecordError, match="flag_fell cannot follow here: its clock had not run out"
    ):
        verify_attempt(attempt)


def test_a_pair_whose_clocks_and_a_grace_run_out_in_the_same_millisecond_verifies() -> None:
    """The record tells of the clock of the second half too late to judge it before the grace."""
    sitting = Sitting(
        terms=msgspec.structs.replace(PAIRS, clock=TimeControl(delay_ms=100, bank_ms=0))
    )
    sitting.ready()
    sitting.leaves(1, grace_ms=sitting.opened.terms.clock.delay_ms)
    sitting.waits(1000)
    assert [ended.result.cause for ended in sitting.ended] == ["disconnect", "disconnect"]
    verify_attempt(read_attempts("x", lines(sitting.facts))[0])


def test_a_loss_that_the_arena_caused_is_no_violation_in_the_record_either() -> None:
    sitting = brandubh_attempt()
    [attempt] = read_attempts("x", lines(sitting.facts))
    verify_attempt(attempt)
    [left] = sitting.of(BotLeft)
    blamed = [
        msgspec.structs.replace(fact, blameless=UNSET) if fact is left else fact
        for fact in sitting.facts
    ]
    [attempt] = read_attempts("x", lines(blamed))
    with pytest.raises(RecordError, match="match_ended"):
        verify_attempt(attempt)


def test_a_clock_that_was_extended_and_the_flag_after_it_are_replayed() -> None:
    """The record alone gives the same verdict; another measurement gives another, which is found."""
    sitting = starved_attempt()
    [extended], [flag] = sitting.of(ClockExtended), sitting.of(FlagFell)
    assert flag.measured.starved_ms == 305
    [attempt] = read_attempts("x", lines(sitting.facts))
    verify_attempt(attempt)
    forged = msgspec.structs.replace(extended, extended_ms=250)
    [attempt] = read_attempts(
        "x", lines([forged if fact is extended else fact for fact in sitting.facts])
    )
    with pytest.raises(RecordError, match="the replay gives"):
        verify_attempt(attempt)


def test_a_match_that_a_bot_forfeits_by_coming_and_going_is_replayed() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.ready()
    for _ in range(MOST_LOSSES):
        sitting.leaves(2, grace_ms=500)
        sitting.waits(10)
        sitting.ready(2)
    assert sitting.is_over
    verify_attempt(read_attempts("x", lines(sitting.facts))[0])
    fewer = [*sitting.facts[:10], *sitting.facts[12:]]
    with pytest.raises(RecordError, match=r"but the replay gives|cannot follow"):
        verify_attempt(read_attempts("x", lines(fewer))[0])


def test_the_games_are_settled_in_the_order_of_their_numbers() -> None:
    """So that two and two of them are a pair, however they ended."""
    facts = [fact for _, fact in tournament_lines.read(LEDGER, run_with(pairs_attempt())[LEDGER])]
    [settled] = [fact for fact in facts if isinstance(fact, FixtureSettled)]
    assert [game.cause for game in settled.games] == [
        None,
        "illegal_turns",
        "time",
        "illegal_turns",
    ]


def test_the_dice_of_both_halves_are_counted_once() -> None:
    """Figures of dice would look odd if each of them came twice."""
    facts = pairs_attempt().facts
    thrown = [
        die
        for fact in facts
        if isinstance(fact, GameStarted) and fact.game % 2
        for die in chain(*fact.opening)
    ]
    rolled = {
        (pair_of(fact.game), fact.turn): fact.dice
        for fact in facts
        if isinstance(fact, TurnPlayed | TurnRejected | FlagFell)
    }
    dealt = verify_run(run_with(pairs_attempt())).dealt
    assert sorted(chain(*dealt)) == sorted([*thrown, *chain(*rolled.values())])


def test_any_turn_of_either_half_is_found_as_it_was_put_to_its_bot() -> None:
    """Also while the other half stands elsewhere; turns that neither half came to are not."""
    sitting = pairs_attempt()
    [attempt] = read_attempts(RECORD, attempt_record(sitting))
    asked = [
        fact for fact in sitting.facts if isinstance(fact, TurnPlayed | TurnRejected | FlagFell)
    ]
    for fact in asked:
        _, game = find_turn(attempt, fact.game, fact.turn)
        assert (game.number, game.turn, game.mover, game.dice) == (
            fact.game,
            fact.turn,
            fact.seat,
            tuple(fact.dice),
        )
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
