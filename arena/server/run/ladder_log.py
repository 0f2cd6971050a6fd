"""A day of a ladder during play: who comes and goes, and whom the next free seat is for."""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from arena.records import facts
from arena.records.ladder_day import LadderBook, edges_since
from arena.records.ladder_draws import commitment_of_key, digest_of_free, drawn_number
from arena.records.ladder_facts import (
    CountedEdge,
    EarlierDay,
    EdgesTaken,
    EntrantCame,
    EntrantWent,
    KnownPlayer,
    LadderOpened,
    PairDrawn,
    PairingKey,
    WhyGone,
)
from arena.server.io import secret_values
from arena.server.io.clock import RunClock
from arena.server.run.tournament_log import Report, TournamentLog
from arena.server.setup.credentials import Signer
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan
from arena.tournaments.schedule import Fixture


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a day begins with."""

    ladder: str
    day: str
    """Its date in UTC, as 2026-11-27."""
    before: EarlierDay | None = None
    """The moment of the day before at which the edges were taken; None on the first day."""
    players: Sequence[KnownPlayer]
    edges: Sequence[CountedEdge] = ()
    anchors_mean_elo: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedDay:
    """A day that is over: what the next one takes from it."""

    run: str
    lines: int
    sha256: str
    """Of its whole record."""
    edges: Sequence[CountedEdge]
    """All that it has counted, those that it began with included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A version of a bot that can be paired."""

    entrant: str
    bot: str
    version: int
    name: str = ""
    """The display name of the bot; empty if it is called by its id."""
    parent: str = ""
    """The entrant from which its rating starts; empty for the first version of a bot."""
    fingerprint: str = ""
    at_once: int = 1
    """Matches that it plays at the same time."""
    is_house: bool = False
    is_anchor: bool = False


class LadderLog(TournamentLog):
    """The record of a day, which is the agenda of its scheduler.

    A pairing is drawn when a seat is free, and its line is written first. The day never ends by
    itself: `close` lets the matches in play be finished, and then the record is sealed.
    """

    def __init__(
        self,
        plan: Plan,
        folder: RunFolder,
        clock: RunClock,
        report: Report,
        signer: Signer | None = None,
        *,
        run_id: str,
        opening: Opening,
    ) -> None:
        """Open the record of a day, or go on with it; then nobody is there."""
        super().__init__(plan, folder, clock, report, signer, run_id=run_id)
        self.on_sealed: Callable[[SealedDay], object] = lambda _: None
        """Called once the day is over."""
        self._is_closing = self.state.is_finished
        self._containment: Mapping[str, facts.Way] = {}
        if self.state.book is None:
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

    def _open_day(self, opening: Opening) -> None:
        """Write the second line of the record: the key it commits to is on the disk before."""
        if not self.secrets.pairing_key:
            self.secrets = replace(self.secrets, pairing_key=secret_values.new_dice_key().hex())
            self._folder.write_secrets(self.secrets)
        opened = LadderOpened(
            at_ms=self._clock.now_ms(),
            ladder=opening.ladder,
            day=opening.day,
            key_commitment=commitment_of_key(bytes.fromhex(self.secrets.pairing_key)),
            before=opening.before or UNSET,
            anchors_mean_elo=opening.anchors_mean_elo,
            players=opening.players,
            edges=opening.edges,
        )
        self._write(opened)
        self._journal.sync()

    # Who is there

    def comes(self, arrival: Arrival) -> None:
        """Let a version be paired from now on, unless the day ends or it is there already."""
        player = self.book.players.get(arrival.entrant)
        is_there = player is not None and player.came is not None
        if self._is_closing or is_there:
            return
        came = EntrantCame(
            at_ms=self._clock.now_ms(),
            entrant=arrival.entrant,
            bot=arrival.bot,
            version=arrival.version,
            name=arrival.name or UNSET,
            parent=arrival.parent or UNSET,
            fingerprint=arrival.fingerprint,
            at_once=arrival.at_once,
            is_house=arrival.is_house,
            is_anchor=arrival.is_anchor,
        )
        self._write(came)
        kind = self._containment.get(arrival.entrant)
        if kind is not None:
            super().contain({arrival.entrant: kind})
        self._journal.commit()

    def goes(self, entrant: str, why: WhyGone) -> None:
        """Pair an entrant no more, if it is there; its matches in play go on."""
        player = self.book.players.get(entrant)
        if player is not None and player.came is not None:
            self._write(EntrantWent(at_ms=self._clock.now_ms(), entrant=entrant, why=why))
            self._journal.commit()

    def _go_all(self, why: WhyGone) -> None:
        for entrant in self.book.players:
            self.goes(entrant, why)

    def contain(self, bots: Mapping[str, facts.Way]) -> None:
        """Keep how launched bots are contained; it is recorded when they have come."""
        self._containment = bots

    # Whom the next seat is for

    @property
    def has_more(self) -> bool:
        """True until the day is closed."""
        return not self._is_closing

    @property
    def look_again_s(self) -> float:
        """Seconds until the next rest is over."""
        now_ms = self._clock.now_ms()
        wakes_ms = self.book.wakes_ms(now_ms)
        if self._is_closing or wakes_ms is None:
            return math.inf
        return (wakes_ms - now_ms) / 1000

    @property
    def is_full(self) -> bool:
        """True if no more matches are drawn on this day."""
        return self.book.is_full

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
        now_ms = self._clock.now_ms()
        free = self.book.free(now_ms)
        if len(free) < 2:
            return
        free_sha256 = digest_of_free(free)
        _, head = self._journal.mark()
        key = bytes.fromhex(self.secrets.pairing_key)
        number = drawn_number(key, head.hex(), len(free), free_sha256)
        pairing = self.book.draw(number, now_ms)
        if pairing is None:
            return
        fixture = self.book.fixture_of(pairing.first, pairing.second)
        drawn = PairDrawn(
            at_ms=now_ms,
            fixture=fixture.id,
            free=len(free),
            free_sha256=free_sha256,
            number=number,
            probability=pairing.probability,
        )
        self._write(drawn)
        self.waiting.add([fixture])

    # The days before and after

    def moment(self) -> tuple[EarlierDay, list[CountedEdge]]:
        """Return the present moment of the record and the edges that are counted by now."""
        lines, head = self._journal.mark()
        return EarlierDay(run=self._run_id, lines=lines, sha256=head.hex()), self.book.edges

    def take_edges(self, sealed: SealedDay) -> None:
        """Count what the day before has counted since this day was opened, once."""
        before = self.book.opened.before
        if self.book.taken is not None or not before or before.run != sealed.run:
            return
        taken = EdgesTaken(
            at_ms=self._clock.now_ms(),
            run=sealed.run,
            lines=sealed.lines,
            sha256=sealed.sha256,
            edges=edges_since(self.book.opened.edges, sealed.edges),
        )
        self._write(taken)
        self._journal.commit()

    def sealed(self) -> SealedDay:
        """Return what the next day takes from this one, which is over."""
        lines, head = self._journal.mark()
        return SealedDay(run=self._run_id, lines=lines, sha256=head.hex(), edges=self.book.edges)

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
        self.on_sealed(self.sealed())
