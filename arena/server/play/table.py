"""One match: gives events to its machine, records the facts, tells the two bots."""

from bisect import insort
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Final, assert_never

import trio

from arena.games.result import Seat
from arena.matches import events, facts
from arena.matches.facts import (
    GameEnded,
    MatchEnded,
    MatchFact,
    MatchVoided,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.match import advance, written
from arena.matches.state import (
    SEATS,
    Match,
    Step,
    called_back,
    due_ms,
    is_awaited_for_game,
    key_of,
    other,
    to_reveal,
)
from arena.records.facts import FAILED
from arena.server.io.disk import DiskError
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import ends_itself_alone
from arena.server.io.journal import Journal
from arena.server.play import translate
from arena.server.play.confirmations import WRONG_SIGNATURE, ReceiptDesk, wrong_signature
from arena.server.play.given_up import end_by_record, end_of_game
from arena.server.play.measured_flags import measured_first
from arena.server.play.player import Player
from arena.server.play.seat import Connected, GameSeat, Heard, Lost, MatchSeat, Unstarted
from protocol.messages import Called, Confirm, GameReady, MatchEntropy, MatchReady, Play, Receipt
from protocol.window import Asked

_by_number: Final = attrgetter("game")
Note = Callable[[MatchFact, Match], object]
"""Takes a fact that may have to be explained, and the match before the event that led to it."""


class Table:
    """Gives a match its events, and records and tells what follows.

    It decides nothing: rules and verdicts belong to the machine, and the table keeps no copy of the
    machine's state.
    """

    def __init__(
        self,
        loop: EventLoop,
        match: Match,
        seed: bytes,
        players: tuple[Player, Player],
        journal: Journal,
        note: Note = lambda _fact, _before: None,
        *,
        break_ms: int = 0,
        ahead_ms: int = 0,
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
        self._ahead_ms = ahead_ms
        """How far the clock of the run is ahead of the loop's. The match knows the first, the loop
        the other."""
        self._break_ms = break_ms
        """How long bots that ask for it may rest between two games."""
        self._check = self._time_passed
        self._is_stopping = False
        self._confirmations = ReceiptDesk(match.setting.opened, journal)
        told = (self._heard, self._answered, self._ask, self._written, self.give_up)
        self._seats = (MatchSeat(self.id, 1, *told), MatchSeat(self.id, 2, *told))
        self._open: dict[int, tuple[GameSeat, GameSeat]] = {}
        """Both bots at the boards of the open games, by number."""
        self._unfinished: list[GameSeat] = []
        """The seats of the games that were open when the match was given up."""

    @ends_itself_alone
    def begin(self) -> None:
        """The match begins: invite the bots."""
        if self._journal.write(self.match.setting.opened):
            self._loop.to_commit.append(self._journal)
        self._seat()

    @ends_itself_alone
    def resume(self, ended: Iterable[GameEnded], last_ms: int) -> None:
        """Go on after a last fact at `last_ms`, when an arena was gone; these games are over, in order."""
        self.games += ended
        for game in self.match.games:
            self._open_game(game.number, game.starter)
        now_ms = self._now_ms()
        self._follow(
            advance(self.match, events.ArenaResumed(at_ms=now_ms, last_ms=last_ms)),
            now_ms,
        )
        self._seat()

    def _seat(self) -> None:
        for player, seat in zip(self._players, self._seats, strict=True):
            player.sit_down(seat)
        self._settle()

    def _open_game(self, number: int, starter: Seat) -> tuple[GameSeat, GameSeat]:
        one, two = (
            player.games.begin(seat, number)
            for player, seat in zip(self._players, self._seats, strict=True)
        )
        opened = self.match.setting.opened
        for game in (one, two):
            game.start = translate.game_start(
                game.handle,
                opened,
                number,
                starter,
                game.seat.number,
            )
        self._open[number] = (one, two)
        return one, two

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
        for games in self._open.values():
            for player, game in zip(self._players, games, strict=True):
                player.games.withdraw(game)

    # Events

    def _heard(self, seat: Seat, heard: Heard, now_ms: int) -> bool:
        """Take what is heard of a bot, its turns apart; gives whether anybody waited for it."""
        now_ms += self._ahead_ms
        lag_ms = self._doubt_ms(now_ms)
        match heard:
            case MatchReady():
                self._arrived(seat, heard, now_ms)
                return self._seats[seat - 1].is_taken
            case MatchEntropy():
                if seat not in to_reveal(self.match):
                    return False
                entropy = heard.entropy.hex()
                self._happens(
                    events.EntropyGiven(at_ms=now_ms, seat=seat, entropy=entropy, lag_ms=lag_ms),
                    now_ms,
                )
            case GameReady():
                if not is_awaited_for_game(self.match, seat, heard.number):
                    return False
                self._happens(events.ReadyForGame(at_ms=now_ms, seat=seat, lag_ms=lag_ms), now_ms)
            case Confirm():
                return self._confirmed(seat, heard, now_ms)
            case Connected():
                opponent = self.match.standing.ready[other(seat) - 1]
                version = opponent.entrant.version if opponent else ""
                self._players[seat - 1].send(
                    translate.match_start(self.match.setting.opened, seat, version)
                )
            case Lost():
                self._lost(seat, heard, now_ms)
            case Unstarted():
                self._happens(events.MatchStopped(at_ms=now_ms, reason=heard.reason), now_ms)
            case _:
                assert_never(heard)
        return True

    def _arrived(self, seat: Seat, ready: MatchReady, now_ms: int) -> None:
        """A bot has taken its seat, for the first time or again."""
        player = self._players[seat - 1]
        event = events.BotArrived(
            at_ms=now_ms,
            seat=seat,
            entrant=player.entrant,
            commitment=None if ready.commitment is None else ready.commitment.hex(),
            break_ms=self._break_ms if "break" in player.wants else 0,
            lag_ms=self._doubt_ms(now_ms),
        )
        self._happens(event, now_ms)

    def _confirmed(self, seat: Seat, message: Confirm, now_ms: int) -> bool:
        """A bot answers a receipt; gives whether it was asked to."""
        event = self._confirmations.take(seat, key_of(self.match, seat), message, now_ms)
        if event is None:
            return False
        self._follow(advance(self.match, event), now_ms)
        if event.objection == WRONG_SIGNATURE:
            self._players[seat - 1].send(wrong_signature(self.id, message.lines))
        return True

    def _lost(self, seat: Seat, lost: Lost, now_ms: int) -> None:
        """A bot has left.

        If it gives up, it forfeits the open games, and at once those that would come after them.
        """
        before, lag_ms = self.match.standing, self._doubt_ms(now_ms)
        self._happens(lost.event(seat, now_ms, lag_ms), now_ms)
        was_here = before.present[seat - 1] and before.phase in ("playing", "break")
        if (
            lost.gives_up and was_here and self.match.standing.phase in ("waiting", "break")
        ):  # for the next game
            self._lost(seat, lost, now_ms)

    def _answered(
        self,
        game: GameSeat,
        asked: Asked,
        answer: Play | Called,
        now_ms: int,
        lag_ms: int,
    ) -> None:
        """A bot has answered what it was asked in a game; the answer may have lain unread for `lag_ms`."""
        now_ms += self._ahead_ms
        event = translate.answer(answer, asked, game.number, now_ms, lag_ms)
        step = advance(self.match, event)
        if len(step.facts) == 1 and step.facts[0].__class__ is TurnPlayed:  # the game goes on
            self._follow(step, now_ms)
            return
        step = self._measured_first(event, step)
        for fact in step.facts:
            if isinstance(fact, TurnRejected) and fact.left >= 0:
                self._players[fact.seat - 1].games.reopen(asked)
        self._follow(step, now_ms)
        self._settle()

    def _written(self, number: int, now_ms: int) -> None:
        """The turn or call of a game leaves now: its clock starts, unless it runs already."""
        try:
            self.match, due = written(self.match, number, now_ms + self._ahead_ms)
            if due is not None:
                self._loop.deadlines.at(due - self._ahead_ms, self._check)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and ends no other match
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """The arena itself has failed over this match: nobody goes on with it.

        Raises only `DiskError`.
        """
        self._loop.failed(error)
        self.give_up()
        self._loop.end_batch()

    def give_up(self) -> None:
        """Let both bots go; `over` then ends the match.

        What is known of it here is not used any more.
        """
        if self._over.is_set():
            return
        for player, taken in zip(self._players, self._seats, strict=True):
            try:
                self._unfinished += [
                    games[taken.number - 1] for games in self._open.values() if taken.is_taken
                ]
                player.stand_up(taken)
            except Exception as error:  # noqa: BLE001 - then this bot has lost its connection as well
                self._loop.failed(error)
                player.fail()
        self.match = advance(
            self.match,
            events.MatchStopped(at_ms=0, reason=FAILED),
        ).match  # no late event changes it
        self.end = None
        self._over.set()

    async def over(self) -> MatchEnded | MatchVoided:
        """Wait for the end of the match; a match that was given up ends here, as its record says."""
        await self._over.wait()
        if self.end is None:
            opened, now_ms = self.match.setting.opened, self._now_ms()
            self.match, recorded = end_by_record(self._journal, opened, self._seed, now_ms)
            self.games = sorted(
                (fact for fact in recorded if isinstance(fact, GameEnded)),
                key=_by_number,
            )
            [self.end] = [fact for fact in recorded if isinstance(fact, MatchEnded | MatchVoided)]
            self._tell_unfinished()
        return self.end

    @ends_itself_alone
    def _tell_unfinished(self) -> None:
        receipt = self._confirmations.give()
        for game in self._unfinished:
            self._players[game.seat.number - 1].send(
                end_of_game(self.match, self.games, game, receipt)
            )

    def _doubt_ms(self, now_ms: int) -> int:
        """Return for how long an event may have lain unread that comes before a time which has run out; else 0."""
        due = due_ms(self.match)
        return self._loop.unread_ms() if due is not None and due <= now_ms else 0

    @ends_itself_alone
    def _time_passed(self, looked_ms: int) -> int | None:
        now_ms = self._now_ms()  # later than the look: input read since then may be on record
        self._happens(
            events.TimePassed(at_ms=now_ms, lag_ms=now_ms - looked_ms - self._ahead_ms),
            now_ms,
        )
        self._loop.end_batch()
        due = due_ms(self.match)
        return None if due is None else due - self._ahead_ms

    def _now_ms(self) -> int:
        return self._loop.clock.now_ms() + self._ahead_ms

    # What follows

    def _happens(self, event: events.Event, now_ms: int) -> None:
        self._follow(self._measured_first(event, advance(self.match, event)), now_ms)
        self._settle()

    def _measured_first(self, event: events.Event, step: Step) -> Step:
        def measured(flag: facts.FlagFell) -> facts.Measured | None:
            return self._players[flag.seat - 1].games.measured(self._open[flag.game][flag.seat - 1])

        return measured_first(self.match, event, step, measured)

    @ends_itself_alone
    def _settle(self) -> None:
        """Do what the new state asks for: end the match, tell of a break, call a bot back, watch the clock."""
        if self.match.is_over:
            if not self._over.is_set():
                for player, taken in zip(self._players, self._seats, strict=True):
                    player.stand_up(taken)
                self._over.set()
            return
        silent, called, standing = (
            to_reveal(self.match),
            called_back(self.match),
            self.match.standing,
        )
        for seat in SEATS:
            player, taken, rests = (
                self._players[seat - 1],
                self._seats[seat - 1],
                standing.resting[seat - 1],
            )
            is_waited_for = not standing.present[seat - 1] or seat in silent or rests
            player.wait_for(taken, is_waited_for=is_waited_for, is_called=seat in called)
            if rests and not taken.is_resting:
                player.send(translate.pause(self.match, self._now_ms()))
            taken.is_resting = rests
        due = due_ms(self.match)
        if due is not None:
            self._loop.deadlines.at(due - self._ahead_ms, self._check)

    def _follow(self, step: Step, now_ms: int) -> None:
        """Record and tell the facts in order; the questions are put at the end of the batch."""
        before, self.match = self.match, step.match
        for fact in step.facts:
            if self._journal.write(fact):
                self._loop.to_commit.append(self._journal)
            if fact.__class__ is not TurnPlayed:
                try:
                    self._tell(fact, before, step)
                except (
                    DiskError
                ) as error:  # it ends this run, and not what the others do with the bots
                    self.fail(error)
                    return
        for number in step.questions:
            self._loop.to_ask.append((self._ask, number, now_ms - self._ahead_ms))

    def _ask(self, number: int, now_ms: int) -> None:
        """Put the turn or call of a game to its bot, unless something in the same batch has ended the game."""
        try:
            for game in self.match.games:
                if game.number == number:
                    break
            else:
                return
            if game.held is not None or (self._is_stopping and game.written_ms is None):
                return
            mover, at_ms = game.mover - 1, now_ms + self._ahead_ms
            player, seat = self._players[mover], self._open[number][mover]
            if game.calls and "call" not in player.wants:
                self._happens(
                    events.CallWaived(at_ms=at_ms, game=number),
                    at_ms,
                )  # it rolls the usual number of dice
            else:
                wants_legal = "legal" in player.wants
                asked = translate.question(
                    self.match.setting,
                    seat.handle,
                    game,
                    at_ms,
                    wants_legal=wants_legal,
                )
                player.games.ask(seat, asked, now_ms)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and ends no other match
            self.fail(error)

    def _tell(self, fact: MatchFact, before: Match, step: Step) -> None:
        match fact:
            case facts.GameStarted():
                for player, game in zip(
                    self._players,
                    self._open_game(fact.game, fact.starter),
                    strict=True,
                ):
                    player.send(game.start)
            case TurnRejected():
                handle = self._open[fact.game][fact.seat - 1].handle
                self._players[fact.seat - 1].send(translate.rejected(handle, fact))
                self._note(fact, before)
            case GameEnded():
                self._game_ended(fact, before, step)
            case MatchEnded():
                self.end = fact
            case MatchVoided():
                self.end = fact
                receipt, score = self._confirmations.give(), self.match.standing.score
                for games in self._open.values():
                    for seat, player, game in zip(SEATS, self._players, games, strict=True):
                        player.send(
                            translate.game_void(
                                game.handle,
                                self.id,
                                game.number,
                                score,
                                seat,
                                receipt,
                            )
                        )
            case facts.BotReady() | facts.BotReturned():
                is_return = isinstance(fact, facts.BotReturned)
                for seat in to_reveal(self.match):
                    if self.match.standing.present[seat - 1] and (
                        fact.seat == seat or not is_return
                    ):
                        self._players[seat - 1].send(translate.match_reveal(self.match, seat))
            case facts.BotLeft() | facts.BotMissing() | facts.FlagFell():
                self._note(fact, before)
            case TurnPlayed() | facts.DiceCalled() | facts.DrawAgreed() | facts.ClockExtended():
                pass  # the opponent is told of a turn with its own next turn
            case (
                facts.MatchOpened()
                | facts.EntropyRevealed()
                | facts.MatchResumed()
                | facts.BreakEnded()
            ):
                pass
            case facts.ReceiptSigned() | facts.ReceiptDisputed():
                pass
            case _:
                assert_never(fact)

    def _game_ended(self, fact: GameEnded, before: Match, step: Step) -> None:
        insort(self.games, fact, key=_by_number)
        self._note(fact, before)
        last = translate.last_turn(fact, before, step.facts)
        receipt = self._confirmations.give()
        games = self._open.get(fact.game) or self._open_game(
            fact.game,
            1,
        )  # forfeited before it began
        del self._open[fact.game]
        for seat, player, game in zip(SEATS, self._players, games, strict=True):
            shown = last[1] if last is not None and last[0] != seat else None
            player.send(translate.game_end(game.handle, self.id, fact, seat, shown, receipt))
            player.games.end(game)

    async def await_confirmations(self) -> None:
        """Give bots that sign a moment for the last receipts; after that no answer is taken any more."""
        try:
            signers = [seat for seat in SEATS if key_of(self.match, seat) is not None]
            await self._confirmations.close(
                lambda seat: seat in signers and self._players[seat - 1].is_connected
            )
        except Exception as error:  # noqa: BLE001 - the match is over, and goes on to be settled
            self.fail(error)

    @ends_itself_alone
    def tell_result(self, winner: str | None, receipt: Receipt | None = None) -> None:
        """Tell both bots how the match was decided, and reveal the dice; `receipt` is of its whole record."""
        winning: Seat | None = (
            None if winner is None else 1 if winner == self.match.setting.opened.entrants[0] else 2
        )
        for seat in SEATS:
            result = (
                "void" if isinstance(self.end, MatchVoided) else translate.outcome(winning, seat)
            )
            word = translate.match_end(self.match, result, seat, self._seed, receipt)
            self._players[seat - 1].leave(self._seats[seat - 1], word)
