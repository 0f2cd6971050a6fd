"""What an author is sent: the address that the bot can reach, its name and its token."""

import json
from pathlib import Path

import pytest
import trustme

from arena.server.setup.invitation import Invitation, InvitationError, invitation
from arena.server.setup.run_folder import OPERATOR_LOG, RunFolder, Secrets
from arena.server.setup.tournament_file import parse_plan
from tests import certificates

BOTS = """
[[bot]]
name = "Bo Ek, Vasa"
id = "bo"
remote = true
[[bot]]
name = "anna"
command = "sh"
[[bot]]
name = "cia"
person = true
[clock]
bank_ms = 900000
"""
TOKEN = "a-token-of-the-arena"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    (tmp_path / "run").mkdir()
    found = RunFolder(tmp_path / "run")
    found.write_secrets(Secrets(tokens={"bo": TOKEN, "cia": TOKEN}))
    (tmp_path / "run" / "lock").write_text(str(tmp_path))
    return found


def invited(folder: RunFolder, listen: str, name: str = "bo", bots: str = BOTS) -> Invitation:
    return invitation(folder, parse_plan(f"[listen]\n{listen}\n{bots}"), name)


@pytest.mark.parametrize("name", ["bo", "Bo Ek, Vasa"])
def test_the_address_of_the_file_the_id_and_the_token(folder: RunFolder, name: str) -> None:
    found = invited(folder, 'address = "tcp:127.0.0.1:4711"', name)
    assert (found.address, found.name, found.token) == ("tcp:127.0.0.1:4711", "bo", TOKEN)
    assert not found.is_free_port
    assert TOKEN not in repr(found)


def test_a_free_port_is_that_of_the_last_start(folder: RunFolder) -> None:
    free = 'address = "tcp:127.0.0.1:0"'
    with pytest.raises(InvitationError, match="start it first, or name a port"):
        invited(folder, free)
    events = [
        {"event": "waiting_for_bots", "address": f"tcp:127.0.0.1:{port}"} for port in (4001, 4002)
    ]
    lines = [json.dumps(event) for event in (*events, {"event": "stopping", "turns": 1})]
    (folder.path / OPERATOR_LOG).write_text("\n".join(lines) + "\n")
    found = invited(folder, free)
    assert (found.address, found.is_free_port) == ("tcp:127.0.0.1:4002", True)


def test_every_network_is_no_address_to_send(folder: RunFolder) -> None:
    for written, sent in {
        "tcp:0.0.0.0:4711": "tcp:HOST:4711",
        "tcp:[::]:4711": "tcp:HOST:4711",
        "tcp:[2001:db8::1]:4711": "tcp:[2001:db8::1]:4711",
        "unix:/run/arena/socket": "unix:/run/arena/socket",
    }.items():
        assert invited(folder, f'address = "{written}"\ninsecure = true').address == sent


TLS = 'address = "tcp:0.0.0.0:4711"\ncertificate = "arena.pem"\nkey = "arena.key"'


def test_with_a_certificate_the_name_on_it_is_sent(folder: RunFolder, tmp_path: Path) -> None:
    certificates.write_files(tmp_path)
    found = invited(folder, TLS)
    assert (found.address, found.authority) == ("tls:localhost:4711", None)


def test_a_certificate_that_no_authority_has_signed_is_sent_too(
    folder: RunFolder, tmp_path: Path
) -> None:
    trustme.CA().cert_pem.write_to_path(tmp_path / "arena.pem")
    found = invited(folder, TLS)
    assert (found.address, found.authority) == ("tls:HOST:4711", "arena.pem")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bob", "no entrant is called 'bob'; from elsewhere connect bo; did you mean 'bo'?"),
        (
            "Bo Ek, Wasa",
            "no entrant is called 'Bo Ek, Wasa'; from elsewhere connect bo; did you mean 'bo'?",
        ),
        ("anna", "anna is started by the arena, and needs nothing from you"),
        ("cia", "cia plays by hand, by a link that `arena run` prints"),
    ],
)
def test_who_needs_none_is_told(folder: RunFolder, name: str, reason: str) -> None:
    with pytest.raises(InvitationError) as caught:
        invited(folder, 'address = "tcp:127.0.0.1:4711"', name)
    assert str(caught.value) == reason


def test_a_person_with_a_program_is_sent_the_same(folder: RunFolder) -> None:
    assert invited(folder, 'address = "unix:/x"\npages = ""', "cia").name == "cia"


def test_a_token_file_is_looked_for_where_the_commands_run(
    folder: RunFolder, tmp_path: Path
) -> None:
    bots = BOTS.replace("remote = true", 'remote = true\ntoken_file = "bo.token"')
    with pytest.raises(
        InvitationError, match=r"token_file 'bo\.token' cannot be used: No such file"
    ):
        invited(folder, 'address = "unix:/x"', bots=bots)
    (tmp_path / "bo.token").write_text("open sesame, please\n")
    assert invited(folder, 'address = "unix:/x"', bots=bots).token == "open sesame, please"


def test_before_the_first_start_there_is_no_token(folder: RunFolder) -> None:
    folder.write_secrets(Secrets())
    with pytest.raises(InvitationError, match="no token for bo yet; `arena run` makes it"):
        invited(folder, 'address = "unix:/x"')
    (folder.path / "secrets.json").write_text("{")
    with pytest.raises(InvitationError, match="the tokens cannot be read"):
        invited(folder, 'address = "unix:/x"')
