"""A match replayed from its record: the machine produces the same facts, and nothing else."""

import msgspec
import pytest

from arena.matches.facts import (
    ClockExtended,
    FlagFell,
    TurnPlayed,
)
from arena.records.lines import RecordError, read_attempts
from arena.records.replay import Replay, find_turn
from arena.records.verify import verify_attempt
from tests.matches.caller import CALLER, by_these_rules
from tests.matches.pairs import TERMS as PAIRS
from tests.matches.sitting import TERMS, Sitting
from tests.records.small_run import (
    agreed_attempt,
    attempt_record,
    brandubh_attempt,
    called_attempt,
    closed,
    facts_of,
    lines,
    played_attempt,
    starved_attempt,
    voided_attempt,
)

BOTH = pytest.mark.parametrize(
    "sitting",
    [voided_attempt(), played_attempt(), brandubh_attempt(), agreed_attempt()],
    ids=["void", "played", "brandubh", "agreed"],
)


@BOTH
def test_without_the_seed_the_dice_are_taken_from_the_record(sitting: Sitting) -> None:
    for length in range(1, len(sitting.facts) + 1):
        [attempt] = read_attempts("x", lines(sitting.facts[:length]))
        verify_attempt(attempt)
        replay = Replay(attempt.opened, sitting.seed, "x")
        for where, fact in attempt.facts:
            replay.take(fact, where)
        followed = [*sitting.facts[1:length], *replay.missing()]
        assert followed == sitting.facts[1 : len(followed) + 1]


@BOTH
def test_any_two_neighbouring_facts_that_are_swapped_are_found(sitting: Sitting) -> None:
    """No two facts of different times may change places."""
    facts = facts_of(sitting)
    for first in range(1, len(facts) - 2):
        if facts[first].at_ms == facts[first + 1].at_ms:
            continue  # what happened in one millisecond and does not depend on each other may stand in either order
        swapped = [*facts[:first], facts[first + 1], facts[first], *facts[first + 2 :]]
        with pytest.raises(RecordError):
            verify_attempt(read_attempts("x", closed(b"", swapped))[0])


def test_the_game_before_a_turn_can_be_looked_at() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.ready()
    asked = sitting.game
    sitting.plays()
    [attempt] = read_attempts("x", lines(sitting.facts))
    replay = Replay(attempt.opened, sitting.seed, "x")
    for where, fact in attempt.facts:
        if isinstance(fact, TurnPlayed):
            seen = replay.turn_of(fact.game)
            assert (seen.position, seen.dice, seen.mover, seen.turn) == (asked.position, asked.dice, asked.mover, 1)
        replay.take(fact, where)


def test_without_the_seed_the_dice_that_were_called_for_are_taken_from_the_record() -> None:
    sitting = called_attempt()
    with by_these_rules(CALLER):
        for length in range(1, len(sitting.facts) + 1):
            verify_attempt(read_attempts("x", lines(sitting.facts[:length]))[0])
        number = next(number for number, fact in enumerate(sitting.facts) if isinstance(fact, TurnPlayed))
        for dice in ((), (4, 1)):
            changed = [*sitting.facts[:number], msgspec.structs.replace(sitting.facts[number], dice=dice)]
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
    with pytest.raises(RecordError, match="not known before the match is over"):
        find_turn(attempt, 1, asked[-1].turn)


def test_a_turn_that_never_was_is_refused_with_those_there_are() -> None:
    [attempt] = read_attempts("x", attempt_record(played_attempt()))
    with pytest.raises(RecordError, match="there is no turn 999 of game 1 in attempt 2: game 1 has turns 1 to "):
        find_turn(attempt, 1, 999)
    with pytest.raises(RecordError, match="game 9 was not begun"):
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
    with pytest.raises(RecordError, match="flag_fell cannot follow here: its clock had not run out"):
        verify_attempt(attempt)


def test_a_pair_whose_clocks_and_a_grace_run_out_in_the_same_millisecond_verifies() -> None:
    """The record tells of the clock of the second half too late to judge it before the grace."""
    sitting = Sitting(terms=msgspec.structs.replace(PAIRS, bank_ms=0))
    sitting.ready()
    sitting.leaves(1, grace_ms=sitting.opened.terms.delay_ms)
    sitting.waits(1000)
    assert [ended.result.cause for ended in sitting.ended] == ["disconnect", "disconnect"]
    verify_attempt(read_attempts("x", lines(sitting.facts))[0])


def test_a_clock_that_was_extended_and_the_flag_after_it_are_replayed() -> None:
    """The record alone gives the same verdict; another measurement gives another, which is found."""
    sitting = starved_attempt()
    [extended], [flag] = sitting.of(ClockExtended), sitting.of(FlagFell)
    assert flag.measured.starved_ms == 305
    [attempt] = read_attempts("x", lines(sitting.facts))
    verify_attempt(attempt)
    forged = msgspec.structs.replace(extended, extended_ms=250)
    [attempt] = read_attempts("x", lines([forged if fact is extended else fact for fact in sitting.facts]))
    with pytest.raises(RecordError, match="the replay gives"):
        verify_attempt(attempt)
