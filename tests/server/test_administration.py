"""The operator's acts: each a line of the log; by a private socket; nonsense changes nothing."""

import hashlib
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.records.venue_facts import Announced, BotBanned, BotRests, FileChanged, InviteMade
from arena.server.series.admin import serve_orders
from arena.server.series.admin_orders import (
    ADDRESS_FILE,
    Announce,
    AnyOrder,
    Ban,
    GiveRest,
    MakeInvite,
    Reload,
)
from arena.server.setup.venue_file import VenuePlan
from arena.server.setup.venue_folder import VENUE_FILE
from arena.services.administering import (
    NotRunningError,
    NoVenueError,
    give_order,
)
from arena.words import say
from protocol.greetings import Joined, Welcome
from protocol.messages import Error
from tests import certificates
from tests.server.house import House, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path) as opened:
        yield opened


async def test_an_invite_is_told_once_and_kept_as_its_hash(house: House) -> None:
    answer = house.administration.obey(MakeInvite(days=2))
    made = house.lines()[-1]
    assert isinstance(made, InviteMade)
    assert made.invite_sha256 == hashlib.sha256(answer.invite.encode()).hexdigest()
    assert made.until_ms == made.at_ms + 2 * 86_400_000
    assert say(answer.sentences[0]) == "an invite for one bot; it can be used for 2 days"


async def test_a_banned_bot_is_sent_away_and_told_why_until_the_ban_is_lifted(
    house: House,
) -> None:
    token = await house.join("anna")
    guest, _ = await house.try_login("anna", token)
    answer = house.administration.obey(Ban(bot="anna", why="it plays for bo"))
    assert (answer.is_done, say(answer.sentences[0])) == (True, "anna is banned")
    last_word = await guest.hear(Error)
    assert (last_word.code, last_word.fatal) == ("banned", True)
    assert "it plays for bo" in last_word.message
    _, refusal = await house.try_login("anna", token)
    assert refusal == last_word
    assert isinstance(house.lines()[-1], BotBanned)
    assert house.accounts.present(0) == []
    assert house.administration.obey(Ban(bot="anna", lift=True)).is_done
    _, welcome = await house.try_login("anna", token)
    assert isinstance(welcome, Welcome)
    assert (
        say(house.administration.obey(Ban(bot="anna", lift=True)).sentences[0])
        == "anna is not banned"
    )


async def test_a_bot_rests_for_a_time_and_is_told(house: House) -> None:
    token = await house.join("anna")
    guest, _ = await house.try_login("anna", token)
    house.administration.obey(GiveRest(bot="anna", minutes=90, why="a new build"))
    told = await guest.hear(Error)
    assert (told.code, told.fatal) == ("resting", False)
    assert "for 90 minutes: a new build" in told.message
    rest = house.lines()[-1]
    assert isinstance(rest, BotRests)
    present = house.accounts.present
    assert present(rest.until_ms - 1) == []
    assert len(present(rest.until_ms)) == 1
    await guest.hang_up()
    await trio.sleep(30)
    guest, _ = await house.try_login("anna", token)
    assert (await guest.hear(Error)).message == told.message
    await trio.sleep(120)
    await guest.hang_up()
    guest, _ = await house.try_login("anna", token)
    assert "for 88 minutes: a new build" in (await guest.hear(Error)).message
    house.administration.obey(GiveRest(bot="anna", minutes=0))
    assert len(present(house.log.now_ms())) == 1


async def test_a_ban_without_a_reason_says_so(house: House) -> None:
    token = await house.join("anna")
    house.administration.obey(Ban(bot="anna"))
    _, refusal = await house.try_login("anna", token)
    assert refusal.message == "the operator has banned this bot: no reason was given"


async def test_a_house_bot_rests_too(house: House) -> None:
    assert house.administration.obey(GiveRest(bot="random", minutes=1)).is_done
    assert not house.log.book.bots["random"].may_play(house.log.now_ms())


async def test_an_announcement_stands_until_it_is_taken_back(house: House) -> None:
    house.administration.obey(Announce(text="the cup begins at 20:00"))
    assert isinstance(house.lines()[-1], Announced)
    announced = house.log.book.announcement
    assert announced is not None
    assert announced.text == "the cup begins at 20:00"
    house.administration.obey(Announce(text=""))
    assert house.log.book.announcement is None


@pytest.mark.parametrize(
    ("order", "told"),
    [
        (Ban(bot="anan"), "no bot is called 'anan'; did you mean 'anna'?"),
        (GiveRest(bot="x", minutes=1), "no bot is called 'x'"),
        (Ban(bot="anna", why="a\nb"), "expected one line without control characters"),
        (Announce(text="\x1b[31m"), "expected one line without control characters"),
    ],
)
async def test_a_wrong_order_changes_nothing(house: House, order: AnyOrder, told: str) -> None:
    await house.join("anna")
    before = house.lines()
    answer = house.administration.obey(order)
    assert (answer.is_done, say(answer.sentences[0])) == (False, told)
    assert house.lines() == before


# The file, read again


async def test_a_reload_says_what_has_changed_and_from_when_on(house: House) -> None:
    plans: list[VenuePlan] = []
    house.administration.on_plan.append(lambda: plans.append(house.accounts.plan))
    text = (house.folder / VENUE_FILE).read_text()
    text = text.replace('joining = "invite"', 'joining = "open"')
    text = text.replace('name = "club"', 'name = "other"')
    text = text.replace('name = "vasa"', 'name = "vasa"\nseats = 4')
    text += '[pages]\naddress = "127.0.0.1:1"\n[[cup]]\nname = "sat"\nladder = "vasa"\n'
    text += 'day = "saturday"\ntime = "20:00"\n'
    (house.folder / VENUE_FILE).write_text(text)
    answer = house.administration.obey(Reload())
    assert answer.is_done, say(answer.sentences[0])
    assert [say(sentence).strip() for sentence in answer.sentences] == [
        "5 changes",
        "venue.name: after a restart of arena serve",
        "venue.joining: from now on",
        "pages.address: after a restart of arena serve",
        "ladder.vasa: from the next day of the ladder",
        "cup.sat: from now on",
    ]
    [plan] = plans
    assert (plan.venue.name, plan.venue.joining) == ("club", "open")
    assert (plan.pages.address, plan.ladder[0].seats) == ("127.0.0.1:8018", 4)
    assert isinstance(await house.ask("anna"), Joined)
    lines = [fact for fact in house.lines() if isinstance(fact, FileChanged)]
    fields = ["venue.name", "venue.joining", "pages.address", "ladder.vasa", "cup.sat"]
    assert [list(fact.changes) for fact in lines] == [fields]
    before = house.lines()
    again = house.administration.obey(Reload())
    assert [(sentence.code, sentence.values) for sentence in again.sentences] == [
        ("admin.reloaded", {"count": 0}),
        ("reloaded.waiting", {"field": "venue.name"}),
        ("reloaded.waiting", {"field": "pages.address"}),
    ]
    assert house.lines() == before
    (house.folder / VENUE_FILE).write_text(text.replace('"other"', '"third"'))
    third = house.administration.obey(Reload())
    assert [sentence.code for sentence in third.sentences] == [
        "admin.reloaded",
        "reloaded.restart",
        "reloaded.waiting",
    ]


async def test_a_reload_of_the_same_file_is_no_line(house: House) -> None:
    before = house.lines()
    answer = house.administration.obey(Reload())
    assert (answer.is_done, say(answer.sentences[0])) == (True, "nothing has changed")
    assert house.lines() == before


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda text: text.replace('"invite"', '"opne"'), "'opne'"),
        (lambda text: text + "[[bot]]\nname = 'anna'\ncommand = 'c'\n", "'anna' is taken"),
        (lambda text: text + "rubbish", "line "),
    ],
)
async def test_a_file_that_cannot_be_used_changes_nothing(
    house: House, spoil: Any, told: str
) -> None:
    await house.join("anna")
    path = house.folder / VENUE_FILE
    path.write_text(spoil(path.read_text()))
    before, plan = house.lines(), house.accounts.plan
    answer = house.administration.obey(Reload())
    assert not answer.is_done
    assert told in say(answer.sentences[0])
    assert "nothing has changed" in say(answer.sentences[0])
    assert (house.lines(), house.accounts.plan) == (before, plan)


async def test_a_reload_without_a_file_or_with_bytes_says_so(house: House) -> None:
    path = house.folder / VENUE_FILE
    path.write_bytes(b"\xff")
    assert "not UTF-8" in say(house.administration.obey(Reload()).sentences[0])
    path.unlink()
    assert not house.administration.obey(Reload()).is_done


async def test_a_reload_serves_the_new_certificate(tmp_path: Path) -> None:
    """Connections that come afterwards see it; the address stays."""
    certificate, key, _ = certificates.write_files(tmp_path)
    text = f'[listen]\ncertificate = "{certificate.name}"\nkey = "{key.name}"\n'
    async with open_house(tmp_path, listen=text) as house:
        entrance = house.venue.entrance
        address = str(entrance.open_to_others(house.accounts.plan.listen, tmp_path))
        port = int(address.rpartition(":")[2])
        first = await served(port)
        assert len(house.administration.obey(Reload()).sentences) == 1
        new_certificate, new_key = certificates.write_self_made(tmp_path)
        certificate.write_bytes(new_certificate.read_bytes())
        key.write_bytes(new_key.read_bytes())
        answer = house.administration.obey(Reload())
        assert say(answer.sentences[1]) == "  listen.certificate: from now on"
        assert await served(port) != first
        key.write_bytes(b"rubbish")
        answer = house.administration.obey(Reload())
        assert not answer.is_done
        assert await served(port) != first


async def served(port: int) -> bytes:
    """The certificate that a client is shown."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    stream = trio.SSLStream(await trio.open_tcp_stream("127.0.0.1", port), context)
    await stream.do_handshake()
    shown = stream.getpeercert(binary_form=True)
    await trio.aclose_forcefully(stream)
    assert isinstance(shown, bytes)
    return shown


# The socket


@pytest.fixture
async def served_house(house: House, nursery: trio.Nursery, tmp_path: Path) -> House:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    obey, failed = house.administration.obey, house.failures.append
    await nursery.start(serve_orders, house.folder, private / "orders", obey, failed)
    return house


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}\n",
        b'{"order": "shoot"}\n',
        b"\xff\n",
        b"[" * 4000,
        b'{"order": "invite", "days": 0}\n',
    ],
)
async def test_a_line_that_is_no_order_is_answered(served_house: House, line: bytes) -> None:
    before = served_house.lines()
    path = (served_house.folder / ADDRESS_FILE).read_text()
    async with await trio.open_unix_socket(path) as stream:
        await stream.send_all(line)
        await stream.send_eof()
        reply = b""
        while part := await stream.receive_some():
            reply += part
    answer = json.loads(reply)
    assert (answer["is_done"], answer["sentences"][0][0]) == (False, "admin.unreadable")
    assert served_house.lines() == before


async def test_a_failure_of_the_arena_ends_nothing(served_house: House) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    served_house.administration.on_plan.append(fail)
    path = served_house.folder / VENUE_FILE
    path.write_text(path.read_text().replace('"invite"', '"open"'))
    orders = (served_house.folder / ADDRESS_FILE).read_text()
    codes = []
    for order in ("reload", "invite"):
        async with await trio.open_unix_socket(orders) as stream:
            await stream.send_all(f'{{"order": "{order}"}}\n'.encode())
            codes.append(json.loads(await stream.receive_some())["sentences"][0][0])
    assert codes == ["admin.failed", "admin.invited"]
    assert [type(error) for error in served_house.failures] == [ZeroDivisionError]


def test_without_a_running_arena_the_command_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(NoVenueError, match="is no venue"):
        give_order(tmp_path, Reload())
    (tmp_path / VENUE_FILE).touch()
    with pytest.raises(NotRunningError, match="start it with: arena serve"):
        give_order(tmp_path, Reload())
    (tmp_path / ADDRESS_FILE).write_text(str(tmp_path / "gone"))
    with pytest.raises(NotRunningError, match="start it with"):
        give_order(tmp_path, Reload())
