"""Confirmations of a record: signatures that stand in it, and receipts that bots have kept (docs/trust.md)."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

import msgspec

from arena.matches.facts import BotReady, Digest, GameEnded, ReceiptDisputed, ReceiptSigned
from arena.records.lines import UNREADABLE, Attempt, RecordError
from arena.records.signatures import key_problem, receipt_text

IsSigned: TypeAlias = Callable[[str, bytes, str], bool]
"""Whether the signature (third) of a text (second) is by a key (first); key and signature in hexadecimal."""

Level = Literal["proven", "confirmed", "claimed", "disputed"]


class ReceiptLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a bot's `receipts.jsonl`, as far as it matters here; other fields are passed over."""

    bot: str
    match: str
    attempt: int
    dice_commitment: Digest
    lines: Annotated[int, msgspec.Meta(ge=1)]
    sha256: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCounts:
    """Counts of the receipts given, and of what became of them."""

    used: int = 0
    """Those that fit a record of this run."""
    missing: int = 0
    """Those of this run that no record fits."""
    of_other_runs: int = 0

    @property
    def sentence(self) -> str:
        """All counts, for a person."""
        mine = f"{self.used + self.missing} of this run ({self.used} used, {self.missing} missing)"
        return f"receipts: {mine}, {self.of_other_runs} of other runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One row of what is known of a run."""

    what: str
    level: Level
    by: str
    """Who or what stands for it, or why it has no higher level."""
    entrant: str | None = None
    """Whose games it is about."""


def read_receipts(name: str, data: bytes) -> list[tuple[str, ReceiptLine]]:
    """The receipts in a file, each with its place; raises `RecordError` for a line that is none."""
    found = []
    for number, line in enumerate(data.splitlines(), start=1):
        where = f"{name}:{number}"
        try:
            found.append((where, msgspec.json.decode(line, type=ReceiptLine)))
        except UNREADABLE as error:
            message = f"this is no receipt ({error}); expected is a line that the kit has written to receipts.jsonl"
            raise RecordError(where, message) from error
    return found


@dataclass(slots=True)
class Confirmations:
    """Goes through the match records of a run; raises `RecordError` for one that is not the one confirmed."""

    is_signed: IsSigned | None
    """None where signatures are not checked."""
    receipts: Sequence[tuple[str, ReceiptLine]] = ()
    games: Counter[str] = field(default_factory=Counter)
    """How many games each entrant has played to an end."""
    signed: Counter[str] = field(default_factory=Counter)
    """How many of them it confirms by signature."""
    kept: Counter[str] = field(default_factory=Counter)
    """How many of them it confirms by a receipt."""
    keys: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    by_one: int = 0
    """Games that at least one of their players confirms."""
    by_both: int = 0
    disputes: list[Claim] = field(default_factory=list)
    _unused: dict[tuple[str, int, str], list[tuple[str, ReceiptLine]]] = field(default_factory=dict, init=False)
    """The receipts whose attempt was not taken yet, by match, attempt and commitment to the dice."""

    def __post_init__(self) -> None:
        for where, one in self.receipts:
            self._unused.setdefault((one.match, one.attempt, one.dice_commitment), []).append((where, one))

    def take(self, name: str, data: bytes, attempts: Sequence[Attempt], counted: int) -> None:
        """One match record; `counted` is the attempt that was settled, or 0."""
        lines = data.splitlines(keepends=True)
        for attempt in attempts:
            sealed = self._from_receipts(name, lines, attempt)
            signed = self._from_signatures(lines, attempt)
            if attempt.opened.attempt == counted:
                self._count(attempt, signed, sealed)

    def _from_receipts(self, name: str, lines: Sequence[bytes], attempt: Attempt) -> Mapping[str, int]:
        opened = attempt.opened
        found: dict[str, int] = {}
        for where, one in self._unused.pop((opened.match, opened.attempt, opened.dice_commitment), ()):
            if one.bot not in opened.entrants:
                raise RecordError(where, f"{one.bot} has a receipt of {one.match}, but did not play it")
            if one.lines > len(lines):
                raise RecordError(name, f"{one.bot} has a receipt of {one.lines} lines, but there are {len(lines)}")
            if hashlib.sha256(b"".join(lines[: one.lines])).hexdigest() != one.sha256:
                message = f"the first {one.lines} lines are not those of which {one.bot} has a receipt"
                raise RecordError(name, message)
            found[one.bot] = max(one.lines, found.get(one.bot, 0))
        return found

    def count_receipts(self, commitments: Collection[str], *, are_of_other_runs_too: bool) -> ReceiptCounts:
        """Count the receipts when all records were taken; raises `RecordError` for one of this run that none fits.

        `commitments` to dice are those of this run. A receipt with another is of another run only if it may be.
        """
        left = [receipt for receipts in self._unused.values() for receipt in receipts]
        missing = [(w, one) for w, one in left if not are_of_other_runs_too or one.dice_commitment in commitments]
        used, others = len(self.receipts) - len(left), len(left) - len(missing)
        counts = ReceiptCounts(used=used, missing=len(missing), of_other_runs=others)
        for where, one in missing:
            what = f"attempt {one.attempt} at {one.match} with the dice commitment {one.dice_commitment[:8]}..."
            message = f"{one.bot} has a receipt of {what}, which is not in this run"
            hint = "; give --other-runs if there are receipts of other runs in the file"
            raise RecordError(
                where,
                f"{message}: it was rolled back, or is an older copy; {counts.sentence}"
                f"{'' if are_of_other_runs_too else hint}",
            )
        return counts

    def _from_signatures(self, lines: Sequence[bytes], attempt: Attempt) -> Mapping[str, int]:
        """To which line each bot has signed an attempt; what does not fit is disputed, and makes no record wrong."""
        opened = attempt.opened
        keys: dict[int, str | None] = {}
        found: dict[str, int] = {}
        for where, fact in attempt.facts:
            if isinstance(fact, BotReady):
                keys[fact.seat] = fact.entrant.public_key
            elif isinstance(fact, ReceiptSigned | ReceiptDisputed):
                who, key = opened.entrants[fact.seat - 1], keys.get(fact.seat)
                if not 1 <= fact.lines < int(where.rpartition(":")[2]):
                    raise RecordError(where, f"the {fact.lines} lines it is about do not stand before it")
                if isinstance(fact, ReceiptDisputed):
                    self._dispute("objection", who, attempt, fact.lines, fact.objection)
                elif key is None:
                    raise RecordError(where, f"{who} cannot have signed this: it gave no key")
                elif problem := key_problem(bytes.fromhex(key)):
                    self._dispute("signature", who, attempt, fact.lines, f"the key is {problem}")
                elif self.is_signed is None:
                    self.keys[who].add(key)
                else:
                    digest = hashlib.sha256(b"".join(lines[: fact.lines])).hexdigest()
                    if self.is_signed(key, receipt_text(opened, fact.lines, digest), fact.signature):
                        self.keys[who].add(key)
                        found[who] = max(fact.lines, found.get(who, 0))
                    else:
                        self._dispute("signature", who, attempt, fact.lines, f"it does not fit them and the key {key}")
        return found

    def _dispute(self, what: str, who: str, attempt: Attempt, lines: int, reason: str) -> None:
        opened = attempt.opened
        by = f"{opened.match}, attempt {opened.attempt}, the first {lines} lines: {reason}"
        self.disputes.append(Claim(what=f"{what} of {who}", level="disputed", by=by, entrant=who))

    def _count(self, attempt: Attempt, signed: Mapping[str, int], sealed: Mapping[str, int]) -> None:
        for where, fact in attempt.facts:
            if isinstance(fact, GameEnded):
                line, players = int(where.rpartition(":")[2]), attempt.opened.entrants
                by = [who for who in players if max(signed.get(who, 0), sealed.get(who, 0)) >= line]
                self.by_one += bool(by)
                self.by_both += len(by) == len(players)
                for who in players:
                    self.games[who] += 1
                    self.signed[who] += signed.get(who, 0) >= line
                    self.kept[who] += sealed.get(who, 0) >= line

    def claims(self, entrants: Sequence[str], head: Claim) -> list[Claim]:
        """All that is known of a run that is in order. Without a game that counts there is nothing to prove."""
        total = sum(self.games.values()) // 2
        of_all = f"{self.by_one} of {total} games by a player, {self.by_both} by both"
        level: Level = "confirmed" if total and self.by_one == total else "claimed"
        proven = [
            Claim(what="dice", level="proven", by="seed and entropies, each committed to before any was revealed"),
            Claim(what="legality, endings, points", level="proven", by="judged again by the rules on record"),
            Claim(what="standings", level="proven", by="reckoned again from the matches"),
        ]
        return [
            *(proven if total else ()),
            *(self._of(who) for who in entrants),
            head,
            Claim(what="clocks, losses on time, dates", level=level, by=of_all),
            Claim(what="info, versions, fingerprints", level=level, by=of_all),
            Claim(what="commands, sandbox", level="claimed", by="nobody but the operator has seen them"),
            *self.disputes,
        ]

    def signers(self) -> dict[str, str]:
        """The key of every entrant that has signed all its games, with one key."""
        return {
            who: key
            for who, games in self.games.items()
            for key in self.keys[who]
            if len(self.keys[who]) == 1 and self.signed[who] == games
        }

    def _of(self, who: str) -> Claim:
        games, keys = self.games[who], ", ".join(sorted(self.keys[who]))
        parts = []
        if keys and self.is_signed is None:
            parts.append("signatures, which were not checked")
        elif keys:
            parts.append(f"{self.signed[who]} of {games} by signature with the key {keys}")
        if self.kept[who]:
            parts.append(f"{self.kept[who]} of {games} by receipt")
        covered = games > 0 and max(self.signed[who], self.kept[who]) == games
        by = "; ".join(parts) or "no signature, no receipt"
        level: Level = "confirmed" if covered else "claimed"
        return Claim(what=f"games of {who}", level=level, by=by, entrant=who)
