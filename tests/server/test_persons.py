"""Where persons sit down: at the private address of the run."""

from pathlib import Path

import trio

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
    bots = person + other.format(name="bo", how="remote = true") + other.format(name="cia", how="person = true")
    arena = await waiting_arena(nursery, tmp_path, text=CLOCK + listen + bots)
    [others] = arena.told("waiting_for_bots")
    [persons] = arena.told("waiting_for_persons")
    assert (others["names"], persons["names"]) == (["bo"], ["anna", "cia"])
    assert others["address"].startswith("tls:0.0.0.0:")
    assert isinstance(await arena.try_to_log_in("anna", "the-token-of-anna", address=persons["address"]), Welcome)
    refused = await arena.try_to_log_in("cia", "another-token", address=persons["address"])
    assert isinstance(refused, Error)
    assert [(event["name"], event["reason"]) for event in arena.told("login_refused")] == [("cia", "wrong token")]
    await arena.close()


async def test_for_persons_alone_nothing_is_opened_to_others(nursery: trio.Nursery, tmp_path: Path) -> None:
    bots = "".join(f'[[bot]]\nname = "{name}"\nperson = true\n' for name in ("anna", "bo"))
    arena = await waiting_arena(nursery, tmp_path, text=CLOCK + bots)
    assert [event["event"] for event in arena.events] == ["waiting_for_persons"]
