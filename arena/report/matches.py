"""The matches of a run for the page: the list of all, and the games that can be played through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from arena.matches.facts import BotReady, GameEnded, GameStarted, MatchVoided
from arena.records.analysed import Analysis
from arena.records.facts import FixtureSettled
from arena.records.reading import Attempt
from arena.report.contents import GameAnalysis, MatchSummary, Sitting
from arena.report.games import replay_games
from arena.report.incidents import Incidents
from arena.report.play import Play, judged_games
from arena.tournaments.schedule import parse_fixture

GamesWanted = int | Literal["all", "forfeits"]
"""Which games can be played through: a number, all, none, or the forfeited ones."""


class ChosenGames:
    """Games that are put into the page: those forfeited first, then all others in the order of play.

    Where there is room for only some of the others, the first forced jan comes before them all.
    """

    def __init__(self, settled: Collection[FixtureSettled], wanted: GamesWanted) -> None:
        every = [(fact.fixture, number) for fact in settled for number in range(1, len(fact.games) + 1)]
        forfeited = [
            (fact.fixture, number) for fact in settled for number, game in enumerate(fact.games, 1) if game.cause
        ]
        if wanted == "all":
            chosen, self._left = every, None
        elif wanted == "forfeits":
            chosen, self._left = forfeited, 0
        else:
            forced = [
                (fact.fixture, number)
                for fact in settled
                for number, game in enumerate(fact.games, 1)
                if game.ending == "forced_jan"
            ]
            chosen = list(dict.fromkeys([*forced[:1], *forfeited, *every]))[:wanted]
            self._left = wanted - len(chosen)
        self._games: dict[str, set[int]] = defaultdict(set)
        for fixture, number in chosen:
            self._games[fixture].add(number)

    def of_settled(self, fixture: str) -> set[int]:
        """The games of an attempt that counts."""
        return self._games[fixture]

    def of_other(self, attempt: Attempt) -> set[int]:
        """The games of an attempt that is void or under way, as long as there is room."""
        begun = [fact.game for _, fact in attempt.facts if isinstance(fact, GameStarted)]
        if self._left is None:
            return set(begun)
        taken = begun[: self._left]
        self._left -= len(taken)
        return set(taken)


class Matches:
    """Goes through the records of a run match by match, and keeps what the page needs."""

    def __init__(self, entrants: Sequence[str], counted: Collection[str], choice: ChosenGames) -> None:
        self._entrants = {name: number for number, name in enumerate(entrants)}
        self._counted = counted
        self._choice = choice
        self.summaries: list[MatchSummary] = []
        self.sittings: list[Sitting] = []
        self.versions: dict[str, str] = {}
        """What each entrant's bot called itself at its last login."""
        self.games = 0
        """How many games were begun or forfeited, those of void attempts included."""
        self.shown = 0
        """How many of these can be played through."""
        self.latest_ms = 0
        self.incidents = Incidents(self._entrants)
        self.play = Play(self._entrants)

    def take(
        self,
        fixture: str,
        attempts: Sequence[Attempt],
        settled: FixtureSettled | None,
        analysis: Analysis | None = None,
    ) -> None:
        """Take the next match, with every attempt at it, how it was settled, if it was, and its analysis, if any."""
        last = settled.attempt if settled else attempts[-1].opened.attempt if attempts else 1
        links = []
        places: dict[int, str] = {}
        for attempt in attempts:
            number = attempt.opened.attempt
            link = places[number] = fixture if number == last else f"{fixture}~{number}"
            judged = {} if analysis is None else judged_games(analysis, number)
            sitting = self._sitting(attempt, link, judged, is_settled=settled is not None and number == last)
            if sitting.games or sitting.broken:
                self.sittings.append(sitting)
                links += [f"{link}/{game.number}" for game in sitting.games]
        self.summaries.append(self._summary(fixture, attempts, settled, links))
        if analysis is not None:
            self.play.take(analysis, places)

    def _summary(
        self, fixture: str, attempts: Sequence[Attempt], settled: FixtureSettled | None, links: Sequence[str]
    ) -> MatchSummary:
        played = parse_fixture(fixture)
        last = attempts[(settled.attempt if settled else 0) - 1] if attempts else None
        state: Literal["settled", "annulled", "void", "under way"] = "under way"
        if settled:
            state = "settled" if fixture in self._counted else "annulled"
        elif last and isinstance(last.end, MatchVoided) and last.is_closed:
            state = "void"
        return MatchSummary(
            fixture=fixture,
            round=played.round,
            entrants=(self._entrants[played.first], self._entrants[played.second]),
            state=state,
            games=settled.games if settled else (),
            turns=[game.turns for game in last.ended] if settled and last else (),
            score=settled.score if settled else (0, 0),
            decision=settled.decision if settled else "",
            attempts=len(attempts),
            commitment=last.opened.dice_commitment if last else "",
            seed=last.seed.hex() if last and last.seed else "",
            replayable=links,
        )

    def _sitting(self, attempt: Attempt, link: str, judged: Mapping[int, GameAnalysis], *, is_settled: bool) -> Sitting:
        names = attempt.opened.entrants
        wanted = self._choice.of_settled(attempt.opened.match) if is_settled else self._choice.of_other(attempt)
        versions = {fact.seat: fact.entrant.version for _, fact in attempt.facts if isinstance(fact, BotReady)}
        self.versions |= {names[seat - 1]: version for seat, version in versions.items()}
        self.games += len({fact.game for _, fact in attempt.facts if isinstance(fact, GameStarted | GameEnded)})
        self.latest_ms = max([self.latest_ms, *(fact.at_ms for _, fact in attempt.facts[-1:])])
        self.incidents.take(attempt, link)
        replayed = replay_games(attempt, wanted) if wanted else None
        games = [replace(game, analysis=judged.get(game.number)) for game in replayed.games] if replayed else []
        end = attempt.end
        self.shown += len(games)
        return Sitting(
            link=link,
            attempt=attempt.opened.attempt,
            entrants=(self._entrants[names[0]], self._entrants[names[1]]),
            versions=(versions.get(1, ""), versions.get(2, "")),
            games=games,
            void=end.reason if isinstance(end, MatchVoided) else "",
            is_over=end is not None,
            broken=replayed.broken if replayed else "",
        )
