"""Logging in: which bots may, which may not, and how long a connection may be silent."""

from collections import Counter
from contextlib import suppress

import pytest
import trio

from arena.matches.facts import BotLeft, Terms, TurnPlayed
from arena.matches.time_control import TimeControl
from arena.server.io import secret_values
from arena.server.io.link import OUTBOX_BYTES
from arena.server.io.secret_values import login_digest
from arena.server.play.player import Player
from protocol.codec import HEADER_BYTES, TO_BOT, decode, encode
from protocol.greetings import Hello, Welcome
from protocol.messages import Bye, Error, GameEnd, Ping, Pong
from tests.fixtures.playing_room import (
    HungUpError,
    Program,
    Room,
    login,
    mover_of,
    over_every_transport,
    until,
)


@over_every_transport
async def test_the_right_name_and_token_are_welcome(room: Room) -> None:
    room.expect("anna")
    guest = room.connect()
    hello = await guest.hear(Hello)
    assert (hello.protocol, len(hello.nonce)) == (1, 16)
    await guest.say(login("anna", window=7, version="2.1", fingerprint="f"))
    welcome = await guest.hear(Welcome)
    assert (welcome.limits.window, welcome.limits.frame_bytes) == (7, 65_536)
    known = room.players["anna"].account.login
    assert known is not None
    assert (known.version, known.fingerprint) == ("2.1", "f")
    await guest.hang_up()
    again = room.connect()
    assert (await again.hear(Hello)).nonce != hello.nonce
    await again.say(login("anna", fingerprint="f"))
    assert (await again.hear(Welcome)).resume_key != welcome.resume_key


@pytest.mark.parametrize(
    ("name", "token"),
    [
        ("anna", "token-of-bo"),
        ("anna", "token-of-ann"),
        ("anna", ""),
        ("anna", "tökén"),
        ("bo", "token-of-anna"),
        ("zoe", "token-of-anna"),
        ("Anna", "token-of-anna"),
    ],
)
async def test_a_wrong_name_or_token_is_refused_in_the_same_words(
    room: Room, name: str, token: str
) -> None:
    room.expect("anna")
    room.expect("bo")
    error = await room.refuses(name, token)
    assert (error.code, error.fatal) == ("bad_login", True)
    assert error.message == "no bot with this name and this token is expected; check both"
    assert room.players["anna"].account.connection is None


async def test_a_bot_that_is_no_longer_expected_may_not_log_in(room: Room) -> None:
    bot = room.expect("anna")
    room.logins.forget(bot)
    assert (await room.refuses("anna")).code == "bad_login"


async def test_a_program_logs_in_by_the_newest_token_of_its_bot_alone(room: Room) -> None:
    bot = room.expect("anna", program=Program())
    first = bot.account.token
    await (await room.guest("anna")).hang_up()
    await until(lambda: bot.account.token != first)
    assert (await room.refuses("anna", first)).code == "bad_login"
    await room.guest("anna")
    room.logins.forget(bot)
    bot.account.renew_token()
    assert (await room.refuses("anna", bot.account.token)).code == "bad_login"


@pytest.mark.parametrize(
    ("name", "token"), [("bot7", "token-of-bot7"), ("bot7", "wrong"), ("nobody", "wrong")]
)
async def test_every_login_is_looked_up_once_however_many_bots_are_expected(
    room: Room, monkeypatch: pytest.MonkeyPatch, name: str, token: str
) -> None:
    """So the time of an answer says nothing of names and tokens."""
    for number in range(1000):
        room.expect(f"bot{number}")
    digests = Counter[str]()

    def digest(given_name: str, given_token: str) -> bytes:
        digests[given_name] += 1
        return login_digest(given_name, given_token)

    def compare(*_: object) -> bool:
        raise AssertionError("a token is compared")

    monkeypatch.setattr(secret_values, "login_digest", digest)
    monkeypatch.setattr(secret_values, "is_token", compare)
    found = room.logins.find(login(name, token))
    assert isinstance(found, Player) == (token == "token-of-bot7")
    assert digests == {name: 1}


async def test_another_fingerprint_than_the_first_is_refused(room: Room) -> None:
    """A bot may not change in mid-run; with its first fingerprint it is welcome again."""
    first = await room.guest("anna", fingerprint="build 1")
    await first.hang_up()
    for fingerprint in ("build 2", ""):
        error = await room.refuses("anna", fingerprint=fingerprint)
        assert (error.code, error.fatal, "fingerprint" in error.message) == (
            "bad_login",
            True,
            True,
        )
    await room.guest("anna", fingerprint="build 1")


@pytest.mark.parametrize(
    "key",
    [bytes(32), b"\x01" + bytes(31), b"\xff" * 32],
    ids=["order 4", "order 1", "not canonical"],
)
async def test_a_key_that_proves_nothing_is_refused(room: Room, key: bytes) -> None:
    """Anybody could sign for it; the bot is told, and may log in without."""
    room.expect("anna")
    error = await room.refuses("anna", public_key=key)
    assert (error.code, "proves nothing" in error.message) == ("bad_login", True)
    await room.guest("anna")


async def test_a_login_and_goodbye_in_one_breath_leaves_the_bot_free(room: Room) -> None:
    room.expect("anna")
    guest = room.connect()
    await guest.hear(Hello)
    await guest.say_bytes(encode(login("anna")) + encode(Bye()))
    data = bytes(await guest.stream.receive_some())
    assert isinstance(decode(data[HEADER_BYTES:], TO_BOT), Welcome)
    assert await guest.stream.receive_some() == b""
    assert room.players["anna"].account.connection is None
    await room.guest("anna")


# Bots that take nothing, or say nothing, while the arena waits for nothing from them


PATIENT = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=600_000),
    rejections=2,
    turn_limit=1000,
    startup_ms=600_000,
)
IDLE_MS = 120_000


@over_every_transport
async def test_no_more_than_a_megabyte_waits_for_a_bot(room: Room) -> None:
    room.expect("anna")
    guest = room.connect(is_narrow=True)
    await guest.log_in("anna")
    link, _ = room._ends[-1]
    link.write(bytes(OUTBOX_BYTES + 1))
    room.loop.dirty_link(link)
    room.loop.end_batch()
    await trio.sleep(0.01)
    assert room.players["anna"].account.connection is None


async def test_a_silent_bot_is_pinged_and_may_stay_as_long_as_it_answers(room: Room) -> None:
    """A ping every 30 of the 120 seconds; with pongs it stays for an hour."""
    room.idle_ms = IDLE_MS
    guest = await room.guest("anna")
    began_ms = guest.now_ms()
    for number in range(1, 121):
        ping = await guest.hear(Ping)
        assert guest.now_ms() == began_ms + 30_000 * number
        await guest.say(Pong(data=ping.data))
    assert room.players["anna"].account.connection is not None


async def test_a_bot_without_a_sign_of_life_is_cut_off(room: Room) -> None:
    room.idle_ms = IDLE_MS
    guest = await room.guest("anna")
    began_ms = guest.now_ms()
    for _ in range(3):
        await guest.hear(Ping)
    assert (await guest.hear(Error)).code == "idle_timeout"
    assert guest.now_ms() == began_ms + IDLE_MS
    await guest.is_cut_off()
    await room.guest("anna")


async def test_what_a_silent_bot_loses_is_recorded_and_told_at_once(room: Room) -> None:
    """Not with whatever comes next: an arena that is killed meanwhile would forget what the bot was told."""
    room.idle_ms = IDLE_MS
    for name in ("anna", "bo"):
        room.expect(name, grace_ms=0)
    mover, _, _ = await room.begin(terms=PATIENT)
    await mover.wait_for(GameEnd)
    [left] = room.recorded_as(BotLeft)
    assert left.at_ms == mover.now_ms()


async def test_a_bot_that_thinks_is_not_silent(room: Room) -> None:
    """While its turn is open a bot is neither pinged nor cut off; while its opponent's is, the time counts."""
    room.idle_ms = IDLE_MS
    mover, waiting, turn = await room.begin(terms=PATIENT)

    async def answer_pings() -> None:
        with suppress(HungUpError):
            while True:
                if isinstance(await waiting.hear_next(), Ping):
                    await waiting.say(Pong())

    room.nursery.start_soon(answer_pings)
    await mover.hears_no(object, 500)
    await mover.answer(turn)
    await until(lambda: len(room.recorded_as(TurnPlayed)) == 1)
    assert room.recorded_as(BotLeft) == []
    assert len(waiting.heard(Ping)) >= 4
    await mover.hears_no(Error, 10)


async def test_a_bot_that_prepares_for_a_match_has_the_start_up_time(room: Room) -> None:
    room.idle_ms = IDLE_MS
    anna, bo = await room.guest("anna"), await room.guest("bo")
    room.lay_table("anna", "bo", terms=PATIENT)
    await trio.sleep(590)
    for guest in (anna, bo):
        await guest.take_seat()
    await mover_of(anna, bo)
