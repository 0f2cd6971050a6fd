"""The laws of breaks between games, under any order of anything that can happen."""

from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from arena.matches.facts import BreakEnded, GameEnded, GameStarted
from tests.fixtures.sitting import Sitting

SEATS = st.sampled_from([1, 2])
TIMES = st.sampled_from([0, 1, 2, 49, 50, 51, 99, 100, 101, 149, 150, 151, 300, 301, 1000, 1001])
"""Around every limit of the terms and breaks."""


class LawsOfBreaks(RuleBasedStateMachine):
    """A match in which bots may rest between two games."""

    sitting: Sitting

    @precondition(lambda self: self.sitting.match.standing.phase == "break")
    @rule(seat=SEATS, milliseconds=TIMES)
    def is_ready_for_the_next_game(self, seat: int, milliseconds: int) -> None:
        """Perhaps too late, and nobody has looked at the clock before."""
        self.sitting.now_ms += milliseconds
        self.sitting.rested(seat, lag_ms=milliseconds // 2)

    @rule(seat=SEATS, break_ms=st.sampled_from([0, 150, 2000]))
    def wants_other_breaks_from_its_next_login_on(self, seat: int, break_ms: int) -> None:
        one, two = self.sitting.breaks_ms
        self.sitting.breaks_ms = (break_ms, two) if seat == 1 else (one, break_ms)

    @invariant()
    def a_break_is_between_two_games_that_a_bot_has_asked_for(self) -> None:
        standing = self.sitting.match.standing
        assert (standing.phase == "break") == (standing.break_due_ms is not None)
        assert standing.phase == "break" or standing.resting == (False, False)
        for here, rests in zip(standing.present, standing.resting, strict=True):
            assert here or not rests
        assert standing.phase != "break" or any(standing.resting) or not all(standing.present)
        told = [
            fact
            for fact in self.sitting.facts
            if isinstance(fact, GameStarted | GameEnded | BreakEnded)
        ]
        for before, fact in pairwise(told):
            if isinstance(fact, BreakEnded):
                assert isinstance(before, GameEnded)
