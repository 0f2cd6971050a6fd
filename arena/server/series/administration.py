"""The acts of a venue's operator: each is a line of the log before it has an effect."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from arena.nearest import meant
from arena.records.venue_book import VenueBot
from arena.records.venue_facts import Announced, FileChanged, InviteMade
from arena.regular_files import read_regular
from arena.server.io import secret_values
from arena.server.io.failures import reason_of_all
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
from arena.server.series.house_build import check_files
from arena.server.series.venue_log import VenueLog
from arena.server.setup.venue_changes import CERTIFICATE, Change, changes, in_force
from arena.server.setup.venue_file import VenuePlan, read_venue
from arena.server.venue.entrance import Entrance
from arena.words import Said, SaidError


class OrderError(SaidError):
    """An order cannot be obeyed."""


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
        self.on_plan: list[Callable[[], object]] = []
        """Called when the operator's file has changed."""

    def obey(self, order: AnyOrder) -> Answer:
        """Obey an order, or say why not; then nothing has changed."""
        try:
            match order:
                case MakeInvite():
                    return self._invite(order)
                case GiveRest():
                    return self._rest(order)
                case Ban():
                    return self._ban(order)
                case Announce():
                    return self._announce(order)
                case Reload():
                    return self._reload()
        except (OSError, SaidError) as error:
            return Answer(is_done=False, sentences=[reason_of_all(error)])

    def _invite(self, order: MakeInvite) -> Answer:
        days = order.days or self._accounts.plan.limits.invite_days
        code = secret_values.new_invite()
        at_ms = self._log.at_ms()
        digest = secret_values.sha256_of(code)
        made = InviteMade(at_ms=at_ms, invite_sha256=digest, until_ms=at_ms + days * DAY_MS)
        self._log.write(made)
        sentence = Said("admin.invited", {"count": days})
        return Answer(is_done=True, sentences=[sentence], invite=code)

    def _rest(self, order: GiveRest) -> Answer:
        """Let a bot rest, or end its rest."""
        bot = self._bot(order.bot)
        self._accounts.rest(bot.name, order.minutes, _one_line(order.why))
        return _done("admin.rests", name=bot.name, count=order.minutes)

    def _ban(self, order: Ban) -> Answer:
        """Ban a bot, or take that back."""
        bot = self._bot(order.bot)
        if not order.lift:
            self._accounts.ban(bot.name, _one_line(order.why))
            return _done("admin.banned", name=bot.name)
        if bot.ban is None:
            raise OrderError(Said("admin.not_banned", {"name": bot.name}))
        self._accounts.unban(bot.name)
        return _done("admin.unbanned", name=bot.name)

    def _bot(self, name: str) -> VenueBot:
        """Return a bot of the venue. Raises `OrderError`."""
        bots = self._log.book.bots
        if name not in bots:
            values = {"name": repr(name), "meant": meant(name, bots)}
            raise OrderError(Said("admin.no_bot", values))
        return bots[name]

    def _announce(self, order: Announce) -> Answer:
        text = _one_line(order.text)
        self._log.write(Announced(at_ms=self._log.at_ms(), text=text))
        return _done("admin.announced" if text else "admin.unannounced")

    # The file, read again

    def _reload(self) -> Answer:
        """Take over what has changed in the file, and the certificate."""
        accounts = self._accounts
        try:
            written = read_venue(self._folder)
            check_files(written.bot, self._folder.resolve())
            accounts.new_house_bots(written.bot)
            self._entrance.renew_certificates()
            accounts.enrol_house(written.bot)
        except (OSError, SaidError) as error:
            values = {"problem": reason_of_all(error)}
            raise OrderError(Said("admin.unusable", values)) from error
        differences, waiting = self._differences(written)
        digest = self._digest_of_certificate()
        if digest != self._certificate:
            differences.append(Change(CERTIFICATE, "now"))
        if differences:
            fields = [change.field for change in differences]
            self._log.write(FileChanged(at_ms=self._log.at_ms(), changes=fields))
            accounts.plan = in_force(accounts.plan, written)
            for take_plan in self.on_plan:
                take_plan()
        self._written = written
        self._certificate = digest
        sentences = [Said("admin.reloaded", {"count": len(differences)})]
        sentences += [change.sentence for change in (*differences, *waiting)]
        return Answer(is_done=True, sentences=sentences)

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
        """Return a digest of the files of the certificate in use."""
        listen = self._accounts.plan.listen
        digest = hashlib.sha256()
        for name in (listen.certificate, listen.key):
            if name is not None:
                digest.update(read_regular(self._folder / name))
        return digest.digest()


def _one_line(text: str) -> str:
    """Return a text of the operator, which everybody is told. Raises `OrderError`."""
    if not text.isprintable():
        raise OrderError(Said("admin.not_one_line"))
    return text


def _done(code: str, **values: object) -> Answer:
    return Answer(is_done=True, sentences=[Said(code, values)])
