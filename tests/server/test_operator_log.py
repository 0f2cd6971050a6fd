"""The operator's log: what its lines contain and never contain, how many there are, and what it tells of bots."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from arena.server.io import secret_values
from arena.server.io.failures import log_failure
from arena.server.io.operator_log import (
    MOST,
    MOST_FAILURES,
    MOST_FROM_PLACES,
    WINDOW_MS,
    Log,
    sentence,
)
from arena.server.run.remote_bots import RemoteBots
from arena.server.setup.account import Account
from arena.words import Said, catalogue, say
from protocol.greetings import Login
from tests.fixtures.operator import Operator

ROOT = Path(__file__).parents[2]


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path)


def raised(words: str) -> Exception:
    """An exception with a traceback."""
    try:
        {}[words]
    except LookupError as error:
        return error
    raise AssertionError


# A line


def test_a_line_says_when_how_bad_and_what_and_then_the_keys(operator: Operator) -> None:
    with operator.log() as log:
        log.info("bot_logged_in", name="anna", number=1, of=2)
        log.bind(match="r1-anna-v-bo").warning("bot_lost", name="anna", reason="it hung up")
    first, second = operator.path.read_text().splitlines()
    assert first == (
        '{"timestamp": "2023-11-14T22:13:20.123Z", "level": "info", "event": "bot_logged_in", '
        '"name": "anna", "number": 1, "of": 2}'
    )
    assert json.loads(second)["match"] == "r1-anna-v-bo"
    assert operator.heard == ["anna is here (1 of 2)", "anna has lost its connection: it hung up"]


def test_nothing_is_made_before_there_is_an_event(operator: Operator) -> None:
    """So that a finished run that is looked at again stays as it is."""
    with operator.log():
        pass
    assert not operator.path.exists()


def test_a_run_that_goes_on_adds_to_the_file_of_its_owner_alone(operator: Operator) -> None:
    """Mode 0600. A line that was cut short by a kill stays by itself."""
    with operator.log() as log:
        log.info("bot_returned", name="anna")
    with operator.path.open("a") as file:
        file.write('{"timestamp": "20')
    with operator.log() as log:
        log.info("bot_returned", name="bo")
    assert operator.path.stat().st_mode & 0o777 == 0o600
    first, cut, second = operator.path.read_text().splitlines()
    assert (json.loads(first)["name"], cut, json.loads(second)["name"]) == (
        "anna",
        '{"timestamp": "20',
        "bo",
    )


def test_every_event_of_the_code_has_its_sentence_and_its_row_in_the_documentation() -> None:
    code = "".join(
        path.read_text()
        for path in (ROOT / "arena").rglob("*.py")
        if path.parts[-3:-1] != ("cli", "play")
    )
    logged = set(
        re.findall(r'(?:log|seen|(?<!_)say)\.?(?:info|warning|error)?\(\s*"([a-z_]+)"', code)
    )
    logged |= set(re.findall(r'self\._failed\(\s*"([a-z_]+)"', code))
    assert logged == {
        code.removeprefix("event.") for code in catalogue("en") if code.startswith("event.")
    }
    page = (ROOT / "docs" / "records.md").read_text().partition("## The operator's log")[2]
    assert sorted(re.findall(r"^\| `([a-z_]+)` \|", page, flags=re.MULTILINE)) == sorted(logged)


def test_an_event_is_told_in_swedish_too(operator: Operator) -> None:
    with operator.log() as log:
        log.warning("bot_lost", name="anna", reason=Said("lost.hung_up"))
    assert [sentence(event, "sv") for event in (*operator.seen, *operator.written())] == [
        "anna har tappat förbindelsen: " + say(Said("lost.hung_up"), "sv")
    ] * 2


# How much


def test_events_of_one_kind_about_one_bot_are_limited(operator: Operator) -> None:
    with operator.log() as log:
        for _ in range(MOST + 3):
            log.warning("bot_lost", name="perl", reason="it hung up")
        log.warning("bot_lost", name="ruby", reason="it hung up")
        log.info("bot_returned", name="perl")
        told = ["perl has lost its connection: it hung up"] * MOST
        told[-1] += " (no more of this kind for 60 s)"
        assert operator.heard == [*told, "ruby has lost its connection: it hung up", "perl is back"]
        operator.now_ms += WINDOW_MS + 1
        log.warning("bot_lost", name="perl", reason="it hung up")
    assert operator.heard[-1] == told[0]
    assert len(operator.written()) == len(operator.seen)


def test_thousands_of_addresses_fill_no_disk(operator: Operator) -> None:
    with operator.log() as log:
        for number in range(2 * MOST_FROM_PLACES):
            log.warning(
                "connection_refused", place=f"192.0.2.{number}", reason="it does not speak TLS"
            )
        assert len(operator.seen) == MOST_FROM_PLACES
        for number in range(2 * MOST):
            log.warning(
                "login_unknown", place="192.0.2.1", claimed=f"name{number}", expected=["anna"]
            )
    assert len(operator.seen) == MOST_FROM_PLACES + MOST
    assert operator.heard[-1].endswith(" (no more of this kind for 60 s)")


# Secrets


def test_no_secret_is_written_or_shown(operator: Operator) -> None:
    token, key, given = (
        secret_values.new_token(),
        secret_values.new_dice_key().hex(),
        "token-of-anna",
    )
    with operator.log(instead={given: "***"}) as log:
        log.warning("login_unknown", claimed=token, expected=[f"x{given}"], place=key.upper())
        log.warning(
            "program_lost", name="bo", reason="it hung up", last_words=f"resume {key}", output="x"
        )
        log_failure(log, raised(f"{token} {given}"))
    everything = operator.path.read_text() + "".join(operator.heard) + repr(operator.seen)
    for secret in (token, key, key.upper(), given):
        assert secret not in everything
    assert operator.heard[0] == "a login as *** was refused: bots are expected as x***"


def test_no_name_of_a_key_is_that_of_a_secret() -> None:
    """`log.info(..., token=...)` is a mistake even if it is starred out."""
    calls = "".join(path.read_text() for path in (ROOT / "arena" / "server").rglob("*.py"))
    for call in re.findall(r"log\.(?:info|warning|error|bind)\([^\n]*", calls):
        assert not re.search(r"\b(token|resume_key|dice_key|seed|secrets?)=", call), call


# Failures


def test_a_failure_has_its_traceback_in_the_file_and_not_on_the_terminal(
    operator: Operator,
) -> None:
    """The operator is sent to the file; a flood of them does not fill the disk."""
    with operator.log() as log:
        for _ in range(MOST_FAILURES + 20):
            log_failure(log, raised("a secret that is none of a bot's business"))
    assert len(operator.written()) == MOST_FAILURES
    line = operator.written()[0]
    assert (line["level"], line["error"]) == ("error", "KeyError")
    assert "a secret that is none" in line["exception"]
    assert "test_operator_log.py" in line["exception"]
    assert "operator.jsonl" in operator.heard[0]
    assert "secret" not in operator.heard[0]


# What an operator hears about bots that come, go and come back


TOKEN = "the token of perl, which nobody else knows"


@pytest.fixture
def log(operator: Operator) -> Iterator[Log]:
    with operator.log() as log:
        yield log


def attendance(log: Log, *names: str) -> tuple[RemoteBots, list[Account]]:
    bots = [Account(name, TOKEN, grace_ms=1000) for name in names]
    return RemoteBots(names, log), bots


def login(name: str, token: str) -> Login:
    return Login(protocol=1, name=name, token=token)


def test_the_operator_hears_of_bots_that_come_go_and_come_back(
    operator: Operator, log: Log
) -> None:
    present, [perl, ruby] = attendance(log, "perl", "ruby")
    present.seen(perl, None)
    present.seen(perl, Said("lost.hung_up"))
    present.seen(perl, None)
    present.seen(ruby, None)
    assert operator.heard == [
        "perl is here (1 of 2)",
        "perl has lost its connection: it hung up",
        "perl is back",
        "ruby is here (2 of 2)",
    ]
    assert operator.names == ["bot_logged_in", "bot_lost", "bot_returned", "bot_logged_in"]
    assert [event["level"] for event in operator.seen] == ["info", "warning", "info", "info"]


async def test_the_operator_hears_of_bots_that_do_not_come_in_time(
    operator: Operator, log: Log
) -> None:
    present, [perl, ruby] = attendance(log, "perl", "ruby")
    present.seen(perl, None)
    begun = trio.current_time()
    await present.gather(60_000)
    assert trio.current_time() >= begun + 60
    assert operator.heard[-1] == "ruby did not come within 60 s; it forfeits until it does"
    present.seen(ruby, None)
    await present.gather(60_000)
    assert operator.heard[-1] == "ruby is here (2 of 2)"
