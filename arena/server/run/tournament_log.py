"""The tournament record during play: fixtures issued, settled and voided, and withdrawals."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress

import msgspec
import trio
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.games import ruleset_record
from arena.games.result import Result
from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records import facts
from arena.records.confirmations import head_text
from arena.records.dice import commitment
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.records.intact import check_intact
from arena.records.lines import RecordError, read_tournament
from arena.records.lines_of_play import (
    drawn_fact,
    ended_fact,
    settled_fact,
    voided_fact,
    withdrawal_facts,
)
from arena.records.state import state_of
from arena.server.io import secret_values
from arena.server.io.clock import RunClock
from arena.server.io.disk import DiskError
from arena.server.io.journal import Journal, mend_record
from arena.server.run import resume
from arena.server.setup.credentials import Signer
from arena.server.setup.plan_on_record import given_names, header_of
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan
from arena.tournaments.schedule import Fixture, parse_fixture
from arena.tournaments.waiting import WaitingFixtures
from arena.words import Said


class GamesPlayed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Progress of a match: told when the match goes on, and when one of its games is over."""

    fixture: str
    games: int
    """Number of its games that are over."""


class BotThinks(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A bot thinks long about a turn: told every second, and once more when it has answered."""

    fixture: str
    name: str
    """The entrant; empty when it has answered."""
    seconds: int
    """Time that it has thought by now."""
    may_be_long: bool = False
    """True if a person or an agent thinks."""


Progressed = GamesPlayed | BotThinks
"""Progress of matches while they are played."""
TellProgress = Callable[[Progressed], object]
Report = Callable[[facts.TournamentFact | Progressed], object]
"""Gets every line of the tournament record, and the progress of matches."""


class TournamentLog:
    """`tournament.jsonl`, continued from an earlier run.

    Every line is on the disk before a bot hears of it.
    """

    def __init__(
        self,
        plan: Plan,
        folder: RunFolder,
        clock: RunClock,
        report: Report,
        signer: Signer | None = None,
        *,
        run_id: str = "",
    ) -> None:
        self._plan = plan
        self._run_id = run_id
        self._signer = signer
        self._ruleset = ruleset_record(plan.game())
        self._folder = folder
        self._clock = clock
        self._report = report
        self.tell_progress: TellProgress = report
        """Reports how far a match has come that is being played; nothing of it is written here."""
        self.secrets = folder.read_secrets()
        check_intact(folder.files, self._seed, plan.entrants)  # before anything is written
        path = folder.tournament_record
        lines = read_tournament(TOURNAMENT_RECORD, mend_record(path))
        self._facts: list[facts.TournamentFact] = [fact for _, fact in lines]
        self.key = _first_key(self._facts)
        """The operator's public key with which an earlier run signed; None if there was none."""
        if signer is not None and self.key not in (None, signer.public_key):
            raise RecordError(str(path), Said("record.another_key", {"key": self.key}))
        self._journal = Journal(path)
        self._contained: dict[str, facts.Way] = {}
        """The kind of containment of each launched bot, as recorded by this arena."""
        self.under_way: dict[str, resume.UnderWay] = {}
        """Attempts of an earlier run that go on, by fixture, in the order in which they were
        issued."""
        self.waiting = WaitingFixtures()
        """The fixtures to play, from `settle_leftovers` on; attempts that go on come first."""
        self.is_resumed = bool(self._facts)
        """True if an earlier run began it."""
        with self._closed_on_failure():
            self.opened = self._opened()
            self.state = state_of(self.opened, self._facts)
            self._begin()

    @contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        """Close the file if the record cannot be opened: the venue goes on without this run."""
        try:
            yield
        except BaseException:
            with suppress(DiskError):
                self.close()
            raise

    def _begin(self) -> None:
        """Write the first line of a new record; add newcomers to an earlier one."""
        if not self.is_resumed:
            self._write(self.opened)
            self._journal.sync()
            return
        newcomers = self._plan.entrants[len(self.state.entrants) :]
        if newcomers:
            self._enter(newcomers)

    def _opened(self) -> facts.TournamentOpened:
        """Return the first line: that of the record, or a new one.

        Raises `RecordError` if the record belongs to a run with another id.
        """
        if not self.is_resumed:
            return self._header(self._plan.entrants)
        opened = self._facts[0]
        assert isinstance(opened, facts.TournamentOpened), "it was checked when it was read"
        recorded_id = opened.run or ""
        if recorded_id != self._run_id:
            ids = {"id": repr(recorded_id), "given": repr(self._run_id)}
            raise RecordError(str(self._folder.tournament_record), Said("record.other_run", ids))
        return opened

    def _enter(self, newcomers: Sequence[str]) -> None:
        """Add entrants that were added to the tournament file since it was first frozen."""
        earlier_entrants = self._plan.entrants[: len(self.opened.entrants)]
        header = self._header(earlier_entrants)
        expected = replace(
            self.opened,
            at_ms=header.at_ms,
            file_sha256=header.file_sha256,
            public_key=header.public_key,
        )
        if header != expected:
            raise RecordError(TOURNAMENT_FILE, Said("record.more_than_newcomers"))
        self._folder.freeze()
        if self.state.is_finished and not isinstance(self._facts[-1], facts.RecordClosed):
            self._journal.seal()  # the arena was stopped before this line
        self._write(
            facts.EntrantsAdded(
                at_ms=self._clock.now_ms(),
                entrants=newcomers,
                names=given_names(self._plan, newcomers),
                file_sha256=self._folder.file_sha256(),
            )
        )
        self._journal.sync()

    def _header(self, entrants: Sequence[str]) -> facts.TournamentOpened:
        """Return the first line of the tournament record."""
        public_key: str | UnsetType = UNSET
        if self._signer is not None:
            public_key = self._signer.public_key
        return header_of(
            self._plan,
            entrants,
            at_ms=self._clock.now_ms(),
            file_sha256=self._folder.file_sha256(),
            public_key=public_key,
            run=self._run_id or UNSET,
        )

    def _write(self, fact: facts.TournamentFact) -> None:
        self._journal.write(fact)
        self._facts.append(fact)
        self.state.apply(fact)
        self._report(fact)

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    # What it says

    @property
    def has_more(self) -> bool:
        """True while fixtures may come that follow from who is there."""
        return False

    @property
    def look_again_s(self) -> float:
        """Seconds after which `next` may have another answer, though no entrant became free."""
        return math.inf

    def is_open(self, fixture: Fixture) -> bool:
        """Return whether another attempt will be played.

        None is once the fixture is decided, or an entrant withdrawn.
        """
        return not (self.state.is_decided(fixture.id) or self.state.is_barred(fixture))

    @property
    def finished_ms(self) -> int:
        """Time when the standings were written last; 0 if they never were."""
        finished_ms = 0
        for fact in self._facts:
            if isinstance(fact, facts.TournamentEnded):
                finished_ms = max(finished_ms, fact.at_ms)
        return finished_ms

    # What is added to it

    def contain(self, bots: Mapping[str, facts.Way]) -> None:
        """Record how launched bots are contained, unless this arena has recorded it already."""
        recorded = self._contained
        new = {name: kind for name, kind in bots.items() if recorded.get(name) != kind}
        if new:
            self._contained |= new
            self._write(facts.BotsContained(at_ms=self._clock.now_ms(), bots=new))

    def await_entrants(self, away: Sequence[str]) -> None:
        """Record which entrants all remaining fixtures wait for; none once one can be played."""
        if list(away) != list(self.state.awaited):
            self._write(facts.EntrantsAwaited(at_ms=self._clock.now_ms(), away=away))
            self._journal.commit()

    async def give_up(self, away: Sequence[str]) -> None:
        """Void all remaining fixtures of these entrants."""
        self._write(facts.EntrantsAbsent(at_ms=self._clock.now_ms(), away=away))
        self._drop_unplayable()
        self._sign_head()
        await self._journal.wait_synced()

    def _drop_unplayable(self) -> None:
        """Take out the waiting fixtures that will not be played any more."""
        self.waiting.take_out_all(
            lambda fixture: fixture.id not in self.under_way and not self.is_open(fixture)
        )

    async def next(self, free: AbstractSet[str]) -> Fixture | None:
        """Take out the next fixture to play if these entrants are free; None if there is none now.

        When all known fixtures are over, the next round is drawn, if the format can.
        """
        if not self.waiting:
            await self._draw()
        return self.waiting.take(free)

    async def _draw(self) -> None:
        """Draw rounds as long as nothing waits and all matches are over."""
        while not self.waiting and self.state.over == len(self.state.fixtures):
            # A large Swiss round takes seconds.
            drawn = await trio.to_thread.run_sync(self.state.next_round)
            if drawn is None:
                break
            self._write(drawn_fact(drawn, self._clock.now_ms()))
            self.waiting.add(self.state.left_to_play())

    async def issue(self, fixture: Fixture) -> tuple[MatchOpened, bytes]:
        """Begin another attempt at a fixture; returns its header and the seed of its dice."""
        if not self.secrets.dice_key:
            key = secret_values.new_dice_key().hex()
            self._folder.write_secrets(replace(self.secrets, dice_key=key))
            # Only once it is on the disk: dice must not rely on a key that may be lost.
            self.secrets.dice_key = key
        attempt = self.state.attempts[fixture.id] + 1
        seed = self._seed(fixture.id, attempt)
        assert seed is not None, "there is a key"
        issued = facts.FixtureIssued(
            at_ms=self._clock.now_ms(),
            fixture=fixture.id,
            attempt=attempt,
            dice_commitment=commitment(seed),
        )
        self._write(issued)
        await self._journal.wait_synced()
        # Start-up time counts from the header, and bots must not pay for a slow disk.
        return replace(self._match_header(issued), at_ms=self._clock.now_ms()), seed

    def _seed(self, fixture: str, attempt: int) -> bytes | None:
        if not self.secrets.dice_key:
            return None
        return secret_values.dice_seed(bytes.fromhex(self.secrets.dice_key), fixture, attempt)

    def _match_header(self, issued: facts.FixtureIssued) -> MatchOpened:
        """Return the first line of the match record of an issued attempt."""
        fixture = parse_fixture(issued.fixture)
        entrants = (fixture.first, fixture.second)
        names = (self.state.names[fixture.first], self.state.names[fixture.second])
        other_names = UNSET if names == entrants else names
        return MatchOpened(
            at_ms=issued.at_ms,
            match=issued.fixture,
            attempt=issued.attempt,
            ruleset=self._ruleset,
            terms=self._plan.terms,
            entrants=entrants,
            names=other_names,
            dice_commitment=issued.dice_commitment,
            luck=self.opened.luck,
        )

    async def conclude(
        self,
        fixture: str,
        attempt: int,
        games: Sequence[Result],
        end: MatchEnded | MatchVoided,
    ) -> str | None:
        """Settle or void an attempt whose match record is sealed; returns the winner."""
        record = self._folder.match_record(fixture).read_bytes()
        digest = hashlib.sha256(record).hexdigest()
        # A worker may have written the end, by a clock that is ahead of ours.
        self._clock.catch_up(end.at_ms)
        now_ms = self._clock.now_ms()
        winner = None
        if isinstance(end, MatchEnded):
            settled = settled_fact(
                self.state,
                fixture,
                attempt,
                games,
                end,
                record_sha256=digest,
                now_ms=now_ms,
            )
            winner = settled.winner
            self._write(settled)
        else:
            self._write(
                voided_fact(self.state, fixture, attempt, end, record_sha256=digest, now_ms=now_ms)
            )
        self._judge_conduct()
        self._sign_head()
        await self._journal.wait_synced()
        return winner

    def _sign_head(self) -> None:
        """Sign the record up to here, if the run has a signing key."""
        if self._signer is None:
            return
        lines, digest = self._journal.mark()
        sha256 = digest.hex()
        head = facts.HeadSigned(
            at_ms=self._clock.now_ms(),
            lines=lines,
            sha256=sha256,
            public_key=self._signer.public_key,
            signature=self._signer.sign(head_text(lines, sha256)),
        )
        self._write(head)

    def _judge_conduct(self) -> None:
        """Withdraw every entrant with more violations than allowed (M5)."""
        withdrawals = withdrawal_facts(self.state, self._clock.now_ms())
        for withdrawal in withdrawals:
            self._write(withdrawal)
        if withdrawals:
            self._drop_unplayable()

    async def settle_leftovers(self) -> None:
        """Settle the complete attempts that an earlier run left under way; take up the others."""
        for issued in resume.leftovers(self._facts):
            await self.take_up(self._match_header(issued))
        self._judge_conduct()
        self.waiting.add(map(parse_fixture, self.under_way))
        for fixture in self.state.left_to_play():
            if fixture.id not in self.under_way:
                self.waiting.add([fixture])

    async def take_up(self, opened: MatchOpened) -> bool:
        """Settle an attempt whose process is gone if its record is complete.

        Else it goes on, or is void. Returns whether it was complete. Raises `RecordError`.
        """
        fixture = opened.match
        seed = self._seed(fixture, opened.attempt)
        attempt = resume.take_up(self._folder, opened, seed, self._clock)
        if isinstance(attempt, resume.UnderWay):
            self.under_way[fixture] = attempt
            return False
        end = attempt.end
        assert end is not None, "a closed attempt has come to an end"
        await self.conclude(fixture, opened.attempt, attempt.games, end)
        return not isinstance(end, MatchVoided) or end.reason != facts.STOPPED

    async def finish(self) -> None:
        """Write the standings and close the record, unless an earlier run has done so."""
        if not self.state.is_finished:
            table = self.state.standings()
            self._write(ended_fact(table, self._clock.now_ms(), self.state.rated))
        if isinstance(self._facts[-1], facts.TournamentEnded):
            self._sign_head()
        if not isinstance(self._facts[-1], facts.RecordClosed):
            self._journal.seal()
        await self._journal.wait_synced()


def _first_key(tournament_facts: Sequence[facts.TournamentFact]) -> str | None:
    for fact in tournament_facts:
        if isinstance(fact, facts.TournamentOpened | facts.HeadSigned) and fact.public_key:
            return fact.public_key
    return None
