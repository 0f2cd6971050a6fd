"""A match replayed from its record: the same machine, given what was recorded, must produce the same facts.

`Replay` takes the facts of one attempt in order. The bots' actions and their times come from the record. Dice come from
the seed (or, while it is not revealed, from the record). Everything else (turns, verdicts, endings, points, who starts,
time left on the clocks) is computed again and compared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import assert_never

from arena.matches.events import (
    ArenaResumed,
    BadChoice,
    BotArrived,
    BotLost,
    BotMeasured,
    CallAnswered,
    DrawAccepted,
    EntropyGiven,
    Event,
    MatchStopped,
    QuestionWritten,
    ReceiptAnswered,
    TimePassed,
    TurnAnswered,
)
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    ClockExtended,
    DiceCalled,
    DrawAgreed,
    EntropyRevealed,
    FactOfAnswer,
    FactOfSeat,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchFact,
    MatchOpened,
    MatchResumed,
    MatchVoided,
    Measured,
    Pair,
    ReceiptDisputed,
    ReceiptSigned,
    TurnFact,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.game import deadline
from arena.matches.match import advance, due_ms, open_match
from arena.matches.state import Deal, Dealer, GameState, Match, Setting, pair_of
from arena.records.dice import RecordedDealer, commitment, deal_from
from arena.records.lines import Attempt, RecordError, encode_line, event_of, rules_on_record


class Replay:
    """One attempt at a match, followed fact by fact."""

    def __init__(self, opened: MatchOpened, seed: bytes | None, where: str, facts: Iterable[MatchFact] = ()) -> None:
        """Without a seed, the dice are those of `facts`, which are then taken one by one.

        Raises `RecordError` if the ruleset does not match its hash or the seed its commitment.
        """
        self.rules = rules_on_record(opened.ruleset, where)
        if seed is not None and commitment(seed) != opened.dice_commitment:
            raise RecordError(where, "the revealed seed is not the one that was committed to")
        deal = RecordedDealer(facts).deal if seed is None else deal_from(opened, seed)
        self._note = _DealtDice(deal, is_of_pairs=opened.terms.form == "pairs")
        self._asked_ms: dict[int, int] = {}
        """When the turn or call of each game was asked for: it cannot have been written earlier."""
        self._expected: deque[MatchFact] = deque()
        self._last_ms = opened.at_ms
        self.match: Match = open_match(self.rules, opened, self._note.deal)

    @classmethod
    def of(cls, attempt: Attempt) -> Replay:
        """An attempt from its beginning, with the dice of its seed or, while that is secret, of its record."""
        return cls(attempt.opened, attempt.seed, attempt.opened.match, (fact for _, fact in attempt.facts))

    @property
    def is_complete(self) -> bool:
        """True if the match is over and nothing is missing."""
        return self.match.is_over and not self._expected

    def missing(self) -> list[MatchFact]:
        """The facts that must follow the last one but were not taken: the record was cut short there."""
        return list(self._expected)

    @property
    def dealt(self) -> list[bytes]:
        """The dice of each stream so far, in its order, opening throws included; one byte (1-6) a die.

        In a series each game has a stream, in pairs each step of a pair. Dice that both halves were dealt appear once.
        """
        return [bytes(dice) for _, dice in sorted(self._note.dealt.items())]

    def turn_of(self, number: int) -> GameState:
        """An open game with the dice of its turn, or the call for them.

        Raises `RecordError` if the dice are neither recorded nor computable, because the seed is not revealed.
        """
        game = self.match.game(number)
        if game.dice is None and not game.calls:  # or, in a pair, the other half is not as far yet
            unknown = "the dice of this turn are not known before the match is over and their seed revealed"
            raise RecordError(self.match.setting.opened.match, unknown)
        return game

    def take(self, fact: MatchFact, where: str) -> None:
        """Take the next fact; raises `RecordError` if it differs from what must follow."""
        if fact.at_ms < self._last_ms:
            raise RecordError(where, f"time runs backwards: {fact.at_ms} after {self._last_ms}")
        self._last_ms = fact.at_ms
        try:
            if not self._expected:
                for event in events_behind(lambda: self.match, fact, self._asked_ms):
                    step = advance(self.match, event)
                    self.match = step.match
                    self._expected.extend(step.facts)
                    self._asked_ms.update(dict.fromkeys(step.questions, fact.at_ms))
        except AssertionError as error:
            raise RecordError(where, f"{event_of(fact)} cannot follow here: {error}") from error
        if not self._expected:
            raise RecordError(where, f"{event_of(fact)} cannot follow here")
        expected = encode_line(self._expected.popleft())
        if expected != encode_line(fact):
            found = encode_line(fact).decode()
            raise RecordError(where, f"the record says {found}, but the replay gives {expected.decode()}")


class _DealtDice:
    """A dealer that remembers what it has dealt."""

    def __init__(self, deal: Deal, *, is_of_pairs: bool) -> None:
        self._deal = deal
        self._is_of_pairs = is_of_pairs
        self.dealt: dict[tuple[int, int], bytearray] = {}
        """By their stream: the game and 0, in pairs the pair and the step."""

    def deal(self, first: str, second: str) -> Dealer:
        """Start with the entropies of the bots."""
        self._dealer = self._deal(first, second)
        return self

    def throw(self, game: int, number: int) -> Pair | None:
        """One throw for the start of a game."""
        throw = self._dealer.throw(game, number)
        if throw is not None:
            self.dealt.setdefault((pair_of(game) if self._is_of_pairs else game, 0), bytearray()).extend(throw)
        return throw

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...] | None:
        """The dice of one turn; dice that the other half of a pair got already are not kept twice."""
        roll = self._dealer.roll(game, turn, dealt, dice)
        if roll is not None:
            known = self.dealt.setdefault((pair_of(game), turn) if self._is_of_pairs else (game, 0), bytearray())
            known.extend(roll[len(known) :] if self._is_of_pairs else roll)
        return roll


def find_turn(attempt: Attempt, number: int, turn: int) -> tuple[Setting, GameState]:
    """The setting of a match, and one of its games as it was when a turn was put to a bot for the first time.

    Raises `RecordError` if there was no such turn, or its dice are not known yet.
    """
    replay = Replay.of(attempt)
    facts: list[tuple[str, MatchFact | None]] = [*attempt.facts, ("", None)]
    to_come = deque(fact for _, fact in attempt.facts if getattr(fact, "game", None) == number)
    seen = 0
    for where, fact in facts:
        game = replay.match.find(number)
        follows = to_come[0] if to_come else None
        # A bot that leaves ends its games: then the next fact of the match is the last before the game is over.
        is_last = follows is None or isinstance(follows, GameEnded)
        has_begun = not isinstance(follows, GameStarted)
        if game is not None and has_begun and game.held is None and (fact is follows or is_last):
            seen = game.turn
            is_called_next = bool(game.calls) and isinstance(fact, DiceCalled)
            if game.turn == turn and not is_called_next:
                return replay.match.setting, replay.turn_of(number)
        if fact is not None:
            replay.take(fact, where)
        if to_come and fact is follows:
            to_come.popleft()
    found = f"game {number} has turns 1 to {seen}" if seen else f"game {number} was not begun"
    raise RecordError(
        attempt.opened.match, f"there is no turn {turn} of game {number} in attempt {attempt.opened.attempt}: {found}"
    )


def events_behind(now: Callable[[], Match], fact: MatchFact, asked_ms: Mapping[int, int]) -> Iterator[Event]:
    """Give the events that this fact is the first to tell of.

    `now` gives the match after the events so far, `asked_ms` when the turn or call of each game was asked for. Raises
    `AssertionError` if the fact cannot follow.
    """
    standing, at_ms = now().standing, fact.at_ms
    match fact:
        case BotReady():
            assert fact.entrant.name == now().setting.opened.entrants[fact.seat - 1], "another entrant sits here"
            yield BotArrived(
                at_ms=at_ms, seat=fact.seat, entrant=fact.entrant, commitment=fact.commitment, lag_ms=_lag(fact)
            )
        case EntropyRevealed():
            yield EntropyGiven(at_ms=at_ms, seat=fact.seat, entropy=fact.entropy, lag_ms=_lag(fact))
        case BotReturned():
            ready = standing.ready[fact.seat - 1]
            assert ready is not None, "a bot returns only after it was ready"
            yield BotArrived(at_ms=at_ms, seat=fact.seat, entrant=ready.entrant, commitment=None, lag_ms=_lag(fact))
        case BotLeft():
            yield BotLost(at_ms=at_ms, seat=fact.seat, reason=fact.reason, grace_ms=fact.grace_ms, lag_ms=_lag(fact))
        case BotMissing():
            yield BotLost(at_ms=at_ms, seat=fact.seat, reason=fact.reason, grace_ms=0, lag_ms=_lag(fact))
        case MatchResumed():
            yield ArenaResumed(at_ms=at_ms)
        case MatchVoided():
            yield MatchStopped(at_ms=at_ms, reason=fact.reason)
        case ReceiptSigned():
            yield ReceiptAnswered(at_ms=at_ms, seat=fact.seat, lines=fact.lines, signature=fact.signature)
        case ReceiptDisputed():
            said = fact.objection
            yield ReceiptAnswered(at_ms=at_ms, seat=fact.seat, lines=fact.lines, signature=None, objection=said)
        case GameEnded():  # by a grace or the start-up deadline; other ends follow from a turn
            yield _look(now, at_ms)
        case FlagFell():
            yield from _written(now, fact, asked_ms)
            if isinstance(fact.measured, Measured):
                yield BotMeasured(at_ms=at_ms, game=fact.game, measured=fact.measured)
            limit_ms = deadline(now().game(fact.game), now().setting.terms)
            assert at_ms > limit_ms, "its clock had not run out"
            yield _look(now, at_ms)
        case ClockExtended():
            yield from _written(now, fact, asked_ms)
            yield BotMeasured(at_ms=at_ms, game=fact.game, measured=fact.measured)
        case DiceCalled() | TurnPlayed() | DrawAgreed() | TurnRejected():
            yield from _written(now, fact, asked_ms)
            yield _answer(fact)
        case MatchOpened() | GameStarted() | MatchEnded():
            return  # always follow from another fact
        case _:
            assert_never(fact)


def _look(now: Callable[[], Match], at_ms: int) -> TimePassed:
    """The check of the clocks that judged whatever ran out first, and nothing that ran out later."""
    due = due_ms(now())
    return TimePassed(at_ms=at_ms, lag_ms=0 if due is None else max(0, at_ms - due))


def _written(now: Callable[[], Match], fact: TurnFact | ClockExtended, asked_ms: Mapping[int, int]) -> Iterator[Event]:
    """The writing of a turn, if this fact is the first to tell of it."""
    assert now().phase == "playing", "no turn is put before both bots are at the table"
    game = now().game(fact.game)
    if game.written_ms is None:
        assert fact.spent_ms >= game.earlier_ms, "what the record says of it before is longer"
        lag_ms = 0 if isinstance(fact, FlagFell | ClockExtended) else _lag(fact)
        written_ms = fact.at_ms - lag_ms - (fact.spent_ms - game.earlier_ms)
        asked = asked_ms.get(fact.game)
        assert asked is not None, "no turn of this game has been asked for"
        assert written_ms >= asked, f"{fact.spent_ms} ms ago it had not been asked for"
        yield QuestionWritten(at_ms=written_ms, game=fact.game)


def _lag(fact: FactOfSeat | FactOfAnswer) -> int:
    lag_ms = fact.lag_ms or 0
    assert lag_ms >= 0, "nothing is read before it came"
    return lag_ms


def _answer(fact: DiceCalled | TurnPlayed | DrawAgreed | TurnRejected) -> Event:
    """Return what a bot said in its turn."""
    at_ms, game, lag_ms = fact.at_ms, fact.game, _lag(fact)
    if isinstance(fact, DiceCalled):
        return CallAnswered(at_ms=at_ms, game=game, dice=fact.dice, lag_ms=lag_ms)
    if isinstance(fact, DrawAgreed):
        return DrawAccepted(at_ms=at_ms, game=game, info=fact.info, lag_ms=lag_ms)
    if isinstance(fact, TurnPlayed):
        offers = fact.draw_offered is True
        return TurnAnswered(at_ms=at_ms, game=game, moves=fact.moves, info=fact.info, offers_draw=offers, lag_ms=lag_ms)
    if isinstance(fact.call, int):
        return CallAnswered(at_ms=at_ms, game=game, dice=fact.call, lag_ms=lag_ms)
    if fact.draw == "accept":
        return DrawAccepted(at_ms=at_ms, game=game, lag_ms=lag_ms)
    offers = fact.draw == "offer"
    if isinstance(fact.choice, int):
        return BadChoice(at_ms=at_ms, game=game, choice=fact.choice, offers_draw=offers, lag_ms=lag_ms)
    return TurnAnswered(at_ms=at_ms, game=game, moves=fact.moves, offers_draw=offers, lag_ms=lag_ms)
