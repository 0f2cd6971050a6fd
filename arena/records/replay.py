"""A match again from its record: the same machine, fed with what was recorded, must say the same.

`Replay` takes the facts of one attempt in order. What the bots did and when comes from the record; dice come from
the seed (or, while it is not revealed, from the record); everything else (turns, verdicts, endings, points, who
starts, what is left on the clocks) is worked out anew and compared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from arena.games import Game
from arena.matches import match
from arena.matches.facts import (
    Ask,
    AskCall,
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    DiceCalled,
    DrawAgreed,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchFact,
    MatchOpened,
    MatchResumed,
    MatchVoided,
    Roll,
    Seat,
    Throw,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.game import GameState
from arena.matches.state import MatchState, Step, open_game_of, pair_of
from arena.records.dice import Dealer, commitment, dealer
from arena.records.lines import RecordError, encode_line, event_of
from arena.records.reading import Attempt, rules_on_record


class Replay:
    """One attempt at a match, followed fact by fact."""

    def __init__(self, opened: MatchOpened, seed: bytes | None, where: str) -> None:
        """Raises `RecordError` if the ruleset does not fit its hash or the seed not its commitment."""
        self.rules = rules_on_record(opened.ruleset, where)
        if seed is not None and commitment(seed) != opened.dice_commitment:
            message = (
                f"the revealed seed has the SHA-256 {commitment(seed)}, the commitment was {opened.dice_commitment}"
            )
            raise RecordError(where, message)
        self._seed = seed
        self._dealer: Dealer | None = None
        self._wanted: dict[int, Throw | Roll] = {}
        self._asked_ms: dict[int, int] = {}
        """When the turn or call of each game was asked for: it cannot have been written before."""
        self._expected: deque[MatchFact] = deque()
        self._last_ms = opened.at_ms
        self._dealt: dict[tuple[int, int], bytearray] = {}
        """By the stream they are from: the game and 0, in pairs the pair and the step."""
        self._played: dict[int, TurnPlayed] = {}
        self.state: MatchState = match.open_match(opened).state

    @property
    def is_complete(self) -> bool:
        """Whether the match is over and nothing is missing."""
        return self.state.phase == "over" and not self._expected

    def missing(self) -> list[MatchFact]:
        """The facts that must follow the last one, but have not been taken: the record was cut short there."""
        return list(self._expected)

    def last_turns(self) -> dict[int, TurnPlayed]:
        """The last turn of each open game in which one was played, unless a draw was agreed upon after it."""
        return {game.number: self._played[game.number] for game in self.state.games if game.number in self._played}

    def go_on(self, now_ms: int) -> list[MatchFact]:
        """Bring a match whose record stops here to where it can be resumed; gives the facts that are to be added.

        They are those that were cut off, and games that had only to be thrown for. The seed must be known.
        """
        facts = list(self._expected)
        self._expected.clear()
        for game in [game for game, wanted in self._wanted.items() if isinstance(wanted, Throw)]:
            facts += self._fulfil(game, (), (), now_ms)
        for open_game in self.state.games:
            self._fulfil(open_game.number, (), ())
        return facts

    @property
    def dealer(self) -> Dealer | None:
        """Deals the next dice of the match; None if none have been dealt, or the seed is not known."""
        return self._dealer

    @property
    def dealt(self) -> list[bytes]:
        """The dice of each stream so far, in its order, opening throws included; one byte (1-6) a die.

        In a series each game has a stream, in pairs each step of a pair; what both halves were dealt stands here once.
        """
        return [bytes(dice) for _, dice in sorted(self._dealt.items())]

    def game_before(self, fact: TurnPlayed | TurnRejected | FlagFell) -> GameState:
        """The game as it stood when the turn of this fact was put to the bot; call before `take`."""
        self._fulfil(fact.game, fact.dice, ())
        return open_game_of(self.state, fact.game)

    def turn_before(self, number: int, fact: MatchFact | None) -> GameState:
        """An open game with the dice of its turn, or the call for them; the fact is the next one in the record, if any.

        Raises `RecordError` if the dice are neither there nor to be worked out, as the seed is not revealed.
        """
        dice = fact.dice if isinstance(fact, TurnPlayed | TurnRejected | FlagFell) and fact.game == number else ()
        unknown = "the dice of this turn are not known before the match is over and their seed revealed"
        try:
            self._fulfil(number, dice, ())
        except AssertionError as error:
            raise RecordError(self.state.opened.match, unknown) from error
        game = open_game_of(self.state, number)
        if game.dice is None and not game.calls:  # in a pair: the other half has not come so far
            raise RecordError(self.state.opened.match, unknown)
        return game

    def take(self, fact: MatchFact, where: str) -> None:
        """Follow the next fact; raises `RecordError` where it differs from what must follow."""
        if fact.at_ms < self._last_ms:
            raise RecordError(where, f"time runs backwards: {fact.at_ms} after {self._last_ms}")
        self._last_ms = fact.at_ms
        try:
            if not self._expected:
                self._expected.extend(self._outcome(fact))
        except AssertionError as error:
            raise RecordError(where, f"{event_of(fact)} cannot follow here: {error}") from error
        if not self._expected:
            raise RecordError(where, f"{event_of(fact)} cannot follow here")
        expected = encode_line(self._expected.popleft())
        if expected != encode_line(fact):
            found = encode_line(fact).decode()
            raise RecordError(where, f"the record says {found}, but the replay gives {expected.decode()}")

    def _outcome(self, fact: MatchFact) -> list[MatchFact]:
        """The facts that the event behind this one leads to, itself first."""
        state, rules, at_ms = self.state, self.rules, fact.at_ms
        if isinstance(fact, GameStarted):
            return self._fulfil(fact.game, (), fact.opening, at_ms)
        if isinstance(fact, DiceCalled | TurnPlayed | DrawAgreed | TurnRejected | FlagFell):
            return self._answered(fact)
        if isinstance(fact, BotReady | BotReturned | BotLeft | BotMissing):
            lag_ms = fact.lag_ms or 0
            assert lag_ms >= 0, "nothing is read before it came"
            due_ms = match.due_ms(state)
            assert due_ms is None or due_ms > at_ms - lag_ms, f"something ran out at {due_ms} and comes first"
        if isinstance(fact, BotReady):
            assert fact.entrant.name == state.opened.entrants[fact.seat - 1], "another entrant sits at this seat"
            return self._follow(match.bot_ready(rules, state, fact))
        if isinstance(fact, BotReturned):
            ready = state.ready[fact.seat - 1]
            assert ready is not None, "a bot returns only after it was ready"
            again = BotReady(at_ms=at_ms, seat=fact.seat, entrant=ready.entrant, entropy="", lag_ms=fact.lag_ms)
            return self._follow(match.bot_ready(rules, state, again))
        if isinstance(fact, BotLeft):
            return self._left(fact.seat, fact.reason, fact.grace_ms, at_ms, lag_ms)
        if isinstance(fact, BotMissing):
            return self._left(fact.seat, fact.reason, 0, at_ms, lag_ms)
        if isinstance(fact, MatchResumed):
            return self._follow(match.resumed(state, at_ms))
        if isinstance(fact, MatchVoided):
            return self._follow(match.void(state, fact.reason, at_ms))
        if isinstance(fact, GameEnded):  # by a grace or the start-up deadline; other ends follow from a turn
            return self._follow(match.time_passed(rules, state, at_ms))
        return []

    def _answered(self, fact: DiceCalled | TurnPlayed | DrawAgreed | TurnRejected | FlagFell) -> list[MatchFact]:
        """What follows from what a bot said in its turn, or from its silence."""
        rules, at_ms = self.rules, fact.at_ms
        assert self.state.phase == "playing", "no turn is put before both bots are at the table"
        self._fulfil(fact.game, () if isinstance(fact, DiceCalled | DrawAgreed) else fact.dice, ())
        state = self.state
        game = open_game_of(state, fact.game)
        lag_ms = 0 if isinstance(fact, FlagFell) else fact.lag_ms or 0
        assert lag_ms >= 0, "nothing is read before it came"
        if game.written_ms is None:
            assert fact.spent_ms >= game.earlier_ms, "what the record says of it before is longer"
            written_ms = at_ms - lag_ms - (fact.spent_ms - game.earlier_ms)
            state, _ = match.written(state, fact.game, written_ms)
            assert written_ms >= self._asked_ms[fact.game], f"{fact.spent_ms} ms ago it had not been asked for"
        if isinstance(fact, FlagFell):  # not `time_passed`: older arenas did not judge first what ran out first
            return self._follow(match.flag_fell(rules, state, fact.game, at_ms))
        if isinstance(fact, DiceCalled):
            return self._follow(match.called(rules, state, fact.game, fact.dice, now_ms=at_ms, lag_ms=lag_ms))
        if isinstance(fact, TurnRejected) and isinstance(fact.call, int):
            return self._follow(match.called(rules, state, fact.game, fact.call, now_ms=at_ms, lag_ms=lag_ms))
        info = None if isinstance(fact, TurnRejected) else fact.info
        if isinstance(fact, DrawAgreed) or (isinstance(fact, TurnRejected) and fact.draw == "accept"):
            step = match.draw_accepted(rules, state, fact.game, info=info, now_ms=at_ms, lag_ms=lag_ms)
            return self._follow(step)
        offers_draw = fact.draw_offered is True if isinstance(fact, TurnPlayed) else fact.draw == "offer"
        step = match.answered(
            rules, state, fact.game, fact.moves, info=info, now_ms=at_ms, lag_ms=lag_ms, offers_draw=offers_draw
        )
        return self._follow(step)

    def _left(self, seat: Seat, reason: str, grace_ms: int, at_ms: int, lag_ms: int) -> list[MatchFact]:
        return self._follow(
            match.bot_left(self.rules, self.state, seat, reason, grace_ms=grace_ms, now_ms=at_ms, lag_ms=lag_ms)
        )

    def _note(self, game: int, step: int, dice: tuple[int, ...]) -> None:
        """These dice were dealt with a turn, or as a throw for the start (step 0)."""
        if self.state.opened.terms.form == "series":
            self._dealt.setdefault((game, 0), bytearray()).extend(dice)
            return
        known = self._dealt.setdefault((pair_of(game), step), bytearray())
        known.extend(dice if step == 0 else dice[len(known) :])

    def _follow(self, step: Step) -> list[MatchFact]:
        self.state = step.state
        facts: list[MatchFact] = []
        for action in step.actions:
            if isinstance(action, Throw | Roll):
                self._wanted[action.game] = action
            elif not isinstance(action, Ask | AskCall):
                facts.append(action)
                if isinstance(action, TurnPlayed):
                    self._played[action.game] = action
                elif isinstance(action, DrawAgreed):
                    self._played.pop(action.game)
                continue
            self._asked_ms[action.game] = self._last_ms
        return facts

    def _fulfil(
        self, game: int, dice: Sequence[int], throws: Sequence[Sequence[int]], at_ms: int = 0
    ) -> list[MatchFact]:
        """Give the machine the dice it has asked for: from the seed, or as recorded while that is not known."""
        facts: list[MatchFact] = []
        recorded = iter([*(die for throw in throws for die in throw), *dice])
        if self._dealer is None and self._seed is not None and game in self._wanted:
            self._dealer = dealer(self.state, self._seed)
        while not facts and (wanted := self._wanted.pop(game, None)) is not None:
            if isinstance(wanted, Roll):
                turn = open_game_of(self.state, game).turn
                rolled = self._dealer.roll(game, turn, wanted.dice) if self._dealer else _taken(recorded, wanted.dice)
                self._note(game, turn, rolled)
                self.state = match.rolled(self.state, game, rolled)
            else:
                one, two = self._dealer.throw(game) if self._dealer else _taken(recorded, 2)
                self._note(game, 0, (one, two))
                facts += self._follow(match.thrown(self.rules, self.state, game, (one, two), now_ms=at_ms))
        return facts


def _taken(recorded: Iterator[int], number: int) -> tuple[int, ...]:
    """So many of the dice that stand in the record."""
    dice = tuple(islice(recorded, number))
    assert len(dice) == number, f"{number} dice are needed, the record has {len(dice)}"
    return dice


def find_turn(attempt: Attempt, number: int, turn: int) -> tuple[Game[Any], GameState]:
    """The rules of a match and one of its games as it stood when a turn was put to a bot for the first time.

    Raises `RecordError` if there was no such turn, or its dice are not known yet.
    """
    replay = Replay(attempt.opened, attempt.seed, attempt.opened.match)
    facts: list[tuple[str, MatchFact | None]] = [*attempt.facts, ("", None)]
    to_come = deque(fact for _, fact in attempt.facts if getattr(fact, "game", None) == number)
    seen = 0
    for where, fact in facts:
        game = next((one for one in replay.state.games if one.number == number), None)
        follows = to_come[0] if to_come else None
        # A bot that leaves ends its games: the fact that is next of the match is then the last before the game is over.
        is_last = follows is None or isinstance(follows, GameEnded)
        if game is not None and game.held is None and (fact is follows or is_last):
            seen = game.turn
            is_called_next = bool(game.calls) and isinstance(fact, DiceCalled)
            if game.turn == turn and not is_called_next:
                return replay.rules, replay.turn_before(number, fact)
        if fact is not None:
            replay.take(fact, where)
        if to_come and fact is follows:
            to_come.popleft()
    found = f"game {number} has turns 1 to {seen}" if seen else f"game {number} was not begun"
    raise RecordError(
        attempt.opened.match, f"there is no turn {turn} of game {number} in attempt {attempt.opened.attempt}: {found}"
    )
