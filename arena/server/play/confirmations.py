"""The receipts of the bots of a match, and their answers: a signature, or an objection."""

from collections.abc import Callable
from typing import Final

import trio

from arena.games.result import Seat
from arena.matches.events import ReceiptAnswered
from arena.matches.facts import MatchOpened
from arena.matches.state import SEATS
from arena.records.confirmations import receipt_text
from arena.server.io.journal import Journal
from arena.server.setup.credentials import is_signed
from protocol.errors import ErrorCode
from protocol.messages import Confirm, Error, Receipt

CONFIRM_SECONDS: Final = 1.0
"""Time that the record of a finished match stays open for answers to its last receipts."""
WRONG_SIGNATURE: Final = "its signature is not one of this receipt by its key"
"""The objection on record for a bot that signed something else, or with another key."""


def wrong_signature(match: str, lines: int) -> Error:
    """Tell a bot that it has signed something else, or with another key."""
    text = (
        f"the signature is not one of the receipt of {lines} lines of {match} "
        "by the public_key of this bot; the record says that the bot disputes it; "
        "sign the text of docs/receipts.md with that key"
    )
    return ErrorCode.BAD_SIGNATURE.to_message(text)


class ReceiptDesk:
    """Gives out receipts, and accepts one answer to each from each bot."""

    __slots__ = ("_answered", "_given", "_journal", "_opened")

    def __init__(self, opened: MatchOpened, journal: Journal) -> None:
        self._opened = opened
        self._journal = journal
        self._given: dict[tuple[Seat, int], str] = {}
        """The SHA-256 of each receipt without an answer yet, by seat and number of lines."""
        self._answered = trio.Event()

    def give(self) -> Receipt:
        """Return the receipt of the record up to the fact that was written last.

        Raises `DiskError`.
        """
        lines, sha256 = self._journal.mark()
        for seat in SEATS:
            self._given[seat, lines] = sha256.hex()
        return Receipt(lines=lines, sha256=sha256)

    def check_answer(
        self,
        seat: Seat,
        key: str | None,
        message: Confirm,
        now_ms: int,
    ) -> ReceiptAnswered | None:
        """Check an answer to a receipt; return it for the record.

        None if no receipt waits for it, or a bot without a key signs. `key` is the public key of
        the bot, in hexadecimal. A signature that is not of this receipt is no signature: the bot
        then objects with `WRONG_SIGNATURE`.
        """
        sha256 = self._given.get((seat, message.lines))
        if sha256 is None or (message.signature is not None and key is None):
            return None
        del self._given[seat, message.lines]
        self._answered.set()
        signature = None
        objection = message.objection
        if message.signature is not None and key is not None:
            signature = message.signature.hex()
            text = receipt_text(self._opened, message.lines, sha256)
            if not is_signed(key, text, signature):
                signature = None
                objection = WRONG_SIGNATURE
        return ReceiptAnswered(
            at_ms=now_ms,
            seat=seat,
            lines=message.lines,
            signature=signature,
            objection=objection,
        )

    async def close(self, is_awaited: Callable[[Seat], bool]) -> None:
        """Wait a moment for the answers of awaited seats; after that no answer counts."""
        with trio.move_on_after(CONFIRM_SECONDS):
            while any(is_awaited(seat) for seat, _ in self._given):
                self._answered = trio.Event()
                await self._answered.wait()
        self._given.clear()
