"""The kit keeps the receipt of every game, and signs it with its key."""

from __future__ import annotations

import json
import os
import re
import sys
from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from msgspec.structs import replace

from protocol.client.receipts import KeyFileError, Receipts, signed_text
from protocol.messages import GameEnd, MatchEnd, Receipt
from tests.protocol.samples import MATCH_START, SESSION
from tests.protocol.test_client_start import Listening, Town

RECEIPT = Receipt(lines=41, sha256=bytes(range(32)))
[END] = [replace(said, receipt=RECEIPT) for _, said in SESSION if isinstance(said, GameEnd)]
OVER = MatchEnd(match=MATCH_START.match, result="won", score=[6, 0], receipt=RECEIPT)


@pytest.fixture
def key(tmp_path: Path) -> str:
    """The file of a key."""
    path = tmp_path / "key.pem"
    path.write_bytes(Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return str(path)


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where receipts are kept."""
    path = tmp_path / "receipts.jsonl"
    monkeypatch.setenv("ARENA_RECEIPTS", str(path))
    return path


def test_what_is_signed_names_the_record_its_lines_and_their_hash() -> None:
    assert signed_text("r1-anna-v-bo", 2, RECEIPT) == (
        b"brade-receipt-1|r1-anna-v-bo|2|41|000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    )


def test_every_receipt_is_a_line_and_needs_no_key(kept: Path) -> None:
    receipts = Receipts("elsewhere", None)
    assert receipts.public_key is None
    assert receipts.take(MATCH_START, END, "anna") is None
    assert receipts.take(MATCH_START, OVER, "anna") is None
    game, match = map(json.loads, kept.read_text().splitlines())
    assert (game["bot"], game["match"], game["attempt"], game["game"]) == ("anna", "r1-anna-v-bo", 1, 1)
    assert (game["lines"], game["sha256"], match["game"]) == (41, RECEIPT.sha256.hex(), None)


def test_with_a_key_it_signs_every_game(kept: Path, key: str) -> None:
    receipts = Receipts(None, key)
    confirm = receipts.take(replace(MATCH_START, attempt=3), END, "anna")
    assert confirm is not None
    assert confirm.signature is not None
    assert receipts.public_key is not None
    public = Ed25519PublicKey.from_public_bytes(receipts.public_key)
    public.verify(confirm.signature, signed_text("r1-anna-v-bo", 3, RECEIPT))
    with pytest.raises(InvalidSignature):
        public.verify(confirm.signature, signed_text("r1-anna-v-bo", 2, RECEIPT))
    [line] = map(json.loads, kept.read_text().splitlines())
    assert (line["public_key"], line["signature"]) == (receipts.public_key.hex(), confirm.signature.hex())


def test_an_objection_is_sent_in_place_of_a_signature(kept: Path, key: str) -> None:
    """Cut to 200 characters, and kept."""
    confirm = Receipts(None, key).take(MATCH_START, END, "anna", "no " * 100)
    assert confirm is not None
    assert (confirm.signature, len(confirm.objection)) == (None, 200)
    assert "signature" not in json.loads(kept.read_text())


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, kept: Path) -> None:
    monkeypatch.delenv("ARENA_RECEIPTS")
    Receipts(None, None).take(MATCH_START, END, "anna")
    monkeypatch.setenv("ARENA_RECEIPTS", "")
    Receipts(str(kept), None).take(MATCH_START, END, "anna")
    assert not kept.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_only_be_read_costs_no_game(kept: Path, key: str) -> None:
    kept.parent.chmod(0o500)
    try:
        assert Receipts(None, key).take(MATCH_START, END, "anna") is not None
    finally:
        kept.parent.chmod(0o700)


def test_a_folder_that_is_not_there_costs_no_game(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("ARENA_RECEIPTS", "/nowhere/receipts.jsonl")
    assert Receipts(None, key).take(MATCH_START, END, "anna") is not None


@pytest.mark.parametrize("by", ["class", "environment"])
def test_files_are_relative_to_the_script(by: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "bot.py"), raising=False)
    files = ("receipts.jsonl", "key.pem")
    for variable, file in zip(("ARENA_RECEIPTS", "ARENA_SIGNING_KEY"), files, strict=True):
        monkeypatch.setenv(variable, file) if by == "environment" else monkeypatch.delenv(variable, raising=False)
    receipts = Receipts(*(files if by == "class" else (None, None)))
    receipts.take(MATCH_START, END, "anna")
    found = load_pem_private_key(Path(key).read_bytes(), None).public_key().public_bytes_raw()
    assert receipts.public_key == found
    assert json.loads((tmp_path / "receipts.jsonl").read_text())["public_key"] == found.hex()


def test_a_key_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "bot.py"), raising=False)
    other = generate_private_key(SECP256R1())
    (tmp_path / "other").write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    own = Ed25519PrivateKey.generate().private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    unknown = b64encode(own.replace(bytes.fromhex("2b6570"), bytes.fromhex("2b6502")))  # the number of the algorithm
    (tmp_path / "unknown").write_bytes(b"-----BEGIN PRIVATE KEY-----\n" + unknown + b"\n-----END PRIVATE KEY-----\n")
    (tmp_path / "junk").write_text("junk")
    for name in ("missing", "junk", "other", "unknown", "."):
        with pytest.raises(KeyFileError, match=rf"{re.escape(str(tmp_path / name))}.*arena key new"):
            Receipts(None, name)


def test_a_key_that_is_gone_when_the_bot_comes_back_is_one_line(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Listening, "signing_key", key)
    town = Town(tmp_path / "s")
    arena, _ = town.welcomed("key", grace_ms=60_000)
    Path(key).unlink()
    arena.stream.close()
    assert town.end() == 1
    town.close()
    assert f"{key}: No such file or directory; expected the key of the bot" in capsys.readouterr().err
