"""A rehearsal: one turn is put to a bot, and its answer is judged as in the match."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import trio

from arena.games import Game
from arena.matches import game as games
from arena.matches.facts import MatchOpened, TurnFact, TurnRejected
from arena.matches.state import GameState, Setting
from arena.server.io import secret_values
from arena.server.play import translate
from arena.server.programs.program import Guest, Host
from arena.server.venue.entrance import server_name
from arena.services.conversation import Conversation, DeviationError, Words
from arena.words import Said, SaidError, joined, quoted
from protocol.connection import BOT_FRAME_BYTES
from protocol.greetings import Hello, Limits, Welcome
from protocol.messages import Bye, FromArena

HANDLE: Final = 1
"""The number of the game on the connection."""


class RehearsalError(SaidError):
    """The bot did not get as far as an answer; says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuestion:
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
        """Name on screens."""
        return self.opened.shown[self.game.mover - 1]


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """Result of putting a turn to a bot again."""

    guest: Guest
    """The bot: what its program printed, how it ended, and what to do then."""
    verdict: TurnFact | None = None
    """The fact that the record would get; its times count from 0, when the turn was written."""
    failure: Said | None = None
    """The reason if there is no answer to judge."""
    has_connected: bool = False
    """True if it came as far as a connection."""


async def rehearse(
    question: TurnQuestion,
    host: Host,
    ready_ms: int,
    most_ms: int | None = None,
) -> Rehearsal:
    """Put the turn to a bot that has to be ready within `ready_ms`.

    It has `most_ms` for the answer, if its clock allows more.
    """
    async with host() as guest:
        rehearsal = Rehearsal(guest=guest)
        with trio.CancelScope() as conversation:
            guest.on_end = conversation.cancel
            await _converse(question, rehearsal, ready_ms, most_ms)
    if rehearsal.verdict is None and guest.how is not None:
        end = Said("lost.program", {"how": guest.how.reason})
        if conversation.cancelled_caught:
            rehearsal.failure = end
        elif guest.how.is_by_itself:
            if rehearsal.failure is not None:
                end = joined([rehearsal.failure, end])
            rehearsal.failure = end
    return rehearsal


async def _converse(
    question: TurnQuestion,
    rehearsal: Rehearsal,
    ready_ms: int,
    most_ms: int | None,
) -> None:
    """Wait for the bot, let it log in and put the question; keep the outcome in `rehearsal`."""
    rehearsal.failure = Said("rehearsal.not_ready", {"number": ready_ms})
    with trio.CancelScope(deadline=trio.current_time() + ready_ms / 1000) as ready:
        connection, _ = await rehearsal.guest.listener.accept()
        rehearsal.has_connected = True
        async with trio.SocketStream(connection) as stream:
            talk = _RehearsalTalk(stream, question, rehearsal.guest.token)
            try:
                await talk.log_in()
                ready.deadline = math.inf
                rehearsal.verdict = await talk.ask(most_ms)
                rehearsal.failure = None
            except RehearsalError as error:
                rehearsal.failure = error.said


class _RehearsalTalk:
    """The arena's end of the conversation, whose answers the referee judges."""

    def __init__(self, stream: trio.SocketStream, question: TurnQuestion, token: str) -> None:
        self._stream = stream
        self._question = question
        self._conversation = Conversation(question.rules, question.name, token, is_judged=False)

    async def log_in(self) -> None:
        """Speak from hello until the bot is ready for the match. Raises `RehearsalError`."""
        question = self._question
        await self._say(Hello(server=server_name(), nonce=secret_values.new_nonce()))
        limits = Limits(frame_bytes=BOT_FRAME_BYTES, window=1)
        key = secret_values.new_token()
        welcome = Welcome(session="rehearsal", resume_key=key, limits=limits)
        await self._say(welcome, translate.match_start(question.opened, question.game.mover, ""))

    async def ask(self, most_ms: int | None) -> TurnFact:
        """Put the turn, or the call for its dice, to the bot.

        The flag falls after `most_ms` at the latest.
        """
        question = self._question
        game = question.game
        opened = question.opened
        login = self._conversation.login
        assert login is not None, "it has logged in"
        wants_legal = "legal" in login.wants
        message = translate.question(question.setting, HANDLE, game, 0, wants_legal=wants_legal)
        began = trio.current_time()
        start = translate.game_start(HANDLE, opened, game.number, game.starter, game.mover)
        game = games.written(game, opened.terms.clock, 0)
        limit_ms = game.due_ms
        assert limit_ms is not None, "its clock runs"
        if most_ms is not None:
            limit_ms = min(limit_ms, most_ms)
        with trio.move_on_after((limit_ms + 1) / 1000):
            await self._say(start, message)
            answer = self._conversation.answers[HANDLE]
            now_ms = int((trio.current_time() - began) * 1000)
            event = translate.answer(answer, message, game.number, now_ms, 0)
            _, verdict, _ = games.answered(question.setting, game, event)
            with suppress(RehearsalError):  # it has answered, and may have gone
                if isinstance(verdict, TurnRejected):
                    rejection = Words(messages=(translate.rejected(HANDLE, verdict),))
                    await self._write(self._conversation.say(rejection))
                await self._say(Bye(reason="the rehearsal is over"))
            return verdict
        _, flag, _ = games.flag(question.rules, game, limit_ms + 1)
        return flag

    async def _say(self, *messages: FromArena) -> None:
        """Say something, and wait until all that it asks for is answered."""
        await self._write(self._conversation.say(Words(messages=messages)))
        while self._conversation.owed:
            received = await self._receive()
            try:
                await self._write(self._conversation.hear(received))
            except DeviationError as deviation:
                await self._write(self._conversation.complain(deviation))
                mistake = Said("rehearsal.deviates", {"found": quoted(deviation.found)})
                raise RehearsalError(mistake) from deviation

    async def _receive(self) -> bytes:
        """Read bytes. Raises `RehearsalError` if the bot has hung up."""
        with suppress(trio.BrokenResourceError):
            received = await self._stream.receive_some()
            if received:
                return bytes(received)
        raise RehearsalError(Said("lost.hung_up"))

    async def _write(self, parts: Sequence[bytes]) -> None:
        try:
            for part in parts:
                await self._stream.send_all(part)
        except trio.BrokenResourceError as error:
            raise RehearsalError(Said("lost.hung_up")) from error
