"""The seat of a person: a bot by the kit, in a thread, that asks a person instead of a program.

The arena knows nothing of it: it logs in, hears and answers like any bot, and comes back when the
connection is lost. While the person thinks, the thread waits for the arena and for the person at
once. So the end of a game, a fallen flag and pings are heard at once.
"""

import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from arena.games.interface import verdict_said
from arena.person.kept_match import KeptMatch
from arena.person.recalled import recall
from arena.person.sitting import Sitting
from arena.person.told import Refusal
from arena.records.lines import Attempt
from arena.words import Said, quoted
from protocol import client
from protocol.client.bot import BotBase, to_called, to_play
from protocol.fields import Kind
from protocol.messages import Break, Bye, Called, GameReady, Play

REFUSALS: Final = frozenset({"already_connected", "bad_login", "shutting_down"})
"""The codes of the arena for a seat that it does not let in, with words of their own."""

View: TypeAlias = client.TurnView | client.CallView


class Seat(BotBase):
    """A person at one match: what they see (`sitting`) and how their answers get to the arena.

    Any thread may use it. To the kit it is a bot that hears everything, and answers by its session.
    """

    name = "person"
    version = "by hand"
    kind: Kind | None = "person"
    wants = ("call", "break")
    receipts = None

    def __init__(self, changed: Callable[[], object]) -> None:
        """Call `changed`, from the seat's thread or the person's, when there is something new."""
        self.sitting = Sitting()
        """The match that the person looks at."""
        self.later: deque[Sitting] = deque()
        """Matches of the same entrant that have started since that one ended."""
        self.asked_at = 0.0
        """The time of the last question, on the monotonic clock."""
        self.answered_at = 0.0
        """The time of the last answer, or of the start of a game."""
        self._changed = changed
        self._lock = threading.RLock()
        self.answers: deque[tuple[View | Break, Play | Called | GameReady]] = deque()
        """The answers that were not sent yet, each with what it answers."""
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._thread: threading.Thread | None = None
        self._kept: KeptMatch | None = None
        self.was_welcome = False
        """True once the arena has let the seat in."""

    @contextmanager
    def at_the_board(self) -> Iterator[Sitting]:
        """Give the sitting while no message changes it; then keep the moves of an open turn."""
        with self._lock:
            yield self.sitting
            if self._kept is not None and self.sitting.phase == "turn":
                self._kept.keep(self.sitting.question, self.sitting.moves)

    def begin(
        self,
        address: str,
        name: str,
        token: str,
        folder: Path | None = None,
    ) -> None:
        """Sit down: log in, and play until the arena says goodbye.

        `folder` is that of the run, if it is here: it tells what was played before.
        """
        if folder is not None:
            self._kept = KeptMatch(folder, name)
        self._thread = threading.Thread(
            target=self._play, args=(address, name, token), name="seat", daemon=True
        )
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the seat is empty; False if it is not after this time."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def _play(
        self,
        address: str,
        name: str,
        token: str,
    ) -> None:
        end: client.End | None = None
        try:
            with self._woken, self._wake:
                end = client.play_at(
                    self,
                    address,
                    name,
                    token,
                    partial(_Session, self),
                )
        finally:
            # of an error the arena has told its operator
            if end is not None and end.reason and not end.error:
                client.tell(f"the seat of {name}: {end.reason}")
            with self._lock:
                self.hearing.connection_ended(self._why_ended(end))
            self._changed()

    def _why_ended(self, end: client.End | None) -> Said | None:
        """Return the reason why the seat is empty; None after a goodbye."""
        if end is not None and end.code == 0:
            return None
        if end is None or self.was_welcome:
            return Said("left.lost")
        if not end.error:
            return Said("left.unreachable", {"why": end.reason})
        why: Said | str = end.reason
        if end.error in REFUSALS:
            why = Said(f"refused.{end.error}")
        return Said("left.refused", {"why": why})

    @property
    def hearing(self) -> Sitting:
        """The match that the arena speaks of."""
        if self.later:
            return self.later[-1]
        return self.sitting

    # What the person does; each raises `Refusal`

    def go_on(self) -> None:
        """Leave the match that is over for the next one."""
        with self._lock:
            if not self.later:
                raise Refusal(Said("refusal.no_match"))
            self.sitting = self.later.popleft()
        self._changed()

    def answer(self, act: Callable[[Sitting], client.Reply | int | GameReady]) -> None:
        """Answer the open question by an act: `confirm`, `accept_draw`, `call` or `ready`."""
        with self._lock:
            question = self.sitting.view or self.sitting.pause
            reply = act(self.sitting)
            assert question is not None, "there was an answer to it"
            self.answers.append((question, _message(question, reply)))
            self.answered_at = time.monotonic()
            self._rouse()
        self._changed()

    def ready(self, question: str) -> None:
        """End the break between two games for the person."""
        self.answer(lambda sitting: sitting.ready(question))

    def leave(self) -> None:
        """Leave the match for good: the arena gives the games still to play to the opponent."""
        with self._lock:
            self.sitting.leave()
            self._forget_turn()
            with suppress(Refusal):  # a seat that has seen it already is empty, as was wanted
                self._rouse()
        self._changed()

    def _rouse(self) -> None:
        try:
            self._wake.send(b"!")
        except BlockingIOError:  # it has been woken so often that it will notice
            return
        except OSError as error:
            raise Refusal(Said("refusal.seat_empty")) from error

    # What the kit says, and what its session needs

    def wait_with(self, stream: socket.socket) -> bool:
        """Wait until the person or the arena says something; returns whether it is the arena."""
        readable, _, _ = select.select([stream, self._woken], [], [])
        if self._woken in readable:
            self._woken.recv(4096)
        return stream in readable

    def heard(self, take: Callable[[Sitting], object]) -> None:
        """Let the sitting take a message of the arena."""
        with self._lock:
            if self.hearing.phase != "left":
                take(self.hearing)
        self._changed()

    def match_start(self, match: client.MatchStart) -> None:
        """Begin a match, or go on with it.

        The board of the match before stays until the person has looked at it.
        """
        attempt: Attempt | None = None
        if self._kept is not None:
            attempt = self._kept.attempt(match)
        with self._lock:
            if self.hearing.match is not None and self.hearing.match.match != match.match:
                self.later.append(Sitting())

        def started(sitting: Sitting) -> None:
            sitting.match_started(match)
            if attempt is not None:
                recall(sitting, match, attempt)

        self.heard(started)

    def asked(self, view: View) -> None:
        """Give the person the turn, and make the moves again that they had made before a kill."""
        self.asked_at = time.monotonic()

        def asked(sitting: Sitting) -> None:
            sitting.asked(view)
            if self._kept is not None and sitting.phase == "turn":
                sitting.restore(self._kept.moves_of(sitting.question))

        self.heard(asked)

    def rests(self, pause: Break) -> None:
        """Begin a break between two games."""
        self.asked_at = time.monotonic()
        self.heard(lambda sitting: sitting.rests(pause))

    def game_start(self, start: client.GameStart) -> None:
        """Begin a game, or go on with it."""
        self.asked_at = self.answered_at = time.monotonic()
        self.heard(lambda sitting: sitting.game_started(start))

    def rejected(self, rejected: client.Rejected, _asked: View) -> None:
        """Open the turn again: the referee did not take the answer."""
        self.heard(lambda sitting: sitting.rejected(verdict_said(rejected.code, rejected.values)))

    def game_end(self, end: client.GameEnd) -> None:
        """End a game."""
        self.heard(lambda sitting: sitting.game_ended(end))

    def match_end(self, end: client.MatchEnd) -> None:
        """End a match."""
        self._forget_turn()
        self.heard(lambda sitting: sitting.match_ended(end))

    def dice_distrusted(self, _end: client.MatchEnd, problems: Sequence[str]) -> None:
        """Note that the dice were not as promised."""
        self.hearing.dice_distrusted([quoted(problem) for problem in problems])

    def _forget_turn(self) -> None:
        if self._kept is not None:
            self._kept.forget()


class _Session(client.ClientSession):
    """A session of the kit that waits for a person."""

    def __init__(
        self, seat: Seat, bot: BotBase, stream: socket.socket, login_s: float | None
    ) -> None:
        super().__init__(bot, stream, login_s)
        self._seat = seat
        self._pause: Break | None = None
        """The last break that this connection has told of."""

    def play(
        self,
        name: str,
        token: str,
        resume_key: str | None = None,
    ) -> client.End:
        """Run the session to its end; a person who has left does not come back."""
        end = super().play(name, token, resume_key)
        if self.welcome is not None:
            self._seat.was_welcome = True
        if self._seat.hearing.phase == "left":
            return client.End(0)
        return end

    def read(self) -> bytes:
        """Wait for the arena; send on what the person says meanwhile."""
        while True:
            while self._seat.answers:
                question, answer = self._seat.answers.popleft()
                if self._is_open(question):
                    self.send(answer)
            if self._seat.hearing.phase == "left":
                if self.welcome is not None:
                    self.send(Bye(reason=f"the {self._seat.kind} resigns"))
                return b""
            # of TLS: read already, and no longer in the socket
            pending = getattr(self.stream, "pending", None)
            if (pending and pending()) or self._seat.wait_with(self.stream):
                return super().read()

    def answer(self) -> None:
        """Put the questions to the person; the answers come in their own time."""
        waiting, self.waiting = self.waiting, []
        for view in waiting:
            self._seat.asked(view)

    def rest(self) -> None:
        """Show the person a break; their word comes in its own time."""
        breaks, self.breaks = self.breaks, []
        for pause in breaks:
            self._pause = pause
            self._seat.rests(pause)

    def _is_open(self, question: View | Break) -> bool:
        """Return whether this connection has asked it: questions of a lost one come again."""
        if isinstance(question, Break):
            return question is self._pause
        return self._asked.get(question.message.game) is question


def _message(
    question: View | Break, reply: client.Reply | int | GameReady
) -> Play | Called | GameReady:
    if isinstance(reply, GameReady):
        return reply
    if isinstance(reply, int):
        assert isinstance(question, client.CallView), "it says how many dice"
        return to_called(question.message, reply)
    assert isinstance(question, client.TurnView), "it says which turn"
    return to_play(question.message, reply)
