"""Where the arena listens: loopback and Unix sockets, and nowhere else."""

import select
import socket
from pathlib import Path

import pytest

from arena.server.io import listening as listeners
from arena.server.io.listening import (
    ListenError,
    UnixAddress,
    address_of,
    listening_address,
    parse_address,
)


def open_listener(address: str) -> socket.socket:
    """Listen as the arena does for an address of a tournament file without a certificate."""
    return listeners.open_listener(
        listening_address(address, has_certificate=False, is_insecure=False)
    )


@pytest.mark.parametrize("address", ["tcp:127.0.0.1:0", "tcp:localhost:0", "tcp:127.0.0.5:0"])
def test_a_tcp_listener_is_told_with_the_port_it_got(address: str) -> None:
    with open_listener(address) as listener:
        told = str(address_of(listener))
        kind, host, port = told.split(":")
        assert (kind, host.startswith("127.")) == ("tcp", True)
        with socket.create_connection((host, int(port)), timeout=5):
            pass


def test_a_unix_listener_replaces_a_socket_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "s"
    for _ in range(2):
        listener = open_listener(f"unix:{path}")
        assert str(address_of(listener)) == f"unix:{path}"
        listener.close()
        assert path.exists()


def test_a_unix_listener_does_not_replace_a_file(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("precious")
    with pytest.raises(ListenError, match="cannot listen on unix:"):
        open_listener(f"unix:{path}")
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "tcp",
        "tcp:",
        "tcp::5",
        "tcp:127.0.0.1",
        "tcp:127.0.0.1:",
        "tcp:127.0.0.1:x",
        "udp:127.0.0.1:5",
        "unix:",
        "127.0.0.1:5",
    ],
)
def test_what_is_no_address_is_refused_with_the_form_of_one(address: str) -> None:
    with pytest.raises(
        ListenError, match=r"expected (unix:/path or tcp:host:port|127\.0\.0\.1, ::1 or localhost)"
    ):
        open_listener(address)


@pytest.mark.parametrize(
    "address", ["tcp:127.0.0.1:99999", "unix:/nowhere/at/all/s", "unix:/tmp/" + "x" * 200]
)
def test_what_the_system_refuses_is_told_with_the_address(address: str) -> None:
    with pytest.raises(ListenError, match="cannot listen on "):
        open_listener(address)


def test_a_unix_socket_and_its_new_folder_are_for_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "new" / "s"
    with listeners.open_listener(UnixAddress(path=path)):
        assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o777, 0o702])
def test_a_unix_socket_in_a_folder_others_can_enter_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    address = UnixAddress(path=folder / "s")
    with pytest.raises(ListenError, match=rf"others can enter .*mode {mode:04o}.*insecure = true"):
        listeners.open_listener(address)
    with listeners.open_listener(address, is_insecure=True):
        assert (folder / "s").stat().st_mode & 0o777 == 0o666


def test_a_unix_socket_on_which_somebody_listens_is_not_taken_away(tmp_path: Path) -> None:
    address = UnixAddress(path=tmp_path / "s")
    with listeners.open_listener(address) as first:
        with pytest.raises(ListenError, match="another program listens there"):
            listeners.open_listener(address)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / "s"))
            assert select.select([first], [], [], 5)[0] == [first]


@pytest.mark.parametrize("port", ["", "65536", "1" * 5000, "\N{ARABIC-INDIC DIGIT THREE}", "-1"])
def test_a_port_is_a_number_of_ascii_digits(port: str) -> None:
    with pytest.raises(ListenError, match="with a port up to 65535"):
        parse_address(f"tcp:127.0.0.1:{port}")


@pytest.mark.parametrize(
    "text", ["tcp:127.0.0.1:4711", "tls:[::1]:1", "tcp:0.0.0.0:0", "unix:/a/b:c"]
)
def test_an_address_is_read_as_it_is_written(text: str) -> None:
    assert str(parse_address(text)) == text
