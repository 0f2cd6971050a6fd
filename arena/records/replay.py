"""A match replayed from its record: the same machine, given what was recorded, must produce the same facts.

`Replay` takes the facts of one attempt in order. The bots' actions and their times come from the
record. Dice come from the seed (or, while it is not revealed, from the record). Everything else
(turns, verdicts, endings, points, who starts, time left on the clocks) is computed again and
compared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from arena.matches import events, facts
from arena.matches.match import advance, open_match, written
from arena.matches.state import SEATS, Deal, Dealer, GameState, Match, Setting, due_ms, pair_of
from arena.records.dice import RecordedDealer, commitment, deal_from
from arena.records.lines import Attempt, RecordError, encode_line, event_of, rules_on_record
from arena.words import Said, quoted


class Replay:
    """One attempt at a match, followed fact by fact."""

    def __init__(
        self,
        opened: facts.MatchOpened,
        seed: bytes | None,
        where: str,
        told: Iterable[facts.MatchFact] = (),
    ) -> None:
        """Without a seed, the dice are those of `told`, which are then taken one by one.

        Raises `RecordError` if the ruleset does not match its hash or the seed its commitment.
        """
        self.rules = rules_on_record(opened.ruleset, where)
        if seed is not None and commitment(seed) != opened.dice_commitment:
            raise RecordError(where, Said("record.other_seed"))
        deal = RecordedDealer(told).deal if seed is None else deal_from(opened, seed)
        self._note = _DealtDice(deal, is_of_pairs=opened.terms.form == "pairs")
        self._asked_ms: dict[int, int] = {}
        """When the turn or call of each game was asked for: it cannot have been written earlier."""
        self._expected: deque[facts.MatchFact] = deque()
        self._last_ms = opened.at_ms
        self.match: Match = open_match(self.rules, opened, self._note.deal)

    @classmethod
    def of(cls, attempt: Attempt) -> Replay:
        """An attempt from its beginning, with the dice of its seed or, while that is secret, of its record."""
        return cls(
            attempt.opened, attempt.seed, attempt.opened.match, (fact for _, fact in attempt.facts)
        )

    @property
    def is_complete(self) -> bool:
        """True if the match is over and nothing is missing."""
        return self.match.is_over and not self._expected

    def missing(self) -> list[facts.MatchFact]:
        """The facts that must follow the last one but were not taken: the record was cut short there."""
        return list(self._expected)

    @property
    def dealt(self) -> list[bytes]:
        """The dice of each stream so far, in its order, opening throws included; one byte (1-6) a die.

        In a series each game has a stream, in pairs each step of a pair. Dice that both halves were
        dealt appear once.
        """
        return [bytes(dice) for _, dice in sorted(self._note.dealt.items()) if dice]

    def turn_of(self, number: int) -> GameState:
        """An open game with the dice of its turn, or the call for them; raises `RecordError` if they are not known."""
        game = self.match.game(number)
        if game.dice is None and not game.calls:  # or, in a pair, the other half is not as far yet
            raise RecordError(self.match.setting.opened.match, Said("record.dice_unknown"))
        return game

    def take(self, fact: facts.MatchFact, where: str) -> None:
        """Take the next fact; raises `RecordError` if it differs from what must follow."""
        if fact.at_ms < self._last_ms:
            raise RecordError(
                where, Said("record.time_backwards", {"now": fact.at_ms, "before": self._last_ms})
            )
        try:
            if not self._expected:
                for event in self._events_behind(fact):
                    step = advance(self.match, event)
                    self.match = step.match
                    self._expected.extend(step.facts)
                    self._asked_ms.update(dict.fromkeys(step.questions, fact.at_ms))
        except AssertionError as error:
            values = {"event": event_of(fact), "error": quoted(str(error))}
            raise RecordError(where, Said("record.cannot_follow_since", values)) from error
        if not self._expected:
            raise RecordError(where, Said("record.cannot_follow", {"event": event_of(fact)}))
        expected = encode_line(self._expected.popleft())
        if expected != encode_line(fact):
            values = {"found": encode_line(fact).decode(), "expected": expected.decode()}
            raise RecordError(where, Said("record.replayed_otherwise", values))
        self._last_ms = fact.at_ms

    def _events_behind(self, fact: facts.MatchFact) -> Iterator[events.Event]:
        """Give the events that this fact is the first to tell of, one by one: the inverse of `advance`.

        What bots did, and when, comes from the fact; all else is computed. Raises `AssertionError`
        if it cannot follow.
        """
        if isinstance(fact, facts.FactOfAnswer):  # nearly all
            self._start_clock(fact)
            yield _answer(fact)
            return
        at_ms = fact.at_ms
        told: dict[str, Any] = {"at_ms": at_ms}
        if isinstance(fact, facts.FactOfSeat):
            told |= {"seat": fact.seat, "lag_ms": _lag(fact)}
        match fact:
            case facts.BotReady():
                seated = self.match.setting.opened.entrants[fact.seat - 1]
                assert fact.entrant.name == seated, "another entrant sits here"
                told["break_ms"] = fact.break_ms or 0
                yield events.BotArrived(**told, entrant=fact.entrant, commitment=fact.commitment)
            case facts.EntropyRevealed():
                yield events.EntropyGiven(**told, entropy=fact.entropy)
            case facts.BotReturned():
                ready = self.match.standing.ready[fact.seat - 1]
                assert ready is not None, "a bot returns only after it was ready"
                told["break_ms"] = fact.break_ms or 0
                yield events.BotArrived(**told, entrant=ready.entrant, commitment=None)
            case facts.BotLeft():
                is_blameless = fact.blameless is True
                yield events.BotLost(
                    **told, reason=fact.reason, grace_ms=fact.grace_ms, is_blameless=is_blameless
                )
            case facts.BotMissing():
                yield events.BotLost(**told, reason=fact.reason, grace_ms=0)
            case facts.MatchResumed():
                yield events.ArenaResumed(at_ms=at_ms, last_ms=self._last_ms)
            case facts.BreakEnded():
                yield from self._end_of_break(at_ms)
            case facts.MatchVoided():
                yield events.MatchStopped(at_ms=at_ms, reason=fact.reason)
            case facts.ReceiptSigned():
                yield events.ReceiptAnswered(
                    **told, seat=fact.seat, lines=fact.lines, signature=fact.signature
                )
            case facts.ReceiptDisputed():
                told |= {"seat": fact.seat, "lines": fact.lines, "objection": fact.objection}
                yield events.ReceiptAnswered(**told, signature=None)
            case facts.GameEnded():  # by a grace or the start-up deadline; other ends follow from a turn
                yield self._look(at_ms)
            case facts.FlagFell():
                self._start_clock(fact)
                if isinstance(fact.measured, facts.Measured):
                    yield events.BotMeasured(at_ms=at_ms, game=fact.game, measured=fact.measured)
                assert at_ms > (self.match.game(fact.game).due_ms or at_ms), (
                    "its clock had not run out"
                )
                yield self._look(at_ms)
            case facts.ClockExtended():
                self._start_clock(fact)
                yield events.BotMeasured(at_ms=at_ms, game=fact.game, measured=fact.measured)
            case facts.MatchOpened() | facts.GameStarted() | facts.MatchEnded():
                return  # always follow from another fact
            case _:
                assert_never(fact)

    def _end_of_break(self, at_ms: int) -> Iterator[events.Event]:
        """Give what ended a break: that its time was over, or else that those who rested were ready."""
        standing = self.match.standing
        assert standing.break_due_ms is not None, "nobody has asked for a break here"
        if at_ms > standing.break_due_ms:
            yield self._look(at_ms)
            return
        for seat in SEATS:
            if standing.resting[seat - 1]:
                yield events.ReadyForGame(at_ms=at_ms, seat=seat)

    def _look(self, at_ms: int) -> events.TimePassed:
        """The check of the clocks that judged whatever ran out first, and nothing that ran out later."""
        due = due_ms(self.match)
        return events.TimePassed(at_ms=at_ms, lag_ms=0 if due is None else max(0, at_ms - due))

    def _start_clock(self, fact: facts.TurnFact | facts.ClockExtended) -> None:
        """Start the clock of a turn, if this fact is the first to tell of its writing."""
        assert self.match.standing.phase == "playing", (
            "no turn is put before both bots are at the table"
        )
        game = self.match.game(fact.game)
        if game.written_ms is None:
            assert fact.spent_ms >= game.earlier_ms, "what the record says of it before is longer"
            lag_ms = 0 if isinstance(fact, facts.FlagFell | facts.ClockExtended) else _lag(fact)
            written_ms = fact.at_ms - lag_ms - (fact.spent_ms - game.earlier_ms)
            asked = self._asked_ms.get(fact.game)
            assert asked is not None, "no turn of this game has been asked for"
            assert written_ms >= asked, f"{fact.spent_ms} ms ago it had not been asked for"
            self.match, _ = written(self.match, fact.game, written_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """An attempt after its replay."""

    attempt: Attempt
    """Without its turns: they are most of it, and nobody asks for them again."""
    dealt: Sequence[bytes] = ()
    """The dice of its games, as `Replay.dealt`."""
    problem: RecordError | None = None
    """The first difference; None if there is none."""


def replay_attempt(
    attempt: Attempt, tell: Callable[[str, facts.MatchFact], object] | None = None
) -> Replayed:
    """Replay one attempt, as `verify_attempt` does, and keep what verification of its run asks for."""
    dealt: Sequence[bytes] = ()
    problem = None
    try:
        dealt = verify_attempt(attempt, tell)
    except RecordError as error:
        problem = error
    others: list[tuple[str, facts.MatchFact]] = [
        (where, fact) for where, fact in attempt.facts if not isinstance(fact, facts.FactOfTurn)
    ]
    return Replayed(attempt=replace(attempt, facts=others), dealt=dealt, problem=problem)


def verify_attempt(
    attempt: Attempt, tell: Callable[[str, facts.MatchFact], object] | None = None
) -> list[bytes]:
    """Replay one attempt and return the dice of its games; raises `RecordError` at the first difference.

    `tell` is called with each fact that is as it must be, and its place.
    """
    where = attempt.facts[0][0] if attempt.facts else "the record"
    replay = Replay(attempt.opened, attempt.seed, where, (fact for _, fact in attempt.facts))
    for where, fact in attempt.facts:
        replay.take(fact, where)
        if tell is not None:
            tell(where, fact)
    if attempt.is_closed and not (replay.is_complete and attempt.seed is not None):
        raise RecordError(where, Said("record.closed_unfinished"))
    return replay.dealt


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

    def throw(self, game: int, number: int) -> facts.Pair | None:
        """One throw for the start of a game."""
        throw = self._dealer.throw(game, number)
        self._known(game, 0).extend(throw or ())
        return throw

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...] | None:
        """The dice of one turn; dice that the other half of a pair got already are not kept twice."""
        roll = self._dealer.roll(game, turn, dealt, dice)
        known = self._known(game, turn)
        known.extend(roll[len(known) if self._is_of_pairs else 0 :] if roll else ())
        return roll

    def _known(self, game: int, turn: int) -> bytearray:
        return self.dealt.setdefault(
            (pair_of(game), turn) if self._is_of_pairs else (game, 0), bytearray()
        )


def find_turn(attempt: Attempt, number: int, turn: int) -> tuple[Setting, GameState]:
    """A game as it was when a turn was first put to a bot, and the setting; raises `RecordError` if there was none."""
    replay = Replay.of(attempt)
    lines: list[tuple[str, facts.MatchFact | None]] = [*attempt.facts, ("", None)]
    to_come = deque(fact for _, fact in attempt.facts if getattr(fact, "game", None) == number)
    seen = 0
    for where, fact in lines:
        game = replay.match.find(number)
        follows = to_come[0] if to_come else None
        # A bot that leaves ends its games: then the next fact of the match is the last before the
        # game is over.
        is_last = follows is None or isinstance(follows, facts.GameEnded)
        has_begun = not isinstance(follows, facts.GameStarted)
        if game is not None and has_begun and game.held is None and (fact is follows or is_last):
            seen = game.turn
            is_called_next = bool(game.calls) and isinstance(fact, facts.DiceCalled)
            if game.turn == turn and not is_called_next:
                return replay.match.setting, replay.turn_of(number)
        if fact is not None:
            replay.take(fact, where)
        if to_come and fact is follows:
            to_come.popleft()
    found = f"game {number} has turns 1 to {seen}" if seen else f"game {number} was not begun"
    raise RecordError(
        attempt.opened.match,
        f"there is no turn {turn} of game {number} in attempt {attempt.opened.attempt}: {found}",
    )


def _lag(fact: facts.FactOfSeat | facts.FactOfAnswer) -> int:
    lag_ms = fact.lag_ms or 0
    assert lag_ms >= 0, "nothing is read before it came"
    return lag_ms


def _answer(
    fact: facts.DiceCalled | facts.TurnPlayed | facts.DrawAgreed | facts.TurnRejected,
) -> events.Event:
    said: dict[str, Any] = {"at_ms": fact.at_ms, "game": fact.game, "lag_ms": _lag(fact)}
    match fact:
        case facts.TurnPlayed():
            return events.TurnAnswered(
                **said, moves=fact.moves, info=fact.info, offers_draw=fact.draw_offered is True
            )
        case facts.DiceCalled():
            return events.CallAnswered(**said, dice=fact.dice)
        case facts.DrawAgreed():
            return events.DrawAccepted(**said, info=fact.info)
        case facts.TurnRejected(call=int(dice)):
            return events.CallAnswered(**said, dice=dice)
        case facts.TurnRejected(draw="accept"):
            return events.DrawAccepted(**said)
        case facts.TurnRejected(choice=int(choice)):
            return events.BadChoice(**said, choice=choice, offers_draw=fact.draw == "offer")
        case _:
            return events.TurnAnswered(**said, moves=fact.moves, offers_draw=fact.draw == "offer")
