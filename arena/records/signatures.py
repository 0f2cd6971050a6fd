"""What keys sign: the head of a tournament's record, one hash for all of a run, and receipts; and keys to refuse."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.matches.facts import MatchOpened
from arena.records import facts
from arena.words import Said

_P: Final = 2**255 - 19
"""The field of the curve: the low 255 bits of a key are a coordinate below it, the highest bit is a sign."""
_OF_ORDER_8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_LOW_ORDER: Final = {0, 1, _P - 1, _OF_ORDER_8, _P - _OF_ORDER_8}
"""The coordinates of the points whose order is 1, 2, 4 or 8 (RFC 8032, 5.1)."""
DECIDING: Final = (facts.FixtureSettled, facts.FixtureVoided, facts.EntrantsAdded, facts.TournamentEnded)
"""Facts for which somebody has to stand; the others follow from them, or are signed with the next of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Head: how far a tournament record goes, with the hashes of its tournament file and settled match records."""

    lines: int
    sha256: str
    public_key: str | None
    """The key that has signed it last, at an earlier line; None if nobody has."""
    signed_lines: int
    """How many lines this key has signed."""
    is_signed: bool
    """Whether the key has signed everything that decides: nothing of that kind follows the lines it has signed."""

    @property
    def signed(self) -> Said:
        """Key that has signed it, and how far."""
        if self.public_key is None:
            return Said("head.unsigned")
        if self.is_signed:
            return Said("head.signed", {"key": self.public_key})
        return Said("head.signed_to", {"line": self.signed_lines, "lines": self.lines, "key": self.public_key})

    @property
    def sentence(self) -> Said:
        """Sentence to publish."""
        return Said("head.published", {"head": self.text, "signed": self.signed})

    @property
    def text(self) -> str:
        """The head in one word, as `arena verify --head` takes it."""
        return f"{self.lines}:{self.sha256}"


def head_of(record: bytes, told: Sequence[facts.TournamentFact]) -> Head:
    """The head of a tournament record, which has these facts."""
    told = [fact for fact in told if isinstance(fact, (facts.HeadSigned, *DECIDING))]
    last = next((fact for fact in reversed(told) if isinstance(fact, facts.HeadSigned)), None)
    return Head(
        lines=record.count(b"\n"),
        sha256=hashlib.sha256(record).hexdigest(),
        public_key=last.public_key if last else None,
        signed_lines=last.lines if last else 0,
        is_signed=last is not None and told[-1] is last,
    )


def head_problem(record: bytes, text: str) -> str:
    """Return why a published head (`Head.text`) does not fit this record, which may have grown; empty if it fits."""
    number, _, digest = text.partition(":")
    lines = record.splitlines(keepends=True)
    if int(number) > len(lines):
        return f"the head has {number} lines, the record only {len(lines)}"
    if hashlib.sha256(b"".join(lines[: int(number)])).hexdigest() != digest.lower():
        return f"its first {number} lines are not those of the head {text}"
    return ""


def head_text(lines: int, sha256: str) -> bytes:
    """Return the text that the operator's key signs."""
    return f"brade-head-1|{lines}|{sha256}".encode()


def receipt_text(opened: MatchOpened, lines: int, sha256: str) -> bytes:
    """Return the text that a bot's key signs of the record of a match (docs/receipts.md)."""
    return f"brade-receipt-1|{opened.match}|{opened.attempt}|{lines}|{sha256}".encode()


def key_problem(public_key: bytes) -> str:
    """Return why a public key of 32 bytes is refused, to put after "the key is"; empty if it may be used."""
    coordinate = int.from_bytes(public_key, "little") % 2**255
    if coordinate % _P in _LOW_ORDER:
        return "of low order, proves nothing"
    return "" if coordinate < _P else "not in canonical form, proves nothing"
