"""A person's match in the run folder: its record, and the moves of the turn that is not played yet.

So a person who comes back after a kill finds everything as it was.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from arena.games import Move
from arena.records.files import match_record
from arena.records.lines import UNREADABLE, Attempt, RecordError, read_as_far_as_possible
from arena.server.io.disk import read_inside, write_inside
from protocol.client import MatchStart
from protocol.client.session import tell

Place: TypeAlias = int | Annotated[str, Meta(max_length=4)]


class OpenTurn(msgspec.Struct, frozen=True, kw_only=True):
    """The moves that a person has made so far, of a turn that is not played yet."""

    question: str
    """The name of the turn, `key_of` in `sitting_state.py`."""
    moves: Annotated[
        Sequence[Annotated[Sequence[Place], Meta(min_length=2, max_length=2)]], Meta(max_length=8)
    ]


class KeptMatch:
    """The files of one entrant's matches in a run folder."""

    def __init__(self, folder: Path, entrant: str) -> None:
        self._folder = folder
        self._name = f"open-turn.{entrant}.json"
        """Only its owner can read it."""
        self._kept = self._read()

    def attempt(self, match: MatchStart) -> Attempt | None:
        """Return this attempt at a match, as far as it is on record; None if that is unreadable."""
        name = match_record(match.match)
        try:
            attempts, _ = read_as_far_as_possible(name, read_inside(self._folder, name))
        except (OSError, RecordError) as error:
            tell(f"the page does not show what was played before: {error}")
            return None
        for attempt in attempts:
            if attempt.opened.attempt == match.attempt:
                return attempt
        return None

    def moves_of(self, question: str) -> Sequence[Move]:
        """Return the moves that are kept of a turn; none if those of another turn are kept."""
        if self._kept is None or self._kept.question != question:
            return ()
        return self._kept.moves

    def keep(self, question: str, moves: Sequence[Move]) -> None:
        """Keep the moves of the open turn, if they have changed."""
        before = self.moves_of(question)
        if list(map(tuple, moves)) == list(map(tuple, before)):
            return
        turn = OpenTurn(question=question, moves=moves)
        self._kept = turn
        try:
            write_inside(self._folder, self._name, msgspec.json.encode(turn), mode=0o600)
        except OSError as error:
            tell(f"after a kill the moves of the open turn would be gone: {error}")

    def forget(self) -> None:
        """Forget the open turn: the match is over."""
        if self._kept is not None:
            self._kept = None
            (self._folder / self._name).unlink(missing_ok=True)

    def _read(self) -> OpenTurn | None:
        try:
            return msgspec.json.decode(read_inside(self._folder, self._name), type=OpenTurn)
        except (OSError, *UNREADABLE):
            return None
