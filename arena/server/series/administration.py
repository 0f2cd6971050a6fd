"""The acts of a venue's operator: each is a line of the log before it has an effect."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.nearest import meant
from arena.records.venue_facts import Announced, FileChanged, InviteMade
from arena.regular_files import failed, read_regular
from arena.server.io import secret_values
from arena.server.io.disk import DiskError
from arena.server.series.accounts import DAY_MS, Accounts
from arena.server.series.admin_orders import (
    Announce,
    Answer,
    AnyOrder,
    Ban,
    GiveRest,
    MakeInvite,
    Reload,
)
from arena.server.series.venue_log import VenueLog
from arena.server.setup.venue_changes import CERTIFICATE, Change, changes, in_force
from arena.server.setup.venue_file import VenuePlan, read_venue
from arena.server.venue.entrance import Entrance
from arena.words import Said, SaidError

OnPlan = Callable[[VenuePlan], object]
"""Gets the operator's file when it has changed."""

_NOT_ONE_LINE: Final = Said("admin.not_one_line")


class Administration:
    """Obeys the orders of the operator."""

    def __init__(
        self,
        folder: Path,
        entrance: Entrance,
        accounts: Accounts,
        log: VenueLog,
    ) -> None:
        self._folder = folder
        self._entrance = entrance
        self._accounts = accounts
        self._log = log
        self._certificate = self._digest_of_certificate()
        self._written = accounts.plan
        """The operator's file as it was read last."""
        self.on_plan: list[OnPlan] = [accounts.take_plan]

    def obey(self, order: AnyOrder) -> Answer:
        """Obey an order, or say why not; then nothing has changed."""
        try:
            match order:
                case MakeInvite():
                    return self._invite(order)
                case GiveRest() | Ban():
                    return self._about_bot(order)
                case Announce():
                    return self._announce(order)
                case Reload():
                    return self._reload()
        except DiskError as error:
            return _refused(Said("door.disk", {"reason": error.said}))

    def _invite(self, order: MakeInvite) -> Answer:
        days = order.days or self._accounts.plan.limits.invite_days
        code = secret_values.new_invite()
        at_ms = self._log.at_ms()
        until_ms = at_ms + days * DAY_MS
        digest = secret_values.sha256_of(code)
        self._log.write(InviteMade(at_ms=at_ms, invite_sha256=digest, until_ms=until_ms))
        return Answer(
            is_done=True,
            sentence=Said("admin.invited", {"count": days}),
            invite=code,
            until_ms=until_ms,
        )

    def _about_bot(self, order: GiveRest | Ban) -> Answer:
        """Let a bot rest, ban it, or take that back."""
        bot = self._log.book.bots.get(order.bot)
        if bot is None:
            hint = meant(order.bot, self._log.book.bots)
            return _refused(Said("admin.no_bot", {"name": repr(order.bot), "meant": hint}))
        if not order.why.isprintable():
            return _refused(_NOT_ONE_LINE)
        values = {"name": bot.name}
        if isinstance(order, GiveRest):
            until_ms = self._accounts.rest(bot.name, order.minutes, order.why)
            sentence = Said("admin.rests", {**values, "count": order.minutes})
            return Answer(is_done=True, sentence=sentence, until_ms=until_ms)
        if not order.lift:
            self._accounts.ban(bot.name, order.why)
            return Answer(is_done=True, sentence=Said("admin.banned", values))
        if bot.ban is None:
            return _refused(Said("admin.not_banned", values))
        self._accounts.unban(bot.name)
        return Answer(is_done=True, sentence=Said("admin.unbanned", values))

    def _announce(self, order: Announce) -> Answer:
        if not order.text.isprintable():
            return _refused(_NOT_ONE_LINE)
        self._log.write(Announced(at_ms=self._log.at_ms(), text=order.text))
        code = "admin.announced" if order.text else "admin.unannounced"
        return Answer(is_done=True, sentence=Said(code))

    # The file, read again

    def _reload(self) -> Answer:
        """Take over what has changed in the file, and the certificate."""
        accounts = self._accounts
        try:
            written = read_venue(self._folder)
            accounts.new_house_bots(written.bot)
            self._entrance.renew_certificates()
            accounts.enrol_house(written.bot)
        except DiskError:
            raise
        except SaidError as error:
            return _refused(Said("admin.unusable", {"problem": error.said}))
        except OSError as error:
            return _refused(failed(error))
        differences, waiting = self._differences(written)
        digest = self._digest_of_certificate()
        if digest != self._certificate:
            differences.append(Change(CERTIFICATE, "now"))
        if differences:
            fields = [change.field for change in differences]
            self._log.write(FileChanged(at_ms=self._log.at_ms(), changes=fields))
            plan = in_force(accounts.plan, written)
            for take_plan in self.on_plan:
                take_plan(plan)
        self._written = written
        self._certificate = digest
        sentence = Said("admin.reloaded", {"count": len(differences)})
        return Answer(is_done=True, sentence=sentence, changes=(*differences, *waiting))

    def _differences(self, written: VenuePlan) -> tuple[list[Change], list[Change]]:
        """Return the changes of the file since it was read last, and those that wait still."""
        edited = [change.field for change in changes(self._written, written)]
        differences: list[Change] = []
        waiting: list[Change] = []
        for change in changes(self._accounts.plan, written):
            if change.field in edited:
                differences.append(change)
            else:
                waiting.append(change._replace(when="waiting"))
        return differences, waiting

    def _digest_of_certificate(self) -> bytes:
        """Return a digest of the files of the certificate in use; empty without one."""
        listen = self._accounts.plan.listen
        if listen.certificate is None or listen.key is None:
            return b""
        digest = hashlib.sha256()
        for name in (listen.certificate, listen.key):
            digest.update(read_regular(self._folder / name))
        return digest.digest()


def _refused(why: Said) -> Answer:
    return Answer(is_done=False, sentence=why)
