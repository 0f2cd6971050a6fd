"""Checks that a run is in order before it is resumed; unlike `verify.py` they play no finished match again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arena.matches.facts import GameEnded, MatchEnded
from arena.records import lines
from arena.records.dice import commitment
from arena.records.facts import EntrantsAdded, FixtureIssued, FixtureSettled, TournamentOpened
from arena.records.files import (
    TOURNAMENT_FILE,
    TOURNAMENT_RECORD,
    Files,
    fixture_of,
    match_record,
    match_records,
)
from arena.records.lines import Attempt, RecordError, read_attempts, whole_lines
from arena.records.lines_of_play import settled_fact
from arena.records.replay import verify_attempt
from arena.records.state import LineOrder
from arena.tournaments.schedule import parse_fixture
from arena.words import Said

ENDS = (b'{"event":"game_ended"', b'{"event":"match_ended"')
"""How the lines begin that say what a match came to."""


def check_intact(
    files: Files, seed_of: Callable[[str, int], bytes | None], entrants: Sequence[str]
) -> None:
    """Check every line of the tournament record, every settled match record, and what was under way.

    A last line that was cut short, of a record that goes on, is no damage. The tournament file must
    be the one that the record names, unless it enters more: `entrants` are those of the file.
    Raises `RecordError`.
    """
    facts = lines.read_tournament(TOURNAMENT_RECORD, whole_lines(files.get(TOURNAMENT_RECORD, b"")))
    if not facts:
        for name in match_records(files):
            raise RecordError(TOURNAMENT_RECORD, Said("record.missing_or_empty", {"name": name}))
        return
    opened = lines.opened_in([fact for _, fact in facts])
    order = LineOrder(opened)
    for where, fact in facts[1:]:
        order.check(where, fact)
        order.take(where, fact)
    frozen = [
        fact.file_sha256 for _, fact in facts if isinstance(fact, TournamentOpened | EntrantsAdded)
    ][-1]
    found = lines.digest_of(files[TOURNAMENT_FILE])
    if found != frozen and len(entrants) <= len(order.state.entrants):
        raise RecordError(
            TOURNAMENT_FILE, Said("record.file_changed", {"found": found, "frozen": frozen})
        )
    _IntactCheck(opened, order, files, seed_of).match_records()


@dataclass(frozen=True, slots=True)
class _IntactCheck:
    opened: TournamentOpened
    order: LineOrder
    files: Files
    seed_of: Callable[[str, int], bytes | None]
    """None if the key of the dice is not known any more."""

    def match_records(self) -> None:
        """Every match record is there as it was when its attempts were over, and none is there too many."""
        over, under_way = self.order.over, self.order.under_way
        for name in match_records(self.files):
            fixture = fixture_of(name)
            if fixture not in over and fixture not in under_way:
                raise RecordError(name, Said("record.unknown_file", {"record": TOURNAMENT_RECORD}))
        for fixture, ended in over.items():
            name = match_record(fixture)
            where, last = ended[-1]
            if name not in self.files:
                raise RecordError(name, Said("record.ended_without_file", {"where": where}))
            data = self.files[name]
            sizes = [len(data)]
            if len(ended) > 1 or fixture in under_way:
                sizes = [attempt.size_bytes for attempt in read_attempts(name, whole_lines(data))]
            for number, (said, fact) in enumerate(ended):
                size = sizes[number] if number < len(sizes) else 0
                if lines.digest_of(data[:size]) != fact.record_sha256:
                    raise RecordError(name, Said("record.changed_since", {"where": said}))
            if isinstance(last, FixtureSettled):
                self._compare(where, last, name, data[sizes[-2] if len(sizes) > 1 else 0 :])
        for issued in under_way.values():
            self._follow(issued)

    def _compare(self, where: str, fact: FixtureSettled, name: str, data: bytes) -> None:
        ends = [
            lines.match_lines.read_line(name, line)
            for line in data.split(b"\n")
            if line.startswith(ENDS)
        ]
        over = sorted((end for end in ends if isinstance(end, GameEnded)), key=lambda end: end.game)
        games = [end.result for end in over]
        last = ends[-1] if ends else None
        state, sha256 = self.order.state, fact.record_sha256
        if isinstance(last, MatchEnded):
            must_be = settled_fact(
                state,
                fact.fixture,
                fact.attempt,
                games,
                last,
                record_sha256=sha256,
                now_ms=fact.at_ms,
            )
            if lines.encode_line(fact) == lines.encode_line(must_be):
                return
        raise RecordError(where, Said("record.ended_otherwise", {"name": name}))

    def _follow(self, fact: FixtureIssued) -> None:
        """Check what there is of an attempt under way; its record may not have been begun."""
        name = match_record(fact.fixture)
        attempts = read_attempts(name, whole_lines(self.files.get(name, b"")))
        if len(attempts) not in (fact.attempt - 1, fact.attempt):
            values = {"number": len(attempts), "record": TOURNAMENT_RECORD, "issued": fact.attempt}
            raise RecordError(name, Said("record.attempts", values))
        has_begun = len(attempts) == fact.attempt
        if has_begun and attempts[-1].is_closed:
            self._replay(fact, attempts[-1])
            return
        seed = self.seed_of(fact.fixture, fact.attempt)
        if seed is None:
            raise RecordError(name, Said("record.no_dice_key"))
        if commitment(seed) != fact.dice_commitment:
            raise RecordError(name, Said("record.other_dice_key"))
        if has_begun:
            self._replay(fact, replace(attempts[-1], seed=seed))

    def _replay(self, fact: FixtureIssued, attempt: Attempt) -> None:
        opened, fixture = attempt.opened, parse_fixture(fact.fixture)
        found = (opened.match, opened.attempt, tuple(opened.entrants), opened.dice_commitment)
        expected = (
            fact.fixture,
            fact.attempt,
            (fixture.first, fixture.second),
            fact.dice_commitment,
        )
        if found != expected or (opened.ruleset, opened.terms) != (
            self.opened.ruleset,
            self.opened.terms,
        ):
            values = {"attempt": fact.attempt, "fixture": fact.fixture}
            raise RecordError(attempt.where, Said("record.other_header", values))
        verify_attempt(attempt)
