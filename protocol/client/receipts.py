"""Receipts of the arena that a bot keeps, one of every game, signed if it has a key.

docs/receipts.md explains them.
"""

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec

from protocol.messages import Confirm, GameEnd, MatchEnd, MatchStart, Receipt

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

RECEIPTS_FILE: Final = "receipts.jsonl"
"""Beside the main script of the bot, if neither the environment nor the bot says otherwise."""
OBJECTION_CHARACTERS: Final = 200


class KeyFileError(Exception):
    """The signing key of the bot cannot be used; says why, and what to do."""


def signed_text(match: str, attempt: int, receipt: Receipt) -> bytes:
    """Return the text to sign: one line that names the record, its lines and their SHA-256."""
    return f"brade-receipt-1|{match}|{attempt}|{receipt.lines}|{receipt.sha256.hex()}".encode()


def read_key(path: str | os.PathLike[str]) -> "Ed25519PrivateKey":
    """Return the Ed25519 key of a PEM file, as `arena key new` writes it. Raises `KeyFileError`."""
    try:
        with open(path, "rb") as file:
            pem = file.read()
    except OSError as error:
        raise KeyFileError(
            f"{path}: {error.strerror}; expected the key of the bot, make one with: arena key new"
        ) from None
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError:
        raise KeyFileError(
            f"to sign receipts with {path} the library cryptography is needed: "
            "pip install cryptography"
        ) from None
    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyFileError(
            f"{path} is no Ed25519 key in PEM form ({error}); make one with: arena key new"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(
            f"{path} holds a key of another kind than Ed25519; make one with: arena key new"
        )
    return key


class Receipts:
    """The receipts of one bot, on however many connections."""

    def __init__(self, file: str | None, key_file: str | None) -> None:
        """`file` is where they are kept, None for nowhere; `key_file` holds the key.

        Raises `KeyFileError`.
        """
        self._path = _path_of(os.environ.get("ARENA_RECEIPTS", file))
        key_path = _path_of(os.environ.get("ARENA_SIGNING_KEY", key_file))
        self._key: Ed25519PrivateKey | None = None
        self.public_key: bytes | None = None
        """To log in with."""
        if key_path is not None:
            self._key = read_key(key_path)
            self.public_key = self._key.public_key().public_bytes_raw()

    def take(
        self,
        start: MatchStart,
        end: GameEnd | MatchEnd,
        name: str,
        objection: str = "",
    ) -> Confirm | None:
        """Keep the receipt of a game or a match, and give the answer to it if there is one."""
        receipt = end.receipt
        if receipt is None:
            return None
        game = None
        if isinstance(end, GameEnd):
            game = end.number
        line: dict[str, Any] = {
            "at_ms": int(time.time() * 1000),
            "bot": name,
            "match": start.match,
            "attempt": start.attempt,
            "dice_commitment": start.dice_commitment.hex(),
            "game": game,
            "lines": receipt.lines,
            "sha256": receipt.sha256.hex(),
        }
        signature = None
        if objection:
            line["objection"] = objection
        elif self._key is not None and self.public_key is not None:
            signature = self._key.sign(signed_text(start.match, start.attempt, receipt))
            line |= {"public_key": self.public_key.hex(), "signature": signature.hex()}
        self._keep(line)
        if isinstance(end, MatchEnd) or not (signature or objection):
            return None
        return Confirm(
            match=start.match,
            lines=receipt.lines,
            signature=signature,
            objection=_one_line(objection)[:OBJECTION_CHARACTERS],
        )

    def _keep(self, line: dict[str, Any]) -> None:
        """Add a line to the file; where it cannot be written nothing is kept."""
        if self._path is None:
            return
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError:
            # A launched bot may only read its folder: then the machine is the operator's anyway.
            self._path = None
            return
        with os.fdopen(file, "wb", buffering=0) as receipts:
            # One write, so that bots may share the file.
            receipts.write(msgspec.json.encode(line) + b"\n")


def _one_line(text: str) -> str:
    """Return a text with blanks for unprintable characters, which the arena refuses."""
    printable = ""
    for letter in text:
        printable += letter if letter.isprintable() else " "
    return printable


def _path_of(file: str | None) -> str | None:
    """Return where a file of the bot is: a relative path starts in the folder of its script."""
    if not file:
        return None
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if not script:
        return file
    return os.path.join(os.path.dirname(script), file)
