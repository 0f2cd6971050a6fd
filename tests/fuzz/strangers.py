"""Fuzzing of logins: connections that come, say they are a bot of the match, say anything, and go, in any order."""

from __future__ import annotations

import random
from collections import Counter

from arena.server.door.logins import Logins
from arena.server.io.event_loop import EventLoop
from arena.server.play.session import Session
from arena.server.setup.account import Account
from arena.words import Said
from protocol.codec import encode
from protocol.greetings import Login
from protocol.messages import Bye, Error, Ping
from tests.fuzz.deaf_link import DeafLink
from tests.fuzz.mutations import ODD_VALUES, Mutator, framed, packed

MOST = 4
"""So many of them are open at once."""
KEYS = (
    None,
    None,
    None,
    None,
    None,
    bytes(32),
    b"\x01" + bytes(31),
    b"\xff" * 32,
    bytes(range(32)),
)


class Strangers:
    """Connections beside those of the bots at the table."""

    def __init__(
        self, chance: random.Random, mutator: Mutator, loop: EventLoop, logins: Logins
    ) -> None:
        self._chance = chance
        self._mutator = mutator
        self._loop = loop
        self._logins = logins
        self._open: list[tuple[DeafLink, Session]] = []
        self.accounts: list[Account] = []
        """Those of the bots at the table; strangers know their tokens and keys."""
        self.counts: Counter[str] = Counter()

    def act(self) -> int:
        """One of them does something; returns how many frames it said."""
        chance = self._chance
        if not self._open or (len(self._open) < MOST and chance.random() < 0.3):
            link = DeafLink(self._loop)
            session = Session(self._loop, link, "stranger", "arena fuzz", self._logins.find)
            session.begin()
            self._open.append((link, session))
        link, session = chance.choice(self._open)
        fate = chance.random()
        if fate < 0.25:
            self._open.remove((link, session))
            session.ended(Said("lost.hung_up"))
            return 0
        frame = self._login() if fate < 0.6 else encode(chance.choice((Bye(), Ping(data=1))))
        if fate > 0.8:
            frame = self._mutator.frame() + frame
        session.received(frame)
        word = session.last_word
        if word is not None:
            self._open.remove((link, session))
            self.counts[
                f"stranger: {word.code}" if isinstance(word, Error) else "stranger: bye"
            ] += 1
        elif any(account.connection is session for account in self.accounts):
            self.counts["stranger: welcome"] += 1
        return 1

    def leave(self) -> None:
        """Close the connections that are open."""
        for link, _ in self._open:
            link.abort(Said("lost.hung_up"))

    def _login(self) -> bytes:
        chance = self._chance
        absent = [account for account in self.accounts if account.connection is None]
        if absent and chance.random() < 0.8:
            return encode(Login(protocol=1, name=chance.choice(absent).name, token="t"))
        resume = chance.choice(
            (None, "x", *(account.resume_key or None for account in self.accounts))
        )
        login = Login(
            protocol=chance.choice((1, 1, 1, 1, 1, 1, 2)),
            name=chance.choice(("anna", "anna", "bo", "bo", "nobody")),
            token=chance.choice(("t", "t", "t", "t", "t", "u")),
            window=chance.choice((1, 256)),
            fingerprint=chance.choice(("", "", "", "", "another build")),
            resume=resume,
            public_key=chance.choice(KEYS),
        )
        if chance.random() < 0.8:
            return encode(login)
        return framed(
            packed([("type", "login"), ("name", "anna"), ("token", chance.choice(ODD_VALUES))])
        )
