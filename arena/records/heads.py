"""The head of a tournament's record: one hash that stands for everything in a run, signed by the operator's key."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from arena.matches.facts import MatchOpened
from arena.records.facts import HeadSigned, TournamentFact


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How far a tournament record goes. It holds the hash of the tournament file and of every settled match record."""

    lines: int
    sha256: str
    public_key: str | None
    """The key that has signed it last, at an earlier line; None if nobody has."""

    @property
    def sentence(self) -> str:
        """What to publish."""
        signed = f"signed by the key {self.public_key}" if self.public_key else "signed by nobody"
        return f"{self.lines} lines of tournament.jsonl, SHA-256 {self.sha256}; {signed}"


def head_of(record: bytes, facts: Sequence[TournamentFact]) -> Head:
    """The head of a tournament record, which has these facts."""
    keys = [fact.public_key for fact in facts if isinstance(fact, HeadSigned)]
    digest = hashlib.sha256(record).hexdigest()
    return Head(lines=record.count(b"\n"), sha256=digest, public_key=keys[-1] if keys else None)


def head_text(lines: int, sha256: str) -> bytes:
    """What the operator's key signs."""
    return f"brade-head-1|{lines}|{sha256}".encode()


def receipt_text(opened: MatchOpened, lines: int, sha256: str) -> bytes:
    """What a bot's key signs of the record of a match (docs/receipts.md)."""
    return f"brade-receipt-1|{opened.match}|{opened.attempt}|{lines}|{sha256}".encode()
