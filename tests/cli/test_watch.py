"""`arena watch` and `arena run --browser`: what they refuse, and with what words."""

from __future__ import annotations

import socket
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.cli.shared.pages import Serving, open_place
from arena.cli.watch import _delay
from tests.records.small_run import small_run


def told(*arguments: str) -> str:
    """The message of a command that is refused."""
    result = CliRunner().invoke(main, ["watch", *arguments])
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return result.stderr


@pytest.fixture
def run(tmp_path: Path) -> str:
    (tmp_path / "run" / "matches").mkdir(parents=True)
    for name, data in small_run().items():
        (tmp_path / "run" / name).write_bytes(data)
    return str(tmp_path / "run")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("{run}/matches",), "is not a run folder: it has no tournament.jsonl"),
        (("{run}", "--listen", "0.0.0.0:0"), "and give --behind-proxy (arena docs watching)"),
    ],
)
def test_wrong_use_is_refused(run: str, words: tuple[str, ...], message: str) -> None:
    assert message in told(*[word.format(run=run) for word in words])


def test_a_port_in_use_is_refused(run: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "address already in use; give --listen another port" in told(run, "--listen", f"127.0.0.1:{port}")


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


@pytest.mark.parametrize("text", ["", "soon", "-5s", "5 weeks", "1.5s"])
def test_delays_that_are_none(text: str) -> None:
    with pytest.raises(click.BadParameter, match="expected a time such as 60s"):
        _delay(None, None, text)
