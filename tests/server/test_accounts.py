"""Who may come into a venue: joins, invites, names, versions, bans, and limits by address."""

import errno
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.records.venue_facts import BotJoined, VersionSeen
from arena.server.door.connection_limits import Place, Room
from arena.server.io.disk import DiskError
from arena.server.io.secret_values import sha256_of
from arena.server.series.accounts import open_door
from arena.server.setup.bot_section import BotSection
from arena.server.venue.entrance import STOPPED
from arena.server.venue.venue import open_venue
from arena.words import Said, SaidError
from protocol.greetings import Join, Joined, Welcome
from protocol.messages import Error
from tests.fixtures.playing_room import until
from tests.server.house import FRONT, House, open_house

FAR: Any = Place("192.0.2.1")
HERE: Any = Place("127.0.0.1")


def wish(name: str, invite: str | None = None) -> Join:
    return Join(protocol=1, name=name, invite=invite)


async def test_a_bot_joins_and_logs_in_with_its_token(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        code = house.invite()
        answer = await house.ask("anna", code, display="Anna Å")
        assert isinstance(answer, Joined)
        assert (answer.name, answer.page) == ("anna", f"{FRONT}#bot/anna")
        guest, welcome = await house.try_login("anna", answer.token, fingerprint="a", matches=8)
        assert isinstance(welcome, Welcome)
        assert welcome.limits.grace_ms == 60_000
        assert [version.entrant for version in house.accounts.present(0)] == ["anna-1"]
        account = house.accounts.players["anna"].account
        assert account.login is not None
        assert account.login.matches == 8
        await guest.hang_up()
        await until(lambda: not house.accounts.present(0))
        joined = house.lines()[-2]
        assert joined == BotJoined(
            at_ms=joined.at_ms,
            bot="anna",
            shown="Anna Å",
            token_sha256=sha256_of(answer.token),
            invite_sha256=sha256_of(code),
        )


async def test_no_secret_stands_in_the_log(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        code = house.invite()
        answer = await house.ask("anna", code)
        assert isinstance(answer, Joined)
        log = (tmp_path / "venue.jsonl").read_text()
        assert code not in log
        assert answer.token not in log


async def test_accounts_are_there_again_after_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        code = house.invite()
        token = (await house.ask("anna", code)).token  # type: ignore[union-attr]
        guest, _ = await house.try_login("anna", token, fingerprint="a")
        await guest.hang_up()
    async with open_house(tmp_path) as house:
        answer = await house.ask("bo", code)
        assert isinstance(answer, Error)
        assert answer.message == "this invite has been used; ask the operator for another"
        _, welcome = await house.try_login("anna", token, fingerprint="b")
        assert isinstance(welcome, Welcome)
        version = house.accounts.version_of("anna")
        assert (version.entrant, version.parent) == ("anna-2", 1)


async def test_a_bot_that_has_not_logged_in_yet_hears_no_word_when_the_venue_ends(
    tmp_path: Path,
) -> None:
    """After a last word a bot would not come back when the venue is open again."""
    async with open_venue(lambda _: None) as venue:
        house = House(venue, tmp_path, "open", "")
        with open_door(venue.entrance, house.accounts.plan, tmp_path):
            guest = await house.connect()
        house.accounts.close()
        venue.entrance.stop(STOPPED)
        await guest.is_cut_off()
        await guest.hang_up()


async def test_an_invite_is_for_one_bot_and_for_a_time(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        used, late = house.invite(), house.invite()
        assert isinstance(await house.ask("anna", used), Joined)
        refused = {
            None: "needs an invite",
            "": "needs an invite",
            "rubbish": "no such invite",
            used: "has been used",
        }
        for code, told in refused.items():
            answer = await house.ask("bo", code)
            assert isinstance(answer, Error)
            assert answer.code == "bad_invite"
            assert told in answer.message
        await trio.sleep(7 * 24 * 3600)
        answer = await house.ask("bo", late)
        assert isinstance(answer, Error)
        assert (answer.code, answer.message) == (
            "bad_invite",
            "this invite has expired; ask the operator for another",
        )
        assert "bo" not in house.accounts.players


async def test_an_invite_is_not_used_up_by_a_join_that_is_refused(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        code = house.invite()
        answer = await house.ask("Anna", code)
        assert isinstance(answer, Error)
        assert answer.code == "bad_name"
        assert isinstance(await house.ask("anna", code), Joined)


@pytest.mark.parametrize(
    ("name", "display", "told"),
    [
        ("Anna", "", "'Anna' is not a name: use 1 to 26 of a-z"),
        ("a" * 27, "", "is not a name: use 1 to 26 of a-z"),
        ("anna-2", "", "ends like the name of a version"),
        ("a-v-b", "", "-v-"),
        ("random", "", "'random' is taken"),
        ("bo", "Gr\u0435\u0435dy", "looks like the name of the bot greedy"),
        ("bo", "\u2800", "cannot be shown"),
        ("bo", " x", "cannot be shown"),
        ("bo", "x" * 61, "cannot be shown"),
    ],
)
async def test_a_name_that_cannot_be_is_refused_in_one_sentence(
    tmp_path: Path, name: str, display: str, told: str
) -> None:
    async with open_house(tmp_path, "open") as house:
        answer = await house.ask(name, display=display)
        assert isinstance(answer, Error)
        assert answer.code == "bad_name"
        assert told in answer.message
        assert not house.accounts.players


@pytest.mark.parametrize("joining", ["open", "closed"])
async def test_joining_may_be_open_or_closed(tmp_path: Path, joining: str) -> None:
    async with open_house(tmp_path, joining) as house:
        answer = await house.ask("anna")
        if joining == "open":
            assert isinstance(answer, Joined)
        else:
            assert isinstance(answer, Error)
            assert answer.code == "cannot_join"


async def test_launched_programs_cannot_join(tmp_path: Path) -> None:
    """They reach the private address; a bot of the operator could else make accounts."""
    async with open_house(tmp_path, "open") as house:
        entrance = house.venue.entrance
        entrance.open()
        with entrance.expecting(Room(files=0, private=1, public=0)):
            guest = await house.connect(entrance.address.removeprefix("unix:"))
            await guest.say(wish("anna"))
            assert (await guest.hear(Error)).code == "cannot_join"
        assert not house.accounts.players


# Limits by address


async def test_an_address_signs_up_few_bots_a_day(tmp_path: Path) -> None:
    async with open_house(tmp_path, "open") as house:
        accounts = house.accounts
        assert isinstance(accounts.join(wish("anna"), FAR), Joined)
        await trio.sleep(3600)
        assert isinstance(accounts.join(wish("bo"), FAR), Joined)
        answer = accounts.join(wish("cia"), FAR)
        assert isinstance(answer, Error)
        assert answer.code == "too_often"
        assert "within a day is 2; try again in 23 hours" in answer.message
        assert isinstance(accounts.join(wish("cia"), Place("192.0.2.2")), Joined)
        await trio.sleep(23 * 3600)
        assert isinstance(accounts.join(wish("dag"), FAR), Joined)


async def test_loopback_has_no_limits(tmp_path: Path) -> None:
    async with open_house(tmp_path, "open") as house:
        for number in range(10):
            assert isinstance(house.accounts.join(wish(f"b{number}x"), HERE), Joined)
            assert house.accounts.wrong_login(HERE) is None


async def test_wrong_logins_and_joins_are_few_a_minute(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        accounts = house.accounts
        assert accounts.wrong_login(FAR) is None
        assert isinstance(accounts.join(wish("anna", "rubbish"), FAR), Error)
        assert accounts.wrong_login(FAR) is None
        refusal = accounts.wrong_login(FAR)
        assert refusal is not None
        assert (refusal.code, "try again in 60 seconds" in refusal.message) == ("too_often", True)
        answer = accounts.join(wish("anna", house.invite()), FAR)
        assert isinstance(answer, Error)
        assert answer.code == "too_often"
        await trio.sleep(60)  # tries that are refused for their number do not count
        assert isinstance(accounts.join(wish("anna", house.invite()), FAR), Joined)


# Versions


async def test_another_fingerprint_is_another_version_and_the_first_is_the_first_again(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        token = await house.join("anna")
        seen = []
        for fingerprint in ("a", "b", "a", "c"):
            guest, welcome = await house.try_login("anna", token, fingerprint=fingerprint)
            assert isinstance(welcome, Welcome)
            seen.append(house.accounts.version_of("anna").entrant)
            await guest.hang_up()
            await until(lambda: not house.accounts.present(0))
        assert seen == ["anna-1", "anna-2", "anna-1", "anna-3"]
        versions = [fact for fact in house.lines() if isinstance(fact, VersionSeen)]
        assert [(fact.number, fact.fingerprint) for fact in versions] == [
            (1, "a"),
            (2, "b"),
            (1, "a"),
            (3, "c"),
        ]
        assert house.log.book.bots["anna"].versions[2].parent == 1


async def test_a_new_version_waits_for_the_matches_of_the_old_one(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        token = await house.join("anna")
        guest, _ = await house.try_login("anna", token, fingerprint="a")
        account = house.accounts.players["anna"].account
        in_play = {"anna-1"}
        house.accounts.is_in_play = in_play.__contains__
        await guest.hang_up()
        await until(lambda: account.connection is None)
        _, answer = await house.try_login("anna", token, fingerprint="b")
        assert isinstance(answer, Error)
        assert answer.code == "old_version_plays"
        assert house.log.book.bots["anna"].versions[1:] == []
        in_play.clear()
        _, welcome = await house.try_login("anna", token, fingerprint="b")
        assert isinstance(welcome, Welcome)
        assert house.accounts.version_of("anna").entrant == "anna-2"


async def test_house_bots_have_no_token_and_versions_like_others(tmp_path: Path) -> None:
    async with open_house(tmp_path, "open") as house:
        assert house.log.book.bots["random"].is_house
        assert house.accounts.show_version("random", "f").entrant == "random-1"
        assert house.accounts.show_version("random", "g").parent == 1
        _, answer = await house.try_login("random", "")
        assert isinstance(answer, Error)
        assert answer.code == "bad_login"
        await house.ask("anna")
        with pytest.raises(SaidError, match="bot anna: 'anna' is taken"):
            house.accounts.enrol_house([BotSection(name="anna", command="true")])


# A disk that takes nothing


async def test_a_full_disk_costs_a_join_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_fact: object) -> None:
        raise DiskError(errno.ENOSPC, Said("system.enospc"), "venue.jsonl")

    async with open_house(tmp_path, "open") as house:
        answer = await house.ask("bo")
        assert isinstance(answer, Joined)
        with monkeypatch.context() as full:
            full.setattr(house.log, "write", refuse)
            refusal = await house.ask("anna")
            _, no_version = await house.try_login("bo", answer.token, fingerprint="new")
        for error in (refusal, no_version):
            assert isinstance(error, Error)
            assert (error.code, "cannot write its log now" in error.message) == ("internal", True)
        assert isinstance(await house.ask("anna"), Joined)


async def test_the_same_player_serves_every_run(tmp_path: Path) -> None:
    """A run that borrows the bot on the account's own terms gets the player that is connected."""
    async with open_house(tmp_path) as house:
        token = await house.join("anna")
        await house.try_login("anna", token)
        player = house.accounts.players["anna"]
        entrance = house.venue.entrance
        assert entrance.borrow(player.account) is player
