"""Confirmations of a record (docs/trust.md): signatures in it, and receipts that bots have kept."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from arena.matches.facts import (
    BotReady,
    Digest,
    GameEnded,
    MatchOpened,
    ReceiptDisputed,
    ReceiptSigned,
)
from arena.records import facts
from arena.records.files import Files
from arena.records.lines import UNREADABLE, Attempt, RecordError, digest_of, line_number
from arena.words import Said

IsSigned: TypeAlias = Callable[[str, bytes, str], bool]
"""Checks that a signature (third) of a text (second) is by a key (first).

Key and signature are in hexadecimal.
"""

Lines: TypeAlias = Callable[[], Sequence[bytes]]
"""Returns the lines of a match record, with their line feeds."""

Level = Literal["proven", "confirmed", "claimed", "disputed"]


class ReceiptLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a bot's `receipts.jsonl`, with the fields that matter for a record."""

    bot: str
    match: str
    attempt: int
    dice_commitment: Digest
    lines: Annotated[int, msgspec.Meta(ge=1)]
    sha256: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCounts:
    """Counts of the receipts that were handed in."""

    used: int = 0
    """Receipts that fit a record of this run."""
    missing: int = 0
    """Receipts of this run that no record fits."""
    of_other_runs: int = 0

    @property
    def sentence(self) -> str:
        """All counts, for a person."""
        of_this_run = self.used + self.missing
        return (
            f"receipts: {of_this_run} of this run ({self.used} used, {self.missing} missing), "
            f"{self.of_other_runs} of other runs"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement about a run, and how well it is proven."""

    what: str
    level: Level
    by: str
    """The evidence for it, or the reason why it has no higher level."""
    entrant: str | None = None
    """The entrant whose games it is about."""


def read_receipts(name: str, data: bytes) -> list[tuple[str, ReceiptLine]]:
    """Read the receipts in a file, each with its place.

    Raises `RecordError` for a line that is not a receipt.
    """
    receipts = []
    for number, line in enumerate(data.splitlines(), start=1):
        where = f"{name}:{number}"
        try:
            receipt = msgspec.json.decode(line, type=ReceiptLine)
        except UNREADABLE as error:
            message = (
                f"this is no receipt ({error}); "
                "expected is a line that the kit has written to receipts.jsonl"
            )
            raise RecordError(where, message) from error
        receipts.append((where, receipt))
    return receipts


@dataclass(slots=True)
class Confirmations:
    """Collects what confirms the match records of a run.

    Raises `RecordError` for a record that differs from the confirmed one.
    """

    is_signed: IsSigned | None
    """None where signatures are not checked."""
    receipts: Sequence[tuple[str, ReceiptLine]] = ()
    games: Counter[str] = field(default_factory=Counter)
    """Finished games, by entrant."""
    signed: Counter[str] = field(default_factory=Counter)
    """Games that an entrant confirms by signature."""
    kept: Counter[str] = field(default_factory=Counter)
    """Games that an entrant confirms by a receipt."""
    keys: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    by_one: int = 0
    """Games that at least one of their players confirms."""
    by_both: int = 0
    disputes: list[Claim] = field(default_factory=list)
    _unused: dict[tuple[str, int, str], list[tuple[str, ReceiptLine]]] = field(
        default_factory=dict, init=False
    )
    """The receipts of attempts that were not taken yet.

    They are by match, attempt and commitment to the dice.
    """

    def __post_init__(self) -> None:
        for where, receipt in self.receipts:
            attempt = (receipt.match, receipt.attempt, receipt.dice_commitment)
            self._unused.setdefault(attempt, []).append((where, receipt))

    def add(self, name: str, files: Files, attempts: Sequence[Attempt], counted: int) -> None:
        """Add one match record, whose lines are read only if a receipt or signature needs them.

        `counted` is the attempt that was settled, or 0.
        """
        lines = cache(lambda: files[name].splitlines(keepends=True))
        for attempt in attempts:
            sealed = self._from_receipts(name, lines, attempt)
            signed = self._from_signatures(lines, attempt)
            if attempt.opened.attempt == counted:
                self._count(attempt, signed, sealed)

    def _from_receipts(self, name: str, lines: Lines, attempt: Attempt) -> Mapping[str, int]:
        """Return how many lines of an attempt each bot confirms by receipts."""
        opened = attempt.opened
        confirmed: dict[str, int] = {}
        receipts = self._unused.pop((opened.match, opened.attempt, opened.dice_commitment), ())
        for where, receipt in receipts:
            bot = _entrant_of(receipt.bot, opened.entrants)
            if bot is None:
                message = f"{receipt.bot} has a receipt of {receipt.match}, but did not play it"
                raise RecordError(where, message)
            length = len(lines())
            if receipt.lines > length:
                message = f"{bot} has a receipt of {receipt.lines} lines, but there are {length}"
                raise RecordError(name, message)
            if _digest_of_first(receipt.lines, lines) != receipt.sha256:
                message = (
                    f"the first {receipt.lines} lines differ from those in the receipt of {bot}"
                )
                raise RecordError(name, message)
            confirmed[bot] = max(receipt.lines, confirmed.get(bot, 0))
        return confirmed

    def count_receipts(
        self, commitments: Collection[str], *, are_of_other_runs_too: bool
    ) -> ReceiptCounts:
        """Count the receipts when all records were taken.

        Raises `RecordError` for a receipt of this run that no record fits.
        """
        unused = list(chain.from_iterable(self._unused.values()))
        missing = unused
        if are_of_other_runs_too:
            missing = [
                (where, receipt)
                for where, receipt in unused
                if receipt.dice_commitment in commitments
            ]
        counts = ReceiptCounts(
            used=len(self.receipts) - len(unused),
            missing=len(missing),
            of_other_runs=len(unused) - len(missing),
        )
        if missing:
            where, receipt = missing[0]
            message = (
                f"{receipt.bot} has a receipt of attempt {receipt.attempt} at {receipt.match} "
                f"with the dice commitment {receipt.dice_commitment[:8]}..., "
                "which is not in this run: it was rolled back, or is an older copy; "
                f"{counts.sentence}"
            )
            if not are_of_other_runs_too:
                message += "; give --other-runs if there are receipts of other runs in the file"
            raise RecordError(where, message)
        return counts

    def _from_signatures(self, lines: Lines, attempt: Attempt) -> Mapping[str, int]:
        """Return how many lines of an attempt each bot confirms by signatures.

        A signature that does not fit is disputed; it makes no record wrong.
        """
        keys: dict[int, str | None] = {}
        confirmed: dict[str, int] = {}
        for where, fact in attempt.facts:
            if isinstance(fact, BotReady):
                keys[fact.seat] = fact.entrant.public_key
            elif isinstance(fact, ReceiptSigned | ReceiptDisputed):
                bot = attempt.opened.entrants[fact.seat - 1]
                if not 1 <= fact.lines < line_number(where):
                    problem = Said("record.lines_not_before", {"number": fact.lines})
                    raise RecordError(where, problem)
                if isinstance(fact, ReceiptDisputed):
                    self._dispute("objection", bot, attempt, fact.lines, fact.objection)
                    continue
                key = keys.get(fact.seat)
                if key is None:
                    problem = Said("record.no_key", {"name": bot})
                    raise RecordError(where, problem)
                if self._is_confirmed(fact, bot, key, lines, attempt):
                    confirmed[bot] = max(fact.lines, confirmed.get(bot, 0))
        return confirmed

    def _is_confirmed(
        self, fact: ReceiptSigned, bot: str, key: str, lines: Lines, attempt: Attempt
    ) -> bool:
        """Check one signature of a bot; dispute one that does not fit."""
        if problem := key_problem(bytes.fromhex(key)):
            self._dispute("signature", bot, attempt, fact.lines, f"the key is {problem}")
            return False
        if self.is_signed is None:
            self.keys[bot].add(key)
            return False
        digest = _digest_of_first(fact.lines, lines)
        text = receipt_text(attempt.opened, fact.lines, digest)
        if not self.is_signed(key, text, fact.signature):
            reason = f"it does not fit them and the key {key}"
            self._dispute("signature", bot, attempt, fact.lines, reason)
            return False
        self.keys[bot].add(key)
        return True

    def _dispute(self, kind: str, bot: str, attempt: Attempt, lines: int, reason: str) -> None:
        opened = attempt.opened
        by = f"{opened.match}, attempt {opened.attempt}, the first {lines} lines: {reason}"
        self.disputes.append(Claim(what=f"{kind} of {bot}", level="disputed", by=by, entrant=bot))

    def _count(
        self, attempt: Attempt, signed: Mapping[str, int], sealed: Mapping[str, int]
    ) -> None:
        """Count the games of the attempt that was settled, and which players confirm them."""
        players = attempt.opened.entrants
        for where, fact in attempt.facts:
            if isinstance(fact, GameEnded):
                line = line_number(where)
                confirming = 0
                for player in players:
                    is_signed = signed.get(player, 0) >= line
                    is_sealed = sealed.get(player, 0) >= line
                    self.games[player] += 1
                    self.signed[player] += is_signed
                    self.kept[player] += is_sealed
                    confirming += is_signed or is_sealed
                self.by_one += confirming > 0
                self.by_both += confirming == len(players)

    def claims(self, entrants: Sequence[str], head: Claim) -> list[Claim]:
        """Return all that is known of a run whose records are right.

        Without a game that counts there is nothing to prove.
        """
        total = sum(self.games.values()) // 2
        claims: list[Claim] = []
        if total:
            claims += _PROVEN
        claims += map(self._games_claim, entrants)
        claims.append(head)
        level: Level = "confirmed" if total and self.by_one == total else "claimed"
        by = f"{self.by_one} of {total} games by a player, {self.by_both} by both"
        claims.append(Claim(what="clocks, losses on time, dates", level=level, by=by))
        claims.append(Claim(what="info, versions, fingerprints", level=level, by=by))
        by = "only the operator has seen them"
        claims.append(Claim(what="commands, sandbox", level="claimed", by=by))
        return claims + self.disputes

    def signers(self) -> dict[str, str]:
        """Return the key of every entrant that has signed all its games, with one key."""
        signers = {}
        for entrant, games in self.games.items():
            keys = self.keys[entrant]
            if len(keys) == 1 and self.signed[entrant] == games:
                [key] = keys
                signers[entrant] = key
        return signers

    def _games_claim(self, entrant: str) -> Claim:
        """Return who confirms the games of an entrant, by signatures and receipts."""
        games = self.games[entrant]
        signed = self.signed[entrant]
        kept = self.kept[entrant]
        keys = ", ".join(sorted(self.keys[entrant]))
        parts = []
        if keys and self.is_signed is None:
            parts.append("signatures, which were not checked")
        elif keys:
            parts.append(f"{signed} of {games} by signature with the key {keys}")
        if kept:
            parts.append(f"{kept} of {games} by receipt")
        is_covered = games > 0 and max(signed, kept) == games
        level: Level = "confirmed" if is_covered else "claimed"
        by = "; ".join(parts) or "no signature, no receipt"
        return Claim(what=f"games of {entrant}", level=level, by=by, entrant=entrant)


_PROVEN: Final = (
    Claim(
        what="dice",
        level="proven",
        by="seed and entropies, each committed to before any was revealed",
    ),
    Claim(
        what="legality, endings, points",
        level="proven",
        by="judged again by the rules on record",
    ),
    Claim(what="standings", level="proven", by="computed again from the matches"),
)


def _entrant_of(bot: str, entrants: Sequence[str]) -> str | None:
    """Return which entrant a bot was; in a ladder that is one of its versions, as `anna-2`."""
    if bot in entrants:
        return bot
    for entrant in entrants:
        if re.fullmatch(rf"{re.escape(bot)}-[0-9]+", entrant):
            return entrant
    return None


def _digest_of_first(number: int, lines: Lines) -> str:
    return digest_of(b"".join(lines()[:number]))


# What keys sign: the head of a record, which is one hash for all of a run, and receipts; and keys
# to refuse

_P: Final = 2**255 - 19
"""The field of the curve: the low 255 bits of a key are a coordinate below it, the highest bit is a
sign."""
_OF_ORDER_8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
LOW_ORDER: Final = "of low order, proves nothing"
NOT_CANONICAL: Final = "not in canonical form, proves nothing"
_LOW_ORDER: Final = {0, 1, _P - 1, _OF_ORDER_8, _P - _OF_ORDER_8}
"""The coordinates of the points whose order is 1, 2, 4 or 8 (RFC 8032, 5.1)."""
DECIDING: Final = (
    facts.FixtureSettled,
    facts.FixtureVoided,
    facts.EntrantsAbsent,
    facts.EntrantsAdded,
    facts.TournamentEnded,
)
"""Facts that the operator has to sign; the others follow from them, or are signed with the next
of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Head of a tournament record: its length and its hash.

    The record has the hashes of the tournament file and of the settled match records.
    """

    lines: int
    sha256: str
    public_key: str | None
    """The key that has signed it last, at an earlier line; None if it is not signed."""
    signed_lines: int
    """Number of lines that this key has signed."""
    is_signed: bool
    """True if the key has signed all facts that decide: none follows the lines it has signed."""

    @property
    def signed(self) -> Said:
        """Key that has signed it, and how far."""
        if self.public_key is None:
            return Said("head.unsigned")
        if self.is_signed:
            return Said("head.signed", {"key": self.public_key})
        return Said(
            "head.signed_to",
            {"line": self.signed_lines, "lines": self.lines, "key": self.public_key},
        )

    @property
    def sentence(self) -> Said:
        """Sentence to publish."""
        return Said("head.published", {"head": self.text, "signed": self.signed})

    @property
    def text(self) -> str:
        """The head in one word, as `arena verify --head` takes it."""
        return f"{self.lines}:{self.sha256}"


def head_of(record: bytes, recorded: Sequence[facts.TournamentFact]) -> Head:
    """Return the head of a tournament record, which has these facts."""
    public_key = None
    signed_lines = 0
    is_signed = False
    for fact in recorded:
        if isinstance(fact, facts.HeadSigned):
            public_key = fact.public_key
            signed_lines = fact.lines
            is_signed = True
        elif isinstance(fact, DECIDING):
            is_signed = False
    return Head(
        lines=record.count(b"\n"),
        sha256=digest_of(record),
        public_key=public_key,
        signed_lines=signed_lines,
        is_signed=is_signed,
    )


def head_problem(record: bytes, text: str) -> str:
    """Return why a published head (`Head.text`) does not fit this record; empty if it fits.

    The record may have grown since.
    """
    number, _, digest = text.partition(":")
    lines = record.splitlines(keepends=True)
    if int(number) > len(lines):
        return f"the head has {number} lines, the record only {len(lines)}"
    if digest_of(b"".join(lines[: int(number)])) != digest.lower():
        return f"its first {number} lines are not those of the head {text}"
    return ""


def head_text(lines: int, sha256: str) -> bytes:
    """Return the text that the operator's key signs."""
    return f"brade-head-1|{lines}|{sha256}".encode()


def receipt_text(opened: MatchOpened, lines: int, sha256: str) -> bytes:
    """Return the text that a bot's key signs of the record of a match (docs/receipts.md)."""
    return f"brade-receipt-1|{opened.match}|{opened.attempt}|{lines}|{sha256}".encode()


def key_reason(problem: str) -> Said:
    """Say a problem that `key_problem` has returned."""
    if problem == LOW_ORDER:
        return Said("record.low_order")
    return Said("record.not_canonical_key")


def key_problem(public_key: bytes) -> str:
    """Return why a public key of 32 bytes is refused, to put after "the key is".

    Empty if it may be used.
    """
    coordinate = int.from_bytes(public_key, "little") % 2**255
    if coordinate % _P in _LOW_ORDER:
        return LOW_ORDER
    if coordinate >= _P:
        return NOT_CANONICAL
    return ""
