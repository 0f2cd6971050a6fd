"""Fuzzing of the referee: two bots whose answers are right, nearly right, or rubbish; every record must verify."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.lowlevel
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from arena.games import load_game, ruleset_record
from arena.matches.facts import MatchOpened, ReceiptDisputed, ReceiptSigned, Terms
from arena.matches.match import open_match
from arena.matches.time_control import TimeControl
from arena.records.confirmations import receipt_text
from arena.records.dice import commitment, deal_from
from arena.records.facts import DiceRevealed
from arena.records.lines import Attempt, read_attempts
from arena.records.replay import verify_attempt
from arena.server.door.logins import Logins
from arena.server.io.event_loop import EventLoop
from arena.server.io.journal import Journal
from arena.server.play.player import Player
from arena.server.play.session import Session
from arena.server.play.table import Table
from arena.server.setup.account import Account
from arena.server.setup.credentials import is_signed
from arena.words import Said
from protocol.client.receipts import signed_text
from protocol.codec import encode
from protocol.connection import BotConnection
from protocol.greetings import Hello, Login
from protocol.messages import (
    Break,
    Bye,
    Call,
    Called,
    Error,
    GameEnd,
    GameReady,
    MatchEntropy,
    MatchReady,
    MatchReveal,
    MatchStart,
    Play,
    Receipt,
    Rejected,
    Turn,
)
from tests.fuzz.deaf_link import DeafLink
from tests.fuzz.mutations import ODD_VALUES, Mutator, framed, packed, samples
from tests.fuzz.strangers import Strangers

NAMES = ("anna", "bo")
TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=1000, bank_ms=1000),
    rejections=2,
    turn_limit=8,
    startup_ms=1000,
)
GAMES = (
    load_game("vasa"),
    load_game("classic", ("one_die", "easy_reentry")),
    load_game("brandubh-2"),
    load_game("backgammon"),
)
SEED = bytes(range(32))
BREAK_MS = 2000

ENTROPY = b"fuzz"
KEYS = {name: Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32)) for name in NAMES}


class Rogue:
    """One bot: its connection, the turns it has open, and no manners."""

    def __init__(self, name: str, fuzz: RefereeFuzz) -> None:
        self.name = name
        self._fuzz = fuzz
        self._open: dict[int, Turn | Call] = {}
        self._link: DeafLink | None = None
        self._wire = BotConnection()

    def act(self) -> None:
        """Hear what there is, then say something, or now and then nothing."""
        if self._fuzz.chance.random() < 0.1:
            return
        if self._link is None or self._wire.is_closed:
            self._connect()
        assert self._link is not None
        data, self._link.sent = bytes(self._link.sent), bytearray()
        answers = b"".join(
            frame for message in self._wire.receive(data) for frame in self._react(message)
        )
        assert self._wire.fault is None, f"the arena broke the protocol: {self._wire.fault}"
        for asked in list(self._open.values()):
            answers += self._answer(asked)
        if not answers and self._fuzz.chance.random() < 0.2:
            answers = self._fuzz.mutator.frame()
        if answers:
            self._fuzz.cases += 1
            self._session.received(answers)

    def leave(self) -> None:
        """Close the connection; one that is not logged in would stay open for the time of a login."""
        if self._link is not None:
            self._link.abort(Said("lost.hung_up"))

    def _connect(self) -> None:
        fuzz = self._fuzz
        self._link = DeafLink(fuzz.loop)
        self._wire = BotConnection()
        self._open.clear()
        self._session = Session(fuzz.loop, self._link, self.name, "arena fuzz", fuzz.logins.find)
        self._session.begin()

    def _react(self, message: object) -> list[bytes]:
        if isinstance(message, Hello):
            window = self._fuzz.chance.choice((1, 2, 256))
            key = self._fuzz.chance.choice((None, KEYS[self.name].public_key().public_bytes_raw()))
            wants = self._fuzz.chance.choice((("legal", "call"), ("legal", "call", "break")))
            login = Login(
                protocol=1, name=self.name, token="t", window=window, wants=wants, public_key=key
            )
            return [self._wire.send(login)]
        if isinstance(message, MatchStart):
            return [
                encode(MatchReady(match=message.match, commitment=hashlib.sha256(ENTROPY).digest()))
            ]
        if isinstance(message, MatchReveal):
            return [encode(MatchEntropy(match=message.match, entropy=ENTROPY))]
        if isinstance(message, Break):
            return [self._rest(message)]
        if isinstance(message, Turn | Call):
            self._open[message.game] = message
        elif isinstance(message, GameEnd) and message.receipt is not None:
            return [self._confirm(message.match, message.receipt)]
        elif isinstance(message, Rejected):
            self._fuzz.counts[f"rejected: {message.code}"] += 1
        elif isinstance(message, Error):
            self._fuzz.counts[f"error: {message.code}"] += 1
        return []

    def _rest(self, pause: Break) -> bytes:
        """Be ready at once, twice, for another game, or never."""
        self._fuzz.counts["break"] += 1
        number = pause.number + self._fuzz.chance.choice((0, 0, 0, 1, -1))
        return encode(GameReady(match=pause.match, number=number)) * self._fuzz.chance.choice(
            (0, 1, 1, 2)
        )

    def _confirm(self, match: str, receipt: Receipt) -> bytes:
        chance = self._fuzz.chance
        lines = receipt.lines + chance.choice((0, 0, 0, 1, -1))
        key = KEYS[chance.choice((self.name, self.name, *NAMES))]
        signature = chance.choice((key.sign(signed_text(match, 1, receipt)), chance.randbytes(64)))
        fields: dict[str, Any] = {
            "type": "confirm",
            "match": match,
            "lines": lines,
            "signature": signature,
        }
        if chance.random() < 0.2:
            fields |= {"signature": None, "objection": chance.choice(("no", "", 3, "\x1b[2J"))}
        return framed(packed(list(fields.items()))) * chance.choice((1, 1, 2))

    def _answer(self, asked: Turn | Call) -> bytes:
        chance = self._fuzz.chance
        game, turn = asked.game, asked.turn
        if chance.random() < 0.65:
            del self._open[game]
            if isinstance(asked, Call):
                return encode(Called(game=game, turn=turn, dice=chance.choice(list(asked.dice))))
            assert asked.legal is not None
            return encode(
                Play(game=game, turn=turn, choice=chance.randrange(len(asked.legal)), info={"n": 1})
            )
        if chance.random() < 0.05:
            return self._fuzz.mutator.frame()
        kind = "call" if isinstance(asked, Call) else "play"
        fields: dict[str, Any] = {"type": kind, "game": game, "turn": turn}
        field = chance.choice(("moves", "moves", "choice", "dice", "draw"))
        places = (*range(-1, 28), "a1", "d4", "g9", True, "bar", 2**40)
        moves = [[chance.choice(places) for _ in range(2)] for _ in range(chance.randrange(6))]
        fields[field] = {
            "moves": moves,
            "choice": chance.choice((0, 1, 99, 2**53, -1)),
            "dice": chance.choice((0, 1, 2, 3, 99)),
            "draw": chance.choice(("offer", "accept")),
        }[field]
        if field == "draw" and chance.random() < 0.5:
            fields["choice"] = 0
        if chance.random() < 0.1:
            fields["info"] = chance.choice(ODD_VALUES)
        return framed(packed(list(fields.items())))


class RefereeFuzz:
    """Plays match after match between two rogues, in one event loop; `cases` counts what they said."""

    def __init__(self, seed: int, folder: Path, nursery: trio.Nursery) -> None:
        self.chance = random.Random(seed)
        self.mutator = Mutator(
            self.chance, samples((Play, Called, MatchReady, MatchEntropy, GameReady))
        )
        self.cases = 0
        self.matches = 0
        self.counts: Counter[str] = Counter()
        self.loop = EventLoop(nursery)
        self.loop.open()
        self.logins = Logins()
        self.strangers = Strangers(self.chance, self.mutator, self.loop, self.logins)
        self._folder = folder

    async def step(self) -> None:
        """One match, whatever becomes of it; then its record is verified and removed."""
        rules = self.chance.choice(GAMES)
        one, two = (Player(Account(name, "t", grace_ms=500), self.loop) for name in NAMES)
        for player in (one, two):
            self.logins.expect(player)
        opened = MatchOpened(
            at_ms=self.loop.clock.now_ms(),
            match="r1-anna-v-bo",
            attempt=1,
            ruleset=ruleset_record(rules),
            terms=TERMS,
            entrants=NAMES,
            dice_commitment=commitment(SEED),
        )
        path = self._folder / f"{self.matches}.jsonl"
        journal = Journal(path)
        match = open_match(rules, opened, deal_from(opened, SEED))
        table = Table(self.loop, match, SEED, (one, two), journal, break_ms=BREAK_MS)
        table.begin()
        self.strangers.accounts = [one.account, two.account]
        rogues = [Rogue(name, self) for name in NAMES]
        while not table.match.is_over:
            for rogue in rogues:
                rogue.act()
            if self.chance.random() < 0.2:
                self.cases += self.strangers.act()
            await trio.sleep(self.chance.choice((0, 0, 0, 0, 0, 0.001, 0.05, 1.2, 2.5)))
        end = await table.over()
        self.counts[f"match: {type(end).__name__}"] += 1
        for game in table.games:
            self.counts[f"game: {game.result.cause or game.result.ending}"] += 1
        journal.write(DiceRevealed(at_ms=self.loop.clock.now_ms(), attempt=1, dice_seed=SEED.hex()))
        data = journal.seal()
        journal.close()
        [attempt] = read_attempts(path.name, data)
        verify_attempt(attempt)
        self._check_signatures(attempt, data)
        path.unlink()
        for player in (one, two):
            player.account.dismiss(Bye(reason="over"))
            self.logins.forget(player)
        self.loop.end_batch()
        for rogue in rogues:
            rogue.leave()
        await trio.lowlevel.checkpoint()
        self.matches += 1

    def _check_signatures(self, attempt: Attempt, data: bytes) -> None:
        """Every signature on record fits; objections are there for the others."""
        lines = data.splitlines(keepends=True)
        for _, fact in attempt.facts:
            if isinstance(fact, ReceiptSigned | ReceiptDisputed):
                self.counts[f"fact: {type(fact).__name__}"] += 1
            if isinstance(fact, ReceiptSigned):
                key = KEYS[NAMES[fact.seat - 1]].public_key().public_bytes_raw().hex()
                sha256 = hashlib.sha256(b"".join(lines[: fact.lines])).hexdigest()
                assert is_signed(
                    key, receipt_text(attempt.opened, fact.lines, sha256), fact.signature
                )


@asynccontextmanager
async def refereed(seed: int, folder: Path) -> AsyncIterator[RefereeFuzz]:
    """The referee while it is fuzzed; afterwards no record is left."""
    async with trio.open_nursery() as nursery:
        fuzz = RefereeFuzz(seed, folder, nursery)
        yield fuzz
        fuzz.strangers.leave()
        nursery.cancel_scope.cancel()
    assert list(folder.iterdir()) == []
