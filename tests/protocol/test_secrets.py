"""No secret leaks through a repr, an error or a traceback."""

import traceback

import msgpack
import pytest

from protocol.codec import TO_ARENA, decode
from protocol.connection import ArenaConnection
from protocol.errors import LocalProtocolError, ProtocolError
from protocol.greetings import Limits, Login, Welcome
from tests.fixtures.connection_ends import open_pair, pair_awaiting_login

TOKEN = "hunter2-hunter2"
LOGIN = Login(protocol=1, name="anna", token=TOKEN, resume=TOKEN)
FIELDS = {"type": "login", "protocol": 1, "name": "anna", "token": TOKEN}


def everything_told(error: BaseException) -> str:
    """All that a log might keep of an error: its text, its repr, its chain and what hangs on it."""
    chain = "".join(traceback.format_exception(error))
    return f"{chain} {error!r} {error} {error.args!r} {vars(error)!r} {error.__context__!r} {error.__cause__!r}"


@pytest.mark.parametrize(
    "shown", [repr(LOGIN), str(LOGIN), f"{LOGIN}", repr([LOGIN]), str(LOGIN.__rich_repr__())]
)
def test_a_login_does_not_show_its_token(shown: str) -> None:
    assert "anna" in shown
    assert "hunter2" not in shown


def test_a_welcome_does_not_show_its_resume_key() -> None:
    welcome = Welcome(session="s", resume_key=TOKEN, limits=Limits(frame_bytes=1, window=1))
    for shown in (repr(welcome), str(welcome), str(welcome.__rich_repr__())):
        assert "hunter2" not in shown


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(
            msgpack.packb({"token": TOKEN, "type": "login"}), id="missing field, token first"
        ),
        pytest.param(msgpack.packb({**FIELDS, "window": TOKEN}), id="token in the wrong field"),
        pytest.param(msgpack.packb({**FIELDS, "wants": [TOKEN]}), id="token as a wish"),
        pytest.param(msgpack.packb({**FIELDS, "type": TOKEN}), id="token as type"),
        pytest.param(
            msgpack.packb(
                {"type": "play", "game": 1, "turn": 1, "choice": 0, "draw": f"{TOKEN} - at `$.x`"}
            ),
            id="token where only certain words are allowed",
        ),
        pytest.param(msgpack.packb({**FIELDS, TOKEN: 0.5}), id="token as a key"),
        pytest.param(msgpack.packb({"token": TOKEN, "x": 0.5}), id="float after the token"),
        pytest.param(
            msgpack.packb({"token": TOKEN.encode()}) + b"\x00", id="more bytes after the map"
        ),
        pytest.param(msgpack.packb({"token": TOKEN})[:-1], id="cut off inside the token"),
        pytest.param(
            msgpack.packb({"token": TOKEN}).replace(b"er2-", b"\xff\xff\xff\xff"), id="not UTF-8"
        ),
        pytest.param(b"\x82\xa5token\xa1t\xa5token\xaf" + TOKEN.encode(), id="the key token twice"),
        pytest.param(
            b"\xdf\x00\x00\x00\x02\xa5token\xaf" + TOKEN.encode(), id="cut off, long header"
        ),
        pytest.param(msgpack.packb(TOKEN), id="a bare token"),
    ],
)
def test_no_error_about_a_login_tells_the_token(payload: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode(payload, TO_ARENA)
    told = everything_told(caught.value) + str(caught.value.to_message())
    assert "hunter" not in told
    if payload != msgpack.packb(TOKEN):  # a frame that is nothing but text starts with it
        assert TOKEN[:2].encode().hex(" ") not in told


@pytest.mark.parametrize("arena", [open_pair()[0], ArenaConnection()], ids=["late", "early"])
def test_a_login_at_the_wrong_time_is_not_quoted(arena: ArenaConnection) -> None:
    arena.receive(pair_awaiting_login()[1].send(LOGIN))
    assert "hunter2" not in everything_told(arena.fault)


def test_our_own_mistake_with_a_login_is_not_quoted() -> None:
    _, bot = open_pair()
    with pytest.raises(LocalProtocolError) as caught:
        bot.send(LOGIN)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
