"""The operator's key: what is no such key is refused by name."""

import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from arena.server.setup.credentials import SigningKeyError, new_key, public_key_of

OTHER_KIND = X25519PrivateKey.generate().private_bytes(
    Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
)


def test_a_new_key_is_read_again(tmp_path: Path) -> None:
    public_key = new_key(tmp_path / "key.pem")
    assert public_key_of(tmp_path / "key.pem") == public_key
    with pytest.raises(SigningKeyError, match="is there already; a key is never overwritten"):
        new_key(tmp_path / "key.pem")


@pytest.mark.parametrize(
    ("pem", "told"),
    [
        (None, "No such file"),
        (b"", "is not an Ed25519 key in PEM form"),
        (b"no key\n", "is not an Ed25519 key in PEM form"),
        (OTHER_KIND, "is not an Ed25519 key in PEM form"),
    ],
    ids=["missing", "empty", "other text", "another kind"],
)
def test_what_is_no_key_is_named_with_what_makes_one(
    tmp_path: Path, pem: bytes | None, told: str
) -> None:
    path = tmp_path / "operator.pem"
    if pem is not None:
        path.write_bytes(pem)
    with pytest.raises(SigningKeyError, match=f"{re.escape(str(path))}.*{told}.*arena key new"):
        public_key_of(path)
