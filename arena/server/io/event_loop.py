"""The playing loop: what all tables and connections share, and how every batch ends."""

from collections.abc import Awaitable, Callable
from typing import Any

import trio

from arena.server.io.clock import Clock, Deadlines
from arena.server.io.failures import must_end_the_run
from arena.server.io.journal import Journal
from arena.server.io.link import Link
from arena.server.io.poller import Poller

OfGame = Callable[[int, int], object]
"""Called with the number of a game, and a time (ms)."""


class EventLoop:
    """Collects the effects of a batch of input, and releases them: first to records, then to bots.

    A batch is everything that came in one read, or fell due at one time. Nothing waits within a
    batch, so the order in which trio runs its tasks cannot influence a game.
    """

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self.on_failure: Callable[[Exception], object] | None = None
        """Called with an unexpected exception; if unset, the exception ends everything."""
        self.on_disk_error: Callable[[BaseException], bool] = lambda _: False
        """Called when the disk failed; ends the run whose record it was. If it returns False, all
        runs end."""
        self.failing: list[Callable[[], object]] = []
        """Calls that give up the bots that the arena could not talk to in this batch; made before
        anything is recorded."""
        self.clock = Clock()
        self.poller = Poller(self.spawn)
        """Reads all sockets."""
        self.deadlines = Deadlines(self.clock, self._read_all)
        self._links: dict[Link, None] = {}
        self.to_commit: list[Journal] = []
        """Journals with something to commit at the end of the batch."""
        self.to_ask: list[tuple[OfGame, int, int]] = []
        """Turns and calls to be put at the end of the batch: what puts them, the game, and when
        they arose."""
        self.questions: list[tuple[OfGame, int]] = []
        """Turns and calls put into outboxes in this batch: what to call when they leave, and the
        game."""

    def open(self) -> None:
        """Start what runs as long as the event loop is open."""
        self.spawn(self.deadlines.watch)
        self.spawn(self.poller.run)

    def spawn(self, task: Callable[..., Awaitable[Any]], *args: object) -> None:
        """Run a task in the background for as long as the event loop is open."""
        self._nursery.start_soon(task, *args)

    def failed(self, error: Exception) -> None:
        """Report an unexpected exception that ends one match or connection.

        Raises it again if everything must end.
        """
        if must_end_the_run(error):
            if not self.on_disk_error(error):
                raise error
        elif self.on_failure is None:
            raise error
        else:
            self.on_failure(error)

    def dirty_link(self, link: Link) -> None:
        """Send the outbox of this link at the end of the batch."""
        self._links[link] = None

    def _read_all(self) -> None:
        self.poller.read_all()

    def now_and_lag_ms(self) -> tuple[int, int]:
        """Return the time now, and how long the current input may have lain unread.

        Both in whole milliseconds. Input lies unread while the arena is busy.
        """
        return self.clock.now_and_lag_ms(self.poller.unread_since)

    def unread_ms(self) -> int:
        """Return how long unread input may have been lying there; whole milliseconds.

        A deadline that passed within this time may only be judged once everything is read.
        `Deadlines` sees to that.
        """
        _, lag_ms = self.clock.now_and_lag_ms(self.poller.all_read_until)
        return lag_ms

    def end_batch(self) -> None:
        """Commit the records, then send: a bot never learns anything that the record might lose.

        Raises `DiskError`.
        """
        # One function, with all its branches: it runs once a turn. Each step is done for all
        # matches before the next begins: with 64 games at once a turn takes a twentieth less.
        while self.to_ask or self.to_commit or self.questions or self._links or self.failing:
            while self.failing:
                self.failing.pop()()
            while self.to_ask:
                to_ask, self.to_ask = self.to_ask, []
                for ask, number, now_ms in to_ask:
                    ask(number, now_ms)
            if self.to_commit:
                for journal in self.to_commit:
                    try:
                        journal.commit()
                    except OSError as error:
                        if not self.on_disk_error(error):
                            for link in self._links:
                                link.take_back()
                            raise
                self.to_commit.clear()
            if self.questions:
                self.poller.awaits_answer = True
                now_ms = self.clock.now_ms()
                questions, self.questions = self.questions, []
                for written, number in questions:
                    written(number, now_ms)
            if self.failing or self.to_ask or self.to_commit:
                continue  # a match that failed meanwhile has recorded more
            # A link that cannot be written to ends, which may lead to more.
            links, self._links = self._links, {}
            for link in links:
                link.flush()
