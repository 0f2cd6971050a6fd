"""Both bots commit to their entropy, then both reveal it, then the dice are settled (docs/dice.md)."""

import pytest

from arena.matches.facts import BotReady, EntropyRevealed, GameEnded, MatchVoided
from arena.matches.state import to_reveal
from arena.words import Said
from tests.fixtures.sitting import TERMS, Sitting, tags

MINE, THEIRS = "aa" * 16, "bb" * 16


@pytest.fixture
def sitting() -> Sitting:
    """Both bots have committed, and neither has revealed anything."""
    sitting = Sitting()
    sitting.commits(1, MINE)
    sitting.commits(2, THEIRS)
    assert to_reveal(sitting.match) == [1, 2]
    return sitting


def test_the_game_begins_when_both_have_revealed(sitting: Sitting) -> None:
    sitting.reveals(2, THEIRS)
    assert (sitting.asked, to_reveal(sitting.match)) == ([], [1])
    sitting.reveals(1, MINE)
    wanted = [
        "match_opened",
        "bot_ready",
        "bot_ready",
        "entropy_revealed",
        "entropy_revealed",
        "game_started",
    ]
    assert tags(sitting.facts) == wanted
    assert sitting.match.standing.entropies == (MINE, THEIRS)


def test_nobody_is_to_reveal_before_both_have_committed() -> None:
    sitting = Sitting()
    sitting.commits(1, MINE)
    assert to_reveal(sitting.match) == []
    assert sitting.reveals(1, MINE) == []


@pytest.mark.parametrize("seat", [1, 2])
def test_a_bot_without_entropy_has_nothing_to_reveal(seat: int) -> None:
    sitting = Sitting()
    sitting.commits(seat, "")
    sitting.commits(3 - seat, MINE)
    assert to_reveal(sitting.match) == [3 - seat]
    sitting.reveals(3 - seat, MINE)
    assert tags(sitting.last)[-1] == "game_started"


def test_a_bot_that_reveals_something_else_forfeits_the_match(sitting: Sitting) -> None:
    """At once, with one violation; what it said is on record, and no dice are rolled."""
    sitting.reveals(1, MINE)
    sitting.reveals(2, "bc" * 16)
    assert [(ended.result.winner, ended.result.cause) for ended in sitting.ended] == [
        (1, "no_reveal")
    ] * 3
    assert sitting.match.standing.violations == (0, 1)
    assert [fact.entropy for fact in sitting.of(EntropyRevealed)] == [MINE, "bc" * 16]
    assert sitting.is_over


def test_a_bot_that_reveals_nothing_forfeits_at_the_deadline(sitting: Sitting) -> None:
    sitting.reveals(2, THEIRS)
    sitting.waits(TERMS.startup_ms)
    assert not sitting.is_over
    sitting.waits(1)
    assert [(ended.result.winner, ended.result.cause) for ended in sitting.ended] == [
        (2, "no_reveal")
    ] * 3
    assert sitting.match.standing.violations == (1, 0)


def test_if_neither_reveals_the_match_is_void(sitting: Sitting) -> None:
    sitting.waits(TERMS.startup_ms + 1)
    assert isinstance(sitting.end, MatchVoided)
    assert sitting.end.reason == Said("void.no_reveal")


def test_the_last_to_commit_takes_no_time_from_the_other() -> None:
    """The start-up time begins anew: else a bot could commit in the last millisecond, and win by the other's delay."""
    sitting = Sitting()
    sitting.commits(1, MINE)
    sitting.waits(TERMS.startup_ms)
    sitting.commits(2, THEIRS)
    sitting.reveals(2, THEIRS)
    sitting.waits(TERMS.startup_ms)
    sitting.reveals(1, MINE)
    assert tags(sitting.last)[-1] == "game_started"


def test_a_bot_that_comes_back_gets_no_more_time_to_reveal(sitting: Sitting) -> None:
    sitting.reveals(2, THEIRS)
    sitting.waits(TERMS.startup_ms)
    sitting.leaves(1)
    sitting.commits(1, MINE)
    assert not sitting.is_over
    sitting.waits(1)
    assert sitting.is_over


def test_a_bot_that_was_gone_may_commit_anew_until_both_have() -> None:
    """Its process may have been started anew; nobody has revealed anything by then."""
    sitting = Sitting()
    sitting.commits(1, "01")
    sitting.leaves(1)
    sitting.commits(1, MINE)
    sitting.commits(2, THEIRS)
    sitting.reveals(1, MINE)
    sitting.reveals(2, THEIRS)
    assert len(sitting.of(BotReady)) == 3
    assert tags(sitting.last)[-1] == "game_started"


def test_after_both_have_committed_no_commitment_changes(sitting: Sitting) -> None:
    """A bot comes back in the middle: what it says now does not count, and it reveals what it had committed to."""
    sitting.reveals(2, THEIRS)
    sitting.leaves(1)
    assert tags(sitting.commits(1, "01")) == ["bot_returned"]
    assert to_reveal(sitting.match) == [1]
    sitting.reveals(1, MINE)
    assert tags(sitting.last)[-1] == "game_started"


def test_a_bot_that_left_after_its_reveal_comes_back_to_the_first_game(sitting: Sitting) -> None:
    sitting.reveals(1, MINE)
    sitting.leaves(1)
    sitting.reveals(2, THEIRS)
    assert sitting.asked == []
    assert sitting.match.standing.dealer is not None
    sitting.commits(1, "01")
    assert tags(sitting.last)[-2:] == ["bot_returned", "game_started"]


def test_a_bot_that_stays_away_in_the_middle_forfeits(sitting: Sitting) -> None:
    """As no_show, since it is not there; one that was launched at once."""
    sitting.reveals(2, THEIRS)
    sitting.leaves(1, grace_ms=0)
    assert [(ended.result.winner, ended.result.cause) for ended in sitting.ended] == [
        (2, "no_show")
    ] * 3


def test_a_second_reveal_changes_nothing(sitting: Sitting) -> None:
    sitting.reveals(1, MINE)
    assert sitting.reveals(1, "00") == []
    sitting.reveals(2, THEIRS)
    assert sitting.reveals(1, "00") == []
    assert sitting.of(GameEnded) == []
