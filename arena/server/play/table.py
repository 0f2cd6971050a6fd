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
"""Called with a fact that may have to be explained, and the match before its event."""


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
        """`match` has just been opened, or goes on; `seed` is that of its dice."""
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
        """The lead of the run's clock, which the match goes by, over the loop's."""
        self._break_ms = break_ms
        """The rest between two games, for bots that ask for it."""
        self._check = self._time_passed
        self._is_stopping = False
        self._confirmations = ReceiptDesk(match.setting.opened, journal)
        calls = (self._heard, self._answered, self._ask, self._written, self.give_up)
        self._seats = (MatchSeat(self.id, 1, *calls), MatchSeat(self.id, 2, *calls))
        self._open: dict[int, tuple[GameSeat, GameSeat]] = {}
        """Both bots at the boards of the open games, by number."""
        self._unfinished: list[GameSeat] = []
        """The seats of the games that were open when the match was given up."""

    @ends_itself_alone
    def begin(self) -> None:
        """Begin the match: invite the bots."""
        if self._journal.write(self.match.setting.opened):
            self._loop.to_commit.append(self._journal)
        self._seat()

    @ends_itself_alone
    def resume(self, ended: Iterable[GameEnded], last_ms: int) -> None:
        """Go on after a last fact at `last_ms`, when an arena was gone; `ended` are in order."""
        self.games += ended
        for game in self.match.games:
            self._open_game(game.number, game.starter)
        now_ms = self._now_ms()
        event = events.ArenaResumed(at_ms=now_ms, last_ms=last_ms)
        self._follow(advance(self.match, event), now_ms)
        self._seat()

    def _seat(self) -> None:
        for player, seat in zip(self._players, self._seats, strict=True):
            player.sit_down(seat)
        self._settle()

    def _open_game(self, number: int, starter: Seat) -> tuple[GameSeat, GameSeat]:
        first_player, second_player = self._players
        first_seat, second_seat = self._seats
        games = (
            first_player.games.begin(first_seat, number),
            second_player.games.begin(second_seat, number),
        )
        opened = self.match.setting.opened
        for game in games:
            seat = game.seat.number
            game.start = translate.game_start(game.handle, opened, number, starter, seat)
        self._open[number] = games
        return games

    @property
    def turns_in_play(self) -> int:
        """Number of turns and calls that wait for an answer."""
        return sum(game.written_ms is not None for game in self.match.games)

    @property
    def is_being_settled(self) -> bool:
        """True once the match has ended; the run may not have heard of it yet."""
        return self.end is not None

    def put_nothing_more(self) -> None:
        """Ask nothing more, since the run stops; bots may still answer open questions."""
        self._is_stopping = True
        for games in self._open.values():
            for player, game in zip(self._players, games, strict=True):
                player.games.withdraw(game)

    # Events

    def _heard(self, seat: Seat, heard: Heard, now_ms: int) -> bool:
        """Handle what is heard of a bot, but for its turns; return whether it was awaited."""
        now_ms += self._ahead_ms
        match heard:
            case MatchReady():
                self._arrived(seat, heard, now_ms)
                return self._seats[seat - 1].is_taken
            case MatchEntropy():
                return self._revealed(seat, heard, now_ms)
            case GameReady():
                return self._ready_for_game(seat, heard, now_ms)
            case Confirm():
                return self._confirmed(seat, heard, now_ms)
            case Connected():
                self._invite(seat)
            case Lost():
                self._lost(seat, heard, now_ms)
            case Unstarted():
                self._happens(events.MatchStopped(at_ms=now_ms, reason=heard.reason), now_ms)
            case _:
                assert_never(heard)
        return True

    def _invite(self, seat: Seat) -> None:
        self._players[seat - 1].send(translate.invitation(self.match, seat))

    def _arrived(self, seat: Seat, ready: MatchReady, now_ms: int) -> None:
        """Welcome a bot that has taken its seat, for the first time or again."""
        player = self._players[seat - 1]
        commitment = None
        if ready.commitment is not None:
            commitment = ready.commitment.hex()
        break_ms = self._break_ms if "break" in player.wants else 0
        event = events.BotArrived(
            at_ms=now_ms,
            seat=seat,
            entrant=player.entrant_as(self.match.setting.opened.entrants[seat - 1]),
            commitment=commitment,
            break_ms=break_ms,
            lag_ms=self._doubt_ms(now_ms),
        )
        self._happens(event, now_ms)

    def _revealed(self, seat: Seat, message: MatchEntropy, now_ms: int) -> bool:
        """Keep the entropy of a bot; return whether it was awaited."""
        if seat not in to_reveal(self.match):
            return False
        entropy = message.entropy.hex()
        lag_ms = self._doubt_ms(now_ms)
        event = events.EntropyGiven(at_ms=now_ms, seat=seat, entropy=entropy, lag_ms=lag_ms)
        self._happens(event, now_ms)
        return True

    def _ready_for_game(self, seat: Seat, message: GameReady, now_ms: int) -> bool:
        """End the rest of a bot; return whether it was awaited."""
        if not is_awaited_for_game(self.match, seat, message.number):
            return False
        lag_ms = self._doubt_ms(now_ms)
        self._happens(events.ReadyForGame(at_ms=now_ms, seat=seat, lag_ms=lag_ms), now_ms)
        return True

    def _confirmed(self, seat: Seat, message: Confirm, now_ms: int) -> bool:
        """Check a bot's answer to a receipt; return whether it was awaited."""
        event = self._confirmations.check_answer(seat, key_of(self.match, seat), message, now_ms)
        if event is None:
            return False
        self._follow(advance(self.match, event), now_ms)
        if event.objection == WRONG_SIGNATURE:
            self._players[seat - 1].send(wrong_signature(self.id, message.lines))
        return True

    def _lost(self, seat: Seat, lost: Lost, now_ms: int) -> None:
        """Handle the loss of a bot.

        If it gives up, it forfeits the open games, and at once those that would come after them.
        """
        standing = self.match.standing
        event = lost.event(seat, now_ms, self._doubt_ms(now_ms))
        self._happens(event, now_ms)
        was_here = standing.present[seat - 1] and standing.phase in ("playing", "break")
        has_next_game = self.match.standing.phase in ("waiting", "break")
        if lost.gives_up and was_here and has_next_game:
            self._lost(seat, lost, now_ms)

    def _answered(
        self,
        game: GameSeat,
        question: Asked,
        answer: Play | Called,
        now_ms: int,
        lag_ms: int,
    ) -> None:
        """Apply a bot's answer to a question of a game; it may have lain unread for `lag_ms`."""
        now_ms += self._ahead_ms
        event = translate.answer(answer, question, game.number, now_ms, lag_ms)
        step = advance(self.match, event)
        if len(step.facts) == 1 and step.facts[0].__class__ is TurnPlayed:  # the game goes on
            self._follow(step, now_ms)
            return
        step = self._measured_first(event, step)
        for fact in step.facts:
            if isinstance(fact, TurnRejected) and fact.left >= 0:
                self._players[fact.seat - 1].games.reopen(question)
        self._follow(step, now_ms)
        self._settle()

    def _written(self, number: int, now_ms: int) -> None:
        """Start the clock of a turn or call that leaves now, unless it runs already."""
        try:
            self.match, due = written(self.match, number, now_ms + self._ahead_ms)
            if due is not None:
                self._loop.deadlines.at(due - self._ahead_ms, self._check)
        except Exception as error:  # noqa: BLE001 - any bug is told, and ends no other match
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Give up this match: the arena itself has failed over it.

        Raises only `DiskError`.
        """
        self._loop.failed(error)
        self.give_up()
        self._loop.end_batch()

    def give_up(self) -> None:
        """Let both bots go; `over` then ends the match by its record, not by the state here."""
        if self._over.is_set():
            return
        for player, seat in zip(self._players, self._seats, strict=True):
            try:
                if seat.is_taken:
                    self._unfinished += [games[seat.number - 1] for games in self._open.values()]
                player.stand_up(seat, None)
            except Exception as error:  # noqa: BLE001 - then this bot has lost its connection too
                self._loop.failed(error)
                player.fail()
        # Stopped, so that no late event changes it.
        self.match = advance(self.match, events.MatchStopped(at_ms=0, reason=FAILED)).match
        self.end = None
        self._over.set()

    async def over(self) -> MatchEnded | MatchVoided:
        """Wait for the end of the match; if it was given up, end it as its record says."""
        await self._over.wait()
        if self.end is None:
            opened = self.match.setting.opened
            seed = self._seed
            self.match, recorded = end_by_record(self._journal, opened, seed, self._now_ms())
            games = [fact for fact in recorded if isinstance(fact, GameEnded)]
            self.games = sorted(games, key=_by_number)
            [self.end] = [fact for fact in recorded if isinstance(fact, MatchEnded | MatchVoided)]
            self._tell_unfinished()
        return self.end

    @ends_itself_alone
    def _tell_unfinished(self) -> None:
        receipt = self._confirmations.give()
        for game in self._unfinished:
            end = end_of_game(self.match, self.games, game, receipt)
            self._players[game.seat.number - 1].send(end)

    def _doubt_ms(self, now_ms: int) -> int:
        """Return how long an event may have lain unread, if a time is over; else 0."""
        due = due_ms(self.match)
        if due is None or due > now_ms:
            return 0
        return self._loop.unread_ms()

    @ends_itself_alone
    def _time_passed(self, looked_ms: int) -> int | None:
        now_ms = self._now_ms()  # later than the look: input read since then may be on record
        lag_ms = now_ms - looked_ms - self._ahead_ms
        self._happens(events.TimePassed(at_ms=now_ms, lag_ms=lag_ms), now_ms)
        self._loop.end_batch()
        due = due_ms(self.match)
        if due is None:
            return None
        return due - self._ahead_ms

    def _now_ms(self) -> int:
        return self._loop.clock.now_ms() + self._ahead_ms

    # What follows

    def _happens(self, event: events.Event, now_ms: int) -> None:
        self._follow(self._measured_first(event, advance(self.match, event)), now_ms)
        self._settle()

    def _measured_first(self, event: events.Event, step: Step) -> Step:
        def measured(flag: facts.FlagFell) -> facts.Measured | None:
            seat = flag.seat - 1
            return self._players[seat].games.measured(self._open[flag.game][seat])

        return measured_first(self.match, event, step, measured)

    @ends_itself_alone
    def _settle(self) -> None:
        """End the match, tell of a break, call a bot back, watch the clock, as the state asks."""
        if self.match.is_over:
            if not self._over.is_set():
                for player, seat in zip(self._players, self._seats, strict=True):
                    player.stand_up(seat, self.end)
                self._over.set()
            return
        standing = self.match.standing
        silent = to_reveal(self.match)
        called = called_back(self.match)
        for player, seat in zip(self._players, self._seats, strict=True):
            is_absent = not standing.present[seat.number - 1]
            rests = standing.resting[seat.number - 1]
            is_waited_for = is_absent or seat.number in silent or rests
            is_called = seat.number in called
            player.wait_for(seat, is_waited_for=is_waited_for, is_called=is_called)
            if rests and not seat.is_resting:
                player.send(translate.pause(self.match, self._now_ms()))
            seat.is_resting = rests
        due = due_ms(self.match)
        if due is not None:
            self._loop.deadlines.at(due - self._ahead_ms, self._check)

    def _follow(self, step: Step, now_ms: int) -> None:
        """Record and tell the facts in order; the questions are put at the end of the batch."""
        match_before, self.match = self.match, step.match
        for fact in step.facts:
            if self._journal.write(fact):
                self._loop.to_commit.append(self._journal)
            if fact.__class__ is not TurnPlayed:
                try:
                    self._tell(fact, match_before, step)
                except DiskError as error:  # it ends this run, and no other run with these bots
                    self.fail(error)
                    return
        for number in step.questions:
            self._loop.to_ask.append((self._ask, number, now_ms - self._ahead_ms))

    def _ask(self, number: int, now_ms: int) -> None:
        """Put the turn or call of a game to its bot, unless the same batch has ended the game."""
        try:
            for game in self.match.games:
                if game.number == number:
                    break
            else:
                return
            if game.held is not None or (self._is_stopping and game.written_ms is None):
                return
            at_ms = now_ms + self._ahead_ms
            mover = game.mover - 1
            player = self._players[mover]
            seat = self._open[number][mover]
            if game.calls and "call" not in player.wants:  # it rolls the usual number of dice
                self._happens(events.CallWaived(at_ms=at_ms, game=number), at_ms)
                return
            wants_legal = "legal" in player.wants
            setting = self.match.setting
            question = translate.question(
                setting, seat.handle, game, at_ms, wants_legal=wants_legal
            )
            player.games.ask(seat, question, now_ms)
        except Exception as error:  # noqa: BLE001 - any bug is told, and ends no other match
            self.fail(error)

    def _tell(self, fact: MatchFact, match_before: Match, step: Step) -> None:
        match fact:
            case facts.GameStarted():
                games = self._open_game(fact.game, fact.starter)
                for player, game in zip(self._players, games, strict=True):
                    player.send(game.start)
            case TurnRejected():
                handle = self._open[fact.game][fact.seat - 1].handle
                self._players[fact.seat - 1].send(translate.rejected(handle, fact))
                self._note(fact, match_before)
            case GameEnded():
                self._game_ended(fact, match_before, step)
            case MatchEnded():
                self.end = fact
            case MatchVoided():
                self._voided(fact)
            case facts.BotReady():
                self._ask_to_reveal(to_reveal(self.match))
            case facts.BotReturned():
                self._ask_to_reveal([seat for seat in to_reveal(self.match) if seat == fact.seat])
            case facts.BotLeft() | facts.BotMissing() | facts.FlagFell():
                self._note(fact, match_before)
            case (
                TurnPlayed()  # the opponent is told of it with its own next turn
                | facts.DiceCalled()
                | facts.DrawAgreed()
                | facts.ClockExtended()
                | facts.MatchOpened()
                | facts.EntropyRevealed()
                | facts.MatchResumed()
                | facts.BreakEnded()
                | facts.ReceiptSigned()
                | facts.ReceiptDisputed()
            ):
                pass
            case _:
                assert_never(fact)

    def _voided(self, fact: MatchVoided) -> None:
        self.end = fact
        receipt = self._confirmations.give()
        score = self.match.standing.score
        for number, games in self._open.items():
            for seat, player, game in zip(SEATS, self._players, games, strict=True):
                end = translate.game_void(game.handle, self.id, number, score, seat, receipt)
                player.send(end)

    def _ask_to_reveal(self, seats: Iterable[Seat]) -> None:
        for seat in seats:
            if self.match.standing.present[seat - 1]:
                self._players[seat - 1].send(translate.match_reveal(self.match, seat))

    def _game_ended(self, fact: GameEnded, match_before: Match, step: Step) -> None:
        insort(self.games, fact, key=_by_number)
        self._note(fact, match_before)
        receipt = self._confirmations.give()
        games = self._open.get(fact.game)
        if games is None:  # it was forfeited before it began
            games = self._open_game(fact.game, 1)
        del self._open[fact.game]
        for seat, player, game in zip(SEATS, self._players, games, strict=True):
            last = translate.opponents_last_turn(fact, match_before, step.facts, seat)
            player.send(translate.game_end(game.handle, self.id, fact, seat, last, receipt))
            player.games.end(game)

    async def await_confirmations(self) -> None:
        """Give bots that sign a moment for the last receipts; after that no answer counts."""
        try:
            signers = [seat for seat in SEATS if key_of(self.match, seat) is not None]
            await self._confirmations.close(
                lambda seat: seat in signers and self._players[seat - 1].is_connected
            )
        except Exception as error:  # noqa: BLE001 - the match is over, and goes on to be settled
            self.fail(error)

    @ends_itself_alone
    def tell_result(self, winner: str | None, receipt: Receipt | None = None) -> None:
        """Tell both bots how the match was decided, and reveal the dice.

        `receipt` is of its whole record.
        """
        for player, seat in zip(self._players, self._seats, strict=True):
            outcome = translate.match_outcome(self.match, winner, seat.number)
            if isinstance(self.end, MatchVoided):
                outcome = "void"
            word = translate.match_end(self.match, outcome, seat.number, self._seed, receipt)
            player.leave(seat, word)
