"""The standings in a sentence: who has won and by what, or who leads and who can still catch up."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from arena.tournaments.results import BestGame, best_games_key, format_points
from arena.tournaments.standings import Standing, Standings
from arena.tournaments.tie_breaks import TieBreak, TieStep
from arena.words import Said

MOST_NAMES: Final = 4
"""The most rivals to be named; more of them are counted."""


def who_has_won(table: Standings) -> list[Said]:
    """Say who is first when all is played, and by which step of M4."""
    rows = placed(table)
    if len(rows) == 1:
        return [Said("outcome.alone", {"name": table.name(rows[0].entrant)})]
    if len(rows) < 2 or not table.counted:
        return [Said("outcome.no_winner")]
    first, second = rows[0], rows[1]
    shared = _top_tie(table, is_shared=True)
    if shared is not None:
        return [shared.sentence]
    broken = _top_tie(table, is_shared=False)
    if broken is not None:
        won = {
            "name": table.name(first.entrant),
            "why": broken.sentence.values["why"],
            "points": format_points(first.match_points),
            "others": table.display_names(_others(broken, first)),
        }
        return [Said("outcome.won_level", won)]
    points = {
        "mine": format_points(first.match_points),
        "theirs": format_points(second.match_points),
    }
    won = {
        "name": table.name(first.entrant),
        "why": Said("step.match_points", points),
    }
    return [Said("outcome.won", won)]


def _top_tie(table: Standings, *, is_shared: bool) -> TieBreak | None:
    for tie in table.tie_breaks:
        if tie.place == 1 and (tie.step is TieStep.SHARED) == is_shared:
            return tie
    return None


def _others(tie: TieBreak, first: Standing) -> list[str]:
    return [entrant for entrant in tie.group if entrant != first.entrant]


def what_is_at_stake(table: Standings, unplayed: Mapping[str, int], matches: int) -> Said:
    """Say who leads, by how much, and who can still catch up; or that the leader has won already.

    `unplayed` counts the matches that each entrant can still win, and `matches` all that are left;
    there is at least one. A withdrawal may change what is said, since it may annul results (M5).
    """
    rows = placed(table)
    leaders = [row for row in rows if row.place == 1]
    if len(leaders) > 1 or not table.counted:
        return say_stakes(table, rows, leaders, unplayed, matches)
    [leader] = leaders
    broken = _top_tie(table, is_shared=False)
    if broken is None:
        return say_stakes(table, rows, leaders, unplayed, matches)
    level = {
        "name": table.name(leader.entrant),
        "why": broken.sentence.values["why"],
        "others": table.display_names(_others(broken, leader)),
    }
    lead = Said("stakes.leads_level", level)
    return say_stakes(table, rows, leaders, unplayed, matches, lead)


def say_stakes(
    table: Standings,
    rows: Sequence[Standing],
    leaders: Sequence[Standing],
    unplayed: Mapping[str, int],
    matches: int,
    lead: Said | None = None,
) -> Said:
    """Say what is at stake between the entrants of these rows, the best first.

    The `leaders` are the first of them. `lead` says how they lead; without it, by match points.
    """
    to_play = Said("stakes.matches", {"count": matches})
    if not table.counted:
        return Said("stakes.none_counts", {"left": to_play})
    chasing = rivals(rows[len(leaders) :], leaders[0], unplayed, table.best_game)
    names = table.display_names(row.entrant for row in leaders)
    if not chasing and len(leaders) == 1:
        return Said("stakes.has_won", {"name": names[0], "left": to_play})
    if lead is None:
        lead = _lead(names, rows, leaders)
    stakes = {
        "lead": lead,
        "rivals": _who_can_catch(table.display_names(chasing), len(leaders)),
        "left": to_play,
    }
    return Said("stakes.open", stakes)


def _lead(names: list[str], rows: Sequence[Standing], leaders: Sequence[Standing]) -> Said:
    if len(leaders) > 1:
        return Said("stakes.lead_together", {"names": names})
    leader, second = rows[0], rows[1]
    margin = leader.match_points - second.match_points
    return Said("stakes.leads", {"name": names[0], "points": say_match_points(margin)})


def say_match_points(points: Fraction) -> Said:
    """Say a number of match points."""
    counted = {
        "points": format_points(points),
        "count": float(points),
    }
    return Said("stakes.match_points", counted)


def _who_can_catch(names: list[str], leaders: int) -> Said:
    """Name the rivals of this number of leaders, or count them."""
    if not names:
        return Said("stakes.no_rival")
    if len(names) > MOST_NAMES:
        return Said("stakes.many_rivals", {"number": len(names), "count": leaders})
    return Said("stakes.rivals", {"names": names, "count": leaders})


def rivals(
    chasers: Sequence[Standing],
    leader: Standing,
    unplayed: Mapping[str, int],
    best_game: BestGame = "value",
) -> list[str]:
    """Return the chasers that can still catch the leader, in the order of the table.

    An entrant can if it gets as many match points by winning all its matches while the leader loses
    all of its own. What it can win in game points has no limit. If it has no match left, it must be
    level in match points, game points and best won games already: a leader loses none of these.
    """
    names = []
    for row in chasers:
        matches = unplayed.get(row.entrant, 0)
        if matches:
            can_catch = row.match_points + matches >= leader.match_points
        else:
            can_catch = _secured(row, best_game) >= _secured(leader, best_game)
        if can_catch:
            names.append(row.entrant)
    return names


def _secured(row: Standing, best_game: BestGame) -> tuple[Fraction, int, tuple[int, ...]]:
    """Return what M4 compares first: an entrant never loses any of it."""
    games = best_games_key(row.best_games, best_game)
    return row.match_points, row.points_for, games


def placed(table: Standings) -> list[Standing]:
    """Return the rows of entrants that have a place, the best first."""
    return [row for row in table.rows if row.place is not None]
