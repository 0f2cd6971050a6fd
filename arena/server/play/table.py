"""One match at the table: the machine, its dice, its record, and the two bots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from arena.games import Game
from arena.matches import match as machine
from arena.matches.facts import (
    Ask,
    AskCall,
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    DiceCalled,
    DrawAgreed,
    Entrant,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
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
from arena.matches.game import other
from arena.matches.state import SEATS, Step, awaits_answer, called_back, is_decided, open_game_of
from arena.records.dice import Dealer, dealer
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import FAILED
from arena.server.io.journal import Journal
from arena.server.play import translate
from arena.server.play.bot import Bot
from arena.server.play.evidence import Evidence
from arena.server.play.outcome import Outcome
from arena.server.run.resume import UnderWay
from protocol.messages import Call, GameStart, Last, MatchStart, Play, Turn


class Table:
    """Feeds a match with what happens, fulfils its requests, records and tells what follows.

    It decides nothing: rules and verdicts are the machine's, and there is no second copy of its state here.
    """

    def __init__(
        self,
        loop: EventLoop,
        rules: Game[Any],
        opened: MatchOpened,
        seed: bytes,
        bots: tuple[Bot, Bot],
        journal: Journal,
        evidence: Evidence | None = None,
        under_way: UnderWay | None = None,
    ) -> None:
        """The match begins, or goes on that was `under_way` when an arena was gone."""
        self.match = opened.match
        self.outcome = Outcome()
        self._loop = loop
        self._rules = rules
        self._seed = seed
        self._bots = bots
        self._journal = journal
        self._evidence = evidence
        self._dealer: Dealer | None = None
        self._last_played: dict[int, TurnPlayed] = {}
        self._asked: dict[int, Turn | Call] = {}
        self._check = self._time_passed
        self._handlers = _HANDLERS
        if under_way is None:
            self.state = self._before = machine.open_match(opened).state
            self._record(opened)
        else:
            self._take_over(under_way)
        for seat in SEATS:
            bots[seat - 1].sit_down(self, seat)
        self._settle(loop.clock.now_ms())

    def _take_over(self, under_way: UnderWay) -> None:
        """Stand where the table of an arena stood that is gone."""
        self.outcome.add(under_way.games)
        self._last_played |= under_way.last_turns
        self._dealer = under_way.dealer
        self.state = self._before = under_way.state
        for game in self.state.games:
            for bot in self._bots:
                bot.handle_of(self, game.number)
        if self._evidence is not None:
            self._evidence.recall(under_way.facts)
        now_ms = self._loop.clock.now_ms()
        self._follow(machine.resumed(self.state, now_ms), now_ms)

    @property
    def turns_in_play(self) -> int:
        """How many turns and calls have been put to a bot and await its answer."""
        return sum(game.written_ms is not None for game in self.state.games)

    @property
    def is_being_settled(self) -> bool:
        """Whether the match has ended; the run may not have heard of it yet."""
        return self.outcome.end is not None

    def put_nothing_more(self) -> None:
        """The run stops: what has been put may still be answered; nothing is rolled or put after it."""
        self._handlers = _LAST_HANDLERS
        for bot in self._bots:
            bot.withdraw_waiting()

    def _leave_open(self, request: object, now_ms: int) -> None:
        """It is for whoever goes on with the match."""

    def is_without(self, seat: Seat) -> bool:
        """Whether the bot of this seat is not at the table."""
        return not self.state.present[seat - 1]

    def invitation(self, seat: Seat) -> MatchStart:
        """The match as a bot is told of it."""
        opponent = self.state.ready[other(seat) - 1]
        return translate.match_start(self.state.opened, seat, opponent.entrant.version if opponent else "")

    def game_start(self, number: int, bot: Bot, handle: int) -> GameStart:
        """An open game as a bot is told of it."""
        seat: Seat = 1 if self._bots[0] is bot else 2
        return translate.game_start(handle, self.state.opened, open_game_of(self.state, number), seat)

    def question(self, number: int, bot: Bot, now_ms: int) -> Turn | Call:
        """The turn or call of an open game as a bot is told of it, with the clocks as they are now."""
        game = open_game_of(self.state, number)
        left_ms = machine.left_now(self.state, number, now_ms)
        handle = bot.handle_of(self, number)
        if game.calls:
            return translate.call(self._rules, handle, game, left_ms)
        return translate.turn(self._rules, handle, game, left_ms, wants_legal=bot.wants_legal)

    def is_decided(self, number: int) -> bool:
        """Whether an open game has ended and its end is only kept back: nothing of it is to be answered any more."""
        return is_decided(self.state, number)

    # Events

    def bot_ready(self, seat: Seat, entropy: bytes, now_ms: int) -> None:
        """A bot has taken its seat, for the first time or again."""
        lag_ms = self._catch_up_in_doubt(now_ms)
        bot = self._bots[seat - 1]
        entrant = Entrant(name=bot.name, version=bot.version, fingerprint=bot.fingerprint)
        ready = BotReady(at_ms=now_ms, seat=seat, entrant=entrant, entropy=entropy.hex(), lag_ms=lag_ms or UNSET)
        self._event(machine.bot_ready(self._rules, self.state, ready), now_ms)

    def bot_left(self, seat: Seat, reason: str, *, grace_ms: int, now_ms: int) -> None:
        """A bot has lost its connection, or will never have one."""
        lag_ms = self._catch_up_in_doubt(now_ms)
        step = machine.bot_left(self._rules, self.state, seat, reason, grace_ms=grace_ms, now_ms=now_ms, lag_ms=lag_ms)
        self._event(step, now_ms)

    def answered(self, number: int, turn: Turn, play: Play, now_ms: int, lag_ms: int) -> None:
        """A bot has answered the turn it was asked in this game; the answer may have lain unread for `lag_ms`."""
        if not self._is_in_time(number, now_ms, lag_ms):
            return
        self._asked[number] = turn
        info = None if play.info is None else translate.remark(play.info)
        if play.draw == "accept":  # T9: in place of a turn; an offer goes with one
            step = machine.draw_accepted(self._rules, self.state, number, info=info, now_ms=now_ms, lag_ms=lag_ms)
        else:
            moves = translate.moves_of(play, turn)
            offers = play.draw == "offer"
            step = machine.answered(
                self._rules, self.state, number, moves, info=info, now_ms=now_ms, lag_ms=lag_ms, offers_draw=offers
            )
        self._follow(step, now_ms)
        if self.state.phase != "playing":
            self._settle(now_ms)

    def called(self, number: int, call: Call, dice: int, now_ms: int, lag_ms: int) -> None:
        """A bot has called for so many dice."""
        if not self._is_in_time(number, now_ms, lag_ms):
            return
        self._asked[number] = call
        step = machine.called(self._rules, self.state, number, dice, now_ms=now_ms, lag_ms=lag_ms)
        self._event(step, now_ms)

    def _is_in_time(self, number: int, now_ms: int, lag_ms: int) -> bool:
        """Whether an answer in this game counts: what ran out elsewhere in the match before it comes first."""
        if len(self.state.games) == 1 and False not in self.state.present:
            return True  # nothing runs but the clock of this very turn, which the answer is judged by
        self._catch_up(now_ms, lag_ms)  # the other may have stayed away too long, or be overdue in the other half
        return awaits_answer(self.state, number)

    def call_waived(self, number: int, now_ms: int) -> None:
        """The bot to move leaves it at the usual number of dice: it does not want to be asked."""
        self._event(machine.call_waived(self._rules, self.state, number, now_ms=now_ms), now_ms)

    def written(self, number: int, now_ms: int) -> None:
        """A turn or call has been written to its bot."""
        was_asked = open_game_of(self.state, number).written_ms is not None
        self.state, limit_ms = machine.written(self.state, number, now_ms)
        if was_asked:  # and is told again to a bot that came back: its clock has begun
            self._loop.deadlines.at(limit_ms + 1, self._check)
        else:
            self._loop.await_answer(limit_ms + 1, self._check, self._written_late, number, now_ms)

    def _written_late(self, number: int, now_ms: int) -> None:
        """A turn or call leaves later than it was put: the arena had more to do in the same batch."""
        self.state = machine.written_late(self.state, number, now_ms)

    def void(self, reason: str, now_ms: int) -> None:
        """Stop the match through no fault of the bots."""
        self._event(machine.void(self.state, reason, now_ms), now_ms)

    def _catch_up(self, now_ms: int, lag_ms: int = 0) -> None:
        """Whatever has run out comes before an event that is heard of now, and may have happened `lag_ms` ago."""
        while (due_ms := machine.due_ms(self.state)) is not None and due_ms <= now_ms - lag_ms:
            self._event(machine.time_passed(self._rules, self.state, now_ms), now_ms)

    def _catch_up_in_doubt(self, now_ms: int) -> int:
        """Judge what ran out before an event that is heard of now, but nothing over which an answer may lie unread.

        Gives how long ago the event may have happened, if something is left to be judged for that reason; else 0.
        """
        lag_ms = self._loop.unread_ms()
        self._catch_up(now_ms, lag_ms)
        due_ms = machine.due_ms(self.state)
        return lag_ms if due_ms is not None and due_ms <= now_ms else 0

    def _time_passed(self, looked_ms: int) -> int | None:
        now_ms = self._loop.clock.now_ms()  # what was read since the look may be on record by now, with a later time
        try:
            self._catch_up(now_ms, now_ms - looked_ms)
        except OSError:
            raise  # nothing may go on that is not recorded
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and ends no other match
            self._loop.failed(error)
            self.void(FAILED, now_ms)
        self._loop.end_batch()
        return machine.due_ms(self.state)

    # What follows

    def _event(self, step: Step, now_ms: int) -> None:
        self._follow(step, now_ms)
        self._settle(now_ms)

    def _settle(self, now_ms: int) -> None:
        """See to what the new state waits for: an end, a bot, a time."""
        state = self.state
        if state.phase == "over":
            if not self.outcome.is_told:
                for bot in self._bots:
                    bot.stand_up(self, now_ms)
                self.outcome.tell()
            return
        for seat in called_back(state):
            self._bots[seat - 1].call_back()
        if (due_ms := machine.due_ms(state)) is not None:
            self._loop.deadlines.at(due_ms, self._check)

    def _follow(self, step: Step, now_ms: int) -> None:
        """Record and tell facts, fulfil requests, in order; a request comes after every fact and may lead to more."""
        self._before = self.state
        self.state = step.state
        for action in step.actions:
            self._handlers[action.__class__](self, action, now_ms)
        self._before = self.state  # not to keep a state that is gone as long as a bot thinks

    def _record(self, fact: MatchFact) -> None:
        self._journal.write(fact)
        self._loop.dirty_journal(self._journal)

    def _played(self, fact: TurnPlayed, _now_ms: int) -> None:
        self._record(fact)
        self._last_played[fact.game] = fact

    def _draw_agreed(self, fact: DrawAgreed, _now_ms: int) -> None:
        self._record(fact)
        self._last_played.pop(fact.game)  # it did not end the game

    def _roll(self, request: Roll, now_ms: int) -> None:
        number = request.game
        game = open_game_of(self.state, number)
        dice = (self._dealer or self._new_dealer()).roll(number, game.turn, request.dice)
        bot = self._bots[game.mover - 1]
        if not bot.has_room:
            self.state = machine.rolled(self.state, number, dice)
            self._ask(request, now_ms)
            return
        self.state, game, limit_ms = machine.rolled_and_written(self.state, number, dice, now_ms)
        handle = bot.handle_of(self, number)
        left_ms = machine.left_now(self.state, number, now_ms) if game.earlier_ms else game.left_ms
        bot.put(translate.turn(self._rules, handle, game, left_ms, wants_legal=bot.wants_legal))
        self._loop.await_answer(limit_ms + 1, self._check, self._written_late, number, now_ms)

    def _throw(self, request: Throw, now_ms: int) -> None:
        throw = (self._dealer or self._new_dealer()).throw(request.game)
        self._follow(machine.thrown(self._rules, self.state, request.game, throw, now_ms=now_ms), now_ms)

    def _ask(self, request: Ask | AskCall | Roll, now_ms: int) -> None:
        number = request.game
        bot = self._bots[open_game_of(self.state, number).mover - 1]
        bot.offer(self.question(number, bot, now_ms), now_ms)

    def _ask_call(self, request: AskCall, now_ms: int) -> None:
        if self._bots[open_game_of(self.state, request.game).mover - 1].wants_call:
            self._ask(request, now_ms)
        else:
            self.call_waived(request.game, now_ms)

    def _new_dealer(self) -> Dealer:
        """The dice of the match; they depend on what both bots gave for them."""
        self._dealer = dealer(self.state, self._seed)
        return self._dealer

    def _started(self, fact: GameStarted, _now_ms: int) -> None:
        self._record(fact)
        for bot in self._bots:
            bot.send(self.game_start(fact.game, bot, bot.handle_of(self, fact.game)))

    def _rejected(self, fact: TurnRejected, _now_ms: int) -> None:
        self._record(fact)
        bot = self._bots[fact.seat - 1]
        bot.send(translate.rejected(bot.handle_of(self, fact.game), fact))
        self._note(fact)
        if fact.left >= 0:
            bot.reopen(self._asked[fact.game])

    def _game_ended(self, fact: GameEnded, now_ms: int) -> None:
        self._record(fact)
        self._note(fact)
        self.outcome.add([fact])
        last = self._last_played.pop(fact.game, None)
        for seat in SEATS:
            bot = self._bots[seat - 1]
            shown = None if last is None or last.seat == seat else Last(dice=last.dice, moves=last.moves)
            bot.send(translate.game_end(bot.handle_of(self, fact.game), self.match, fact, seat, shown))
            bot.game_over(self, fact.game, now_ms)
        self._asked.pop(fact.game, None)
        if self._dealer is not None:
            self._dealer.forget(fact.game)

    def _match_over(self, fact: MatchEnded | MatchVoided, _now_ms: int) -> None:
        self._record(fact)
        self.outcome.end = fact
        for seat in SEATS if isinstance(fact, MatchVoided) else ():
            bot = self._bots[seat - 1]
            for handle, number in bot.open_games(self):
                bot.send(translate.game_void(handle, self.match, number, self.state.score, seat))

    def _noted(self, fact: MatchFact, _now_ms: int) -> None:
        self._record(fact)
        self._note(fact)

    def _note(self, fact: MatchFact) -> None:
        """Should it be a fault, keep what its author needs."""
        if self._evidence is not None:
            self._evidence.note(fact, self._before, self._bots)

    def tell_result(self, winner: str | None) -> None:
        """Tell both bots how the match was decided, and reveal the dice."""
        winning: Seat | None = None if winner is None else 1 if winner == self._bots[0].name else 2
        for seat in SEATS:
            result = "void" if isinstance(self.outcome.end, MatchVoided) else translate.outcome(winning, seat)
            self._bots[seat - 1].send(translate.match_end(self.match, result, self.state.score, seat, self._seed))


_HANDLERS: Final[dict[type[Any], Callable[[Table, Any, int], None]]] = {
    TurnPlayed: Table._played,
    Roll: Table._roll,
    Ask: Table._ask,
    AskCall: Table._ask_call,
    Throw: Table._throw,
    TurnRejected: Table._rejected,
    DrawAgreed: Table._draw_agreed,
    GameStarted: Table._started,
    GameEnded: Table._game_ended,
    **dict.fromkeys((MatchEnded, MatchVoided), Table._match_over),
    **dict.fromkeys((BotReady, BotLeft, BotMissing, BotReturned, MatchResumed, FlagFell, DiceCalled), Table._noted),
}
"""What each action of the machine leads to; looked up by class, as it is the innermost step of every turn."""
_LAST_HANDLERS: Final = _HANDLERS | dict.fromkeys((Throw, Roll, Ask, AskCall), Table._leave_open)
"""The same when the run stops."""
