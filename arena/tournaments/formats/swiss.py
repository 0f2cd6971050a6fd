"""The Swiss system in its Nordic form, Monrad: neighbours in the table meet, and nobody meets anybody twice."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.tournaments.formats.interface import Format, Shape, SoFar, remaining_entrants, too_few
from arena.tournaments.schedule import Fixture, Round, seated
from arena.tournaments.standings import standings
from arena.words import Said


class SwissMonrad(Format, frozen=True, kw_only=True, tag="swiss-monrad-1"):
    """Neighbours in the table meet, nobody twice; by default in enough rounds for one winner of all."""

    shape: ClassVar[Shape] = "rounds"
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None

    def problems(self, entrants: Sequence[str]) -> list[Said]:
        """Reject more rounds than can surely be drawn."""
        found = super().problems(entrants)
        field = len(entrants)
        most = most_rounds(field)
        if self.rounds is not None and field >= 2 and self.rounds > most:
            values = {"rounds": self.rounds, "number": field, "most": most, "format": self.name}
            found.append(Said("format.rounds", values))
        return found

    def next_round(self, so_far: SoFar) -> Round | None:
        """Draw by match points; None after the last round, or if none can be drawn."""
        entrants, rounds = so_far.entrants, so_far.rounds
        due = self.rounds_due(len(entrants))
        if len(rounds) >= due:
            return None
        table = standings(
            entrants,
            [fixture for each in rounds for fixture in each.fixtures],
            so_far.results,
            best_game=so_far.best_game,
            withdrawn=so_far.withdrawn,
            rounds=rounds,
            rounds_due=due,
        )
        points = {row.entrant: row.match_points for row in table.rows}
        free_rounds = Counter({row.entrant: row.free_rounds for row in table.rows})
        return draw_swiss(
            entrants, rounds, points, gone=so_far.withdrawn, had_free=free_rounds.elements()
        )

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Say that fewer rounds were drawn than were due, because too few entrants are left or all have met."""
        drawn = len(so_far.rounds)
        due = self.rounds_due(len(so_far.entrants))
        if drawn >= due:
            return None
        remaining = remaining_entrants(so_far)
        why = too_few(remaining) or Said("early.repeats", {"count": len(remaining)})
        return Said("early.rounds", {"round": drawn, "rounds": due, "why": why})

    def matches(self, entrants: int) -> int:
        """All entrants but one bye, in every round."""
        return self.rounds_due(entrants) * (entrants // 2)

    def rounds_due(self, entrants: int) -> int:
        """All rounds; by default enough for a single entrant to have won all."""
        return self.rounds or max(1, min((entrants - 1).bit_length(), most_rounds(entrants)))


def most_rounds(entrants: int) -> int:
    """Return how many rounds can surely be drawn: half as many as entrants, rounded up.

    Before the last of them every entrant may still meet at least half of the others, counting the
    bye of an odd number as one more entrant. So by Dirac's theorem there is a pairing without
    repeats.
    """
    return (entrants + 1) // 2


def draw_swiss(
    entrants: Sequence[str],
    rounds: Sequence[Round],
    points: Mapping[str, Fraction],
    *,
    gone: Collection[str] = frozenset(),
    had_free: Iterable[str] = (),
) -> Round | None:
    """Draw the next round of `swiss-monrad-1`; None if every pairing repeats one, or fewer than 2 are left.

    `entrants` are in the order of their starting numbers, `points` are their match points so far in
    halves, `gone` are withdrawn, and `had_free` names an entrant once for each round in which it
    had a point without a match. The entrants are ranked by points, then by starting number. Of all
    pairings without a repeat, the drawn one has

        1. in an odd field, the bye for an entrant with the fewest free rounds, and of these for the lowest;
        2. the smallest floats: the sum over all pairs of the square of their difference in points;
        3. the highest possible opponent for the first of the ranking, then for the first of the rest, and so on.

    So nobody has a second free round while another pairing is possible. This determines one
    pairing, whatever the order of results or the way it is computed.
    """
    numbers = {name: number for number, name in enumerate(entrants)}
    ranked = sorted(
        (name for name in entrants if name not in gone),
        key=lambda name: (-points[name], numbers[name]),
    )
    if len(ranked) < 2:
        return None
    places = {name: place for place, name in enumerate(ranked)}
    halves = [int(2 * points[name]) for name in ranked]
    free_rounds = Counter(had_free)
    free = [free_rounds[name] for name in ranked]
    barred = set()
    for fixture in (fixture for each in rounds for fixture in each.fixtures):
        if places.keys() >= fixture.entrants:
            one, other = sorted(places[name] for name in fixture.entrants)
            barred.add((one, other))
    drawn = best_pairs(halves, free, barred)
    if drawn is None:
        return None
    number = len(rounds) + 1
    byes = tuple(ranked[one] for one, other in drawn if other == len(ranked))
    pairs = [(ranked[one], ranked[other]) for one, other in drawn if other < len(ranked)]
    return Round(number=number, fixtures=seated(number, pairs, rounds), byes=byes)


def best_pairs(
    halves: Sequence[int], free: Sequence[int], barred: Collection[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """Pair the places 0, 1, 2 ... of a ranking by the three rules of `draw_swiss`; None if there is no pairing.

    `halves[i]` are the points of place i in half points, from the highest on, and `free[i]` its
    free rounds; `barred` holds the pairs (i, j), i < j, that may not meet. In an odd field the
    place after the last stands for the bye, which anybody may have. The pairs come in order.

    This is one matching of least weight (Edmonds' blossom algorithm, of networkx) among the
    `possible_pairs`. The rules are the digits of the weight, in exact integers, so that a rule only
    counts if those before it are level. Rule 3 is a number with a digit for each place, the
    distance to its opponent if that is lower, so no two pairings have the same weight.
    """
    import networkx as nx  # imported here: it takes 0.15 s, and only Swiss rounds need it

    field = len(halves)
    possible = possible_pairs(free, barred)
    base = 1 + max((other - one for one, other in possible), default=0)
    all_distances = base**field
    all_floats = field * (halves[0] - halves[-1]) ** 2 + 1
    bye_costs = {place: cost for cost, place in enumerate(places_for_bye(free))}
    graph: nx.Graph[int] = nx.Graph()
    for one, other in possible:
        is_bye = other == field
        float_square = 0 if is_bye else (halves[one] - halves[other]) ** 2
        bye_cost = bye_costs[one] if is_bye else 0
        distance = (other - one) * base ** (field - 1 - one)
        cost = (bye_cost * all_floats + float_square) * all_distances + distance
        graph.add_edge(one, other, weight=-cost)
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < field:
        return None
    return sorted((min(pair), max(pair)) for pair in matching)


def places_for_bye(free: Sequence[int]) -> list[int]:
    """Return all places in the order in which they get the bye: the fewest free rounds, then the lowest (rule 1)."""
    return sorted(range(len(free)), key=lambda place: (free[place], -place))


def possible_pairs(
    free: Sequence[int], barred: Collection[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the pairs that the best pairing can hold, whatever the points: no place meets one far below it.

    Proof. Let the best pairing hold (i, j) and, with k between i and j, (k, l). Exchange opponents:
    the two highest of these four places meet, and the two lowest. If l is between i and j too,
    there is a second way: i meets l, and k meets j. Either way the sum of squares does not grow,
    and the highest of the four has a higher opponent. So something bars each of these ways: i has
    met a place above j, or j has met one below i, or l is the bye, which then would go to j, and j
    has more free rounds than k. Each such meeting bars only one way, and only one place has the
    bye. So there are no more places between i and j than such meetings, and one more if j has not
    the fewest free rounds; after r rounds, 2r.

    Let i have the bye, and k meet l, where k comes before i in the order for the bye. Exchange
    again: k has the bye, and i meets l. Rule 1 prefers this, so i has met l. So no more places come
    before i than i has met.
    """
    field = len(free)
    fewest = min(free)
    met: list[list[int]] = [[] for _ in range(field)]
    for one, other in barred:
        met[one].append(other)
        met[other].append(one)
    most = max(map(len, met))
    pairs = []
    for one in range(field):
        for other in range(one + 1, min(field, one + 3 + len(met[one]) + most)):
            meetings = sum(place < other for place in met[one]) + sum(
                place > one for place in met[other]
            )
            is_kept_from_bye = field % 2 == 1 and free[other] > fewest
            if other - one - 1 <= meetings + is_kept_from_bye and (one, other) not in barred:
                pairs.append((one, other))
    if field % 2 == 1:
        pairs += [
            (place, field)
            for before, place in enumerate(places_for_bye(free))
            if before <= len(met[place])
        ]
    return pairs
