"""One match: gives events to its machine, records the facts, tells the two bots."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final, assert_never

import trio

from arena.games.result import Seat
from arena.matches import events, facts
from arena.matches.facts import GameEnded, MatchEnded, MatchFact, MatchVoided, TurnPlayed, TurnRejected
from arena.matches.match import advance, due_ms
from arena.matches.state import SEATS, Match, Step, called_back, is_decided, key_of, other, to_reveal
from arena.records.facts import FAILED
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import ends_itself_alone
from arena.server.io.journal import Journal
from arena.server.play import translate
from arena.server.play.confirmations import WRONG_SIGNATURE, ReceiptDesk
from arena.server.play.given_up import end_by_record, end_of_game
from arena.server.play.player import Player
from arena.words import Said
from protocol.errors import ErrorCode
from protocol.messages import Called, Confirm, GameStart, MatchStart, Play, Receipt
from protocol.window import Asked

_by_number: Final = attrgetter("game")
"""The order of ended games."""
Note = Callable[[MatchFact, Match], object]
"""Takes a fact that may have to be explained, and the match before the event that led to it."""


class Table:
    """Gives a match its events, and records and tells what follows.

    It decides nothing: rules and verdicts belong to the machine, and the table keeps no copy of the machine's state.
    """

    def __init__(
        self,
        loop: EventLoop,
        match: Match,
        seed: bytes,
        players: tuple[Player, Player],
        journal: Journal,
        note: Note = lambda _fact, _before: None,
    ) -> None:
        """A match that has just been opened, or one to go on with; `seed` is that of its dice."""
        self.match = match
        self.id = match.setting.opened.match
        self.games: list[GameEnded] = []
        """The games that are over, in the order of their numbers."""
        self.end: MatchEnded | MatchVoided | None = None
        """How the match ended, once it has."""
        self._over = trio.Event()
        """Set when the match is over and its table cleared."""
        self._loop = loop
        self._seed = seed
        self._players = players
        self._journal = journal
        self._note = note
        self._check = self._time_passed
        self._is_stopping = False
        self._confirmations = ReceiptDesk(match.setting.opened, journal)
        self._unfinished: list[tuple[Seat, int, int]] = []
        """The games that were open when the match was given up: seat, handle and number."""

    @ends_itself_alone
    def begin(self) -> None:
        """The match begins: invite the bots."""
        if self._journal.write(self.match.setting.opened):
            self._loop.to_commit.append(self._journal)
        self._seat()

    @ends_itself_alone
    def resume(self, ended: Iterable[GameEnded]) -> None:
        """The match goes on that was under way when an arena was gone; these games of it are over, in order."""
        self.games += ended
        for game in self.match.games:
            for player in self._players:
                player.handle_of(self, game.number)
        now_ms = self._loop.clock.now_ms()
        self._follow(advance(self.match, events.ArenaResumed(at_ms=now_ms)), now_ms)
        self._seat()

    def _seat(self) -> None:
        for seat, player in zip(SEATS, self._players, strict=True):
            player.account.call_back()
            player.sit_down(self, seat)
        self._settle()

    @property
    def turns_in_play(self) -> int:
        """Number of turns and calls that wait for an answer."""
        return sum(game.written_ms is not None for game in self.match.games)

    @property
    def is_being_settled(self) -> bool:
        """True once the match has ended; the run may not have heard of it yet."""
        return self.end is not None

    def put_nothing_more(self) -> None:
        """The run stops: bots may still answer what they were asked, and nothing more is asked."""
        self._is_stopping = True
        for player in self._players:
            player.withdraw_waiting()

    def is_waiting_for(self, seat: Seat) -> bool:
        """Return whether the bot of this seat is not at the table, or has yet to reveal its entropy."""
        return not self.match.standing.present[seat - 1] or seat in to_reveal(self.match)

    def is_decided(self, number: int) -> bool:
        """Return whether an open game has ended and its end is kept back. No answer in it counts any more."""
        return is_decided(self.match, number)

    def invitation(self, seat: Seat) -> MatchStart:
        """The message that invites a bot to the match."""
        opponent = self.match.standing.ready[other(seat) - 1]
        return translate.match_start(self.match.setting.opened, seat, opponent.entrant.version if opponent else "")

    def game_start(self, number: int, seat: Seat, handle: int) -> GameStart:
        """The message that tells a bot of an open game."""
        game = self.match.game(number)
        return translate.game_start(handle, self.match.setting.opened, number, game.starter, seat)

    def question(self, number: int, now_ms: int) -> Asked:
        """The message that asks for the turn or call of an open game, with the clocks as they are now."""
        game = self.match.game(number)
        player = self._players[game.mover - 1]
        handle = player.handle_of(self, number)
        return translate.question(self.match.setting, handle, game, now_ms, wants_legal=player.wants_legal)

    # Events

    def bot_arrived(self, seat: Seat, commitment: bytes | None, now_ms: int) -> None:
        """A bot has taken its seat, for the first time or again."""
        account = self._players[seat - 1].account
        login = account.login
        assert login is not None, "only a bot that has logged in says that it is ready"
        key = None if login.public_key is None else login.public_key.hex()
        entrant = facts.Entrant(name=account.name, version=login.version, fingerprint=login.fingerprint, public_key=key)
        lag_ms = self._doubt_ms(now_ms)
        committed = None if commitment is None else commitment.hex()
        event = events.BotArrived(at_ms=now_ms, seat=seat, entrant=entrant, commitment=committed, lag_ms=lag_ms)
        self._happens(event, now_ms)

    def entropy_given(self, seat: Seat, entropy: bytes, now_ms: int) -> bool:
        """A bot reveals its entropy; gives whether it was asked to."""
        if seat not in to_reveal(self.match):
            return False
        event = events.EntropyGiven(at_ms=now_ms, seat=seat, entropy=entropy.hex(), lag_ms=self._doubt_ms(now_ms))
        self._happens(event, now_ms)
        return True

    def confirmed(self, seat: Seat, message: Confirm, now_ms: int) -> bool:
        """A bot answers a receipt; gives whether it was asked to."""
        event = self._confirmations.take(seat, key_of(self.match, seat), message, now_ms)
        if event is None:
            return False
        self._follow(advance(self.match, event), now_ms)
        if event.objection == WRONG_SIGNATURE:
            text = (
                f"the signature is not one of the receipt of {message.lines} lines of {self.id} by the public_key of "
                "this bot; the record says that the bot disputes it; sign the text of docs/receipts.md with that key"
            )
            self._players[seat - 1].send(ErrorCode.BAD_SIGNATURE.to_message(text))
        return True

    def bot_lost(self, seat: Seat, reason: Said, *, grace_ms: int, now_ms: int) -> None:
        """A bot has lost its connection, or will never have one."""
        lag_ms = self._doubt_ms(now_ms)
        event = events.BotLost(at_ms=now_ms, seat=seat, reason=reason, grace_ms=grace_ms, lag_ms=lag_ms)
        self._happens(event, now_ms)

    def given_up(self, seat: Seat, reason: Said, now_ms: int) -> None:
        """A bot has left for good: it forfeits the open games, and at once those that would come after them."""
        was_playing = self.match.standing.phase == "playing"
        self.bot_lost(seat, reason, grace_ms=0, now_ms=now_ms)
        if was_playing and self.match.standing.phase == "waiting":  # for the next game
            self.bot_lost(seat, reason, grace_ms=0, now_ms=now_ms)

    def answered(self, number: int, asked: Asked, answer: Play | Called, now_ms: int, lag_ms: int) -> None:
        """A bot has answered what it was asked in this game; the answer may have lain unread for `lag_ms`."""
        event = translate.answer(answer, asked, number, now_ms, lag_ms)
        step = advance(self.match, event)
        if len(step.facts) == 1 and step.facts[0].__class__ is TurnPlayed:  # the game goes on
            self._follow(step, now_ms)
            return
        step = self._measured_first(event, step)
        for fact in step.facts:
            if isinstance(fact, TurnRejected) and fact.left >= 0:
                self._players[fact.seat - 1].reopen(asked)
        self._follow(step, now_ms)
        self._settle()

    def call_waived(self, number: int, now_ms: int) -> None:
        """The bot to move does not want to be asked: it rolls the usual number of dice."""
        self._happens(events.CallWaived(at_ms=now_ms, game=number), now_ms)

    def written(self, number: int, now_ms: int) -> None:
        """The turn or call of a game leaves now: its clock starts, unless it runs already."""
        try:
            self.match = match = advance(self.match, events.QuestionWritten(at_ms=now_ms, game=number)).match
            due = due_ms(match)
            if due is not None:
                self._loop.deadlines.at(due, self._check)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and ends no other match
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """The arena itself has failed over this match: nobody goes on with it. Raises only `DiskError`."""
        self._loop.failed(error)
        self.give_up()
        self._loop.end_batch()

    def give_up(self) -> None:
        """Let both bots go; `over` then ends the match. What is known of it here is not used any more."""
        if self._over.is_set():
            return
        for seat in SEATS:
            player = self._players[seat - 1]
            try:
                self._unfinished += [(seat, *game) for game in player.open_games(self)]
                player.stand_up(self)
            except Exception as error:  # noqa: BLE001 - then this bot has lost its connection as well
                self._loop.failed(error)
                player.fail()
        self.match = advance(self.match, events.MatchStopped(at_ms=0, reason=FAILED)).match  # no late event changes it
        self.end = None
        self._over.set()

    async def over(self) -> MatchEnded | MatchVoided:
        """Wait for the end of the match; a match that was given up ends here, as its record says."""
        await self._over.wait()
        if self.end is None:
            opened, now_ms = self.match.setting.opened, self._loop.clock.now_ms()
            self.match, recorded = end_by_record(self._journal, opened, self._seed, now_ms)
            self.games = sorted((fact for fact in recorded if isinstance(fact, GameEnded)), key=_by_number)
            [self.end] = [fact for fact in recorded if isinstance(fact, MatchEnded | MatchVoided)]
            self._tell_unfinished()
        return self.end

    @ends_itself_alone
    def _tell_unfinished(self) -> None:
        receipt = self._confirmations.give()
        for seat, handle, number in self._unfinished:
            self._players[seat - 1].send(end_of_game(self.match, self.games, handle, number, seat, receipt))

    def _doubt_ms(self, now_ms: int) -> int:
        """If some time has run out by now: how long ago an event heard of now may have happened; else 0.

        What ran out within this time is not judged before the event, since an answer to it may lie unread.
        """
        due = due_ms(self.match)
        return self._loop.unread_ms() if due is not None and due <= now_ms else 0

    @ends_itself_alone
    def _time_passed(self, looked_ms: int) -> int | None:
        now_ms = self._loop.clock.now_ms()  # later than the look: input read since then may be on record
        self._happens(events.TimePassed(at_ms=now_ms, lag_ms=now_ms - looked_ms), now_ms)
        self._loop.end_batch()
        return due_ms(self.match)

    # What follows

    def _happens(self, event: events.Event, now_ms: int) -> None:
        self._follow(self._measured_first(event, advance(self.match, event)), now_ms)
        self._settle()

    def _measured_first(self, event: events.Event, step: Step) -> Step:
        """Return what an event leads to once every bot whose flag would fall by it was measured.

        So it is known whether the bot got the time that its clock has counted. `step` is what the event leads to by
        itself.
        """
        match, told = self.match, list[MatchFact]()
        for fact in step.facts:
            if isinstance(fact, facts.FlagFell):
                figures = self._players[fact.seat - 1].measured(self, fact.game)
                if figures is not None:
                    first = advance(match, events.BotMeasured(at_ms=fact.at_ms, game=fact.game, measured=figures))
                    match, told = first.match, [*told, *first.facts]
        if match is self.match:
            return step
        then = advance(match, event)
        return Step(then.match, [*told, *then.facts], then.questions)

    @ends_itself_alone
    def _settle(self) -> None:
        """Do what the new state asks for: end the match, call a bot back, watch the clock."""
        if self.match.is_over:
            for player in () if self._over.is_set() else self._players:
                player.stand_up(self)
            self._over.set()
            return
        for seat in called_back(self.match):
            self._players[seat - 1].account.call_back()
        due = due_ms(self.match)
        if due is not None:
            self._loop.deadlines.at(due, self._check)

    def _follow(self, step: Step, now_ms: int) -> None:
        """Record and tell the facts in order; the questions are put at the end of the batch."""
        before, self.match = self.match, step.match
        for fact in step.facts:
            if self._journal.write(fact):
                self._loop.to_commit.append(self._journal)
            if fact.__class__ is not TurnPlayed:
                self._tell(fact, before, step)
        for number in step.questions:
            self._loop.to_ask.append((self, number, now_ms))

    def ask(self, number: int, now_ms: int) -> None:
        """Put the turn or call of a game to its bot, unless something in the same batch has ended the game."""
        try:
            game = self.match.find(number)
            if game is None or self._is_stopping:
                return
            player = self._players[game.mover - 1]
            if game.calls and not player.wants_call:
                self.call_waived(number, now_ms)
            else:
                handle = player.handle_of(self, number)
                asked = translate.question(self.match.setting, handle, game, now_ms, wants_legal=player.wants_legal)
                player.put(asked, now_ms)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and ends no other match
            self.fail(error)

    def _tell(self, fact: MatchFact, before: Match, step: Step) -> None:
        match fact:
            case facts.GameStarted():
                for seat in SEATS:
                    player = self._players[seat - 1]
                    handle = player.handle_of(self, fact.game)
                    opened = self.match.setting.opened
                    player.send(translate.game_start(handle, opened, fact.game, fact.starter, seat))
            case TurnRejected():
                player = self._players[fact.seat - 1]
                player.send(translate.rejected(player.handle_of(self, fact.game), fact))
                self._note(fact, before)
            case GameEnded():
                self._game_ended(fact, before, step)
            case MatchEnded():
                self.end = fact
            case MatchVoided():
                self.end = fact
                receipt, score = self._confirmations.give(), self.match.standing.score
                for seat in SEATS:
                    player = self._players[seat - 1]
                    for handle, number in player.open_games(self):
                        player.send(translate.game_void(handle, self.id, number, score, seat, receipt))
            case facts.BotReady() | facts.BotReturned():
                is_return = isinstance(fact, facts.BotReturned)
                for seat in to_reveal(self.match):
                    if self.match.standing.present[seat - 1] and (fact.seat == seat or not is_return):
                        self._players[seat - 1].send(translate.match_reveal(self.match, seat))
            case facts.BotLeft() | facts.BotMissing() | facts.FlagFell():
                self._note(fact, before)
            case TurnPlayed() | facts.ReceiptSigned() | facts.ReceiptDisputed():
                pass  # the opponent is told of a turn with its own next turn, and of a receipt not at all
            case facts.MatchOpened() | facts.EntropyRevealed() | facts.MatchResumed():
                pass
            case facts.DiceCalled() | facts.DrawAgreed() | facts.ClockExtended():
                pass
            case _:
                assert_never(fact)

    def _game_ended(self, fact: GameEnded, before: Match, step: Step) -> None:
        insort(self.games, fact, key=_by_number)
        self._note(fact, before)
        last = translate.last_turn(fact, before, step.facts)
        receipt = self._confirmations.give()
        for seat in SEATS:
            player = self._players[seat - 1]
            shown = last[1] if last is not None and last[0] != seat else None
            player.send(translate.game_end(player.handle_of(self, fact.game), self.id, fact, seat, shown, receipt))
            player.game_over(self, fact.game)

    async def await_confirmations(self) -> None:
        """Give bots that sign a moment for the last receipts; after that no answer is taken any more."""
        try:
            signers = [seat for seat in SEATS if key_of(self.match, seat) is not None]
            await self._confirmations.close(lambda seat: seat in signers and self._players[seat - 1].is_connected)
        except Exception as error:  # noqa: BLE001 - the match is over, and goes on to be settled
            self.fail(error)

    @ends_itself_alone
    def tell_result(self, winner: str | None, receipt: Receipt | None = None) -> None:
        """Tell both bots how the match was decided, and reveal the dice; `receipt` is of its whole record."""
        winning: Seat | None = None if winner is None else 1 if winner == self._players[0].account.name else 2
        for seat in SEATS:
            result = "void" if isinstance(self.end, MatchVoided) else translate.outcome(winning, seat)
            word = translate.match_end(self.match, result, seat, self._seed, receipt)
            self._players[seat - 1].leave(self, word)
