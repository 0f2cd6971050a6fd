"""Confirmations of a record: what keys sign, the signatures in it, and receipts that bots have kept (docs/trust.md)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
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
"""Whether the signature (third) of a text (second) is by a key (first); key and signature in
hexadecimal."""

Lines: TypeAlias = Callable[[], Sequence[bytes]]
"""Gives the lines of a match record, with their line feeds."""

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
    _unused: dict[tuple[str, int, str], list[tuple[str, ReceiptLine]]] = field(
        default_factory=dict, init=False
    )
    """The receipts whose attempt was not taken yet, by match, attempt and commitment to the dice."""

    def __post_init__(self) -> None:
        for where, one in self.receipts:
            self._unused.setdefault((one.match, one.attempt, one.dice_commitment), []).append(
                (where, one)
            )

    def take(self, name: str, files: Files, attempts: Sequence[Attempt], counted: int) -> None:
        """Take one match record, which is read only for a receipt; `counted` is the attempt that was settled, or 0."""
        lines = cache(lambda: files[name].splitlines(keepends=True))
        for attempt in attempts:
            sealed = self._from_receipts(name, lines, attempt)
            signed = self._from_signatures(lines, attempt)
            if attempt.opened.attempt == counted:
                self._count(attempt, signed, sealed)

    def _from_receipts(self, name: str, lines: Lines, attempt: Attempt) -> Mapping[str, int]:
        opened = attempt.opened
        found: dict[str, int] = {}
        for where, one in self._unused.pop(
            (opened.match, opened.attempt, opened.dice_commitment), ()
        ):
            if one.bot not in opened.entrants:
                raise RecordError(
                    where, f"{one.bot} has a receipt of {one.match}, but did not play it"
                )
            if one.lines > len(lines()):
                raise RecordError(
                    name,
                    f"{one.bot} has a receipt of {one.lines} lines, but there are {len(lines())}",
                )
            if digest_of(b"".join(lines()[: one.lines])) != one.sha256:
                message = (
                    f"the first {one.lines} lines are not those of which {one.bot} has a receipt"
                )
                raise RecordError(name, message)
            found[one.bot] = max(one.lines, found.get(one.bot, 0))
        return found

    def count_receipts(
        self, commitments: Collection[str], *, are_of_other_runs_too: bool
    ) -> ReceiptCounts:
        """Count the receipts when all records were taken; raises `RecordError` for one of this run that none fits."""
        left = [receipt for receipts in self._unused.values() for receipt in receipts]
        missing = [
            (w, one)
            for w, one in left
            if not are_of_other_runs_too or one.dice_commitment in commitments
        ]
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

    def _from_signatures(self, lines: Lines, attempt: Attempt) -> Mapping[str, int]:
        """To which line each bot has signed an attempt; what does not fit is disputed, and makes no record wrong."""
        opened = attempt.opened
        keys: dict[int, str | None] = {}
        found: dict[str, int] = {}
        for where, fact in attempt.facts:
            if isinstance(fact, BotReady):
                keys[fact.seat] = fact.entrant.public_key
            elif isinstance(fact, ReceiptSigned | ReceiptDisputed):
                who, key = opened.entrants[fact.seat - 1], keys.get(fact.seat)
                if not 1 <= fact.lines < line_number(where):
                    raise RecordError(
                        where, Said("record.lines_not_before", {"number": fact.lines})
                    )
                if isinstance(fact, ReceiptDisputed):
                    self._dispute("objection", who, attempt, fact.lines, fact.objection)
                elif key is None:
                    raise RecordError(where, Said("record.no_key", {"name": who}))
                elif problem := key_problem(bytes.fromhex(key)):
                    self._dispute("signature", who, attempt, fact.lines, f"the key is {problem}")
                elif self.is_signed is None:
                    self.keys[who].add(key)
                else:
                    digest = digest_of(b"".join(lines()[: fact.lines]))
                    if self.is_signed(
                        key, receipt_text(opened, fact.lines, digest), fact.signature
                    ):
                        self.keys[who].add(key)
                        found[who] = max(fact.lines, found.get(who, 0))
                    else:
                        self._dispute(
                            "signature",
                            who,
                            attempt,
                            fact.lines,
                            f"it does not fit them and the key {key}",
                        )
        return found

    def _dispute(self, what: str, who: str, attempt: Attempt, lines: int, reason: str) -> None:
        opened = attempt.opened
        by = f"{opened.match}, attempt {opened.attempt}, the first {lines} lines: {reason}"
        self.disputes.append(Claim(what=f"{what} of {who}", level="disputed", by=by, entrant=who))

    def _count(
        self, attempt: Attempt, signed: Mapping[str, int], sealed: Mapping[str, int]
    ) -> None:
        for where, fact in attempt.facts:
            if isinstance(fact, GameEnded):
                line, players = line_number(where), attempt.opened.entrants
                by = [who for who in players if max(signed.get(who, 0), sealed.get(who, 0)) >= line]
                self.by_one += bool(by)
                self.by_both += len(by) == len(players)
                for who in players:
                    self.games[who] += 1
                    self.signed[who] += signed.get(who, 0) >= line
                    self.kept[who] += sealed.get(who, 0) >= line

    def claims(self, entrants: Sequence[str], head: Claim) -> list[Claim]:
        """All that is known of a run that is in order.

        Without a game that counts there is nothing to prove.
        """
        total = sum(self.games.values()) // 2
        of_all = f"{self.by_one} of {total} games by a player, {self.by_both} by both"
        level: Level = "confirmed" if total and self.by_one == total else "claimed"
        proven = [
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
            Claim(what="standings", level="proven", by="reckoned again from the matches"),
        ]
        return [
            *(proven if total else ()),
            *(self._of(who) for who in entrants),
            head,
            Claim(what="clocks, losses on time, dates", level=level, by=of_all),
            Claim(what="info, versions, fingerprints", level=level, by=of_all),
            Claim(
                what="commands, sandbox",
                level="claimed",
                by="nobody but the operator has seen them",
            ),
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
"""Facts for which somebody has to stand; the others follow from them, or are signed with the next
of them."""


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
    """Whether the key has signed everything that decides: nothing of that kind follows the lines it
    has signed."""

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


def head_of(record: bytes, told: Sequence[facts.TournamentFact]) -> Head:
    """The head of a tournament record, which has these facts."""
    told = [fact for fact in told if isinstance(fact, (facts.HeadSigned, *DECIDING))]
    last = next((fact for fact in reversed(told) if isinstance(fact, facts.HeadSigned)), None)
    return Head(
        lines=record.count(b"\n"),
        sha256=digest_of(record),
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
    return Said("record.low_order" if problem == LOW_ORDER else "record.not_canonical_key")


def key_problem(public_key: bytes) -> str:
    """Return why a public key of 32 bytes is refused, to put after "the key is"; empty if it may be used."""
    coordinate = int.from_bytes(public_key, "little") % 2**255
    if coordinate % _P in _LOW_ORDER:
        return LOW_ORDER
    return "" if coordinate < _P else NOT_CANONICAL
