"""The accounts of a venue: who has joined, who may come in, and which version of it is here."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.records.venue_facts import BotBanned, BotJoined, BotRests, BotUnbanned, VersionSeen
from arena.server.door.connection_limits import Place, Room
from arena.server.door.place_limits import PlaceLimit
from arena.server.io import secret_values
from arena.server.io.disk import DiskError
from arena.server.io.door_reasons import OLD_VERSION_PLAYS, english
from arena.server.io.listening import Address
from arena.server.play.player import Player
from arena.server.series.venue_log import VenueLog
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.venue_file import VenuePlan
from arena.server.venue.entrance import STOPPED, Entrance
from arena.words import Said, SaidError, say
from protocol.errors import ErrorCode
from protocol.greetings import Join, Joined, Login
from protocol.messages import Error

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
BOTS_EXPECTED: Final = 1024
"""Bots from elsewhere for which files are kept free, if the system allows it."""
BOT_PAGE: Final = "#bot/{bot}"
"""Where the page of a bot is, below the first page of the venue."""


class Accounts:
    """The doorkeeper of a venue, and the bots from elsewhere that have an account there.

    What it decides is a line of the log before anything follows from it. A bot has one player for
    as long as the referee runs: every run of the venue borrows it.
    """

    def __init__(
        self, entrance: Entrance, log: VenueLog, plan: VenuePlan, *, front: str = ""
    ) -> None:
        """Let the bots of the log in. `front` is the address of the venue's first page."""
        self._entrance = entrance
        self._log = log
        self._front = front
        self.plan = plan
        """The operator's file as it is now."""
        self._sign_ups = PlaceLimit(DAY_MS)
        self._wrong_logins = PlaceLimit(MINUTE_MS)
        self.players: dict[str, Player] = {}
        """The bots from elsewhere, by name."""
        self.on_change: Callable[[str], object] = lambda _: None
        """Called with a bot that has joined, is banned, is to rest, or may play again.

        Those that come and go are seen by the runs that have borrowed them.
        """
        self.is_in_play: Callable[[str], bool] = lambda _version: False
        """Tells whether a match of a version is open in a ladder; the records say so."""
        for bot in log.book.bots.values():
            if bot.token_sha256 is not None:
                self._open_account(bot.name, bot.token_sha256)
        entrance.doorkeeper = self

    def _open_account(self, name: str, token_sha256: str) -> None:
        limits = self.plan.limits
        account = Account(
            name,
            "",
            token_sha256=token_sha256,
            grace_ms=limits.grace_ms,
            idle_ms=limits.idle_ms,
            takes_over=limits.second_login == "take_over",
            changes_build=True,
            keeps_remarks=False,
        )
        player = self._entrance.borrow(account)
        player.seen_by.append(self._seen)
        self.players[name] = player

    def close(self) -> None:
        """Hang up without a word: bots come back by themselves when the venue is open again."""
        for session in list(self._entrance.sessions):
            session.stop()
        for player in self.players.values():
            player.seen_by.remove(self._seen)
            self._entrance.give_back(player, ErrorCode.SHUTTING_DOWN.to_message(STOPPED))
        self.players = {}

    # Who is here

    def present(self, now_ms: int) -> list[VersionSeen]:
        """Return the versions that are connected, and that the operator lets play now."""
        versions: list[VersionSeen] = []
        for name, player in self.players.items():
            if player.is_connected and self._log.book.bots[name].may_play(now_ms):
                versions.append(self.version_of(name))
        return versions

    # The door

    def join(self, wish: Join, place: Place) -> Joined | Error:
        """Give an account to a new bot, or say why not."""
        now_ms = self._log.now_ms()
        refusal = self._too_many_tries(place, now_ms)
        if refusal is not None:
            return refusal
        answer = self._join(wish, place, now_ms)
        if isinstance(answer, Error):
            self._wrong_logins.count(place, now_ms)
        return answer

    def _join(self, wish: Join, place: Place, now_ms: int) -> Joined | Error:
        """Check what a new bot wishes, then write it down."""
        shown = wish.display or wish.name
        refusal = (
            self._refused_invite(wish, now_ms)
            or self._refused_name(wish.name, shown)
            or self._too_many_sign_ups(place, now_ms)
        )
        if refusal is not None:
            return refusal
        invite_sha256: str | UnsetType = UNSET
        if self.plan.venue.joining == "invite":
            invite_sha256 = secret_values.sha256_of(wish.invite or "")
        token = secret_values.new_token()
        joined = BotJoined(
            at_ms=self._log.at_ms(),
            bot=wish.name,
            shown=shown,
            token_sha256=secret_values.sha256_of(token),
            invite_sha256=invite_sha256,
        )
        try:
            self._log.write(joined)
        except DiskError as error:
            return _disk_is_full(error)
        self._sign_ups.count(place, now_ms)
        self._open_account(wish.name, secret_values.sha256_of(token))
        self.on_change(wish.name)
        page = ""
        if self._front:
            page = self._front + BOT_PAGE.format(bot=wish.name)
        return Joined(name=wish.name, token=token, page=page)

    def _refused_invite(self, wish: Join, now_ms: int) -> Error | None:
        """Say why no bot may join, or not with this invite."""
        joining = self.plan.venue.joining
        if joining == "closed":
            return ErrorCode.CANNOT_JOIN.to_message(english("door.joining_closed"))
        if joining == "open":
            return None
        problem: Said | None = Said("door.invite_needed")
        if wish.invite:
            problem = Said("door.invite_unknown")
            invite = self._log.book.invites.get(secret_values.sha256_of(wish.invite))
            if invite is not None:
                problem = invite.problem(now_ms)
        if problem is None:
            return None
        return ErrorCode.BAD_INVITE.to_message(english(problem.code))

    def _refused_name(self, name: str, shown: str) -> Error | None:
        """Say why a new bot cannot have this name."""
        problems = self._log.book.name_problems(name, shown)
        if not problems:
            return None
        return ErrorCode.BAD_NAME.to_message(say(problems[0]))

    def _too_many_sign_ups(self, place: Place, now_ms: int) -> Error | None:
        most = self.plan.limits.sign_ups_a_day
        wait_ms = self._sign_ups.wait_ms(place, now_ms, most)
        if not wait_ms:
            return None
        hours = -(-wait_ms // HOUR_MS)
        words = english("door.many_sign_ups", most=most, count=hours)
        return ErrorCode.TOO_OFTEN.to_message(words)

    def _too_many_tries(self, place: Place, now_ms: int) -> Error | None:
        wait_ms = self._wrong_logins.wait_ms(place, now_ms, self.plan.limits.logins_a_minute)
        if not wait_ms:
            return None
        words = english("door.many_logins", count=-(-wait_ms // 1000))
        return ErrorCode.TOO_OFTEN.to_message(words)

    def wrong_login(self, place: Place) -> Error | None:
        """Note a wrong login; return what to say of it if there are too many from this place."""
        now_ms = self._log.now_ms()
        refusal = self._too_many_tries(place, now_ms)
        if refusal is None:
            self._wrong_logins.count(place, now_ms)
        return refusal

    def refusal(self, player: Player, login: Login) -> Error | None:
        """Say why a bot with the right token may not come in; None if it may.

        A fingerprint that it never had is a new version, which is written down. No version plays
        on in a match of another one.
        """
        name = player.account.name
        if self.players.get(name) is not player:  # a bot that another run expects
            return None
        bot = self._log.book.bots[name]
        if bot.ban is not None:
            return ErrorCode.BANNED.to_message(_in_words("door.banned", bot.ban))
        for version in bot.versions:
            is_other = version.fingerprint != login.fingerprint
            if is_other and self.is_in_play(version.entrant):
                return ErrorCode.OLD_VERSION_PLAYS.to_message(OLD_VERSION_PLAYS)
        try:
            self.show_version(name, login.fingerprint)
        except DiskError as error:
            return _disk_is_full(error)
        return None

    # Versions and house bots

    def version_of(self, bot: str) -> VersionSeen:
        """Return the version that a bot has shown last; it has logged in before."""
        version = self._log.book.bots[bot].current
        assert version is not None, f"{bot} has never logged in"
        return version

    def show_version(self, bot: str, fingerprint: str) -> VersionSeen:
        """Return the version of a bot with this fingerprint; a change is written down.

        Raises `DiskError`.
        """
        entry = self._log.book.bots[bot]
        if entry.current is not None and entry.current.fingerprint == fingerprint:
            return entry.current
        version = entry.version_of(fingerprint)
        at_ms = self._log.at_ms()
        if version is None:
            version = VersionSeen(
                at_ms=at_ms,
                bot=bot,
                number=len(entry.versions) + 1,
                fingerprint=fingerprint,
                parent=UNSET if entry.current is None else entry.current.number,
            )
        self._log.write(replace(version, at_ms=at_ms))
        return self.version_of(bot)

    def new_house_bots(self, bots: Iterable[BotSection]) -> list[BotSection]:
        """Return the house bots of the file that are not written down yet.

        Raises `SaidError` for a name that a bot from elsewhere has, or that looks like it.
        """
        book = self._log.book
        newcomers: list[BotSection] = []
        for section in bots:
            bot = book.bots.get(section.entrant)
            if bot is not None and bot.is_house:
                continue
            problems = book.name_problems(section.entrant, section.name)
            if problems:
                values = {"name": section.name, "problem": problems[0]}
                raise SaidError(Said("plan.of_bot", values))
            newcomers.append(section)
        return newcomers

    def enrol_house(self, bots: Iterable[BotSection]) -> None:
        """Write down the house bots of the file that are new.

        Raises `SaidError` and `DiskError`.
        """
        for section in self.new_house_bots(bots):
            at_ms = self._log.at_ms()
            self._log.write(BotJoined(at_ms=at_ms, bot=section.entrant, shown=section.name))

    # The operator's acts

    def ban(self, bot: str, why: str) -> None:
        """Let a bot play no more, and close its connection. Raises `DiskError`."""
        self._log.write(BotBanned(at_ms=self._log.at_ms(), bot=bot, why=why))
        player = self.players.get(bot)
        if player is not None and player.account.connection is not None:
            word = ErrorCode.BANNED.to_message(_in_words("door.banned", why))
            player.account.connection.send_away(word, Said("lost.banned"))
            self._entrance.loop.end_batch()
        self.on_change(bot)

    def unban(self, bot: str) -> None:
        """Let a banned bot play again. Raises `DiskError`."""
        self._log.write(BotUnbanned(at_ms=self._log.at_ms(), bot=bot))
        self.on_change(bot)

    def rest(self, bot: str, minutes: int, why: str) -> None:
        """Pair a bot with none for this time, and tell it; 0 ends its rest. Raises `DiskError`."""
        at_ms = self._log.at_ms()
        until_ms = at_ms + minutes * MINUTE_MS
        self._log.write(BotRests(at_ms=at_ms, bot=bot, until_ms=until_ms, why=why))
        if bot in self.players:
            self._tell_rest(bot)
            self._entrance.loop.end_batch()
        self.on_change(bot)

    def _seen(self, account: Account, lost: Said | None) -> None:
        """Tell a bot that has logged in whether it rests."""
        if lost is None:
            self._tell_rest(account.name)

    def _tell_rest(self, bot: str) -> None:
        """Tell a bot that rests by order of the operator how long it will."""
        entry = self._log.book.bots[bot]
        rest_ms = entry.rests_until_ms - self._log.now_ms()
        if rest_ms > 0:
            minutes = -(-rest_ms // MINUTE_MS)
            words = _in_words("door.resting", entry.rest_why, count=minutes)
            self.players[bot].send(ErrorCode.RESTING.to_message(words))


def _in_words(code: str, why: str, **details: object) -> str:
    """Say a decision of the operator with its reason, which may be empty."""
    return english(code, why=why or Said("door.no_reason"), **details)


def _disk_is_full(error: DiskError) -> Error:
    words = english("door.disk", reason=error.said)
    return ErrorCode.INTERNAL.to_message(words)


@contextmanager
def open_door(entrance: Entrance, plan: VenuePlan, directory: Path) -> Iterator[Address]:
    """Listen for bots from elsewhere; yields where. Call it once the accounts are open.

    Files in the plan are relative to `directory`. Raises `ListenError` and `CertificateError`.
    """
    room = Room(files=BOTS_EXPECTED, private=0, public=BOTS_EXPECTED)
    with entrance.expecting(room):
        yield entrance.open_to_others(plan.listen, directory)
