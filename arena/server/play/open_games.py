"""The open games of a bot: its boards, and the window through which its turns are put."""

from collections.abc import Callable, Collection

from msgspec.structs import replace

from arena.matches.facts import Measured
from arena.server.io.event_loop import EventLoop
from arena.server.play import remarks
from arena.server.play.seat import GameSeat, MatchSeat
from arena.server.programs.launcher import Launched
from arena.server.setup.account import Account
from protocol.errors import ErrorCode
from protocol.messages import Called, Error, Play
from protocol.window import Asked, TurnWindow


class OpenGames:
    """All games that a bot plays now, in all matches and runs: they share its window."""

    def __init__(
        self,
        account: Account,
        loop: EventLoop,
        program: Launched | None,
        *,
        send: Callable[[Error], object],
        send_failed: Callable[[Exception], object],
        tell_awaited: Callable[[], object],
    ) -> None:
        """Tell `send_failed` why a question could not be sent.

        Call `tell_awaited` whenever more or less is awaited of the bot.
        """
        self._account = account
        self._loop = loop
        self._program = program
        self._send = send
        self._send_failed = send_failed
        self._tell_awaited = tell_awaited
        self._window = TurnWindow(1)
        self._seats: dict[int, GameSeat] = {}
        """By their handles."""
        self._last_handle = 0
        self._is_told_of_remark = False
        """True once the bot was told on this connection that a remark cannot be kept."""

    @property
    def is_awaited(self) -> bool:
        """True while the bot has to answer something, or would have to if its window had room."""
        return not self._window.is_idle

    # Their beginning and end

    def begin(self, seat: MatchSeat, number: int) -> GameSeat:
        """Seat the bot at the board of a game that begins, or goes on after a resumption."""
        self._last_handle += 1
        game = GameSeat(seat, number, self._last_handle)
        self._seats[game.handle] = game
        return game

    def at(self, matches: Collection[MatchSeat]) -> list[GameSeat]:
        """Return the open games of these matches, in the order in which they began."""
        return [game for game in self._seats.values() if game.seat in matches]

    def end(self, game: GameSeat) -> None:
        """Forget a game: its handle means nothing any more, its place in the window is free."""
        if self._seats.pop(game.handle, None) is game:
            self._window.drop(game.handle)
            self._release()
            self._tell_awaited()

    def forget(self) -> None:
        """Forget all of them; the handles that follow are new."""
        self._seats.clear()
        self._window = TurnWindow(self._window.size)

    def put_again(self, window: int, now_ms: int) -> None:
        """Put all turns and calls again at the end of the batch: the bot has a new connection."""
        self._is_told_of_remark = False
        for question in self._window.rewind(window):
            game = self._seats[question.game]
            self._loop.to_ask.append((game.seat.ask, game.number, now_ms))

    # Questions and answers

    def ask(self, game: GameSeat, question: Asked, now_ms: int) -> None:
        """Ask the bot for a turn or call; it is written as soon as the window allows."""
        if self._window.put(question):
            self._put_out(game, question, now_ms)
        if self._program is not None:
            self._tell_awaited()

    def _release(self) -> None:
        for question in self._window.release():
            self._put_out(self._seats[question.game], question, self._loop.clock.now_ms())

    def _put_out(self, game: GameSeat, question: Asked, now_ms: int) -> None:
        """Put a question into the outbox. Its clock runs even without a connection."""
        if game.figures is None and self._program is not None:
            game.figures = self._program.figures()
        if (connection := self._account.connection) is not None:
            try:
                connection.send(question, now_ms)
            except Exception as error:  # noqa: BLE001 - it ends this connection alone
                self._send_failed(error)
        self._loop.questions.append((game.seat.written, game.number))

    def answered(self, answer: Play | Called, now_ms: int, lag_ms: int = 0) -> bool:
        """Handle an answer, unread for up to `lag_ms`; return whether it was awaited."""
        question = self._window.answer(answer)
        if question.__class__ is Error:
            self._send(question)
            return False
        if answer.__class__ is Play and answer.info is not None:
            answer = self._with_remark_kept(answer)
        game = self._seats[answer.game]
        # The question is no `Error`, by its class.
        game.seat.answered(game, question, answer, now_ms, lag_ms)  # type: ignore[arg-type]
        if self._window.waiting:
            self._release()
        if self._program is not None:
            self._tell_awaited()
        return True

    def _with_remark_kept(self, play: Play) -> Play:
        """Return an answer with its remark as it can be kept; without it if none is kept.

        If it cannot be kept, the bot is told, once on a connection.
        """
        if not self._account.keeps_remarks:
            return replace(play, info=None)
        remark = remarks.kept(play.info)
        if not isinstance(remark, remarks.NotKept):
            return play
        if not self._is_told_of_remark:
            self._is_told_of_remark = True
            text = (
                f"the remark (`info`) of this play is not kept: {remark.message}; the play counts; "
                "this is said once on a connection"
            )
            self._send(ErrorCode.REMARK_LEFT_OUT.to_message(text, play.game, play.turn))
        return replace(play, info=remark)

    def reopen(self, question: Asked) -> None:
        """Open a turn or call again whose answer was rejected."""
        self._window.reopen(question)

    def withdraw(self, game: GameSeat) -> None:
        """Take back the turn or call of a game if it still waits for room in the window."""
        if game.handle in self._window.waiting:
            self._window.withdraw(game.handle)

    def measured(self, game: GameSeat) -> Measured | None:
        """Return what was measured since the first turn of a game; None if nothing is known."""
        if self._program is None:
            return None
        figures = self._program.figures()
        if game.figures is None or figures is None:
            return None
        used_ms = []
        for now_ns, before_ns in zip(figures, game.figures, strict=True):
            used_ms.append(max(0, now_ns - before_ns) // 10**6)
        cpu, starved, steal, pressure = used_ms
        return Measured(
            cpu_ms=cpu,
            starved_ms=starved,
            steal_ms=steal,
            pressure_ms=pressure,
        )
