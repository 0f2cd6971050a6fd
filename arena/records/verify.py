"""Verification of a whole run: dice, legality, endings, points, standings, and that no byte has changed."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from arena.matches.facts import MatchEnded, MatchVoided
from arena.records import facts
from arena.records.confirmations import (
    Claim,
    Confirmations,
    Head,
    IsSigned,
    ReceiptCounts,
    ReceiptLine,
    head_of,
    head_text,
    key_problem,
    key_reason,
)
from arena.records.files import (
    MATCHES,
    TOURNAMENT_FILE,
    TOURNAMENT_RECORD,
    Files,
    fixture_of,
    match_record,
)
from arena.records.lines import (
    Attempt,
    RecordError,
    digest_of,
    encode_line,
    opened_in,
    read_attempts,
    read_tournament,
    rules_on_record,
)
from arena.records.lines_of_play import drawn_fact, ended_fact, settled_fact
from arena.records.replay import Replayed, replay_attempt
from arena.records.state import Concluded, LineOrder, round_of, state_of
from arena.tournaments import TournamentError
from arena.tournaments.names import shown
from arena.tournaments.schedule import Round
from arena.words import Said, joined, say

Contradictions: TypeAlias = Callable[[bytes, facts.TournamentOpened], Sequence[Said]]
"""Says where a tournament file contradicts the first line of its record, which has all entrants
that were added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Result of verifying a run."""

    fixtures: int
    """Fixtures settled, out of `scheduled`."""
    scheduled: int
    games: int
    turns: int
    is_finished: bool
    """Whether the tournament record is complete and closed."""
    claims: tuple[Claim, ...] = field(default=(), repr=False, compare=False)
    """What is proven, what is confirmed, with the signers, and what is only claimed."""
    signers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Who has signed all that is its own, and with which key: entrants by name, the operator under
    an empty one."""
    head: Head = field(default=head_of(b"", ()), repr=False, compare=False)
    receipts: ReceiptCounts = field(default=ReceiptCounts(), repr=False, compare=False)
    dealt: tuple[bytes, ...] = field(default=(), repr=False, compare=False)
    """The dice of every stream of every attempt in order, void ones included; one byte (1-6) a die."""

    @property
    def disputed_by(self) -> list[str]:
        """The entrants that do not agree with a record, or whose signature does not fit it."""
        return sorted(
            {claim.entrant for claim in self.claims if claim.level == "disputed" and claim.entrant}
        )


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
    `matches/<fixture>.jsonl`. A run that is still going on, or was interrupted, is verified as far
    as it goes. Without `is_signed` signatures are passed over, and without `contradictions` what
    the tournament file says. Every receipt must be of this run; with `other_runs` there may be
    receipts of others. `replayed` has the attempts of match records, by name, that the caller has
    replayed already. No error tells a hash that would be right: who changes a record is not told
    how to go on.
    """
    for name in (TOURNAMENT_FILE, TOURNAMENT_RECORD):
        if name not in files:
            raise RecordError(name, Said("record.no_file"))
    lines = read_tournament(TOURNAMENT_RECORD, files[TOURNAMENT_RECORD])
    told = [fact for _, fact in lines]
    opened = opened_in(told)
    found = digest_of(files[TOURNAMENT_FILE])
    frozen = [
        fact.file_sha256
        for fact in told
        if isinstance(fact, facts.TournamentOpened | facts.EntrantsAdded)
    ]
    if found != frozen[-1]:
        raise RecordError(TOURNAMENT_FILE, Said("record.other_file"))
    if contradictions is not None and (
        problems := contradictions(files[TOURNAMENT_FILE], _with_all(opened, told))
    ):
        raise RecordError(
            TOURNAMENT_FILE, Said("record.contradicting_file", {"problems": joined(problems)})
        )
    check = _Check(opened, told, files, is_signed, replayed or {})
    before = hashlib.sha256()
    for number, ((where, fact), line) in enumerate(
        zip(lines, files[TOURNAMENT_RECORD].splitlines(), strict=True)
    ):
        if isinstance(fact, facts.HeadSigned):
            check.head(where, fact, number, before.hexdigest())
        if number:
            check.take(where, fact)
        before.update(line + b"\n")
    return check.result(
        Confirmations(is_signed, receipts),
        head_of(files[TOURNAMENT_RECORD], told),
        other_runs=other_runs,
    )


def _with_all(
    opened: facts.TournamentOpened, told: Sequence[facts.TournamentFact]
) -> facts.TournamentOpened:
    """Return the first line as if all entrants had been there from the beginning."""
    entrants, names, people = [*opened.entrants], dict(opened.names or {}), [*(opened.people or ())]
    for fact in told:
        if isinstance(fact, facts.EntrantsAdded):
            entrants += fact.entrants
            names |= fact.names or {}
            people += fact.people or ()
    return replace(opened, entrants=entrants, names=names or UNSET, people=people or UNSET)


class _Check:
    """Checks a tournament record and its match records."""

    def __init__(
        self,
        opened: facts.TournamentOpened,
        told: Sequence[facts.TournamentFact],
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
        where = f"{TOURNAMENT_RECORD}:1"
        self._order = LineOrder(opened)
        self._state = self._order.state
        drawing = facts.RoundDrawn | facts.EntrantsAdded | facts.EntrantWithdrawn
        whole = state_of(opened, [fact for fact in told if isinstance(fact, drawing)])
        self._fixtures, self._names = whole.fixtures, whole.names
        """All there will be; those drawn falsely are found where they are drawn."""
        rules = rules_on_record(opened.ruleset, where)
        if opened.best_game == "rank" and not rules.is_ranked:
            raise RecordError(
                where, Said("record.best_game_without_ranks", {"ruleset": rules.name})
            )
        if (opened.best_game == "none") != (opened.terms.form == "pairs"):
            raise RecordError(
                where,
                Said(
                    "record.best_game_of_form",
                    {"best_game": repr(opened.best_game), "form": opened.terms.form},
                ),
            )
        self._attempts: dict[str, list[Attempt]] = {}
        self._dealt: list[bytes] = []
        self._settled: dict[str, int] = {}
        """Fixture to the attempt that counts."""
        self._commitments = {
            fact.dice_commitment for fact in told if isinstance(fact, facts.FixtureIssued)
        }
        for name in sorted(files):
            if name.startswith(MATCHES):
                self._read_match(name)

    def _read_match(self, name: str) -> None:
        fixture = self._fixtures.get(fixture_of(name))
        if fixture is None or not name.endswith(".jsonl"):
            raise RecordError(name, Said("record.no_fixture"))
        attempts = self._attempts[fixture.id] = []
        for number, replayed in enumerate(self._replays(name), start=1):
            where, header = f"{name}: attempt {number}", replayed.attempt.opened
            if (header.match, header.attempt, *header.entrants) != (
                fixture.id,
                number,
                fixture.first,
                fixture.second,
            ):
                raise RecordError(
                    where,
                    Said("record.opened_of", {"match": header.match, "attempt": header.attempt}),
                )
            if header.shown != shown(self._names, header.entrants):
                raise RecordError(where, Said("record.other_names"))
            if header.ruleset != self._opened.ruleset or header.terms != self._opened.terms:
                raise RecordError(where, Said("record.other_terms"))
            if header.luck != self._opened.luck:
                raise RecordError(where, Said("record.other_evaluator"))
            if replayed.problem is not None:
                raise replayed.problem
            attempts.append(replayed.attempt)
            self._dealt += replayed.dealt

    def _replays(self, name: str) -> Iterable[Replayed]:
        if name in self._replayed:
            return self._replayed[name]
        return map(replay_attempt, read_attempts(name, self._files[name]))

    def take(self, where: str, fact: facts.TournamentFact) -> None:
        """Check one line of the tournament record against the ones before it and the match records."""
        self._order.check(where, fact)
        state = self._state
        match fact:
            case facts.EntrantsAdded():
                found = state.format.problems([*state.entrants, *fact.entrants])
                if not fact.entrants or found:
                    reason = joined(found) if found else Said("record.nobody_entered")
                    raise RecordError(where, Said("record.not_entered", {"reason": reason}))
            case facts.BotsContained():
                if unknown := fact.bots.keys() - set(state.entrants):
                    raise RecordError(
                        where,
                        Said("record.stranger_contained", {"names": ", ".join(sorted(unknown))}),
                    )
            case facts.RoundDrawn():
                self._draw(where, fact)
            case facts.FixtureIssued():
                self._issue(where, fact)
            case facts.FixtureSettled():
                self._settle(where, fact)
            case facts.FixtureVoided():
                self._void(where, fact)
            case facts.EntrantWithdrawn():
                number = state.violations[fact.entrant] if fact.entrant in state.entrants else None
                if fact.entrant not in state.in_violation() or number != fact.violations:
                    values = {
                        "name": fact.entrant,
                        "violations": fact.violations,
                        "number": str(number),
                    }
                    raise RecordError(where, Said("record.withdrawn_for", values))
            case facts.TournamentEnded():
                self._end(where, fact)
        self._order.take(where, fact)

    def head(self, where: str, fact: facts.HeadSigned, lines: int, sha256: str) -> None:
        """Check that what was signed is what stands before, `lines` lines with this hash."""
        if isinstance(self._order.last, facts.RecordClosed) or (fact.lines, fact.sha256) != (
            lines,
            sha256,
        ):
            raise RecordError(where, Said("record.signed_other_lines"))
        if problem := key_problem(bytes.fromhex(fact.public_key)):
            raise RecordError(where, Said("record.signing_key", {"problem": key_reason(problem)}))
        text = head_text(lines, sha256)
        if self._is_signed is not None and not self._is_signed(
            fact.public_key, text, fact.signature
        ):
            raise RecordError(where, Said("record.not_by_the_key"))
        if self._key not in (None, fact.public_key):
            raise RecordError(where, Said("record.second_key"))
        self._key = fact.public_key

    def _draw(self, where: str, fact: facts.RoundDrawn) -> None:
        expected = self._next_round(where)
        if expected is None:
            raise RecordError(where, Said("record.no_round", {"format": self._state.format.name}))
        if round_of(fact) != expected:
            must_be = encode_line(drawn_fact(expected, fact.at_ms)).decode()
            raise RecordError(where, Said("record.round_must_be", {"round": must_be}))

    def _issue(self, where: str, fact: facts.FixtureIssued) -> None:
        fixture = self._state.fixtures[fact.fixture]
        if barred := set(self._state.in_violation()) | self._state.withdrawn & fixture.entrants:
            raise RecordError(where, Said("record.barred", {"names": ", ".join(sorted(barred))}))
        attempts = self._attempts.get(fact.fixture, [])
        begun = attempts[fact.attempt - 1 : fact.attempt]
        if begun and begun[0].opened.dice_commitment != fact.dice_commitment:
            raise RecordError(where, Said("record.other_commitment"))

    def _settle(self, where: str, fact: facts.FixtureSettled) -> None:
        attempt = self._conclude(where, fact)
        end = attempt.end
        if not isinstance(end, MatchEnded):
            raise RecordError(where, Said("record.no_match_ended", {"fixture": fact.fixture}))
        if (list(fact.games), fact.score, fact.violations) != (
            attempt.games,
            end.score,
            end.violations,
        ):
            raise RecordError(where, Said("record.other_games", {"fixture": fact.fixture}))
        digest, at_ms = fact.record_sha256, fact.at_ms
        must_be = settled_fact(
            self._state,
            fact.fixture,
            fact.attempt,
            attempt.games,
            end,
            record_sha256=digest,
            now_ms=at_ms,
        )
        if encode_line(fact) != encode_line(must_be):
            raise RecordError(
                where,
                Said(
                    "record.must_be_decided",
                    {"fixture": fact.fixture, "decision": must_be.decision},
                ),
            )
        self._settled[fact.fixture] = fact.attempt

    def _void(self, where: str, fact: facts.FixtureVoided) -> None:
        end = self._conclude(where, fact).end
        if not isinstance(end, MatchVoided) or (end.reason, end.violations) != (
            fact.reason,
            fact.violations,
        ):
            raise RecordError(where, Said("record.void_otherwise"))
        if fact.is_last != self._state.is_last_void(fact.fixture, fact.reason):
            values = {"attempts": facts.ATTEMPTS, "failures": facts.FAILURES}
            raise RecordError(where, Said("record.void_for_good", values))

    def _conclude(self, where: str, fact: Concluded) -> Attempt:
        """The attempt of this line: it must be closed now, and have the bytes it was settled with."""
        attempts = self._attempts.get(fact.fixture, [])
        if len(attempts) < fact.attempt or not attempts[fact.attempt - 1].is_closed:
            raise RecordError(
                where,
                Said(
                    "record.no_closed_attempt", {"fixture": fact.fixture, "attempt": fact.attempt}
                ),
            )
        attempt = attempts[fact.attempt - 1]
        if attempt.sha256 != fact.record_sha256:
            raise RecordError(where, Said("record.not_the_settled", {"fixture": fact.fixture}))
        return attempt

    def _next_round(self, where: str) -> Round | None:
        try:
            return self._state.next_round()
        except TournamentError as error:
            raise RecordError(where, Said("record.next_round", {"problem": error.said})) from error

    def _end(self, where: str, fact: facts.TournamentEnded) -> None:
        for fixture in self._state.left_to_play():
            raise RecordError(where, Said("record.ends_undecided", {"fixture": fixture.id}))
        if violators := self._state.in_violation():
            raise RecordError(
                where, Said("record.not_withdrawn", {"names": ", ".join(sorted(violators))})
            )
        if following := self._next_round(where):
            raise RecordError(where, Said("record.ends_undrawn", {"round": following.number}))
        expected = ended_fact(self._state.standings(), fact.at_ms)
        if encode_line(expected) != encode_line(fact):
            raise RecordError(
                where,
                Said("record.standings_must_be", {"standings": encode_line(expected).decode()}),
            )

    def _head_claim(self, head: Head) -> Claim:
        by = f"the operator's key {head.public_key}, to line {head.signed_lines}; compare with what was published"
        if head.public_key is None:
            by = "nobody has signed the head of the tournament's record"
        elif not head.is_signed:
            by = say(head.signed)
        elif self._is_signed is None:
            by += " (was not checked)"
        is_confirmed = head.is_signed and self._is_signed is not None
        return Claim(
            what="results, tournament file", level="confirmed" if is_confirmed else "claimed", by=by
        )

    def result(self, confirmations: Confirmations, head: Head, *, other_runs: bool) -> Verified:
        """Return what was found; raises `RecordError` for a match record beyond the tournament's, or a receipt."""
        for fixture, attempts in self._attempts.items():
            name = match_record(fixture)
            if len(attempts) > self._state.attempts[fixture]:
                raise RecordError(name, Said("record.more_attempts", {"number": len(attempts)}))
            confirmations.take(name, self._files, attempts, self._settled.get(fixture, 0))
        receipts = confirmations.count_receipts(self._commitments, are_of_other_runs_too=other_runs)
        signers = confirmations.signers()
        if self._is_signed is not None and head.is_signed and head.public_key:
            signers[""] = head.public_key
        counted = [self._attempts[fixture][number - 1] for fixture, number in self._settled.items()]
        return Verified(
            fixtures=len(self._settled),
            scheduled=self._state.scheduled,
            games=sum(len(attempt.games) for attempt in counted),
            turns=sum(game.turns for attempt in counted for game in attempt.ended),
            is_finished=isinstance(self._order.last, facts.RecordClosed),
            signers=signers,
            head=head,
            receipts=receipts,
            claims=tuple(confirmations.claims(self._state.entrants, self._head_claim(head))),
            dealt=tuple(self._dealt),
        )
