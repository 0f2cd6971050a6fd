"""The laws of a match, under any order of anything that can happen."""

import math
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from msgspec.structs import replace

from arena.games import Game, load_game
from arena.games.result import Result
from arena.matches.events import TimePassed
from arena.matches.facts import (
    BotLeft,
    DiceCalled,
    DrawAgreed,
    Fact,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchVoided,
    Terms,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.match import advance
from arena.matches.state import due_ms, pair_of, to_reveal
from arena.matches.time_control import TimeControl
from arena.records.lines import read_attempts
from arena.records.replay import verify_attempt
from tests.examples import tries
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.resumed_match import interrupt
from tests.fixtures.sitting import VASA, Sitting
from tests.fixtures.small_run import attempt_record, lines
from tests.matches.laws_of_breaks import SEATS, TIMES, LawsOfBreaks

BRANDUBH = load_game("brandubh-1")
BACKGAMMON = load_game("backgammon")
HALVES = st.sampled_from([0, 1])
"""Which of the games that await an answer gets one: in pairs there are up to two."""
GRACES = st.sampled_from([0, 50, 300])
"""A bot's grace is the same for the whole match; 0 for one that the arena launched."""


def timeless(fact: Fact) -> Fact:
    """A fact without the time at which it became one."""
    return (
        replace(fact, at_ms=0, spent_ms=0) if isinstance(fact, FlagFell) else replace(fact, at_ms=0)
    )


class AnyMatch(LawsOfBreaks):
    """Bots come, leave, play well and badly, time passes, the arena stops: in any order."""

    @initialize(
        games=st.integers(1, 4),
        clock=st.builds(
            TimeControl,
            delay_ms=st.sampled_from([0, 50]),
            bank_ms=st.sampled_from([0, 100]),
            increment_ms=st.sampled_from([0, 30]),
        ),
        rejections=st.integers(0, 2),
        turn_limit=st.sampled_from([1, 2, 5, 1000]),
        graces=st.tuples(GRACES, GRACES),
        are_ready=st.booleans(),
        rules=st.sampled_from([VASA, BRANDUBH, CALLER, BACKGAMMON]),
        form=st.sampled_from(["series", "pairs"]),
        breaks=st.sampled_from([(0, 0), (0, 150), (150, 0), (150, 150), (2000, 2000)]),
    )
    def sit_down(
        self,
        games: int,
        clock: TimeControl,
        rejections: int,
        turn_limit: int,
        graces: tuple[int, int],
        *,
        are_ready: bool,
        rules: Game[Any],
        form: Any,
        breaks: tuple[int, int],
    ) -> None:
        terms = Terms(
            form=form,
            games=games if form == "series" else 2 * games,
            clock=clock,
            rejections=rejections,
            turn_limit=turn_limit,
            startup_ms=1000,
        )
        self.sitting = Sitting(terms=terms, rules=rules)
        self.sitting.breaks_ms = breaks
        self.graces = graces
        if are_ready:
            self.sitting.ready()

    @property
    def is_to_play(self) -> bool:
        return any(not game.calls for game in self.sitting.asked)

    @property
    def is_to_call(self) -> bool:
        return any(game.calls for game in self.sitting.asked)

    @property
    def kept_back(self) -> list[Result]:
        """The ends of halves that are not made known yet."""
        return [
            game.held.result for game in self.sitting.match.games if game.held and game.held.result
        ]

    @property
    def only_a_flag_can_fall(self) -> bool:
        """Whether an answer may be handed in without a look at the clock first: nothing runs but that of its turn."""
        match = self.sitting.match
        return match.standing.grace_due_ms == (None, None) and len(match.games) == 1

    def looks_at_a_game(self, number: int, *, to_call: bool = False) -> bool:
        """Choose one of the games in which a turn, or a call, is awaited; False if nothing is, after all."""
        games = [game for game in self.sitting.asked if bool(game.calls) is to_call]
        if games:
            self.sitting.at(games[number % len(games)].number)
        return bool(games)

    @rule(seat=SEATS, entropy=st.sampled_from(["", "00", "ff" * 32]))
    def comes(self, seat: int, entropy: str) -> None:
        self.sitting.ready(seat, entropy=entropy)

    @rule(seat=SEATS, entropy=st.sampled_from(["", "00"]))
    def comes_and_reveals_nothing_yet(self, seat: int, entropy: str) -> None:
        self.sitting.commits(seat, entropy)

    @precondition(lambda self: to_reveal(self.sitting.match))
    @rule(entropy=st.sampled_from(["", "00", "ff" * 32]))
    def reveals(self, entropy: str) -> None:
        self.sitting.waits(0)
        for seat in to_reveal(self.sitting.match)[:1]:
            self.sitting.reveals(seat, entropy)

    @rule(seat=SEATS)
    def goes(self, seat: int) -> None:
        self.sitting.leaves(seat, grace_ms=self.graces[seat - 1])

    @rule(milliseconds=TIMES)
    def time_passes_and_is_noticed(self, milliseconds: int) -> None:
        self.sitting.waits(milliseconds)

    @rule(milliseconds=TIMES)
    def time_passes_unnoticed(self, milliseconds: int) -> None:
        self.sitting.now_ms += milliseconds

    @rule()
    def somebody_looks_at_the_clock(self) -> None:
        due = due_ms(self.sitting.match)
        is_due = due is not None and due <= self.sitting.now_ms
        facts = self.sitting.waits(0)
        assert is_due or not facts

    @precondition(lambda self: self.is_to_play)
    @rule(number=st.integers(0, 100), half=HALVES, offers_draw=st.booleans())
    def plays_a_legal_turn(self, number: int, half: int, *, offers_draw: bool) -> None:
        self.sitting.waits(0)
        if self.looks_at_a_game(half):
            legal = self.sitting.legal
            self.sitting.plays(
                legal[number % len(legal)].moves, info=number, offers_draw=offers_draw
            )

    @precondition(lambda self: self.is_to_call)
    @rule(dice=st.sampled_from([0, 1, 1, 1, 2, 2, 2, 3]), half=HALVES)
    def calls_for_dice(self, dice: int, half: int) -> None:
        self.sitting.waits(0)
        if self.looks_at_a_game(half, to_call=True):
            self.sitting.calls(dice)

    @precondition(lambda self: self.is_to_call)
    @rule(milliseconds=TIMES)
    def calls_late(self, milliseconds: int) -> None:
        if self.only_a_flag_can_fall and self.looks_at_a_game(0, to_call=True):
            self.sitting.now_ms += milliseconds
            self.sitting.calls(1)

    @precondition(lambda self: self.is_to_play)
    @rule(half=HALVES)
    def accepts_a_draw(self, half: int) -> None:
        self.sitting.waits(0)
        if self.looks_at_a_game(half):
            self.sitting.accepts_draw(info="enough")

    @precondition(lambda self: self.is_to_play)
    @rule(moves=st.sampled_from([[], [[1, 24]], [["x", 1]], [[1, 2]] * 30, [[25, 0]]]), half=HALVES)
    def plays_what_is_hardly_legal(self, moves: list[list[int]], half: int) -> None:
        self.sitting.waits(0)
        if self.looks_at_a_game(half):
            self.sitting.plays(moves)

    @precondition(lambda self: self.is_to_play)
    @rule(milliseconds=TIMES)
    def plays_late(self, milliseconds: int) -> None:
        """Nobody has looked at the clock before this answer."""
        if self.only_a_flag_can_fall and self.looks_at_a_game(0):
            self.sitting.now_ms += milliseconds
            self.sitting.plays()

    @rule(seat=SEATS)
    def goes_and_comes_back(self, seat: int) -> None:
        self.goes(seat)
        self.sitting.ready(seat)

    @precondition(lambda self: len(self.sitting.facts) > 15)
    @rule()
    def the_arena_is_stopped(self) -> None:
        self.sitting.void()

    @precondition(lambda self: not self.sitting.is_over)
    @rule(lost=st.integers(0, 3), milliseconds=TIMES)
    def the_arena_is_killed_and_started_again(self, lost: int, milliseconds: int) -> None:
        """With the last lines of the record lost, too."""
        self.sitting = interrupt(
            self.sitting, max(1, len(self.sitting.facts) - lost), after_ms=milliseconds
        )

    # Laws

    @invariant()
    def time_never_runs_backwards(self) -> None:
        times = [fact.at_ms for fact in self.sitting.facts]
        assert times == sorted(times)

    @invariant()
    def the_score_is_the_sum_of_the_games(self) -> None:
        score = [0, 0]
        for ended in self.sitting.ended:
            if ended.result.winner is None:
                assert ended.result.points == 0
            else:
                score[ended.result.winner - 1] += ended.result.points
            assert ended.score == tuple(score)
        assert self.sitting.match.standing.score == tuple(score)

    @invariant()
    def games_end_in_order_and_once(self) -> None:
        numbers = [ended.game for ended in self.sitting.ended]
        terms = self.sitting.opened.terms
        if terms.form == "pairs":
            assert [pair_of(number) for number in numbers] == [
                pair_of(i + 1) for i in range(len(numbers))
            ]
            assert len(set(numbers)) == len(numbers)
        else:
            assert numbers == list(range(1, len(numbers) + 1))
        games = terms.games
        assert len(numbers) <= games
        end = self.sitting.end
        if isinstance(end, MatchEnded):
            assert len(numbers) == games
            assert end.score == self.sitting.match.standing.score

    @invariant()
    def a_match_is_over_when_it_says_so_and_says_it_last(self) -> None:
        ends = [isinstance(fact, MatchEnded | MatchVoided) for fact in self.sitting.facts]
        assert self.sitting.is_over == any(ends)
        assert not any(ends[:-1])
        if self.sitting.is_over:
            assert due_ms(self.sitting.match) is None
            assert self.sitting.match.games == ()

    @invariant()
    def a_game_is_open_exactly_while_it_is_played(self) -> None:
        match, terms = self.sitting.match, self.sitting.opened.terms
        at_most = 2 if terms.form == "pairs" else 1
        assert not match.games or match.standing.phase in ("playing", "waiting")
        assert bool(match.games) or match.standing.phase != "playing"
        assert len(match.games) <= at_most
        begun = {fact.game for fact in self.sitting.of(GameStarted)}
        never_begun = {
            ended.game
            for ended in self.sitting.ended
            if ended.result.cause in ("no_show", "no_reveal")
        } - begun
        assert match.standing.started == len(begun) + len(never_begun)
        for game in match.games:
            assert game.held or (game.dice is None) == bool(game.calls)
            assert (game.held is None and match.standing.phase == "playing") == (
                game.written_ms is not None
            )
            most_ms = terms.clock.bank_ms + terms.clock.increment_ms * game.turn
            assert all(0 <= left <= most_ms for left in game.left_ms)
            assert (game.due_ms is None) == (game.written_ms is None)
            if game.written_ms is not None:
                limit_ms = terms.clock.limit_ms(game.left_ms[game.mover - 1])
                assert game.due_ms == game.written_ms - game.earlier_ms + limit_ms
            assert game.held or all(used <= terms.rejections for used in game.rejections)

    @invariant()
    def every_forfeit_has_its_reason_and_every_fault_its_strike(self) -> None:
        facts = self.sitting.facts
        causes = [ended.result.cause for ended in self.sitting.ended]
        if not isinstance(
            self.sitting.end, MatchVoided
        ):  # which takes back what was not made known yet
            causes += [result.cause for result in self.kept_back]
            assert causes.count("time") == len(self.sitting.of(FlagFell))
            assert causes.count("illegal_turns") == sum(
                fact.left < 0 for fact in self.sitting.of(TurnRejected)
            )
        faults = len(self.sitting.of(BotLeft)) + len(self.sitting.of(FlagFell))
        faults += sum(fact.left < 0 for fact in self.sitting.of(TurnRejected))
        faults += "no_show" in causes or "no_reveal" in causes
        assert sum(self.sitting.match.standing.violations) == faults
        for ended in self.sitting.ended:
            assert (
                (ended.result.ending == "forfeit")
                == (ended.result.cause is not None)
                == (ended.result.clause == "B10.2")
            )
        assert all(
            fact.result.winner in (1, 2, None) for fact in facts if isinstance(fact, GameEnded)
        )

    @invariant()
    def a_game_is_drawn_by_agreement_exactly_when_an_offer_was_accepted(self) -> None:
        facts = self.sitting.facts
        results = [result.ending for result in self.kept_back]
        agreed = [ended.game for ended in self.sitting.ended if ended.result.ending == "agreement"]
        if not isinstance(self.sitting.end, MatchVoided):
            assert len(agreed) + results.count("agreement") == len(self.sitting.of(DrawAgreed))
        assert set(agreed) <= {fact.game for fact in self.sitting.of(DrawAgreed)}
        for fact in self.sitting.of(DrawAgreed):
            [offer] = [
                played
                for played in self.sitting.of(TurnPlayed)
                if (played.game, played.turn) == (fact.game, fact.turn - 1)
            ]
            assert (offer.draw_offered, offer.seat) == (True, 3 - fact.seat)
            if self.sitting.opened.terms.form == "series":
                assert isinstance(facts[facts.index(fact) + 1], GameEnded)
        assert not agreed or self.sitting.rules.agreement == "T9"

    @invariant()
    def dice_are_called_for_once_a_turn_and_then_just_as_many_are_rolled(self) -> None:
        called = {(fact.game, fact.turn): fact for fact in self.sitting.of(DiceCalled)}
        assert len(called) == len(self.sitting.of(DiceCalled))
        assert not called or self.sitting.rules is CALLER
        for played in self.sitting.of(TurnPlayed):
            number = 0 if self.sitting.rules is BRANDUBH else 2
            fact = called.get((played.game, played.turn))
            assert len(played.dice) == (number if fact is None else fact.dice)
            assert fact is None or fact.spent_ms <= played.spent_ms

    @invariant()
    def the_halves_of_a_pair_go_in_step(self) -> None:
        """No fact of a half knows of a step that the other, if it was still open, had not finished."""
        if self.sitting.opened.terms.form == "series":
            return
        done: dict[int, float] = {}
        rolls: dict[tuple[int, int], tuple[int, ...]] = {}
        for fact in self.sitting.facts:
            if isinstance(fact, GameEnded):
                done[fact.game] = math.inf
            elif isinstance(fact, FlagFell) or (isinstance(fact, TurnRejected) and fact.left < 0):
                done[fact.game] = max(done.get(fact.game, 0), fact.turn)
            elif isinstance(fact, TurnPlayed | DrawAgreed):
                other = fact.game + 1 if fact.game % 2 else fact.game - 1
                assert done.get(other, 0) >= fact.turn - 1
                done[fact.game] = fact.turn
            if isinstance(fact, TurnPlayed):
                key = (pair_of(fact.game), fact.turn)
                known = rolls.setdefault(key, tuple(fact.dice))
                shared = min(len(known), len(fact.dice))
                assert known[:shared] == tuple(fact.dice)[:shared]
        movers = [game.mover for game in self.sitting.asked]
        assert len(set(movers)) == len(movers)

    @invariant()
    def what_ran_out_first_is_judged_first(self) -> None:
        """However late the arena looks: it judges as it would have at the first millisecond."""
        match = self.sitting.match
        due = due_ms(match)
        if due is not None:
            in_time, late = (
                advance(match, TimePassed(at_ms=due + late_ms, lag_ms=late_ms))
                for late_ms in (0, 5000)
            )
            assert [timeless(fact) for fact in in_time.facts] == [
                timeless(fact) for fact in late.facts
            ]

    @invariant()
    def something_is_always_awaited(self) -> None:
        """A match that is not over has a limit after which it goes on by itself."""
        if not self.sitting.is_over:
            assert due_ms(self.sitting.match) is not None

    def teardown(self) -> None:
        """Whatever happened, its record replays to the same; left alone, the match comes to an end."""
        if not hasattr(self, "sitting"):
            return
        with by_these_rules(self.sitting.rules):
            verify_attempt(read_attempts("x", lines(self.sitting.facts))[0])
            for _ in range(10):
                self.sitting.waits(2000)
            assert self.sitting.is_over
            verify_attempt(read_attempts("x", attempt_record(self.sitting))[0])


AnyMatch.TestCase.settings = settings(tries(50), stateful_step_count=50)
TestAnyMatch = AnyMatch.TestCase
