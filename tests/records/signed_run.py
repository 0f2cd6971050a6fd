"""A run as bytes in which both bots sign every receipt, and the operator the head of the tournament's record."""

import hashlib
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from arena.matches.facts import GameEnded
from arena.records.confirmations import head_text, receipt_text
from arena.records.facts import FixtureSettled, FixtureVoided, HeadSigned, TournamentEnded
from arena.records.lines import closing_line, encode_line, tournament_lines
from tests.matches.sitting import Sitting
from tests.records.small_run import (
    Files,
    attempt_record,
    lines,
    opened_tournament,
    played_attempt,
    run_of,
    voided_attempt,
)

NAMES = ("anna", "bo", "operator")
LEDGER = "tournament.jsonl"


def key_of(name: str) -> Ed25519PrivateKey:
    """The same key for a name every time."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())


def public_key_of(name: str) -> str:
    """Its public half in hexadecimal."""
    return key_of(name).public_key().public_bytes_raw().hex()


_COORDINATES = (
    *(
        coordinate.to_bytes(32, "little")
        for coordinate in (0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18)
    ),
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
)
LOW_ORDER = [
    (one[:31] + bytes([one[31] | sign])).hex() for one in _COORDINATES for sign in (0, 128)
]
"""Every spelling of a public key of order 1, 2, 4 or 8."""


def forged_signature(key: str, text: bytes) -> str:
    """A signature that fits a key of low order and a text, though nobody has a secret; empty if none was found."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    for point in LOW_ORDER:
        signature = bytes.fromhex(point) + bytes(32)
        with suppress(InvalidSignature):
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(signature, text)
            return signature.hex()
    return ""


def sign(sitting: Sitting, before: bytes = b"") -> Sitting:
    """Have both bots sign the receipts of all games; `before` are the attempts before this one."""
    for number in [
        at for at, fact in enumerate(sitting.facts, start=1) if isinstance(fact, GameEnded)
    ]:
        record = before + lines(sitting.facts[:number])
        place = record.count(b"\n")
        text = receipt_text(sitting.opened, place, hashlib.sha256(record).hexdigest())
        for seat in (1, 2):
            signature = key_of(sitting.opened.entrants[seat - 1]).sign(text).hex()
            sitting.answers_receipt(seat, place, signature)
    return sitting


def keyed(make: Any) -> Sitting:
    """A match in which both bots have given their keys."""
    Sitting.public_keys = {name: public_key_of(name) for name in NAMES[:2]}
    try:
        sitting: Sitting = make()
    finally:
        Sitting.public_keys = {}
    return sitting


def with_heads(files: Files, key: str = "operator", *, heads: int | None = None) -> Files:
    """The run with the head of its tournament record signed whenever a match was decided, and at the end.

    If only so many `heads` are asked for, the operator went on without the key after them.
    """
    signer, record, left = key_of(key), b"", 1_000 if heads is None else heads
    for _, fact in tournament_lines.read(LEDGER, files[LEDGER]):
        if isinstance(fact, HeadSigned):
            continue
        record += (
            closing_line(record)
            if str(fact.__struct_config__.tag) == "record_closed"
            else encode_line(fact)
        ) + b"\n"
        if left and isinstance(fact, FixtureSettled | FixtureVoided | TournamentEnded):
            left -= 1
            number, digest = record.count(b"\n"), hashlib.sha256(record).hexdigest()
            signature = signer.sign(head_text(number, digest)).hex()
            head = HeadSigned(
                at_ms=fact.at_ms,
                lines=number,
                sha256=digest,
                public_key=public_key_of(key),
                signature=signature,
            )
            record += encode_line(head) + b"\n"
    return files | {LEDGER: record}


@cache
def _signed_run() -> tuple[tuple[str, bytes], ...]:
    first = sign(keyed(voided_attempt))
    second = sign(keyed(played_attempt), attempt_record(first))
    return tuple(with_heads(run_of(opened_tournament(), first, second)).items())


def signed_run() -> Files:
    """The bytes of the finished run, by file: the small run, signed."""
    return dict(_signed_run())


def another_history() -> Files:
    """The same tournament as it might have gone, with other dice, signed by the same bots and the same operator."""

    def make() -> Sitting:
        return played_attempt(attempt=1, seed=bytes(range(64, 96)))

    return with_heads(run_of(opened_tournament(), sign(keyed(make))))


def receipts_of(files: Files, bot: str = "anna") -> bytes:
    """What a bot's kit has kept of the matches of a run."""
    kept = b""
    for name, data in files.items():
        if not name.startswith("matches/"):
            continue
        found = [msgspec.json.decode(line) for line in data.splitlines()]
        opened: dict[str, Any] = {}
        for number, fact in enumerate(found, start=1):
            opened = fact if fact["event"] == "match_opened" else opened
            if fact["event"] == "game_ended" and bot in opened["entrants"]:
                prefix = b"".join(data.splitlines(keepends=True)[:number])
                line = {
                    "at_ms": 0,
                    "bot": bot,
                    "match": opened["match"],
                    "attempt": opened["attempt"],
                    "dice_commitment": opened["dice_commitment"],
                    "game": fact["game"],
                    "lines": number,
                    "sha256": hashlib.sha256(prefix).hexdigest(),
                }
                kept += msgspec.json.encode(line) + b"\n"
    return kept
