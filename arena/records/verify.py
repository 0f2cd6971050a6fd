"""Verification of a whole run: dice, legality, endings, points, standings and unchanged bytes."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_rated
from typing import Final

from msgspec import UNSET

from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records import facts
from arena.records.confirmations import (
    Claim,
    Confirmations,
    Head,
    IsSigned,
    Level,
    ReceiptCounts,
    ReceiptLine,
    head_of,
    head_text,
    key_problem,
    key_reason,
)
from arena.records.file_check import Contradictions, check_best_game, check_file
from arena.records.files import (
    MATCHES,
    TOURNAMENT_FILE,
    TOURNAMENT_RECORD,
    Files,
    fixture_of,
    match_record,
)
from arena.records.ladder_draws import drawn_number
from arena.records.ladder_facts import EntrantCame, LadderOpened, PairDrawn, PairingKey
from arena.records.line_order import LineOrder
from arena.records.lines import (
    Attempt,
    RecordError,
    encode_line,
    opened_in,
    read_attempts,
    read_tournament,
)
from arena.records.lines_of_play import drawn_fact, ended_fact, settled_fact
from arena.records.replay import Replayed, replay_attempt
from arena.records.state import AttemptOver, round_of, state_of
from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import Rated
from arena.tournaments.ladder_players import CLOSE_ELO
from arena.tournaments.names import shown
from arena.tournaments.schedule import Fixture, Round
from arena.words import Said, joined, say

OF_A_DAY: Final = LadderOpened | EntrantCame | PairDrawn
"""Lines of a ladder that name its entrants and its fixtures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Result of verifying a run."""

    fixtures: int
    """Fixtures settled, out of `scheduled`."""
    scheduled: int
    games: int
    turns: int
    is_finished: bool
    """True if the tournament record is complete and closed."""
    claims: tuple[Claim, ...] = field(default=(), repr=False, compare=False)
    """Statements about the run: proven, confirmed or only claimed."""
    signers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The key of each entrant that has signed all its games, by name; the operator's under ""."""
    head: Head = field(default=head_of(b"", ()), repr=False, compare=False)
    receipts: ReceiptCounts = field(default=ReceiptCounts(), repr=False, compare=False)
    dealt: tuple[bytes, ...] = field(default=(), repr=False, compare=False)
    """The dice of all streams in order, those of void attempts, too; one byte (1-6) a die."""

    @property
    def disputed_by(self) -> list[str]:
        """The entrants that do not agree with a record, or whose signature does not fit it."""
        disputed = [claim for claim in self.claims if claim.level == "disputed"]
        return sorted({claim.entrant for claim in disputed if claim.entrant})


def verify_run(
    files: Files,
    is_signed: IsSigned | None = None,
    receipts: Sequence[tuple[str, ReceiptLine]] = (),
    *,
    other_runs: bool = False,
    contradictions: Contradictions | None = None,
    replayed: Mapping[str, Sequence[Replayed]] | None = None,
) -> Verified:
    """Check every record of a run; raises `RecordError` at the first difference.

    `files` holds the bytes of `tournament.toml`, `tournament.jsonl` and every
    `matches/<fixture>.jsonl`. A run that goes on, or was interrupted, is verified as far as it
    goes. Without `is_signed` signatures are not checked, and without `contradictions` the contents
    of the tournament file. Every receipt must be of this run; with `other_runs` there may be
    receipts of others. `replayed` has the attempts of match records, by name, that the caller has
    replayed already. No error tells a hash that would be right, so it does not help to forge one.
    """
    for name in (TOURNAMENT_FILE, TOURNAMENT_RECORD):
        if name not in files:
            raise RecordError(name, Said("record.no_file"))
    record = files[TOURNAMENT_RECORD]
    lines = read_tournament(TOURNAMENT_RECORD, record)
    recorded = [fact for _, fact in lines]
    opened = opened_in(recorded)
    check_file(files[TOURNAMENT_FILE], opened, recorded, contradictions)
    check = _Check(opened, recorded, files, is_signed, replayed or {})
    earlier_lines = hashlib.sha256()
    bytes_of_lines = record.splitlines(keepends=True)
    for number, (where, fact) in enumerate(lines):
        if isinstance(fact, facts.HeadSigned):
            check.head(where, fact, number, earlier_lines.hexdigest())
        if number:
            check.line(where, fact)
        if isinstance(fact, PairDrawn):
            check.pairing(where, fact, earlier_lines.hexdigest())
        earlier_lines.update(bytes_of_lines[number])
    return check.result(
        Confirmations(is_signed, receipts),
        head_of(record, recorded),
        other_runs=other_runs,
    )


class _Check:
    """Checks a tournament record and its match records."""

    def __init__(
        self,
        opened: facts.TournamentOpened,
        recorded: Sequence[facts.TournamentFact],
        files: Files,
        is_signed: IsSigned | None,
        replayed: Mapping[str, Sequence[Replayed]],
    ) -> None:
        self._opened = opened
        self._is_signed = is_signed
        self._key = opened.public_key or None
        """The operator's."""
        self._files = files
        self._replayed = replayed
        self._order = LineOrder(opened)
        self._state = self._order.state
        drawing = facts.RoundDrawn | facts.EntrantsAdded | facts.EntrantWithdrawn | OF_A_DAY
        whole = state_of(opened, [fact for fact in recorded if isinstance(fact, drawing)])
        self._fixtures = whole.fixtures
        """All fixtures of the record; `take` finds those that are drawn falsely."""
        self._names = whole.names
        check_best_game(opened)
        keys = [fact.key for fact in recorded if isinstance(fact, PairingKey)]
        self._pairing_key = bytes.fromhex("".join(keys[:1]))
        """The key of a day of a ladder; empty before it is revealed."""
        self._attempts: dict[str, list[Attempt]] = {}
        self._dealt: list[bytes] = []
        self._settled: dict[str, int] = {}
        """Fixture to the attempt that counts."""
        self._commitments = {
            fact.dice_commitment for fact in recorded if isinstance(fact, facts.FixtureIssued)
        }
        for name in sorted(files):
            if name.startswith(MATCHES):
                self._read_match(name)

    def _read_match(self, name: str) -> None:
        """Replay a match record, and check its headers against the tournament record."""
        fixture = self._fixtures.get(fixture_of(name))
        if fixture is None or not name.endswith(".jsonl"):
            raise RecordError(name, Said("record.no_fixture"))
        attempts: list[Attempt] = []
        self._attempts[fixture.id] = attempts
        for number, replayed in enumerate(self._replays(name), start=1):
            header = replayed.attempt.opened
            problem = self._problem_of_header(header, fixture, number)
            if problem is not None:
                raise RecordError(f"{name}: attempt {number}", problem)
            if replayed.problem is not None:
                raise replayed.problem
            attempts.append(replayed.attempt)
            self._dealt += replayed.dealt

    def _problem_of_header(self, header: MatchOpened, fixture: Fixture, number: int) -> Said | None:
        """Say why a header is not that of this attempt at a fixture; None if it is."""
        is_of_attempt = header.match == fixture.id and header.attempt == number
        if not is_of_attempt or tuple(header.entrants) != (fixture.first, fixture.second):
            return Said(
                "record.opened_of",
                {
                    "match": header.match,
                    "attempt": header.attempt,
                },
            )
        if header.shown != shown(self._names, header.entrants):
            return Said("record.other_names")
        if header.ruleset != self._opened.ruleset or header.terms != self._opened.terms:
            return Said("record.other_terms")
        if header.luck != self._opened.luck:
            return Said("record.other_evaluator")
        return None

    def _replays(self, name: str) -> Iterable[Replayed]:
        if name in self._replayed:
            return self._replayed[name]
        return map(replay_attempt, read_attempts(name, self._files[name]))

    def line(self, where: str, fact: facts.TournamentFact) -> None:
        """Check a line of the tournament record against those before it and the match records."""
        self._order.check(where, fact)
        match fact:
            case facts.EntrantsAdded():
                self._enter(where, fact)
            case facts.BotsContained():
                unknown_names = fact.bots.keys() - set(self._state.entrants)
                if unknown_names:
                    names = ", ".join(sorted(unknown_names))
                    problem = Said("record.stranger_contained", {"names": names})
                    raise RecordError(where, problem)
            case facts.RoundDrawn():
                self._draw(where, fact)
            case facts.FixtureIssued():
                self._issue(where, fact)
            case facts.FixtureSettled():
                self._settle(where, fact)
            case facts.FixtureVoided():
                self._void(where, fact)
            case facts.EntrantWithdrawn():
                self._withdraw(where, fact)
            case facts.TournamentEnded():
                self._end(where, fact)
        self._order.add(where, fact)

    def pairing(self, where: str, fact: PairDrawn, head: str) -> None:
        """Check the number of a pairing, if the key of the day is revealed.

        `head` is the SHA-256 of the lines before it.
        """
        if not self._pairing_key:
            return
        number = drawn_number(self._pairing_key, head, fact.free, fact.free_sha256)
        if fact.number != number:
            problem = Said("record.ladder_drawn_otherwise", {"fixture": fact.fixture})
            raise RecordError(where, problem)

    def head(
        self,
        where: str,
        fact: facts.HeadSigned,
        lines: int,
        sha256: str,
    ) -> None:
        """Check a signature of the lines before it: they are `lines` lines with this hash."""
        is_closed = isinstance(self._order.last, facts.RecordClosed)
        if is_closed or (fact.lines, fact.sha256) != (lines, sha256):
            raise RecordError(where, Said("record.signed_other_lines"))
        flaw = key_problem(bytes.fromhex(fact.public_key))
        if flaw:
            problem = Said("record.signing_key", {"problem": key_reason(flaw)})
            raise RecordError(where, problem)
        if self._is_signed is not None:
            text = head_text(lines, sha256)
            if not self._is_signed(fact.public_key, text, fact.signature):
                raise RecordError(where, Said("record.not_by_the_key"))
        if self._key not in (None, fact.public_key):
            raise RecordError(where, Said("record.second_key"))
        self._key = fact.public_key

    def _enter(self, where: str, fact: facts.EntrantsAdded) -> None:
        """Check that these entrants may be added."""
        problems = self._state.format.problems([*self._state.entrants, *fact.entrants])
        if problems:
            reason = joined(problems)
            problem = Said("record.not_entered", {"reason": reason})
            raise RecordError(where, problem)
        if not fact.entrants:
            reason = Said("record.nobody_entered")
            problem = Said("record.not_entered", {"reason": reason})
            raise RecordError(where, problem)

    def _withdraw(self, where: str, fact: facts.EntrantWithdrawn) -> None:
        """Check that an entrant is withdrawn for the violations that are on record."""
        number = None
        if fact.entrant in self._state.entrants:
            number = self._state.violations[fact.entrant]
        if fact.entrant not in self._state.in_violation() or number != fact.violations:
            values = {"name": fact.entrant, "violations": fact.violations, "number": str(number)}
            raise RecordError(where, Said("record.withdrawn_for", values))

    def _draw(self, where: str, fact: facts.RoundDrawn) -> None:
        """Check that the round is the one that the format draws."""
        expected = self._next_round(where)
        if expected is None:
            problem = Said("record.no_round", {"format": self._state.format.name})
            raise RecordError(where, problem)
        if round_of(fact) != expected:
            must_be = encode_line(drawn_fact(expected, fact.at_ms)).decode()
            problem = Said("record.round_must_be", {"round": must_be})
            raise RecordError(where, problem)

    def _issue(self, where: str, fact: facts.FixtureIssued) -> None:
        """Check that no barred entrant plays, and that the record has the same commitment."""
        fixture = self._state.fixtures[fact.fixture]
        barred = set(self._state.in_violation())
        barred |= self._state.withdrawn & fixture.entrants
        if barred:
            problem = Said("record.barred", {"names": ", ".join(sorted(barred))})
            raise RecordError(where, problem)
        attempts = self._attempts.get(fact.fixture, [])
        for attempt in attempts[fact.attempt - 1 : fact.attempt]:
            if attempt.opened.dice_commitment != fact.dice_commitment:
                raise RecordError(where, Said("record.other_commitment"))

    def _settle(self, where: str, fact: facts.FixtureSettled) -> None:
        """Check the games, the violations and the decision against the match record."""
        attempt = self._end_attempt(where, fact)
        end = attempt.end
        if not isinstance(end, MatchEnded):
            problem = Said("record.no_match_ended", {"fixture": fact.fixture})
            raise RecordError(where, problem)
        games = attempt.games
        has_games = list(fact.games) == games and fact.score == end.score
        if not has_games or fact.violations != end.violations:
            problem = Said("record.other_games", {"fixture": fact.fixture})
            raise RecordError(where, problem)
        must_be = settled_fact(
            self._state,
            fact.fixture,
            fact.attempt,
            games,
            end,
            record_sha256=fact.record_sha256,
            now_ms=fact.at_ms,
        )
        if encode_line(fact) != encode_line(must_be):
            problem = Said(
                "record.must_be_decided",
                {
                    "fixture": fact.fixture,
                    "decision": must_be.decision,
                },
            )
            raise RecordError(where, problem)
        self._settled[fact.fixture] = fact.attempt

    def _void(self, where: str, fact: facts.FixtureVoided) -> None:
        """Check a void attempt against the match record, and whether it is the last."""
        end = self._end_attempt(where, fact).end
        if not isinstance(end, MatchVoided):
            raise RecordError(where, Said("record.void_otherwise"))
        if end.reason != fact.reason or end.violations != fact.violations:
            raise RecordError(where, Said("record.void_otherwise"))
        if fact.is_last != self._state.is_last_void(fact.fixture, fact.reason):
            most = {"attempts": facts.ATTEMPTS, "failures": facts.FAILURES}
            raise RecordError(where, Said("record.void_for_good", most))

    def _end_attempt(self, where: str, fact: AttemptOver) -> Attempt:
        """Return the attempt of this line.

        It must be closed now, and have the bytes it was settled with.
        """
        attempts = self._attempts.get(fact.fixture, [])
        if len(attempts) < fact.attempt or not attempts[fact.attempt - 1].is_closed:
            problem = Said(
                "record.no_closed_attempt",
                {
                    "fixture": fact.fixture,
                    "attempt": fact.attempt,
                },
            )
            raise RecordError(where, problem)
        attempt = attempts[fact.attempt - 1]
        if attempt.sha256 != fact.record_sha256:
            problem = Said("record.not_the_settled", {"fixture": fact.fixture})
            raise RecordError(where, problem)
        return attempt

    def _next_round(self, where: str) -> Round | None:
        try:
            return self._state.next_round()
        except TournamentError as error:
            problem = Said("record.next_round", {"problem": error.said})
            raise RecordError(where, problem) from error

    def _end(self, where: str, fact: facts.TournamentEnded) -> None:
        """Check that nothing is left to play, and that the standings are right."""
        for fixture in self._state.left_to_play():
            problem = Said("record.ends_undecided", {"fixture": fixture.id})
            raise RecordError(where, problem)
        violators = self._state.in_violation()
        if violators:
            names = ", ".join(sorted(violators))
            problem = Said("record.not_withdrawn", {"names": names})
            raise RecordError(where, problem)
        following = self._next_round(where)
        if following is not None:
            problem = Said("record.ends_undrawn", {"round": following.number})
            raise RecordError(where, problem)
        rated = self._recorded_ratings(where, fact)
        table = self._state.standings(rated)
        expected = encode_line(ended_fact(table, fact.at_ms, rated))
        if expected != encode_line(fact):
            must_be = {"standings": expected.decode()}
            raise RecordError(where, Said("record.standings_must_be", must_be))

    def _recorded_ratings(self, where: str, fact: facts.TournamentEnded) -> Mapping[str, Rated]:
        """Return the ratings of a ladder as recorded, if they are close to those that follow.

        Floats differ between machines; the places must follow from what is recorded.
        """
        rated = dict(self._state.rated)
        for row in fact.standings:
            computed = rated.get(row.entrant)
            if computed is None or row.rating is UNSET or row.error is UNSET:
                continue
            difference = max(abs(row.rating - computed.elo), abs(row.error - computed.error))
            if difference > CLOSE_ELO:
                values = {"name": row.entrant, "recorded": row.rating, "elo": computed.elo}
                raise RecordError(where, Said("record.ladder_other_rating", values))
            rated[row.entrant] = replace_rated(computed, elo=row.rating, error=row.error)
        return rated

    def _head_claim(self, head: Head) -> Claim:
        """Return who vouches for the tournament record as a whole."""
        level: Level = "claimed"
        if head.public_key is None:
            by = "the head of the tournament's record is not signed"
        elif not head.is_signed:
            by = say(head.signed)
        else:
            by = (
                f"the operator's key {head.public_key}, to line {head.signed_lines}; "
                "compare with what was published"
            )
            if self._is_signed is None:
                by += " (was not checked)"
            else:
                level = "confirmed"
        return Claim(what="results, tournament file", level=level, by=by)

    def _pairing_claims(self) -> list[Claim]:
        """Return how well the pairings of a ladder are proven."""
        if self._state.book is None:
            return []
        if self._pairing_key:
            by = "drawn again by the key of the day, from who was free by the lines"
            return [Claim(what="pairings, ratings", level="proven", by=by)]
        by = "who was free follows from the lines; the key of the day is not revealed yet"
        return [Claim(what="pairings", level="claimed", by=by)]

    def result(self, confirmations: Confirmations, head: Head, *, other_runs: bool) -> Verified:
        """Return the result of the checks.

        Raises `RecordError` for an attempt that the tournament record does not have, or a receipt
        that no record fits.
        """
        for fixture, attempts in self._attempts.items():
            name = match_record(fixture)
            if len(attempts) > self._state.attempts[fixture]:
                problem = Said("record.more_attempts", {"number": len(attempts)})
                raise RecordError(name, problem)
            confirmations.add(name, self._files, attempts, self._settled.get(fixture, 0))
        receipts = confirmations.count_receipts(self._commitments, are_of_other_runs_too=other_runs)
        signers = confirmations.signers()
        if self._is_signed is not None and head.is_signed and head.public_key:
            signers[""] = head.public_key
        games = 0
        turns = 0
        for fixture, number in self._settled.items():
            ended = self._attempts[fixture][number - 1].ended
            games += len(ended)
            turns += sum(game.turns for game in ended)
        return Verified(
            fixtures=len(self._settled),
            scheduled=self._state.scheduled,
            games=games,
            turns=turns,
            is_finished=isinstance(self._order.last, facts.RecordClosed),
            signers=signers,
            head=head,
            receipts=receipts,
            claims=(
                *self._pairing_claims(),
                *confirmations.claims(self._state.entrants, self._head_claim(head)),
            ),
            dealt=tuple(self._dealt),
        )
