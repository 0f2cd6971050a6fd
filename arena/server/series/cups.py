"""The weekly cups of a venue: each is a run of its own, for the best bots that are connected."""

import dataclasses
from collections.abc import Callable, Collection
from functools import partial
from typing import Final, Literal

import trio
from msgspec.structs import replace

from arena.records.cups import cup_field
from arena.records.files import TOURNAMENT_RECORD
from arena.records.snapshot import CLOSING
from arena.records.venue_facts import CupBegun, CupLeftOut, VersionSeen
from arena.server.io.door_reasons import OLD_VERSION_PLAYS
from arena.server.io.failures import causes, log_failure, reason_of_all
from arena.server.run.tournament import Run, play_in
from arena.server.series.accounts import HOUR_MS, MINUTE_MS
from arena.server.series.days import Surroundings, free_run_id, frozen_plan
from arena.server.series.ladders import Ladders
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import DEFAULT_MATCHES_AT_ONCE, Plan, parse_plan
from arena.server.setup.venue_file import CupSection
from arena.server.setup.venue_runs import tournament_text
from arena.server.setup.weekly import local_date, next_due_ms
from arena.words import Said, SaidError
from protocol.errors import ErrorCode

LATEST_MS: Final = HOUR_MS
"""A cup that has not started this long after its time is left out."""
COME_BACK_MS: Final = 2 * MINUTE_MS
"""After the referee has started, bots have this time to come back before a cup begins."""
LOOK_MS: Final = MINUTE_MS
"""The longest time between two looks at the clock, which may be set, or stand still in sleep."""
LEAST_BOTS: Final = 2
"""Bots from elsewhere without which there is no cup."""


class CupError(SaidError):
    """A cup cannot begin, or cannot go on."""


class Cups:
    """Begins the cups of a venue at their times, and goes on with those that were broken off.

    A cup that fails ends alone. It goes on when the arena is started again.
    """

    def __init__(
        self,
        around: Surroundings,
        ladders: Ladders,
    ) -> None:
        self._around = around
        self._venue = around.venue
        self._log = around.log
        self._accounts = around.accounts
        self._ladders = ladders
        self._plan = around.accounts.plan
        self._opened_ms = around.log.now_ms()
        self._since_ms: dict[str, int] = {}
        """From when on a cup is to be played that has not been played so far, or was changed."""
        for cup in self._plan.cup:
            if cup.name not in self._log.book.cups:
                self._since_ms[cup.name] = self._opened_ms - LATEST_MS

    def take_plan(self) -> None:
        """Go by the operator's file as it is now; a changed cup is next played at its new time."""
        plan = self._accounts.plan
        before = {cup.name: cup for cup in self._plan.cup}
        for cup in plan.cup:
            if before.get(cup.name) != cup:
                self._since_ms[cup.name] = self._log.now_ms()
        self._plan = plan

    async def keep(self) -> None:
        """Play the cups, for ever; first go on with those that were broken off."""
        async with trio.open_nursery() as self._nursery:
            for cup_name in self._log.book.cups:
                for line in self._begun(cup_name)[-1:]:
                    self._attempt(cup_name, partial(self._resume, line))
            while True:
                wait_ms = LOOK_MS
                for cup in self._plan.cup:
                    wait_ms = min(wait_ms, self._look(cup))
                await trio.sleep(wait_ms / 1000)

    def _attempt(self, cup: str, act: Callable[[], object]) -> bool:
        """Do something for a cup; return whether it was done. A failure is told to the operator."""
        try:
            act()
        except Exception as error:  # noqa: BLE001 - a fault in a cup is told, and ends nothing else
            reason = self._reason(error)
            self._venue.log.warning("cup_not_begun", cup=cup, reason=reason)
            return False
        return True

    # When a cup begins

    def _look(self, cup: CupSection) -> int:
        """Begin a cup or leave it out if its time has come; return when to look again, in ms."""
        now_ms = self._log.now_ms()
        due_ms = self._due_ms(cup)
        come_back_ms = self._opened_ms + COME_BACK_MS
        if due_ms > now_ms:
            return due_ms - now_ms
        if now_ms > due_ms + LATEST_MS:
            leave_out = partial(self._leave_out, cup, due_ms, "too_late")
            is_done = self._attempt(cup.name, leave_out)
        elif now_ms < come_back_ms:
            return come_back_ms - now_ms
        elif cup.name in self._around.in_cups or self._is_paused:
            return LOOK_MS
        else:
            is_done = self._attempt(cup.name, partial(self._begin, cup, due_ms))
        return 0 if is_done else LOOK_MS

    @property
    def _is_paused(self) -> bool:
        """True while no match begins in the venue: it is ending, or its disk is full."""
        return self._venue.shutdown.is_asked_for or self._venue.turns.why_paused is not None

    def _due_ms(self, cup: CupSection) -> int:
        """Return when a cup is to be played next; that may have passed."""
        after_ms = self._since_ms.get(cup.name, 0)
        lines = self._log.book.cups.get(cup.name)
        if lines:
            last = lines[-1]
            last_ms = last.due_ms if isinstance(last, CupLeftOut) else last.at_ms
            after_ms = max(after_ms, last_ms)
        return next_due_ms(cup.day, cup.time, cup.zone, after_ms)

    def _leave_out(self, cup: CupSection, due_ms: int, why: Literal["too_late", "too_few"]) -> None:
        """Write that a cup is not played this time. Raises `DiskError`."""
        at_ms = self._log.at_ms()
        self._log.write(CupLeftOut(at_ms=at_ms, cup=cup.name, due_ms=due_ms, why=why))
        self._venue.log.warning("cup_left_out", cup=cup.name, reason=Said(f"cup.{why}"))

    # How it begins

    def _begin(self, cup: CupSection, due_ms: int) -> None:
        """Begin a cup with the present field, or leave it out. Raises `OSError` and `SaidError`."""
        date = local_date(due_ms, cup.zone)
        run_ids = [line.run for line in self._begun(cup.name)]
        run_id = free_run_id(f"{cup.name}-{date}", run_ids)
        folder = RunFolder(self._around.runs / run_id)
        if folder.is_begun:  # the arena was ended before the line was written
            text = frozen_plan(folder)
        else:
            bots = self._field(cup)
            if len(bots) < LEAST_BOTS:
                self._leave_out(cup, due_ms, "too_few")
                return
            text = self._text(cup, bots, date)
        run = self._open(folder, text)
        try:
            self._log.write(CupBegun(at_ms=self._log.at_ms(), cup=cup.name, run=run_id))
        except OSError:
            folder.remove_unplayed()
            folder.close()
            raise
        self._venue.log.info("cup_begun", cup=cup.name, run=run_id, number=len(run.plan.bot))
        self._start(cup.name, run)

    def _field(self, cup: CupSection) -> list[BotSection]:
        """Return the bots that play, best first. Raises `CupError`."""
        book = self._ladders.book_of(cup.ladder)
        if book is None:
            raise CupError(Said("cup.no_ladder", {"ladder": cup.ladder}))
        now_ms = self._log.now_ms()
        sections: dict[str, BotSection] = {}
        house: list[str] = []
        for section in self._ladders.house_of(cup.ladder):
            sections[section.entrant] = replace(section, matches_at_once=1)  # as all others here
            house.append(section.entrant)
        remote: list[str] = []
        for version in self._accounts.present(now_ms):
            if self._around.is_in_cup(version.bot):
                continue
            shown = self._log.book.bots[version.bot].shown
            section = BotSection(name=shown, id=version.entrant, remote=True)
            sections[version.entrant] = section
            remote.append(version.entrant)
        field = cup_field(book, remote, house, best=cup.best, now_ms=now_ms)
        return [sections[entrant] for entrant in field]

    def _text(self, cup: CupSection, bots: Collection[BotSection], date: str) -> str:
        """Return the tournament file of a cup."""
        seats = DEFAULT_MATCHES_AT_ONCE
        for ladder in self._plan.ladder:
            if ladder.name == cup.ladder:
                seats = ladder.seats
        return tournament_text(
            cup.for_field(len(bots)),
            name=f"{cup.name} {date}",
            bots=list(bots),
            tournament={"at_once": cup.at_once or seats},
            limits=self._plan.limits.of_runs,
        )

    # How it goes on

    def _begun(self, cup: str) -> list[CupBegun]:
        """Return the runs of a cup, the oldest first."""
        lines = self._log.book.cups.get(cup, ())
        return [line for line in lines if isinstance(line, CupBegun)]

    def _resume(self, line: CupBegun) -> None:
        """Go on with a run unless it is over. Raises `OSError` and `SaidError`."""
        folder = RunFolder(self._around.runs / line.run)
        record = folder.files.get(TOURNAMENT_RECORD, b"")
        if CLOSING in record or not folder.is_begun:  # or the operator has removed it
            return
        run = self._open(folder, frozen_plan(folder))
        self._venue.log.info("cup_resumed", cup=line.cup, run=line.run)
        self._start(line.cup, run)

    def _open(self, folder: RunFolder, text: str) -> Run:
        """Open the folder of a cup with its tournament file. Raises `OSError` and `SaidError`."""
        versions = self._versions(parse_plan(text), folder)
        players = self._accounts.players
        accounts = {version.entrant: players[version.bot].account for version in versions}
        return dataclasses.replace(self._around.open_run(folder, text), accounts=accounts)

    def _versions(self, plan: Plan, folder: RunFolder) -> list[VersionSeen]:
        """Return the versions of bots from elsewhere that play. Raises `CupError`."""
        return [self._version_of(bot, folder) for bot in plan.bot if bot.remote]

    def _version_of(self, bot: BotSection, folder: RunFolder) -> VersionSeen:
        """Return the version that an entrant is. Raises `CupError` if there is none."""
        name, _, number = bot.entrant.rpartition("-")
        if name in self._accounts.players:
            for version in self._log.book.bots[name].versions:
                if str(version.number) == number:
                    return version
        raise CupError(Said("cup.other_file", {"folder": str(folder.path)}))

    # How it is played

    def _start(self, cup: str, run: Run) -> None:
        """Play a cup in a task; its entrants are paired in no ladder meanwhile."""
        self._around.in_cups[cup] = [account.name for account in run.accounts.values()]
        self._tell_ladders(run)
        self._nursery.start_soon(self._play, cup, run)

    async def _play(self, cup: str, run: Run) -> None:
        """Play a cup to its end; its entrants keep their versions. A failure ends it alone."""
        try:
            for version in self._versions(run.plan, run.folder):
                self._pin(run.accounts[version.entrant], version)
            self._venue.loop.end_batch()
            await play_in(self._venue, run)
            self._venue.log.info("cup_ended", cup=cup, run=run.id)
        except Exception as error:  # noqa: BLE001 - a fault in a cup is told, and ends nothing else
            reason = self._reason(error)
            facts = {"cup": cup, "run": run.id, "reason": reason}
            self._venue.log.error("cup_failed", **facts)  # noqa: TRY400 - a fault is logged above
        finally:
            run.folder.close()
            for account in run.accounts.values():
                account.pinned_build = None
            del self._around.in_cups[cup]
            self._tell_ladders(run)

    def _tell_ladders(self, run: Run) -> None:
        for account in run.accounts.values():
            self._accounts.on_change(account.name)

    def _pin(self, account: Account, version: VersionSeen) -> None:
        """Let a bot come with its version alone; another one that is here has to go."""
        account.pinned_build = version.fingerprint
        if account.connection is None or account.login is None:
            return
        if account.login.fingerprint != account.pinned_build:
            word = ErrorCode.OLD_VERSION_PLAYS.to_message(OLD_VERSION_PLAYS)
            account.connection.send_away(word, Said("lost.pinned"))

    def _reason(self, error: Exception) -> Said:
        """Say why a cup could not begin, or has broken off; a fault of the arena is logged."""
        if all(isinstance(cause, OSError | SaidError) for cause in causes(error)):
            return reason_of_all(error)
        log_failure(self._venue.log, error)
        return Said("cup.fault")
