"""Order entrants by M4; say of every tie which step broke it, or that the place is shared."""

from collections.abc import (
    Callable,
    Iterable,
    Mapping,
)
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from arena.games.result import Result
from arena.tournaments.names import NO_NAMES, shown
from arena.tournaments.results import (
    BestGame,
    best_games_key,
    describe_difference,
    format_points,
)
from arena.words import Said

_Key = TypeVar(
    "_Key",
    Fraction,
    int,
    tuple[int, ...],
    tuple[tuple[float, ...], Fraction],
)

Group = tuple[str, ...]
"""Entrants that are equal so far, in the order of their names."""


class TieStep(StrEnum):
    """The steps of M4 after match points, in the order they are applied."""

    GAME_POINTS = "game_points"
    BEST_GAME = "best_game"
    DIRECT_ENCOUNTER = "direct_encounter"
    SONNEBORN_BERGER = "sonneborn_berger"
    SHARED = "shared"


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
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


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Tally:
    """Tally that M4 compares for one entrant, over the matches that count.

    `match_points` come in halves, `sonneborn_berger` in quarters, both exact. `points_for` are the
    game points of its won games. `best_games` are the won games of M2, best first. `meetings` holds
    for each opponent the match points won against it, one number per match. `format_keys` are
    what the format compares before match points.
    """

    match_points: Fraction
    points_for: int
    best_games: tuple[Result, ...]
    sonneborn_berger: Fraction
    meetings: Mapping[str, tuple[Fraction, ...]]
    format_keys: tuple[float, ...] = ()


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Ranking:
    """Entrants in order, and the tie-breaks; `places[0]` is the top, shared by several or not."""

    places: tuple[Group, ...]
    tie_breaks: tuple[TieBreak, ...]


def order_field(
    tallies: Mapping[str, Tally], best_game: BestGame = "value", names: Mapping[str, str] = NO_NAMES
) -> Ranking:
    """Order entrants by M4.

    The format's own keys come first, then match points; game points; best won games, if they are
    compared; direct encounter; Sonneborn-Berger; else the place is shared. Any two neighbours with
    equal keys of the format and equal match points appear in exactly one tie-break. Ids only order
    the display of a shared place. Sentences call entrants by their display `names`.
    """
    ordering = _Ordering(tallies, best_game, names)
    places: list[Group] = []
    tie_breaks: list[TieBreak] = []
    place = 1
    groups = _levels(tallies, lambda name: (tallies[name].format_keys, tallies[name].match_points))
    for group in groups:
        ranking = ordering.settle(
            group,
            step=TieStep.GAME_POINTS,
            place=place,
            among=group,
        )
        places += ranking.places
        tie_breaks += ranking.tie_breaks
        place += len(group)
    return Ranking(
        places=tuple(places),
        tie_breaks=tuple(tie_breaks),
    )


class _Ordering:
    """The recursion over groups of entrants that are still equal; it holds only its input."""

    def __init__(
        self,
        tallies: Mapping[str, Tally],
        best_game: BestGame,
        names: Mapping[str, str],
    ) -> None:
        self._tallies = tallies
        self._names = names
        self._best_game = best_game

    def settle(
        self,
        group: Group,
        step: TieStep,
        place: int,
        among: Group,
    ) -> Ranking:
        """Order a group that is equal on every step before `step` and whose best place is `place`.

        There is a tie-break between any two of its levels.

        `among` is the group whose direct encounters were compared last; Sonneborn-Berger may have
        split it since.
        """
        if len(group) == 1:
            return Ranking(
                places=(group,),
                tie_breaks=(),
            )
        if step is TieStep.SHARED:
            return Ranking(
                places=(group,),
                tie_breaks=(self._share_place(group, place, among),),
            )
        if step is TieStep.DIRECT_ENCOUNTER:
            among = group
        levels = self._split(group, step)
        following = _step_after(step)
        if len(levels) == 1:
            return self.settle(group, following, place, among)
        next_step = following
        if step is TieStep.DIRECT_ENCOUNTER:
            # Among fewer entrants direct encounter is another table, so it is compared again.
            next_step = step
        places: list[Group] = []
        tie_breaks: list[TieBreak] = []
        for level in levels:
            ranking = self.settle(level, next_step, place, among)
            if places:
                above, below = places[-1], ranking.places[0]
                tie_breaks.append(
                    self._gap(
                        step,
                        place - len(above),
                        group,
                        above,
                        below,
                    )
                )
            places += ranking.places
            tie_breaks += ranking.tie_breaks
            place += len(level)
        return Ranking(
            places=tuple(places),
            tie_breaks=tuple(tie_breaks),
        )

    def _split(self, group: Group, step: TieStep) -> list[Group]:
        """Split a group by one step into levels, the best first; one level if all are equal."""
        match step:
            case TieStep.GAME_POINTS:
                return _levels(group, lambda name: self._tallies[name].points_for)
            case TieStep.BEST_GAME:
                return _levels(group, self._best_games_key)
            case TieStep.DIRECT_ENCOUNTER if self._have_met(group):
                return _levels(group, lambda name: self._encounter_points(name, group))
            case TieStep.SONNEBORN_BERGER:
                return _levels(group, lambda name: self._tallies[name].sonneborn_berger)
            case _:
                return [group]

    def _best_games_key(self, name: str) -> tuple[int, ...]:
        return best_games_key(self._tallies[name].best_games, self._best_game)

    def _have_met(self, group: Group) -> bool:
        """Return whether direct encounter is fair: all pairs have met equally often."""
        counts = set()
        for entrant, opponent in combinations(group, 2):
            meetings = self._tallies[entrant].meetings.get(opponent, ())
            counts.add(len(meetings))
        return len(counts) == 1 and 0 not in counts

    def _encounter_points(self, name: str, group: Group) -> Fraction:
        meetings = self._tallies[name].meetings
        points = Fraction()
        for opponent in group:
            if opponent != name:
                points += sum(meetings[opponent])
        return points

    def _gap(
        self,
        step: TieStep,
        place: int,
        group: Group,
        above: Group,
        below: Group,
    ) -> TieBreak:
        """Explain the step that put `above` before `below`."""
        gap = {
            "above": self._names_of(above),
            "below": self._names_of(below),
            "why": self._reason(step, group, above, below),
        }
        if len(group) > 2:
            who: object = self._names_of(group)
            if step is TieStep.DIRECT_ENCOUNTER:
                who = Said("standing.they")  # the reason names the group
            common = self._common(group, step, group)
            sentence = Said(
                "standing.above_level",
                {
                    **gap,
                    "who": who,
                    "common": common,
                },
            )
        elif step is TieStep.SONNEBORN_BERGER and not self._have_met(group):
            sentence = Said("standing.above_not_met", gap)
        else:
            sentence = Said("standing.above", gap)
        return TieBreak(
            step=step,
            place=place,
            group=group,
            above=above,
            below=below,
            sentence=sentence,
        )

    def _reason(
        self,
        step: TieStep,
        group: Group,
        above: Group,
        below: Group,
    ) -> Said:
        """Compare the two groups by the step that parts them."""
        upper, lower = self._tallies[above[0]], self._tallies[below[0]]
        match step:
            case TieStep.GAME_POINTS:
                points = {
                    "mine": upper.points_for,
                    "theirs": lower.points_for,
                }
                return Said("step.game_points", points)
            case TieStep.BEST_GAME:
                better, worse = self._best_games(above), self._best_games(below)
                return describe_difference(better, worse, self._best_game)
            case TieStep.DIRECT_ENCOUNTER:
                mine = format_points(self._encounter_points(above[0], group))
                theirs = format_points(self._encounter_points(below[0], group))
                encounter: dict[str, object] = {
                    "mine": mine,
                    "theirs": theirs,
                }
                if len(group) == 2:
                    return Said("step.direct_encounter", encounter)
                encounter["names"] = self._names_of(group)
                return Said("step.direct_encounter_among", encounter)
            case _:
                quarters = {
                    "mine": format_points(upper.sonneborn_berger),
                    "theirs": format_points(lower.sonneborn_berger),
                }
                return Said("step.sonneborn_berger", quarters)

    def _share_place(
        self,
        group: Group,
        place: int,
        among: Group,
    ) -> TieBreak:
        shared: dict[str, object] = {
            "names": self._names_of(group),
            "place": place,
        }
        code = "standing.shared_unplayed"
        if any(self._tallies[name].meetings for name in group):
            code = "standing.shared"
            shared["common"] = self._common(group, TieStep.SHARED, among)
        return TieBreak(
            step=TieStep.SHARED,
            place=place,
            group=group,
            above=group,
            below=(),
            sentence=Said(code, shared),
        )

    def _best_games(self, group: Group) -> list[tuple[Result, ...]]:
        return [self._tallies[name].best_games for name in group]

    def _names_of(self, group: Group) -> list[str]:
        return list(shown(self._names, group))

    def _common(
        self,
        group: Group,
        step: TieStep,
        among: Group,
    ) -> Said | list[Said]:
        """List the steps before `step`, with the number that the group has in common in each."""
        tally = self._tallies[group[0]]
        match_points = format_points(tally.match_points)
        level = [Said("level.match_points", {"points": match_points})]
        encounter = Said("level.direct_encounter")
        if among != group:
            encounter = Said("level.direct_encounter_among", {"names": self._names_of(among)})
        earlier = _steps_before(step)
        # One branch per step of M4, in its order.
        is_fair = TieStep.DIRECT_ENCOUNTER not in earlier or self._have_met(among)
        if TieStep.GAME_POINTS in earlier:
            level.append(Said("level.game_points", {"points": tally.points_for}))
        if TieStep.BEST_GAME in earlier and self._best_game != "none":
            level.append(Said("level.best_game"))
        if TieStep.DIRECT_ENCOUNTER in earlier and is_fair:
            level.append(encounter)
        if TieStep.SONNEBORN_BERGER in earlier:
            points = format_points(tally.sonneborn_berger)
            level.append(Said("level.sonneborn_berger", {"points": points}))
        if is_fair:
            return level
        code = "standing.left_out" if len(among) == 2 else "standing.left_out_unequal"
        return Said(
            code,
            {
                "common": level,
                "step": encounter,
            },
        )


def _steps_before(step: TieStep) -> list[TieStep]:
    steps = list(TieStep)
    return steps[: steps.index(step)]


def _step_after(step: TieStep) -> TieStep:
    steps = list(TieStep)
    return steps[steps.index(step) + 1]


def _levels(names: Iterable[str], key: Callable[[str], _Key]) -> list[Group]:
    """Group names with equal keys, the greatest key first; names within a group are in order."""
    keys = {name: key(name) for name in sorted(names)}
    groups: dict[_Key, list[str]] = {}
    for name in sorted(
        keys,
        key=lambda name: keys[name],
        reverse=True,
    ):
        groups.setdefault(keys[name], []).append(name)
    return list(map(tuple, groups.values()))
