"""A day of a ladder during play: who comes and goes, and which pair gets the next free seat."""

import math
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from arena.records import facts
from arena.records.ladder_day import LadderBook, edges_since
from arena.records.ladder_draws import commitment_of_key
from arena.records.ladder_facts import (
    EarlierDay,
    EdgesTaken,
    EntrantCame,
    EntrantWent,
    LadderOpened,
    PairingKey,
    WhyGone,
)
from arena.server.io import secret_values
from arena.server.run.tournament_log import TournamentLog
from arena.tournaments.ladder_players import Edge
from arena.tournaments.schedule import Fixture, parse_fixture


class LadderLog(TournamentLog):
    """The record of a day, which is the agenda of its scheduler.

    A pairing is drawn when a seat is free, and its line is written first. The day never ends by
    itself: `close` lets the matches in play be finished, and then the record is sealed.
    """

    _is_closing = False
    """True once no new match may begin."""
    sealed: EarlierDay | None = None
    """The end of its record, once the day is over."""
    on_rest: Callable[[str], object] = staticmethod(lambda _: None)
    """Called with an entrant that rests from now on; the batch ends afterwards."""
    before_draw: Callable[[], object] = staticmethod(lambda: None)
    """Called before a pair is drawn: writes who has come or gone since the last line."""

    def begin(self, opening: LadderOpened | None) -> None:
        """Open the day, or go on with it; then no entrant is there.

        `opening` is what a new day begins with, without its key and its time.
        """
        with self._closed_on_failure():
            if self.state.book is None:
                assert opening is not None, "it is a new day"
                self._open_day(opening)
            elif self.book.key is not None:
                self._is_closing = True
            else:
                self._go_all("restarted")

    @property
    def book(self) -> LadderBook:
        """What follows from the lines so far."""
        book = self.state.book
        assert book is not None, "it is opened with the record"
        return book

    def _open_day(self, opening: LadderOpened) -> None:
        """Write the second line of the record: the key it commits to is on the disk before."""
        if not self.secrets.pairing_key:
            self.secrets = replace(self.secrets, pairing_key=secret_values.new_dice_key().hex())
            self._folder.write_secrets(self.secrets)
        opened = replace(
            opening,
            at_ms=self._clock.now_ms(),
            key_commitment=commitment_of_key(bytes.fromhex(self.secrets.pairing_key)),
        )
        self._write(opened)
        self._journal.sync()

    # Who is there

    def comes(self, coming: EntrantCame) -> None:
        """Let a version be paired from now on, unless the day ends or it is there already.

        The line gets the time of the record.
        """
        player = self.book.players.get(coming.player.entrant)
        is_there = player is not None and player.is_there
        if self._is_closing or is_there:
            return
        self._write(replace(coming, at_ms=self._clock.now_ms()))
        self._journal.commit()

    def goes(self, entrant: str, why: WhyGone) -> None:
        """Pair an entrant no more, if it is there; its matches in play go on."""
        player = self.book.players.get(entrant)
        if player is not None and player.is_there:
            self._write(EntrantWent(at_ms=self._clock.now_ms(), entrant=entrant, why=why))
            self._journal.commit()

    def _go_all(self, why: WhyGone) -> None:
        for entrant in self.book.players:
            self.goes(entrant, why)

    def contain(self, bots: Mapping[str, facts.Way]) -> None:
        """Record how those launched bots are contained that have come."""
        super().contain({name: kind for name, kind in bots.items() if name in self.state.names})

    # The next pair

    @property
    def has_more(self) -> bool:
        """True until the day is closed, and then while a match waits for a bot."""
        return not self._is_closing or bool(self.waiting)

    @property
    def look_again_s(self) -> float:
        """Seconds until the next rest is over."""
        now_ms = self._clock.now_ms()
        wakes_ms = self.book.wakes_ms(now_ms)
        if self._is_closing or wakes_ms is None:
            return math.inf
        return (wakes_ms - now_ms) / 1000

    async def next(self, free: AbstractSet[str]) -> Fixture | None:
        """Take out the next fixture to play if these entrants are free; None if there is none now.

        If none waits, a pair is drawn of those who are free by the record. One of them may be busy
        with the end of its last match for another moment: then its fixture waits.
        """
        fixture = self.waiting.take(free)
        if fixture is None and self._may_draw:
            self._draw_pair()
            fixture = self.waiting.take(free)
        return fixture

    @property
    def _may_draw(self) -> bool:
        has_seat = self.book.in_play < self._plan.at_once
        return has_seat and not self._is_closing and not self.book.is_full

    def _draw_pair(self) -> None:
        """Draw a pair, if two may meet; its line is on the disk before a bot hears of the match."""
        self.before_draw()
        _, head = self._journal.mark()
        key = bytes.fromhex(self.secrets.pairing_key)
        drawn = self.book.draw(key, head.hex(), self._clock.now_ms())
        if drawn is not None:
            self._write(drawn)
            self.waiting.add([parse_fixture(drawn.fixture)])

    def _judge_conduct(self) -> None:
        """Tell who has just forfeited so often that it rests."""
        settled = self._facts[-1]
        if isinstance(settled, facts.FixtureSettled):
            for entrant in parse_fixture(settled.fixture).entrants:
                if self.book.players[entrant].rests_until_ms > settled.at_ms:
                    self.on_rest(entrant)

    # The days before and after

    def moment(self) -> EarlierDay:
        """Return the present moment; the record is open."""
        lines, head = self._journal.mark()
        return EarlierDay(run=self._run_id, lines=lines, sha256=head.hex())

    def take_edges(self, sealed: EarlierDay, edges: Iterable[Edge]) -> None:
        """Count what the day before has counted since this day was opened, once.

        `edges` are all that it has counted.
        """
        if self.book.taken_edges is not None:
            return
        taken_edges = EdgesTaken(
            at_ms=self._clock.now_ms(),
            before=sealed,
            edges=edges_since(self.book.opened.edges, edges),
        )
        self._write(taken_edges)
        self._journal.commit()

    # The end

    def close_day(self) -> None:
        """Let no new match begin: those in play are finished, and then the day is over."""
        if not self._is_closing:
            self._is_closing = True
            self._go_all("drained")

    async def finish(self) -> None:
        """Reveal the key, write the standings and close the record, unless that has been done."""
        if not self.state.is_finished and self.book.key is None:
            self._write(PairingKey(at_ms=self._clock.now_ms(), key=self.secrets.pairing_key))
        await super().finish()
        self.sealed = self.moment()
