"""`arena watch` and `arena run --browser`: what they refuse, and with what words."""

import socket
from pathlib import Path

import pytest

from arena.cli.shared.pages import Serving, open_place
from arena.cli.watch import _delay
from tests.cli.conftest import Arena


def test_a_port_in_use_is_refused(arena: Arena, run_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = arena("watch", run_folder, "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert (result.exit_code, "address already in use; give --listen another port" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("serving", "is_warned"),
    [
        ({"listen": "127.0.0.1:0"}, True),
        ({"listen": "127.0.0.1:0", "hosts": ("arena.example",)}, False),
        ({"listen": "127.0.0.1:0", "is_behind_proxy": False}, False),
        ({"listen": "0.0.0.0:0"}, False),
    ],
)
def test_a_proxy_in_front_of_loopback_needs_names(serving, is_warned: bool, capsys) -> None:
    """Without them a page of the web could read the pages under a name of its own."""
    given = {"is_behind_proxy": True, "hosts": (), "is_opened": False}
    with open_place(Serving(**{**given, **serving})):
        pass
    assert ("warning: behind a proxy the pages answer under every name" in capsys.readouterr().err) is is_warned


@pytest.mark.parametrize(
    ("text", "ms"), [("60s", 60_000), ("90", 90_000), ("5m", 300_000), ("1h", 3_600_000), ("250ms", 250)]
)
def test_delays(text: str, ms: int) -> None:
    assert _delay(None, None, text) == ms
