"""Bots that are not there: before the match, in mid-game, between games; who forfeits what, and when nobody does."""

import pytest
from msgspec.structs import replace

from arena.games.result import Result, Seat
from arena.matches.events import TimePassed, TurnAnswered
from arena.matches.facts import BotMissing, BotReturned, GameStarted, MatchEnded, MatchVoided, Terms
from arena.matches.state import MOST_LOSSES, due_ms
from arena.matches.time_control import TimeControl
from arena.words import Said
from tests.fixtures.sitting import Sitting, tags

EXITED = Said("lost.program", {"how": Said("program.exit", {"status": 1})})

TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=60_000),
    rejections=2,
    turn_limit=1000,
    startup_ms=5000,
)


@pytest.fixture
def sitting() -> Sitting:
    sitting = Sitting(terms=TERMS)
    sitting.ready()
    return sitting


# Before the match


def test_a_bot_that_does_not_come_forfeits_every_game_with_one_violation() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.ready(1)
    assert sitting.waits(5000) == []
    facts = sitting.waits(1)
    assert tags(facts) == ["game_ended"] * 3 + ["match_ended"]
    forfeit = Result(winner=1, ending="forfeit", clause="B10.2", points=6, cause="no_show")
    assert [(fact.result, fact.turns) for fact in sitting.ended] == [(forfeit, 0)] * 3
    assert [fact.score for fact in sitting.ended] == [(6, 0), (12, 0), (18, 0)]
    assert (sitting.end.score, sitting.end.violations) == ((18, 0), (0, 1))


def test_the_first_bot_at_the_table_gives_the_other_no_more_time() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.waits(4000)
    sitting.ready(1)
    sitting.waits(1001)
    assert [fact.result.cause for fact in sitting.ended] == ["no_show"] * 3


def test_a_bot_that_comes_too_late_is_too_late_in_any_order_of_events() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.ready(1)
    sitting.now_ms += 5001
    sitting.ready(2)
    assert sitting.is_over
    assert [fact.result.cause for fact in sitting.ended] == ["no_show"] * 3


def test_when_nobody_comes_the_match_is_void() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.waits(5001)
    assert isinstance(sitting.end, MatchVoided)
    assert (sitting.end.violations, sitting.ended) == ((0, 0), [])


def test_a_program_that_is_known_not_to_come_forfeits_as_soon_as_the_other_is_there() -> None:
    for order in ("missing first", "ready first"):
        sitting = Sitting(terms=TERMS)
        if order == "ready first":
            sitting.ready(1)
        sitting.leaves(2, grace_ms=0, reason=EXITED)
        if order == "missing first":
            assert not sitting.is_over
            sitting.ready(1)
        assert sitting.is_over
        assert sitting.now_ms == sitting.opened.at_ms
        assert [fact.reason for fact in sitting.of(BotMissing)] == [EXITED]
        assert [(fact.result.winner, fact.result.cause) for fact in sitting.ended] == [
            (1, "no_show")
        ] * 3
        assert sitting.end.violations == (0, 1)


def test_a_bot_that_loses_its_connection_before_it_was_ready_may_still_come() -> None:
    sitting = Sitting(terms=TERMS)
    assert sitting.leaves(2, grace_ms=500) == []
    sitting.ready(1)
    sitting.waits(4000)
    assert tags(sitting.ready(2)) == ["bot_ready", "game_started"]


def test_a_bot_that_was_ready_and_left_before_the_first_game_must_be_ready_again() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.ready(1)
    sitting.leaves(1)
    assert tags(sitting.ready(2)) == ["bot_ready"]
    sitting.waits(3000)
    assert tags(sitting.ready(1)) == ["bot_returned", "game_started"]
    assert sitting.match.standing.violations == (1, 0)


def test_a_launched_bot_that_crashed_before_the_first_game_forfeits_when_the_other_is_there() -> (
    None
):
    sitting = Sitting(terms=TERMS)
    sitting.ready(1)
    sitting.leaves(1, grace_ms=0)
    sitting.ready(2)
    assert sitting.is_over
    assert [(fact.result.winner, fact.result.cause) for fact in sitting.ended] == [
        (2, "no_show")
    ] * 3


# In mid-game


@pytest.mark.parametrize("leaver", [1, 2])
def test_back_within_the_grace_nothing_is_lost_but_a_violation(
    sitting: Sitting, leaver: Seat
) -> None:
    [left] = sitting.leaves(leaver, grace_ms=500)
    assert (left.seat, left.grace_ms, left.reason) == (leaver, 500, Said("lost.hung_up"))
    assert sitting.waits(500) == []
    assert tags(sitting.ready(leaver)) == ["bot_returned"]
    assert sitting.waits(5000) == []
    sitting.plays()
    assert sitting.match.standing.violations == ((1, 0) if leaver == 1 else (0, 1))


@pytest.mark.parametrize("leaver", [1, 2])
def test_after_the_grace_the_open_game_is_forfeited(sitting: Sitting, leaver: Seat) -> None:
    sitting.leaves(leaver, grace_ms=500)
    [ended] = sitting.waits(501)
    assert (ended.result.winner, ended.result.cause, ended.at_ms) == (
        3 - leaver,
        "disconnect",
        sitting.now_ms,
    )
    assert sitting.match.standing.phase == "waiting"
    assert sitting.match.standing.violations == ((1, 0) if leaver == 1 else (0, 1))
    facts = sitting.ready(leaver)
    assert tags(facts) == ["bot_returned", "game_started"]
    assert sitting.game.starter == leaver


def test_back_too_late_is_too_late_in_any_order_of_events(sitting: Sitting) -> None:
    sitting.leaves(1, grace_ms=500)
    sitting.now_ms += 501
    sitting.ready(1)
    assert [(fact.result.winner, fact.result.cause) for fact in sitting.ended] == [
        (2, "disconnect")
    ]
    assert sitting.game.number == 2


def test_a_loss_through_the_arena_itself_is_no_violation(sitting: Sitting) -> None:
    for is_blameless in (True, False):
        [left] = sitting.leaves(1, is_blameless=is_blameless)
        sitting.ready(1)
        assert (left.blameless is True) == is_blameless
    assert sitting.match.standing.violations == (1, 0)


def test_without_grace_the_open_game_is_forfeited_at_once(sitting: Sitting) -> None:
    facts = sitting.leaves(2, grace_ms=0)
    assert tags(facts) == ["bot_left", "game_ended"]
    assert sitting.ended[0].result.cause == "disconnect"
    assert sitting.match.standing.phase == "waiting"


def test_the_clock_of_a_bot_that_is_gone_runs_on(sitting: Sitting) -> None:
    mover = sitting.game.mover
    sitting.leaves(mover, grace_ms=100_000)
    facts = sitting.waits(60_101)
    assert tags(facts) == ["flag_fell", "game_ended"]
    assert sitting.ended[0].result.cause == "time"
    assert sitting.match.standing.grace_due_ms == (None, None)
    assert sitting.match.standing.violations[mover - 1] == 2


@pytest.mark.parametrize(
    ("grace_ms", "cause"), [(60_099, "disconnect"), (60_100, "disconnect"), (60_101, "time")]
)
@pytest.mark.parametrize("is_mover", [True, False], ids=["the mover is gone", "the other is gone"])
def test_whichever_ends_first_decides_though_both_have_ended_when_somebody_looks(
    grace_ms: int, cause: str, sitting: Sitting, *, is_mover: bool
) -> None:
    """The clock of the bot to move or the grace of one that is gone; the grace if both end in the same millisecond."""
    mover = sitting.game.mover
    leaver = mover if is_mover else 3 - mover
    sitting.leaves(leaver, grace_ms=grace_ms)
    sitting.now_ms += 70_000
    sitting.waits(0)
    [ended] = sitting.ended
    assert (ended.result.cause, ended.result.winner) == (
        cause,
        3 - (leaver if cause == "disconnect" else mover),
    )


def test_when_both_are_gone_the_match_is_void_at_the_first_grace(sitting: Sitting) -> None:
    sitting.leaves(1, grace_ms=500)
    sitting.waits(100)
    sitting.leaves(2, grace_ms=500)
    [fact] = sitting.waits(401)
    assert isinstance(fact, MatchVoided)
    assert fact.violations == (1, 1)


def test_two_launched_bots_that_crash_together_make_no_void_of_a_finished_game(
    sitting: Sitting,
) -> None:
    """The first to go forfeits the open game; the second leaves between games."""
    sitting.leaves(1, grace_ms=0)
    sitting.leaves(2, grace_ms=0)
    assert [(fact.result.winner, fact.result.cause) for fact in sitting.ended] == [
        (2, "disconnect")
    ]
    assert not sitting.is_over


def test_only_one_return_is_told(sitting: Sitting) -> None:
    sitting.leaves(1)
    assert tags(sitting.ready(1)) == ["bot_returned"]
    assert sitting.ready(1) == []
    assert len(sitting.of(BotReturned)) == 1


@pytest.mark.parametrize("leaver", [1, 2])
def test_a_program_that_ends_within_the_grace_of_its_bot_ends_nothing_else(
    sitting: Sitting, leaver: Seat
) -> None:
    sitting.leaves(leaver, grace_ms=500)
    sitting.leaves(leaver, grace_ms=0, reason=EXITED)
    sitting.waits(501)
    assert [(fact.game, fact.result.winner, fact.result.cause) for fact in sitting.ended] == [
        (1, 3 - leaver, "disconnect")
    ]
    assert sitting.match.standing.phase == "waiting"


# Coming and going without end


def comes_and_goes(sitting: Sitting, seat: Seat, times: int) -> None:
    """A bot loses its connection so often, and is back each time."""
    for _ in range(times):
        sitting.leaves(seat, grace_ms=500)
        sitting.waits(100)
        sitting.ready(seat)


@pytest.mark.parametrize("leaver", [1, 2])
def test_the_hundredth_loss_forfeits_the_match(sitting: Sitting, leaver: Seat) -> None:
    comes_and_goes(sitting, leaver, MOST_LOSSES - 1)
    assert not sitting.ended
    facts = sitting.leaves(leaver, grace_ms=500)
    assert tags(facts) == ["bot_left", "game_ended", "game_ended", "game_ended", "match_ended"]
    assert facts[0].grace_ms == 0
    assert [(fact.result.winner, fact.result.cause) for fact in sitting.ended] == [
        (3 - leaver, "disconnect")
    ] * 3
    assert sitting.end.score == ((0, 18) if leaver == 1 else (18, 0))
    assert len(sitting.facts) < 2 * MOST_LOSSES + 10


def test_losses_of_all_games_of_a_match_count_together(sitting: Sitting) -> None:
    comes_and_goes(sitting, 1, MOST_LOSSES - 2)
    sitting.leaves(1, grace_ms=500)
    sitting.waits(501)
    assert sitting.match.standing.phase == "waiting"
    sitting.ready(1)
    assert not sitting.is_over
    sitting.leaves(1)
    assert sitting.is_over
    assert [fact.result.cause for fact in sitting.ended] == ["disconnect"] * 3


def test_before_the_first_game_a_bot_cannot_come_and_go_for_ever_either() -> None:
    sitting = Sitting(terms=replace(TERMS, startup_ms=60_000))
    sitting.ready(1)
    comes_and_goes(sitting, 1, MOST_LOSSES - 1)
    sitting.leaves(1)
    assert [(fact.result.winner, fact.result.cause) for fact in sitting.ended] == [
        (2, "disconnect")
    ] * 3


def test_an_opponent_that_happens_to_be_away_wins_as_well(sitting: Sitting) -> None:
    """Else a bot could have a match played again by being gone when its opponent is."""
    comes_and_goes(sitting, 1, MOST_LOSSES - 1)
    sitting.leaves(2, grace_ms=5000)
    sitting.leaves(1)
    assert isinstance(sitting.end, MatchEnded)
    assert sitting.end.score == (0, 18)


def test_the_losses_of_a_bot_are_its_own(sitting: Sitting) -> None:
    comes_and_goes(sitting, 1, MOST_LOSSES - 1)
    comes_and_goes(sitting, 2, MOST_LOSSES - 1)
    sitting.plays()
    assert not sitting.is_over


def test_losses_through_the_arena_itself_do_not_count(sitting: Sitting) -> None:
    comes_and_goes(sitting, 1, MOST_LOSSES - 1)
    sitting.leaves(1, is_blameless=True)
    sitting.ready(1)
    assert not sitting.ended
    sitting.leaves(1)
    assert sitting.is_over


def test_a_half_of_a_pair_that_is_decided_stays_decided() -> None:
    sitting = Sitting(terms=replace(TERMS, form="pairs", games=4))
    sitting.ready()
    comes_and_goes(sitting, 2, MOST_LOSSES - 1)
    facts = sitting.leaves(2)
    assert tags(facts) == ["bot_left", *["game_ended"] * 4, "match_ended"]
    assert sitting.end.score == (24, 0)


# Between games


def test_between_games_a_bot_that_stays_away_forfeits_all_that_is_left(sitting: Sitting) -> None:
    sitting.leaves(1, grace_ms=0)
    facts = sitting.waits(5001)
    assert tags(facts) == ["game_ended", "game_ended", "match_ended"]
    assert [fact.result.cause for fact in sitting.ended] == ["disconnect", "no_show", "no_show"]
    assert sitting.end.violations == (2, 0)


def test_between_games_both_may_be_away_until_the_start_up_deadline(sitting: Sitting) -> None:
    sitting.leaves(1, grace_ms=0)
    sitting.leaves(2, grace_ms=500)
    sitting.waits(3000)
    assert tags(sitting.ready(1)) == ["bot_returned"]
    sitting.waits(1000)
    assert tags(sitting.ready(2)) == ["bot_returned", "game_started"]


def test_between_games_nobody_at_the_table_is_void(sitting: Sitting) -> None:
    sitting.leaves(1, grace_ms=0)
    sitting.leaves(2, grace_ms=500)
    sitting.waits(5001)
    assert isinstance(sitting.end, MatchVoided)


def test_a_grace_of_the_game_before_does_not_end_the_waiting(sitting: Sitting) -> None:
    mover = sitting.game.mover
    sitting.waits(59_000)
    sitting.leaves(mover, grace_ms=2000)
    sitting.waits(1101)
    assert [fact.result.cause for fact in sitting.ended] == ["time"]
    sitting.leaves(3 - mover, grace_ms=2000)
    assert sitting.waits(2000) == []
    sitting.ready()
    assert len(sitting.of(GameStarted)) == 2


def test_what_leaves_no_fact_changes_nothing(sitting: Sitting) -> None:
    """A state that differs from what the record tells could not be replayed."""
    sitting.leaves(1, grace_ms=0)
    sitting.leaves(1, grace_ms=0, reason=EXITED)
    before = sitting.match
    assert sitting.leaves(1, grace_ms=500) == []
    assert sitting.match == before


# After the end


@pytest.mark.parametrize("how", ["ended", "void", "both gone"])
def test_after_the_end_nothing_is_heard_any_more(sitting: Sitting, how: str) -> None:
    if how == "ended":
        while not sitting.is_over:
            sitting.plays_illegally()
    elif how == "void":
        sitting.void("the roof leaks")
    else:
        sitting.leaves(1, grace_ms=500)
        sitting.leaves(2, grace_ms=500)
        sitting.waits(501)
    assert sitting.is_over
    before = list(sitting.facts)
    assert due_ms(sitting.match) is None
    sitting.leaves(1, grace_ms=0)
    sitting.leaves(2)
    sitting.ready()
    sitting.void()
    sitting.now_ms += 10**9
    assert sitting.happens(TimePassed(at_ms=sitting.now_ms)) == []
    assert sitting.facts == before


def test_a_grace_that_outlives_the_last_game_voids_nothing() -> None:
    sitting = Sitting(
        terms=Terms(
            games=1,
            clock=TimeControl(delay_ms=0, bank_ms=100),
            rejections=0,
            turn_limit=1000,
            startup_ms=5000,
        )
    )
    sitting.ready()
    sitting.leaves(1, grace_ms=10_000)
    sitting.leaves(2, grace_ms=10_000)
    sitting.waits(101)
    assert isinstance(sitting.end, MatchEnded)
    assert sitting.waits(100_000) == []


# Our own misuse is an exception, never a verdict


def test_an_answer_in_a_game_that_is_not_open_is_our_bug(sitting: Sitting) -> None:
    with pytest.raises(AssertionError):
        sitting.happens(TurnAnswered(at_ms=sitting.now_ms, game=2, moves=[]))


def test_an_event_that_the_phase_does_not_know_is_our_bug() -> None:
    sitting = Sitting()
    with pytest.raises(AssertionError, match="TurnAnswered cannot come in a match that is opening"):
        sitting.happens(TurnAnswered(at_ms=sitting.now_ms, game=1, moves=[]))
    sitting.void()
    with pytest.raises(AssertionError, match="ArenaResumed cannot come in a match that is over"):
        sitting.resumes()
