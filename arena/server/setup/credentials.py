"""Credentials: tokens of remote bots, the certificate, the operator's key and its signatures."""

import os
import ssl
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.regular_files import read_regular
from arena.server.io.tls import CertificateError, server_context
from arena.server.setup.listen_section import ListenSection
from arena.server.setup.run_folder import LOCK_FILE, RunFolder
from arena.server.setup.tournament_file import Plan
from arena.words import Said, SaidError
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TOKEN_CHARACTERS: Final = 256
"""The longest token a login can hold."""
SHORTEST_TOKEN: Final = 12
"""Characters that cannot be guessed at a few thousand guesses a second.

Wrong logins are not barred.
"""
TOKEN_FILE_BYTES: Final = 4096
"""The largest file of a token, with the white space around it."""
MOST_RUNS: Final = 1000
"""Runs in the same folder that are searched for the keys that have signed them."""
KEY_FILE_BYTES: Final = 64 * 1024
"""The largest file of a key that signs."""


class TokenError(SaidError):
    """The file of a token cannot be used."""


class SigningKeyError(SaidError):
    """The operator's key cannot be used or made; says why, and what to do."""

    def __init__(
        self,
        code: str,
        path: Path,
        error: OSError | None = None,
    ) -> None:
        reason = "" if error is None else system_reason(error)
        super().__init__(Said(code, {"path": str(path), "reason": reason}))


def read_token(path: Path) -> str:
    """Return the token in a file, without white space around it. Raises `TokenError`."""
    try:
        token = read_regular(path, TOKEN_FILE_BYTES).decode().strip()
    except OSError as error:
        unreadable = Said("token.unreadable", {"reason": system_reason(error)})
        raise TokenError(unreadable) from error
    except UnicodeDecodeError as error:
        not_text = Said("token.not_utf_8", {"byte": error.start + 1})
        raise TokenError(not_text) from error
    length = len(token)
    if not token:
        raise TokenError(Said("token.empty"))
    if length < SHORTEST_TOKEN:
        values = {"number": length, "least": SHORTEST_TOKEN}
        raise TokenError(Said("token.short", values))
    if length > TOKEN_CHARACTERS:
        values = {"number": length, "most": TOKEN_CHARACTERS}
        raise TokenError(Said("token.long", values))
    return token


def given_tokens(plan: Plan, directory: Path) -> list[str]:
    """Return the tokens in the operator's files that can be read; no log may show them."""
    tokens = []
    for section in plan.bot:
        if section.token_file is not None:
            with suppress(TokenError):  # `credential_problems` reports it
                tokens.append(read_token(directory / section.token_file))
    return tokens


def tls_of(listen: ListenSection, directory: Path) -> ssl.SSLContext | None:
    """Return the TLS context, if a tournament file asks for TLS. Raises `CertificateError`."""
    if listen.certificate is None or listen.key is None:
        return None
    return server_context(directory / listen.certificate, directory / listen.key)


def credential_problems(plan: Plan, directory: Path) -> list[Said]:
    """Say which of the operator's files cannot be used, before anything begins."""
    problems = []
    for section in plan.bot:
        if section.token_file is None:
            continue
        try:
            read_token(directory / section.token_file)
        except TokenError as error:
            values = {
                "file": repr(section.token_file),
                "problem": error.said,
            }
            unusable = Said("token.unusable", values)
            values = {"name": section.name, "problem": unusable}
            problems.append(Said("plan.of_bot", values))
    try:
        tls_of(plan.listen, directory)
    except CertificateError as error:
        problems.append(Said("plan.certificate", {"problem": error.said}))
    return problems


def secret_files(plan: Plan) -> Iterator[str]:
    """Yield the secret files of a plan, by the names that the operator gave."""
    for section in plan.bot:
        if section.token_file is not None:
            yield section.token_file
    if plan.listen.key is not None:
        yield plan.listen.key


def places_of_run(folder: Path | None, key: Path | None) -> list[Path]:
    """Return the paths of a run that no bot may read, besides the `secret_files` of its plan.

    These are its folder, which holds its own secrets, the key that signs its record, and the keys
    of the runs in the same folder.
    """
    places: list[Path] = []
    if folder is not None:
        places.append(folder)
    if key is not None:
        places.append(key)
    if folder is not None:
        places += _keys_beside(folder)
    return list(dict.fromkeys(place.absolute() for place in places))


def _keys_beside(run: Path) -> Iterator[Path]:
    """Yield the keys, if known, that have signed a run and the runs in the same folder."""
    for lock in islice(run.parent.glob(f"*/{LOCK_FILE}"), MOST_RUNS):
        try:
            key = RunFolder(lock.parent).key
        except OSError:  # this lock is not a file of an arena
            continue
        if key is not None and key.is_file():
            yield key


def open_secrets(plan: Plan, directory: Path) -> list[str]:
    """Return the secret files that others on this machine can read, by the operator's names."""
    names = []
    for name in secret_files(plan):
        mode = (directory / name).stat().st_mode
        if stat.S_IMODE(mode) & 0o077:
            names.append(name)
    return names


# Ed25519 keys


class Signer:
    """The operator's key."""

    def __init__(
        self,
        path: Path,
        run: Path,
    ) -> None:
        """Read the key; it may not lie in the folder `run`. Raises `SigningKeyError`."""
        if path.resolve().is_relative_to(run.resolve()):
            raise SigningKeyError("key.in_run_folder", path)
        self.path = path
        self._key = _read_key(path)
        if path.stat().st_mode & 0o077:
            raise SigningKeyError("key.open", path)
        self.public_key = self._key.public_key().public_bytes_raw().hex()
        """The public key in hexadecimal."""

    def sign(self, text: bytes) -> str:
        """Return the signature of a text, in hexadecimal."""
        return self._key.sign(text).hex()


def new_key(path: Path) -> str:
    """Make a key in a new file that only its owner can read; return the public key.

    Raises `SigningKeyError`.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SigningKeyError("key.exists", path) from None
    except OSError as error:
        raise SigningKeyError("key.unwritable", path, error) from None
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with os.fdopen(file, "wb") as stream:
        stream.write(pem)
    return key.public_key().public_bytes_raw().hex()


def public_key_of(path: Path) -> str:
    """Return the public key of a key file, in hexadecimal. Raises `SigningKeyError`."""
    return _read_key(path).public_key().public_bytes_raw().hex()


def _read_key(path: Path) -> "Ed25519PrivateKey":
    """Read a signing key. Raises `SigningKeyError`."""
    try:
        pem = read_regular(path, KEY_FILE_BYTES)
    except OSError as error:
        raise SigningKeyError("key.unreadable", path, error) from None
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = None
    with suppress(ValueError, TypeError, UnsupportedAlgorithm):
        key = load_pem_private_key(pem, None)
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningKeyError("key.not_ed25519", path)
    return key


def is_signed(
    public_key: str,
    text: bytes,
    signature: str,
) -> bool:
    """Return whether a signature belongs to a text; key and signature are hexadecimal."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True
