"""A rehearsal: one turn of a recorded match is put to a bot again, and its answer judged as in the match."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import trio

from arena.games import Game
from arena.matches import game as games
from arena.matches.facts import MatchOpened, TurnFact, TurnRejected
from arena.matches.state import GameState, Setting
from arena.server.io import secret_values
from arena.server.io.address import listening_address
from arena.server.io.listening import address_of, open_listener
from arena.server.play import translate
from arena.server.programs.alone import launched_alone
from arena.server.programs.containment import Containment
from arena.server.programs.program import Ended
from arena.server.run.entrance import server_name
from protocol.connection import BOT_FRAME_BYTES, ArenaConnection
from protocol.errors import ErrorCode
from protocol.greetings import Hello, Limits, Login, Welcome
from protocol.messages import Bye, Called, FromArena, FromBot, MatchEntropy, MatchReady, MatchReveal, Ping, Play, Pong

HANDLE: Final = 1
"""The number of the game on the connection."""

M = TypeVar("M", bound=FromBot)


class RehearsalError(Exception):
    """The bot did not get as far as an answer; says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A turn of a match, as returned by `find_turn`."""

    setting: Setting
    game: GameState

    @property
    def opened(self) -> MatchOpened:
        """The header of the match."""
        return self.setting.opened

    @property
    def rules(self) -> Game[Any]:
        """The rules of the match."""
        return self.setting.rules

    @property
    def name(self) -> str:
        """The entrant to move."""
        return self.opened.entrants[self.game.mover - 1]

    @property
    def shown(self) -> str:
        """What it is called on screens."""
        return self.opened.shown[self.game.mover - 1]


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """What came of it."""

    verdict: TurnFact | None = None
    """The fact that the record would get; its times count from 0, when the turn was written."""
    failure: str = ""
    """The reason if there is no answer to judge."""
    has_connected: bool = False
    """Whether it came as far as a connection."""
    program: Ended | None = None
    stdout: str = ""
    stderr: str = ""


async def rehearse_launched(
    question: Question,
    command: Sequence[str],
    containment: Containment,
    reads: Sequence[str],
    most_ms: int | None = None,
) -> Rehearsal:
    """Start the bot's program as for a match, put the turn to it, and end it again.

    `reads` are files it may read besides its own. `most_ms` bounds the wait for the answer if its clock allows more.
    """
    rehearsal = Rehearsal()
    async with launched_alone(command, containment, name=question.name, reads=reads) as bot:
        with trio.CancelScope() as conversation:
            bot.on_end = conversation.cancel
            await _converse(bot.listener, bot.token, question, rehearsal, question.opened.terms.startup_ms, most_ms)
    rehearsal.program, rehearsal.stdout = bot.how, bot.stdout
    rehearsal.stderr = bot.stderr.replace(bot.token, "*" * len(bot.token))
    if rehearsal.verdict is None and bot.how is not None:
        end = f"its program {bot.how.reason}"
        if conversation.cancelled_caught:
            rehearsal.failure = end
        elif bot.how.is_by_itself:
            rehearsal.failure += f"; {end}"
    return rehearsal


async def rehearse_remote(
    question: Question, address: str, wait_ms: int, tell: Callable[[str, str], object]
) -> Rehearsal:
    """Wait for the bot at an address, and put the turn to it; `tell` is given the address and the token to use."""
    rehearsal = Rehearsal()
    token = secret_values.new_token()
    listener = open_listener(listening_address(address, has_certificate=False, is_insecure=False))
    tell(str(address_of(listener)), token)
    with trio.socket.from_stdlib_socket(listener) as waiting:
        await _converse(waiting, token, question, rehearsal, wait_ms)
    return rehearsal


async def _converse(
    listener: trio.socket.SocketType,
    token: str,
    question: Question,
    rehearsal: Rehearsal,
    ready_ms: int,
    most_ms: int | None = None,
) -> None:
    rehearsal.failure = f"it was not ready within {ready_ms} ms"
    with trio.CancelScope(deadline=trio.current_time() + ready_ms / 1000) as ready:
        connection, _ = await listener.accept()
        rehearsal.has_connected = True
        async with trio.SocketStream(connection) as stream:
            talk = _Talk(stream, question)
            try:
                await talk.log_in(token)
                ready.deadline = math.inf
                rehearsal.verdict = await talk.ask(most_ms)
            except RehearsalError as error:
                rehearsal.failure = str(error)
            else:
                rehearsal.failure = ""


class _Talk:
    """The arena's end of the conversation."""

    def __init__(self, stream: trio.SocketStream, question: Question) -> None:
        self._stream = stream
        self._question = question
        self._wire = ArenaConnection()
        self._heard: deque[FromBot] = deque()

    async def log_in(self, token: str) -> None:
        """From hello to the bot's readiness for the match."""
        question = self._question
        await self._say(Hello(server=server_name(), nonce=secret_values.new_nonce()))
        login = await self._hear(Login)
        if login.name != question.name or not secret_values.is_token(login.token, token):
            await self._say(ErrorCode.BAD_LOGIN.to_message("wrong name or token; check both"))
            raise RehearsalError("it logged in with a wrong name or token")
        self._login = login
        limits = Limits(frame_bytes=BOT_FRAME_BYTES, window=login.window)
        await self._say(
            Welcome(session="rehearsal", resume_key=secret_values.new_token(), limits=limits),
            translate.match_start(question.opened, question.game.mover, ""),
        )
        ready = await self._hear(MatchReady)
        if ready.commitment is not None:
            await self._say(MatchReveal(match=ready.match))
            await self._hear(MatchEntropy)

    async def ask(self, most_ms: int | None) -> TurnFact:
        """Put the turn, or the call for its dice, to the bot; gives the verdict on its answer or its silence.

        The flag falls after `most_ms` at the latest.
        """
        question = self._question
        rules, game, opened = question.rules, question.game, question.opened
        terms = opened.terms
        wants_legal = "legal" in self._login.wants
        message = translate.question(question.setting, HANDLE, game, 0, wants_legal=wants_legal)
        await self._say(translate.game_start(HANDLE, opened, game.number, game.starter, game.mover), message)
        began = trio.current_time()
        game = games.written(game, 0)
        limit_ms = games.deadline(game, terms)
        if most_ms is not None:
            limit_ms = min(limit_ms, most_ms)
        with trio.move_on_after((limit_ms + 1) / 1000):
            said = await self._hear_answer(game)
            now_ms = int((trio.current_time() - began) * 1000)
            event = translate.answer(said, message, game.number, now_ms, 0)
            _, verdict, _ = games.answered(question.setting, game, event)
            with suppress(RehearsalError):  # it has answered, and may have gone
                if isinstance(verdict, TurnRejected):
                    await self._say(translate.rejected(HANDLE, verdict))
                await self._say(Bye(reason="the rehearsal is over"))
            return verdict
        _, flag, _ = games.flag(rules, game, limit_ms + 1)
        return flag

    async def _hear_answer(self, game: GameState) -> Play | Called:
        """The answer to this turn or call; a bot that answers another is told so."""
        while True:
            answer = await self._hear(Called if game.calls else Play)
            assert isinstance(answer, Play | Called), "nothing else was waited for"
            if (answer.game, answer.turn) == (HANDLE, game.turn):
                return answer
            text = f"expected an answer to turn {game.turn} of game {HANDLE}"
            await self._say(ErrorCode.STALE_TURN.to_message(text))

    async def _say(self, *messages: FromArena) -> None:
        try:
            await self._stream.send_all(b"".join(self._wire.send(message) for message in messages))
        except trio.BrokenResourceError as error:
            raise RehearsalError("it hung up") from error

    async def _hear(self, kind: type[M]) -> M:
        """The next message of a kind; others are ignored."""
        while True:
            while self._heard:
                message = self._heard.popleft()
                if isinstance(message, kind):
                    return message
                if isinstance(message, Ping):
                    await self._say(Pong(data=message.data))
            if (fault := self._wire.fault) is not None:
                await self._say(fault.to_message())
                raise RehearsalError(f"it broke the protocol ({fault.code}): {fault.message}")
            try:
                data = await self._stream.receive_some()
            except trio.BrokenResourceError:
                data = b""
            if not data or self._wire.is_closed:
                raise RehearsalError("it hung up")
            self._heard += self._wire.receive(data)
