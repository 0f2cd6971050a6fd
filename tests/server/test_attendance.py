"""What an operator hears about bots that come, go and come back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from arena.server.door.attendance import Attendance
from arena.server.io.operator_log import Log
from arena.server.setup.account import Account
from protocol.errors import ErrorCode
from protocol.greetings import Login
from tests.server.operator import Operator

TOKEN = "the token of perl, which nobody else knows"


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path)


@pytest.fixture
def log(operator: Operator) -> Iterator[Log]:
    with operator.log() as log:
        yield log


def attendance(log: Log, *names: str) -> tuple[Attendance, list[Account]]:
    bots = [Account(name, TOKEN, grace_ms=1000) for name in names]
    return Attendance(bots, log), bots


def come(bot: Account) -> None:
    bot.on_login()


def login(name: str, token: str) -> Login:
    return Login(protocol=1, name=name, token=token)


def test_the_operator_hears_of_bots_that_come_go_and_come_back(operator: Operator, log: Log) -> None:
    _, [perl, ruby] = attendance(log, "perl", "ruby")
    come(perl)
    perl.on_loss("it hung up")
    come(perl)
    come(ruby)
    assert operator.heard == [
        "perl is here (1 of 2)",
        "perl has lost its connection: it hung up",
        "perl is back",
        "ruby is here (2 of 2)",
    ]
    assert operator.names == ["bot_logged_in", "bot_lost", "bot_returned", "bot_logged_in"]
    assert [event["level"] for event in operator.seen] == ["info", "warning", "info", "info"]


def test_the_operator_hears_of_a_refused_login_without_its_token(operator: Operator, log: Log) -> None:
    present, _ = attendance(log, "perl", "ruby")
    door = log.bind(transport="tcp", place="192.0.2.1")
    wrong = ErrorCode.BAD_LOGIN.to_message("no bot of this name is expected with this token; check both")
    present.refused(login("perl", "a guess"), wrong, door)
    present.refused(login("pearl", TOKEN), wrong, door)
    twice = ErrorCode.ALREADY_CONNECTED.to_message("this bot has a connection already")
    present.refused(login("perl", TOKEN), twice, door)
    assert operator.heard == [
        "a login as perl was refused: wrong token",
        "a login as pearl was refused: bots are expected as perl, ruby",
        "a login as perl was refused: this bot has a connection already",
    ]
    assert {(line["level"], line["transport"], line["place"]) for line in operator.written()} == {
        ("warning", "tcp", "192.0.2.1")
    }
    assert "a guess" not in operator.path.read_text()


async def test_the_operator_hears_of_bots_that_do_not_come_in_time(operator: Operator, log: Log) -> None:
    present, [perl, ruby] = attendance(log, "perl", "ruby")
    come(perl)
    begun = trio.current_time()
    await present.gather(60_000)
    assert trio.current_time() >= begun + 60
    assert operator.heard[-1] == "ruby did not come within 60 s; it forfeits until it does"
    come(ruby)
    await present.gather(60_000)
    assert operator.heard[-1] == "ruby is here (2 of 2)"
