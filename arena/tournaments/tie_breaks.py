"""Order entrants by M4, and say for every tie which step broke it or that the place is shared."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from arena.games.result import Result
from arena.tournaments.names import NO_NAMES, shown
from arena.tournaments.results import BestGame, best_games_key, describe_difference, format_points
from arena.words import Said

_Key = TypeVar("_Key", Fraction, int, tuple[int, ...], tuple[tuple[int, ...], Fraction])

Group = tuple[str, ...]
"""Entrants that are equal so far, in the order of their names."""


class TieStep(StrEnum):
    """The steps of M4 after match points, in the order they are applied."""

    GAME_POINTS = "game_points"
    BEST_GAME = "best_game"
    DIRECT_ENCOUNTER = "direct_encounter"
    SONNEBORN_BERGER = "sonneborn_berger"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreak:
    """One tie on match points, broken or left, and the sentence that explains it (M4).

    All in `group` were equal before the step; of them `above` have the place `place` and `below`
    the next one. If the place is shared, `above` are those who share it and `below` is empty.
    """

    step: TieStep
    place: int
    group: Group
    above: Group
    below: Group
    sentence: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Tally that M4 compares for one entrant, over the matches that count.

    `match_points` come in halves, `sonneborn_berger` in quarters, both exact. `points_for` are the
    game points of its won games. `best_games` are the won games of M2, best first. `meetings` holds
    for each opponent the match points won against it, one number a match. `before` is what the
    format compares before match points.
    """

    match_points: Fraction
    points_for: int
    best_games: tuple[Result, ...]
    sonneborn_berger: Fraction
    meetings: Mapping[str, tuple[Fraction, ...]]
    before: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Entrants in order: `places[0]` are those at the top (several if they share); and the tie-breaks."""

    places: tuple[Group, ...]
    tie_breaks: tuple[TieBreak, ...]


def order_field(
    tallies: Mapping[str, Tally], best_game: BestGame = "value", names: Mapping[str, str] = NO_NAMES
) -> Ranking:
    """Order entrants by M4.

    Match points; game points; best won games, if they are compared; direct encounter;
    Sonneborn-Berger; else the place is shared. What the format compares comes first of all. Any two
    neighbours that are equal on these and on match points appear in exactly one tie-break. Ids only
    order the display of a shared place. Sentences call entrants by their display `names`.
    """
    ordering = _Ordering(tallies, best_game, names)
    places: list[Group] = []
    tie_breaks: list[TieBreak] = []
    for group in _levels(
        {name: (tally.before, tally.match_points) for name, tally in tallies.items()}
    ):
        part = ordering.settle(group, TieStep.GAME_POINTS, 1 + sum(map(len, places)), group)
        places += part.places
        tie_breaks += part.tie_breaks
    return Ranking(places=tuple(places), tie_breaks=tuple(tie_breaks))


class _Ordering:
    """The recursion over groups of entrants that are still equal; it holds nothing but its input."""

    def __init__(
        self, tallies: Mapping[str, Tally], best_game: BestGame, names: Mapping[str, str]
    ) -> None:
        self._tallies = tallies
        self._names = names
        self._best_game = best_game

    def settle(self, group: Group, step: TieStep, place: int, among: Group) -> Ranking:
        """Order a group that is equal on every step before `step` and whose best place is `place`.

        There is a tie-break between any two of its levels.

        `among` is the group whose direct encounters were compared last; Sonneborn-Berger may have
        split it since.
        """
        if len(group) == 1:
            return Ranking(places=(group,), tie_breaks=())
        if step is TieStep.SHARED:
            return Ranking(places=(group,), tie_breaks=(self._shared(group, place, among),))
        if step is TieStep.DIRECT_ENCOUNTER:
            among = group
        levels = self._split(group, step)
        following = list(TieStep)[list(TieStep).index(step) + 1]
        if len(levels) == 1:
            return self.settle(group, following, place, among)
        # Among fewer entrants direct encounter is another table, so it is compared again.
        again = step if step is TieStep.DIRECT_ENCOUNTER else following
        places: list[Group] = []
        tie_breaks: list[TieBreak] = []
        for level in levels:
            part = self.settle(level, again, place, among)
            if places:
                above = places[-1]
                tie_breaks.append(self._gap(step, place - len(above), group, above, part.places[0]))
            places += part.places
            tie_breaks += part.tie_breaks
            place += len(level)
        return Ranking(places=tuple(places), tie_breaks=tuple(tie_breaks))

    def _split(self, group: Group, step: TieStep) -> list[Group]:
        """Split a group by one step into levels, the best first; a step that splits nobody gives one level."""
        match step:
            case TieStep.GAME_POINTS:
                return _levels({name: self._tallies[name].points_for for name in group})
            case TieStep.BEST_GAME:
                lists = {
                    name: best_games_key(self._tallies[name].best_games, self._best_game)
                    for name in group
                }
                return _levels(lists)
            case TieStep.DIRECT_ENCOUNTER if self._have_met(group):
                return _levels({name: self._encounter_points(name, group) for name in group})
            case TieStep.SONNEBORN_BERGER:
                return _levels({name: self._tallies[name].sonneborn_berger for name in group})
            case _:
                return [group]

    def _have_met(self, group: Group) -> bool:
        """Return whether direct encounter is fair: every pair of the group has met, all pairs equally often."""
        counts = {
            len(self._tallies[one].meetings.get(other, ())) for one, other in combinations(group, 2)
        }
        return len(counts) == 1 and 0 not in counts

    def _encounter_points(self, name: str, group: Group) -> Fraction:
        meetings = self._tallies[name].meetings
        return sum(
            (sum(meetings[other], Fraction()) for other in group if other != name), Fraction()
        )

    def _gap(self, step: TieStep, place: int, group: Group, above: Group, below: Group) -> TieBreak:
        upper, lower = self._tallies[above[0]], self._tallies[below[0]]
        names = self._shown(group)
        who: object = names
        match step:
            case TieStep.GAME_POINTS:
                why = Said(
                    "step.game_points", {"mine": upper.points_for, "theirs": lower.points_for}
                )
            case TieStep.BEST_GAME:
                lists = [
                    [self._tallies[name].best_games for name in side] for side in (above, below)
                ]
                why = describe_difference(lists[0], lists[1], self._best_game)
            case TieStep.DIRECT_ENCOUNTER:
                mine, theirs = (
                    format_points(self._encounter_points(side[0], group)) for side in (above, below)
                )
                why = Said("step.direct_encounter", {"mine": mine, "theirs": theirs})
                if len(group) > 2:
                    why = Said("step.direct_encounter_among", {**why.values, "names": names})
                    who = Said("standing.they")
            case _:
                mine, theirs = (format_points(tally.sonneborn_berger) for tally in (upper, lower))
                why = Said("step.sonneborn_berger", {"mine": mine, "theirs": theirs})
        values = {"above": self._shown(above), "below": self._shown(below), "why": why}
        sentence = Said("standing.above", values)
        if len(group) > 2:
            level = {"who": who, "common": self._common(group, step, group)}
            sentence = Said("standing.above_level", {**values, **level})
        elif step is TieStep.SONNEBORN_BERGER and not self._have_met(group):
            sentence = Said("standing.above_not_met", values)
        return TieBreak(
            step=step, place=place, group=group, above=above, below=below, sentence=sentence
        )

    def _shared(self, group: Group, place: int, among: Group) -> TieBreak:
        values = {"names": self._shown(group), "place": place}
        sentence = Said("standing.shared_unplayed", values)
        if any(self._tallies[name].meetings for name in group):
            common = self._common(group, TieStep.SHARED, among)
            sentence = Said("standing.shared", {**values, "common": common})
        return TieBreak(
            step=TieStep.SHARED, place=place, group=group, above=group, below=(), sentence=sentence
        )

    def _shown(self, group: Group) -> list[str]:
        return list(shown(self._names, group))

    def _common(self, group: Group, step: TieStep, among: Group) -> Said | list[Said]:
        """List the steps before `step`, with the value that the group has in common in each."""
        tally = self._tallies[group[0]]
        encounter = Said("level.direct_encounter")
        if among != group:
            encounter = Said("level.direct_encounter_among", {"names": self._shown(among)})
        said = {
            TieStep.GAME_POINTS: Said("level.game_points", {"points": tally.points_for}),
            TieStep.BEST_GAME: Said("level.best_game"),
            TieStep.DIRECT_ENCOUNTER: encounter,
            TieStep.SONNEBORN_BERGER: Said(
                "level.sonneborn_berger", {"points": format_points(tally.sonneborn_berger)}
            ),
        }
        before = list(TieStep)[: list(TieStep).index(step)]
        if self._best_game == "none" and TieStep.BEST_GAME in before:
            before.remove(TieStep.BEST_GAME)
        left_out = TieStep.DIRECT_ENCOUNTER in before and not self._have_met(among)
        if left_out:
            before.remove(TieStep.DIRECT_ENCOUNTER)
        points = Said("level.match_points", {"points": format_points(tally.match_points)})
        level = [points, *(said[each] for each in before)]
        if not left_out:
            return level
        code = "standing.left_out" if len(among) == 2 else "standing.left_out_unequal"
        return Said(code, {"common": level, "step": encounter})


def _levels(keys: Mapping[str, _Key]) -> list[Group]:
    """Group names with equal keys, the greatest key first; names within a group are in order."""
    groups: dict[_Key, list[str]] = {}
    for name in sorted(sorted(keys), key=lambda name: keys[name], reverse=True):
        groups.setdefault(keys[name], []).append(name)
    return [tuple(group) for group in groups.values()]
