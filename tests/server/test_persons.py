"""Where persons sit down: at the private address of the run."""

from pathlib import Path

import trio

from arena.server.run.remote_bots import SEAT_GRACE_MS
from protocol.greetings import Welcome
from protocol.messages import Error
from tests import certificates
from tests.server.waiting_arena import waiting_arena

CLOCK = "[clock]\nbank_ms = 900000\n"


async def test_a_person_sits_down_at_the_private_address_whatever_others_connect_by(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    """Its seat is of this machine: it needs to trust no certificate, and nothing is opened to others for it."""
    certificates.write_self_made(tmp_path)
    listen = '[listen]\naddress = "tcp:0.0.0.0:0"\ncertificate = "arena.pem"\nkey = "arena.key"\n'
    person = '[[bot]]\nname = "anna"\nperson = true\ntoken_file = "anna.token"\n'
    other = '[[bot]]\nname = "{name}"\n{how}\n'
    bots = (
        person
        + other.format(name="bo", how="remote = true")
        + other.format(name="cia", how="person = true")
    )
    arena = await waiting_arena(nursery, tmp_path, text=CLOCK + listen + bots)
    [others] = arena.told("waiting_for_bots")
    [persons] = arena.told("waiting_for_persons")
    assert (others["names"], persons["names"]) == (["bo"], ["anna", "cia"])
    assert others["address"].startswith("tls:0.0.0.0:")
    assert isinstance(
        await arena.try_to_log_in("anna", "the-token-of-anna", address=persons["address"]), Welcome
    )
    refused = await arena.try_to_log_in("cia", "another-token", address=persons["address"])
    assert isinstance(refused, Error)
    assert [(event["name"], event["reason"]) for event in arena.told("login_refused")] == [
        ("cia", "wrong token")
    ]
    await arena.close()


async def test_nobody_takes_the_seat_of_a_person_from_elsewhere(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    listen = f'[listen]\naddress = "unix:{tmp_path}/s"\n'
    bots = '[[bot]]\nname = "anna"\nperson = true\ntoken_file = "anna.token"\n[[bot]]\nname = "bo"\nremote = true\n'
    arena = await waiting_arena(nursery, tmp_path, text=CLOCK + listen + bots)
    refused = await arena.try_to_log_in("anna", "the-token-of-anna")
    assert isinstance(refused, Error)
    assert (refused.code, "at a page of the arena" in refused.message) == ("bad_login", True)
    await arena.close()


async def test_a_seat_that_the_arena_has_lost_is_waited_for_however_short_the_grace_of_bots_is(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    bots = '[[bot]]\nname = "anna"\nperson = true\ntoken_file = "anna.token"\n[[bot]]\nname = "bo"\nperson = true\n'
    arena = await waiting_arena(nursery, tmp_path, text=f"{CLOCK}[limits]\ngrace_ms = 0\n{bots}")
    [persons] = arena.told("waiting_for_persons")
    welcome = await arena.try_to_log_in("anna", "the-token-of-anna", address=persons["address"])
    assert isinstance(welcome, Welcome)
    assert welcome.limits.grace_ms == SEAT_GRACE_MS
    await arena.close()


async def test_for_persons_alone_nothing_is_opened_to_others(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    bots = "".join(f'[[bot]]\nname = "{name}"\nperson = true\n' for name in ("anna", "bo"))
    arena = await waiting_arena(nursery, tmp_path, text=CLOCK + bots)
    assert [event["event"] for event in arena.events] == ["waiting_for_persons"]
