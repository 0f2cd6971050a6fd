"""A bot joins a venue over a real socket, and its operator gives orders, by the commands themselves."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result

from arena.cli import main
from arena.server.series.admin import serve_orders
from protocol.client import Bot, run
from tests import certificates
from tests.server.house import House, open_house


class Idle(Bot):
    name = "idle"
    fingerprint = "first"


async def typed(*words: object) -> Result:
    """Type a command, beside the venue."""
    runner = CliRunner()
    return await trio.to_thread.run_sync(lambda: runner.invoke(main, [*map(str, words)]))


@asynccontextmanager
async def open_to_others(folder: Path, listen: str) -> AsyncIterator[tuple[House, str]]:
    """A venue with its operator's socket; gives the address of its door as well."""
    (folder / "private").mkdir(mode=0o700)
    async with open_house(folder, listen=listen) as house, trio.open_nursery() as nursery:
        obey = house.administration.obey
        failed = house.failures.append
        await nursery.start(serve_orders, folder, folder / "private" / "s", obey, failed)
        door = house.venue.entrance.open_to_others(house.accounts.plan.listen, folder)
        yield house, str(door)
        nursery.cancel_scope.cancel()


async def joins_and_plays(folder: Path, listen: str, advice: str) -> None:
    async with open_to_others(folder, listen) as (house, address):
        invited = await typed("admin", folder, "invite")
        assert (invited.exit_code, invited.stderr) == (
            0,
            "an invite for one bot; it can be used for 7 days\n",
        )
        code = invited.stdout.strip()
        address = address.replace("127.0.0.1", "localhost")
        joined = await typed("join", address, "--invite", code, "--name", "anna")
        assert joined.exit_code == 0, joined.output
        words = joined.stdout.split()
        settings = dict(word.split("=", 1) for word in words if "=" in word)
        assert words[-2:] == ["python", "mybot.py"]
        assert settings["ARENA_NAME"] == "anna"
        assert "its page: https://arena.example/#bot/anna" in joined.stderr
        assert code not in joined.output
        other = {"tcp": "tls", "tls": "tcp"}[address[:3]] + address[3:]
        unheard = await typed("join", other, "--invite", code, "--name", "bo")
        assert (unheard.exit_code, advice in unheard.stderr) == (1, True), unheard.stderr
        used = await typed("join", address, "--invite", code, "--name", "bo")
        assert (used.exit_code, "this invite has been used" in used.stderr) == (2, True)
        came = trio.Event()
        house.accounts.players["anna"].seen_by.append(lambda *_: came.set())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                trio.to_thread.run_sync,
                run,
                Idle(),
                settings["ARENA_ADDRESS"],
                settings["ARENA_NAME"],
                settings["ARENA_TOKEN"],
            )
            await came.wait()
            assert [one.entrant for one in house.accounts.present(0)] == ["anna-1"]
            banned = await typed("--language", "sv", "admin", folder, "ban", "anna", "--why", "x")
            assert "anna är avstängd\n" in banned.stderr  # and what the bot says of it
        nobody = await typed("admin", folder, "ban", "bo")
        assert (nobody.exit_code, "no bot is called 'bo'" in nobody.stderr) == (2, True)
        reloaded = await typed("admin", folder, "reload")
        assert reloaded.stderr == "nothing has changed\n"
    gone = await typed("admin", folder, "reload")
    assert (gone.exit_code, gone.stderr.count("\n")) == (1, 1)
    assert "start it with: arena serve" in gone.stderr


def test_a_bot_joins_over_tcp_and_is_banned(tmp_path: Path) -> None:
    trio.run(joins_and_plays, tmp_path, '[listen]\naddress = "tcp:127.0.0.1:0"', "WRONG_VERSION")


@pytest.mark.slow
def test_a_bot_joins_over_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key, authority = certificates.write_files(tmp_path)
    monkeypatch.setitem(os.environ, "ARENA_CA", str(authority))
    listen = f'[listen]\ncertificate = "{certificate.name}"\nkey = "{key.name}"'
    trio.run(joins_and_plays, tmp_path, listen, "give tls:HOST:PORT")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("join", "nonsense", "--name", "a"), 2, "the address must be"),
        (("join", "tcp:127.0.0.1:1", "--name", "a"), 1, "no arena answers at tcp:127.0.0.1:1"),
        (("join", "unix:/none", "--name", "a"), 1, "no arena answers"),
        (("join", "tcp:127.0.0.1:1"), 2, "--name"),
        (("admin", "/none", "invite"), 2, "is no venue"),
        (("admin", "/none", "shoot"), 2, "shoot"),
        (("admin", "/none", "invite", "--days", "0"), 2, "--days"),
        (("admin", "/none", "rest", "bo", "--hours", "-1"), 2, "--hours"),
    ],
)
def test_wrong_use_is_told(words: tuple[str, ...], code: int, told: str) -> None:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code
    assert told in result.stderr
    assert "Traceback" not in result.stderr
