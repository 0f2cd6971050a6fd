"""The number of a pairing, which anyone can compute once the key of the day is revealed."""

import hashlib
import hmac

import pytest

from arena.records.ladder_draws import digest_of_free, drawn_number

KEY = bytes(range(32))
HEAD = "ab" * 32
DIGEST = "f9ede92e44fee95a3c2ee6c1a10032d4866a17ca1153e8f667b97765821f166a"
NUMBER = 818715612837060


def test_the_digest_of_who_was_free_follows_from_the_ids_in_any_order() -> None:
    assert digest_of_free(["bo-1", "anna-2"]) == DIGEST
    assert digest_of_free(["anna-2", "bo-1"]) == hashlib.sha256(b"anna-2\nbo-1\n").hexdigest()


def test_the_number_is_the_first_53_bits_of_an_hmac() -> None:
    assert drawn_number(KEY, HEAD, 2, DIGEST) == NUMBER
    text = f"brade-pairing-1|{HEAD}|2|{DIGEST}".encode()
    whole = int.from_bytes(hmac.new(KEY, text, hashlib.sha256).digest())
    assert whole >> (256 - 53) == NUMBER


@pytest.mark.parametrize(
    ("key", "head", "free", "digest"),
    [
        (bytes(32), HEAD, 2, DIGEST),
        (KEY, "ba" * 32, 2, DIGEST),
        (KEY, HEAD, 3, DIGEST),
        (KEY, HEAD, 2, "00" * 32),
    ],
    ids=["key", "head", "number of free", "who was free"],
)
def test_each_part_changes_the_number(key: bytes, head: str, free: int, digest: str) -> None:
    assert drawn_number(key, head, free, digest) != NUMBER
