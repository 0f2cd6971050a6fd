"""Checks of a run before it is resumed; unlike `verify.py` they replay no finished match."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arena.matches.facts import GameEnded, MatchEnded
from arena.records import lines
from arena.records.dice import commitment
from arena.records.facts import (
    EntrantsAdded,
    FixtureIssued,
    FixtureSettled,
    TournamentOpened,
)
from arena.records.files import (
    TOURNAMENT_FILE,
    TOURNAMENT_RECORD,
    Files,
    fixture_of,
    match_record,
    match_records,
)
from arena.records.line_order import LineOrder
from arena.records.lines import (
    Attempt,
    RecordError,
    read_attempts,
    whole_lines,
)
from arena.records.lines_of_play import settled_fact
from arena.records.replay import verify_attempt
from arena.records.state import AttemptOver
from arena.tournaments.schedule import parse_fixture
from arena.words import Said

ENDS = (b'{"event":"game_ended"', b'{"event":"match_ended"')
"""Beginnings of the lines that tell the result of a match."""


def check_intact(
    files: Files, seed_of: Callable[[str, int], bytes | None], entrants: Sequence[str]
) -> None:
    """Check the tournament record, every settled match record, and what was under way.

    An incomplete last line of an open record is no damage. The tournament file must be the one that
    the record names, unless it enters more: `entrants` are those of the file. Raises `RecordError`.
    """
    record = whole_lines(files.get(TOURNAMENT_RECORD, b""))
    facts = lines.read_tournament(TOURNAMENT_RECORD, record)
    if not facts:
        for name in match_records(files):
            problem = Said("record.missing_or_empty", {"name": name})
            raise RecordError(TOURNAMENT_RECORD, problem)
        return
    opened = lines.opened_in([fact for _, fact in facts])
    order = LineOrder(opened)
    frozen = opened.file_sha256
    for where, fact in facts[1:]:
        order.check(where, fact)
        order.add(where, fact)
        if isinstance(fact, EntrantsAdded):
            frozen = fact.file_sha256
    digest = lines.digest_of(files[TOURNAMENT_FILE])
    if digest != frozen and len(entrants) <= len(order.state.entrants):
        problem = Said("record.file_changed", {"found": digest, "frozen": frozen})
        raise RecordError(TOURNAMENT_FILE, problem)
    _IntactCheck(
        opened,
        order,
        files,
        seed_of,
    ).match_records()


@dataclass(frozen=True, slots=True)
class _IntactCheck:
    opened: TournamentOpened
    order: LineOrder
    files: Files
    seed_of: Callable[[str, int], bytes | None]
    """None if the key of the dice is not known any more."""

    def match_records(self) -> None:
        """Check that match records are as they were when their attempts ended, and none is new."""
        over, under_way = self.order.over, self.order.under_way
        for name in match_records(self.files):
            fixture = fixture_of(name)
            if fixture not in over and fixture not in under_way:
                problem = Said("record.unknown_file", {"record": TOURNAMENT_RECORD})
                raise RecordError(name, problem)
        for fixture, ends in over.items():
            self._check_ended(match_record(fixture), ends, is_open=fixture in under_way)
        for issued in under_way.values():
            self._follow(issued)

    def _check_ended(
        self, name: str, ends: Sequence[tuple[str, AttemptOver]], *, is_open: bool
    ) -> None:
        """Check the attempts of a match record that are over; with `is_open` one more is open."""
        last_where, last = ends[-1]
        if name not in self.files:
            problem = Said("record.ended_without_file", {"where": last_where})
            raise RecordError(name, problem)
        data = self.files[name]
        sizes = [len(data)]
        if len(ends) > 1 or is_open:
            sizes = [attempt.size_bytes for attempt in read_attempts(name, whole_lines(data))]
        for number, (where, fact) in enumerate(ends):
            size = 0
            if number < len(sizes):
                size = sizes[number]
            if lines.digest_of(data[:size]) != fact.record_sha256:
                problem = Said("record.changed_since", {"where": where})
                raise RecordError(name, problem)
        if isinstance(last, FixtureSettled):
            start = 0
            if len(sizes) > 1:
                start = sizes[-2]
            self._compare(
                last_where,
                last,
                name,
                data[start:],
            )

    def _compare(
        self,
        where: str,
        fact: FixtureSettled,
        name: str,
        data: bytes,
    ) -> None:
        """Check that a settled fixture has the results in its record, which is `data`."""
        end = None
        ended_games = []
        for line in data.split(b"\n"):
            if line.startswith(ENDS):
                end = lines.match_lines.read_line(name, line)
                if isinstance(end, GameEnded):
                    ended_games.append(end)
        ended_games.sort(key=lambda game: game.game)
        if isinstance(end, MatchEnded):
            must_be = settled_fact(
                self.order.state,
                fact.fixture,
                fact.attempt,
                [game.result for game in ended_games],
                end,
                record_sha256=fact.record_sha256,
                now_ms=fact.at_ms,
            )
            if lines.encode_line(fact) == lines.encode_line(must_be):
                return
        problem = Said("record.ended_otherwise", {"name": name})
        raise RecordError(where, problem)

    def _follow(self, fact: FixtureIssued) -> None:
        """Check an attempt under way as far as it is recorded; its record may not exist yet."""
        name = match_record(fact.fixture)
        attempts = read_attempts(name, whole_lines(self.files.get(name, b"")))
        if len(attempts) not in (fact.attempt - 1, fact.attempt):
            problem = Said(
                "record.attempts",
                {
                    "number": len(attempts),
                    "record": TOURNAMENT_RECORD,
                    "issued": fact.attempt,
                },
            )
            raise RecordError(name, problem)
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
        """Replay an attempt under way, and check that its header is the one that was issued."""
        opened = attempt.opened
        fixture = parse_fixture(fact.fixture)
        is_issued = (
            opened.match == fact.fixture
            and opened.attempt == fact.attempt
            and tuple(opened.entrants) == (fixture.first, fixture.second)
            and opened.dice_commitment == fact.dice_commitment
            and opened.ruleset == self.opened.ruleset
            and opened.terms == self.opened.terms
        )
        if not is_issued:
            problem = Said(
                "record.other_header",
                {
                    "attempt": fact.attempt,
                    "fixture": fact.fixture,
                },
            )
            raise RecordError(attempt.where, problem)
        verify_attempt(attempt)
