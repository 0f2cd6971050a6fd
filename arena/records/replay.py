"""A match replayed from its record: the same machine must produce the same facts again.

`Replay` takes the facts of one attempt in order. The bots' actions and their times come from the
record. Dice come from the seed (or, while it is not revealed, from the record). Everything else
(turns, verdicts, endings, points, who starts, time left on the clocks) is computed again and
compared.
"""

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
        recorded: Iterable[facts.MatchFact] = (),
    ) -> None:
        """Open the match; without a seed, its dice are those of the `recorded` facts.

        The facts are not taken by this. Raises `RecordError` if the ruleset does not match its hash
        or the seed its commitment.
        """
        self.rules = rules_on_record(opened.ruleset, where)
        deal: Deal
        if seed is None:
            deal = RecordedDealer(recorded).deal
        elif commitment(seed) == opened.dice_commitment:
            deal = deal_from(opened, seed)
        else:
            raise RecordError(where, Said("record.other_seed"))
        self._dealt = _DealtDice(deal, is_of_pairs=opened.terms.form == "pairs")
        self._asked_ms: dict[int, int] = {}
        """When the turn or call of each game was asked for: it cannot have been written earlier."""
        self._expected: deque[facts.MatchFact] = deque()
        self._last_ms = opened.at_ms
        self.match: Match = open_match(self.rules, opened, self._dealt.deal)

    @classmethod
    def of(cls, attempt: Attempt) -> "Replay":
        """Open an attempt with the dice of its seed or, while that is secret, of its record."""
        recorded = (fact for _, fact in attempt.facts)
        return cls(attempt.opened, attempt.seed, attempt.opened.match, recorded)

    @property
    def is_complete(self) -> bool:
        """True if the match is over and nothing is missing."""
        return self.match.is_over and not self._expected

    def missing(self) -> list[facts.MatchFact]:
        """Return the facts that must follow the last one: the record was cut short before them."""
        return list(self._expected)

    @property
    def dealt(self) -> list[bytes]:
        """The dice of each stream so far, opening throws included; one byte (1-6) a die.

        In a series each game has a stream, in pairs each step of a pair. Dice that both halves were
        dealt appear once.
        """
        streams = sorted(self._dealt.dice.items())
        return [bytes(dice) for _, dice in streams if dice]

    def turn_of(self, number: int) -> GameState:
        """Return an open game with the dice of its turn, or with the call for them.

        Raises `RecordError` if the dice are not known.
        """
        game = self.match.game(number)
        if game.dice is None and not game.calls:  # or, in a pair, the other half is not as far yet
            raise RecordError(self.match.setting.opened.match, Said("record.dice_unknown"))
        return game

    def check(self, fact: facts.MatchFact, where: str) -> None:
        """Check that the next fact is what must follow. Raises `RecordError`."""
        if fact.at_ms < self._last_ms:
            problem = Said(
                "record.time_backwards",
                {
                    "now": fact.at_ms,
                    "before": self._last_ms,
                },
            )
            raise RecordError(where, problem)
        if not self._expected:
            self._advance(fact, where)
        expected = encode_line(self._expected.popleft())
        line = encode_line(fact)
        if expected != line:
            problem = Said(
                "record.replayed_otherwise",
                {
                    "found": line.decode(),
                    "expected": expected.decode(),
                },
            )
            raise RecordError(where, problem)
        self._last_ms = fact.at_ms

    def _advance(self, fact: facts.MatchFact, where: str) -> None:
        """Compute the facts that must follow; raises `RecordError` if none can, or not this one."""
        try:
            for event in self._events_behind(fact):
                step = advance(self.match, event)
                self.match = step.match
                self._expected.extend(step.facts)
                self._asked_ms.update(dict.fromkeys(step.questions, fact.at_ms))
        except AssertionError as error:
            problem = Said(
                "record.cannot_follow_since",
                {
                    "event": event_of(fact),
                    "error": quoted(str(error)),
                },
            )
            raise RecordError(where, problem) from error
        if not self._expected:
            problem = Said("record.cannot_follow", {"event": event_of(fact)})
            raise RecordError(where, problem)

    def _events_behind(self, fact: facts.MatchFact) -> Iterator[events.Event]:
        """Yield the events that led to this fact and to none before it: the inverse of `advance`.

        The actions of bots and their times come from the fact; all else is computed. Raises
        `AssertionError` if the fact cannot follow.
        """
        # More than ten branches: it is a table, each fact with its event.
        if isinstance(fact, facts.FactOfAnswer):  # nearly all
            self._start_clock(fact)
            yield _answer(fact)
            return
        at_ms = fact.at_ms
        match fact:
            case facts.BotReady() | facts.BotReturned():
                yield self._arrival(fact)
            case facts.EntropyRevealed():
                yield events.EntropyGiven(**_of_seat(fact), entropy=fact.entropy)
            case facts.BotLeft():
                yield events.BotLost(
                    **_of_seat(fact),
                    reason=fact.reason,
                    grace_ms=fact.grace_ms,
                    is_blameless=fact.blameless is True,
                )
            case facts.BotMissing():
                yield events.BotLost(
                    **_of_seat(fact),
                    reason=fact.reason,
                    grace_ms=0,
                )
            case facts.MatchResumed():
                yield events.ArenaResumed(at_ms=at_ms, last_ms=self._last_ms)
            case facts.BreakEnded():
                yield from self._end_of_break(at_ms)
            case facts.MatchVoided():
                yield events.MatchStopped(at_ms=at_ms, reason=fact.reason)
            case facts.ReceiptSigned() | facts.ReceiptDisputed():
                yield _receipt_answer(fact)
            case facts.GameEnded():  # by a grace or the start-up deadline; else it follows a turn
                yield self._check_of_clocks(at_ms)
            case facts.FlagFell():
                yield from self._fall_of_flag(fact)
            case facts.ClockExtended():
                self._start_clock(fact)
                yield events.BotMeasured(
                    at_ms=at_ms,
                    game=fact.game,
                    measured=fact.measured,
                )
            case facts.MatchOpened() | facts.GameStarted() | facts.MatchEnded():
                return  # always follow from another fact
            case _:
                assert_never(fact)

    def _arrival(self, fact: facts.BotReady | facts.BotReturned) -> events.BotArrived:
        """Return the event behind the arrival of a bot, its first or a later one."""
        common = _of_seat(fact) | {"break_ms": fact.break_ms or 0}
        if isinstance(fact, facts.BotReady):
            seated = self.match.setting.opened.entrants[fact.seat - 1]
            assert fact.entrant.name == seated, "another entrant sits here"
            return events.BotArrived(
                **common,
                entrant=fact.entrant,
                commitment=fact.commitment,
            )
        ready = self.match.standing.ready[fact.seat - 1]
        assert ready is not None, "a bot returns only after it was ready"
        return events.BotArrived(
            **common,
            entrant=ready.entrant,
            commitment=None,
        )

    def _end_of_break(self, at_ms: int) -> Iterator[events.Event]:
        """Yield what ended a break: its time was over, or else the resting bots were ready."""
        standing = self.match.standing
        assert standing.break_due_ms is not None, "no bot has asked for a break here"
        if at_ms > standing.break_due_ms:
            yield self._check_of_clocks(at_ms)
            return
        for seat in SEATS:
            if standing.resting[seat - 1]:
                yield events.ReadyForGame(at_ms=at_ms, seat=seat)

    def _fall_of_flag(self, fact: facts.FlagFell) -> Iterator[events.Event]:
        """Yield what was measured of the bot, and the check of the clocks after it."""
        self._start_clock(fact)
        if isinstance(fact.measured, facts.Measured):
            yield events.BotMeasured(
                at_ms=fact.at_ms,
                game=fact.game,
                measured=fact.measured,
            )
        due = self.match.game(fact.game).due_ms or fact.at_ms
        assert fact.at_ms > due, "its clock had not run out"
        yield self._check_of_clocks(fact.at_ms)

    def _check_of_clocks(self, at_ms: int) -> events.TimePassed:
        """Return the check that judged only the clock that ran out first."""
        lag_ms = 0
        due = due_ms(self.match)
        if due is not None:
            lag_ms = max(0, at_ms - due)
        return events.TimePassed(at_ms=at_ms, lag_ms=lag_ms)

    def _start_clock(self, fact: facts.TurnFact | facts.ClockExtended) -> None:
        """Start the clock of a turn, if no fact before this one has done so."""
        assert self.match.standing.phase == "playing", (
            "no turn is put before both bots are at the table"
        )
        game = self.match.game(fact.game)
        if game.written_ms is None:
            spent_ms = fact.spent_ms - game.earlier_ms
            assert spent_ms >= 0, "what the record says of it before is longer"
            lag_ms = 0
            if not isinstance(fact, facts.FlagFell | facts.ClockExtended):
                lag_ms = _lag(fact)
            written_ms = fact.at_ms - lag_ms - spent_ms
            asked_ms = self._asked_ms.get(fact.game)
            assert asked_ms is not None, "no turn of this game has been asked for"
            assert written_ms >= asked_ms, f"{fact.spent_ms} ms ago it had not been asked for"
            self.match, _ = written(self.match, fact.game, written_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """An attempt after its replay."""

    attempt: Attempt
    """Without its turns: they are most of it, and are not needed any more."""
    dealt: Sequence[bytes] = ()
    """The dice of its games, as `Replay.dealt`."""
    problem: RecordError | None = None
    """The first difference; None if there is none."""


def replay_attempt(
    attempt: Attempt, tell: Callable[[str, facts.MatchFact], object] | None = None
) -> Replayed:
    """Replay one attempt, as `verify_attempt` does; keep what the verification of its run needs."""
    dealt: Sequence[bytes] = ()
    problem = None
    try:
        dealt = verify_attempt(attempt, tell)
    except RecordError as error:
        problem = error
    kept: list[tuple[str, facts.MatchFact]] = [
        (where, fact) for where, fact in attempt.facts if not isinstance(fact, facts.FactOfTurn)
    ]
    return Replayed(
        attempt=replace(attempt, facts=kept),
        dealt=dealt,
        problem=problem,
    )


def verify_attempt(
    attempt: Attempt, tell: Callable[[str, facts.MatchFact], object] | None = None
) -> list[bytes]:
    """Replay one attempt and return the dice of its games.

    Call `tell` with the place and the fact of each line that is right. Raises `RecordError` at the
    first difference.
    """
    start = "the record"
    if attempt.facts:
        start, _ = attempt.facts[0]
    recorded = (fact for _, fact in attempt.facts)
    replay = Replay(attempt.opened, attempt.seed, start, recorded)
    where = start
    for where, fact in attempt.facts:
        replay.check(fact, where)
        if tell is not None:
            tell(where, fact)
    if attempt.is_closed and not (replay.is_complete and attempt.seed is not None):
        raise RecordError(where, Said("record.closed_unfinished"))
    return replay.dealt


class _DealtDice:
    """A dealer that remembers the dice it has dealt."""

    def __init__(self, deal: Deal, *, is_of_pairs: bool) -> None:
        self._deal = deal
        self._is_of_pairs = is_of_pairs
        self.dice: dict[tuple[int, int], bytearray] = {}
        """By their stream: the game and 0, in pairs the pair and the step."""

    def deal(self, first: str, second: str) -> Dealer:
        """Start with the entropies of the bots."""
        self._dealer = self._deal(first, second)
        return self

    def throw(self, game: int, number: int) -> facts.Pair | None:
        """Deal one throw for the start of a game."""
        throw = self._dealer.throw(game, number)
        dice = self._stream(game, 0)
        if throw is not None:
            dice.extend(throw)
        return throw

    def roll(
        self,
        game: int,
        turn: int,
        dealt: int,
        dice: int,
    ) -> tuple[int, ...] | None:
        """Deal the dice of one turn; keep dice once that both halves of a pair get."""
        roll = self._dealer.roll(game, turn, dealt, dice)
        stream = self._stream(game, turn)
        if roll is not None:
            already = len(stream) if self._is_of_pairs else 0
            stream.extend(roll[already:])
        return roll

    def _stream(self, game: int, turn: int) -> bytearray:
        stream = (game, 0)
        if self._is_of_pairs:
            stream = (pair_of(game), turn)
        return self.dice.setdefault(stream, bytearray())


def find_turn(attempt: Attempt, number: int, turn: int) -> tuple[Setting, GameState]:
    """Return a game as it was when a turn was first put to a bot, and the setting.

    Raises `RecordError` if there was no such turn.
    """
    replay = Replay.of(attempt)
    lines: list[tuple[str, facts.MatchFact | None]] = [*attempt.facts, ("", None)]
    of_game = _facts_of_game(attempt, number)
    last_turn = 0
    for where, fact in lines:
        follows = of_game[0] if of_game else None
        game = _game_waiting_at(replay, number, fact, follows)
        if game is not None:
            last_turn = game.turn
            is_called_next = bool(game.calls) and isinstance(fact, facts.DiceCalled)
            if game.turn == turn and not is_called_next:
                return replay.match.setting, replay.turn_of(number)
        if fact is not None:
            replay.check(fact, where)
            if fact is follows:
                of_game.popleft()
    reason = f"game {number} was not started"
    if last_turn:
        reason = f"game {number} has turns 1 to {last_turn}"
    raise RecordError(
        attempt.opened.match,
        f"there is no turn {turn} of game {number} in attempt {attempt.opened.attempt}: {reason}",
    )


def _facts_of_game(attempt: Attempt, number: int) -> deque[facts.MatchFact]:
    return deque(fact for _, fact in attempt.facts if getattr(fact, "game", None) == number)


def _game_waiting_at(
    replay: Replay,
    number: int,
    fact: facts.MatchFact | None,
    follows: facts.MatchFact | None,
) -> GameState | None:
    """Return a game whose turn is put to a bot before the next `fact` of the match; else None.

    `follows` is the next fact of the game.
    """
    game = replay.match.find(number)
    if game is None or game.held is not None or isinstance(follows, facts.GameStarted):
        return None
    # A bot that leaves ends its games: then the next fact of the match is the last before the
    # game is over.
    is_last = follows is None or isinstance(follows, facts.GameEnded)
    if is_last or fact is follows:
        return game
    return None


def _lag(fact: facts.FactOfSeat | facts.FactOfAnswer) -> int:
    lag_ms = fact.lag_ms or 0
    assert lag_ms >= 0, "nothing is read before it came"
    return lag_ms


def _of_seat(fact: facts.FactOfSeat) -> dict[str, Any]:
    """Return the fields that all events of a seat have."""
    return {
        "at_ms": fact.at_ms,
        "seat": fact.seat,
        "lag_ms": _lag(fact),
    }


def _receipt_answer(
    fact: facts.ReceiptSigned | facts.ReceiptDisputed,
) -> events.ReceiptAnswered:
    """Return the event behind a signed or disputed receipt."""
    if isinstance(fact, facts.ReceiptSigned):
        return events.ReceiptAnswered(
            at_ms=fact.at_ms,
            seat=fact.seat,
            lines=fact.lines,
            signature=fact.signature,
        )
    return events.ReceiptAnswered(
        at_ms=fact.at_ms,
        seat=fact.seat,
        lines=fact.lines,
        signature=None,
        objection=fact.objection,
    )


def _answer(
    fact: facts.DiceCalled | facts.TurnPlayed | facts.DrawAgreed | facts.TurnRejected,
) -> events.Event:
    """Return the event behind an answer to a turn or call, also one that was rejected."""
    common: dict[str, Any] = {
        "at_ms": fact.at_ms,
        "game": fact.game,
        "lag_ms": _lag(fact),
    }
    match fact:
        case facts.TurnPlayed():
            return events.TurnAnswered(
                **common,
                moves=fact.moves,
                info=fact.info,
                offers_draw=fact.draw_offered is True,
            )
        case facts.DiceCalled():
            return events.CallAnswered(**common, dice=fact.dice)
        case facts.DrawAgreed():
            return events.DrawAccepted(**common, info=fact.info)
        case facts.TurnRejected(call=int(dice)):
            return events.CallAnswered(**common, dice=dice)
        case facts.TurnRejected(draw="accept"):
            return events.DrawAccepted(**common)
        case facts.TurnRejected(choice=int(choice)):
            return events.BadChoice(
                **common,
                choice=choice,
                offers_draw=fact.draw == "offer",
            )
        case _:
            return events.TurnAnswered(
                **common,
                moves=fact.moves,
                offers_draw=fact.draw == "offer",
            )
