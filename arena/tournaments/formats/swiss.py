"""The Swiss system in its Nordic form, Monrad: neighbours in the table meet, no two twice."""

from collections import Counter
from collections.abc import (
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from fractions import Fraction
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.tournaments.formats.interface import (
    Format,
    Shape,
    SoFar,
    remaining_entrants,
    too_few,
)
from arena.tournaments.schedule import (
    Fixture,
    Round,
    fixtures_of,
    seat_pairs,
)
from arena.tournaments.standings import FormatAdditions, standings
from arena.words import Said


class SwissMonrad(Format, frozen=True, kw_only=True, tag="swiss-monrad-1"):
    """Neighbours in the table meet, no two twice.

    By default there are enough rounds for one entrant to win all of its matches.
    """

    shape: ClassVar[Shape] = "rounds"
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None

    def problems(self, entrants: Sequence[str]) -> list[Said]:
        """Reject more rounds than can surely be drawn."""
        problems = super().problems(entrants)
        field = len(entrants)
        most = most_rounds(field)
        if self.rounds is not None and field >= 2 and self.rounds > most:
            plan = {
                "rounds": self.rounds,
                "number": field,
                "most": most,
                "format": self.name,
            }
            problems.append(Said("format.rounds", plan))
        return problems

    def next_round(self, so_far: SoFar) -> Round | None:
        """Draw by match points; None after the last round, or if none can be drawn."""
        entrants, rounds = so_far.entrants, so_far.rounds
        due = self.rounds_due(len(entrants))
        if len(rounds) >= due:
            return None
        table = standings(
            entrants,
            fixtures_of(rounds),
            so_far.results,
            best_game=so_far.best_game,
            withdrawn=so_far.withdrawn,
            additions=FormatAdditions(rounds=rounds, rounds_due=due),
        )
        points = {}
        had_free: list[str] = []
        for row in table.rows:
            points[row.entrant] = row.match_points
            had_free += [row.entrant] * row.free_rounds
        return draw_swiss(
            entrants,
            rounds,
            points,
            gone=so_far.withdrawn,
            had_free=had_free,
        )

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Say that fewer rounds were drawn than were due, with the reason; None if all were drawn.

        Too few entrants remain, or every pairing would repeat a match.
        """
        rounds_drawn = len(so_far.rounds)
        due = self.rounds_due(len(so_far.entrants))
        if rounds_drawn >= due:
            return None
        remaining = remaining_entrants(so_far)
        why = too_few(remaining) or Said("early.repeats", {"count": len(remaining)})
        return Said(
            "early.rounds",
            {
                "round": rounds_drawn,
                "rounds": due,
                "why": why,
            },
        )

    def matches(self, entrants: int) -> int:
        """Count the matches of all rounds: an odd field has one bye in each."""
        return self.rounds_due(entrants) * (entrants // 2)

    def rounds_due(self, entrants: int) -> int:
        """Return the number of rounds: by default enough for a single entrant to have won all."""
        if self.rounds:
            return self.rounds
        for_one_winner = (entrants - 1).bit_length()
        return max(1, min(for_one_winner, most_rounds(entrants)))


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
    """Draw the next round of `swiss-monrad-1`.

    None if every pairing repeats one, or fewer than two entrants remain.

    `entrants` are in the order of their starting numbers, `points` are their match points so far in
    halves, `gone` are withdrawn, and `had_free` names an entrant once for each round in which it
    had a point without a match. The entrants are ranked by points, then by starting number. Of all
    pairings without a repeat, the drawn one has

        1. in an odd field, the bye for an entrant with the fewest free rounds, and of these for
           the lowest;
        2. the smallest floats: the sum over all pairs of the square of their difference in points;
        3. the highest possible opponent for the first of the ranking, then for the first of the
           others, and so on.

    So no entrant has a second free round while another pairing is possible. This determines one
    pairing, whatever the order of results or the way it is computed.
    """
    ranked = [name for name in entrants if name not in gone]
    ranked.sort(key=lambda name: -points[name])  # stable: level ones keep their order
    if len(ranked) < 2:
        return None
    places = {name: place for place, name in enumerate(ranked)}
    free_rounds = Counter(had_free)
    halves, free = [], []
    for name in ranked:
        halves.append(int(2 * points[name]))
        free.append(free_rounds[name])
    place_pairs = best_pairs(halves, free, _pairs_that_met(rounds, places))
    if place_pairs is None:
        return None
    pairs, byes = [], []
    for higher, lower in place_pairs:
        if lower == len(ranked):
            byes.append(ranked[higher])
        else:
            pairs.append((ranked[higher], ranked[lower]))
    number = len(rounds) + 1
    return Round(
        number=number,
        fixtures=seat_pairs(number, pairs, rounds),
        byes=tuple(byes),
    )


def _pairs_that_met(
    rounds: Sequence[Round],
    places: Mapping[str, int],
) -> set[tuple[int, int]]:
    """Return the pairs of places, the higher one first, that have met in these rounds."""
    barred = set()
    for fixture in fixtures_of(rounds):
        if places.keys() >= fixture.entrants:
            higher, lower = sorted(places[name] for name in fixture.entrants)
            barred.add((higher, lower))
    return barred


def best_pairs(
    halves: Sequence[int], free: Sequence[int], barred: Collection[tuple[int, int]]
) -> list[tuple[int, int]] | None:
    """Pair the places 0, 1, 2 ... of a ranking by the three rules of `draw_swiss`.

    None if there is no pairing. `halves[i]` are the points of place i in half points, from the
    highest on, and `free[i]` its free rounds; `barred` holds the pairs (i, j), i < j, that may not
    meet. In an odd field the place after the last stands for the bye, which any entrant may have.
    The pairs come in order.

    This is one matching of least weight (Edmonds' blossom algorithm, of networkx) among the
    `possible_pairs`. The rules are the digits of the weight, in exact integers, so that a rule only
    counts if those before it are level. Rule 3 is a number with a digit for each place, the
    distance to its opponent if that is lower, so no two pairings have the same weight.
    """
    import networkx as nx  # imported here: it takes 0.15 s, and only Swiss rounds need it

    field = len(halves)
    possible = possible_pairs(free, barred)
    base = 1 + max((lower - higher for higher, lower in possible), default=0)
    all_distances = base**field
    all_floats = field * (halves[0] - halves[-1]) ** 2 + 1
    bye_costs = {place: cost for cost, place in enumerate(places_for_bye(free))}
    graph: nx.Graph[int] = nx.Graph()
    for higher, lower in possible:
        if lower == field:
            rules_1_and_2 = bye_costs[higher] * all_floats
        else:
            rules_1_and_2 = (halves[higher] - halves[lower]) ** 2
        rule_3 = (lower - higher) * base ** (field - 1 - higher)
        cost = rules_1_and_2 * all_distances + rule_3
        graph.add_edge(higher, lower, weight=-cost)
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < field:
        return None
    return sorted((min(pair), max(pair)) for pair in matching)


def places_for_bye(free: Sequence[int]) -> list[int]:
    """Return all places in the order in which they get the bye (rule 1).

    The fewest free rounds come first, and of these the lowest place.
    """
    return sorted(range(len(free)), key=lambda place: (free[place], -place))


def possible_pairs(
    free: Sequence[int],
    barred: Collection[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Return the pairs that the best pairing can hold, whatever the points.

    They are few: no place meets one far below it.

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
    for higher, lower in barred:
        met[higher].append(lower)
        met[lower].append(higher)
    most = max(map(len, met))
    has_bye = field % 2 == 1
    # The branches are the bars that the proof counts, in its order.
    pairs = []
    for higher in range(field):
        end = min(field, higher + 3 + len(met[higher]) + most)
        for lower in range(higher + 1, end):
            allowed = sum(place < lower for place in met[higher])
            allowed += sum(place > higher for place in met[lower])
            if has_bye and free[lower] > fewest:
                allowed += 1
            places_between = lower - higher - 1
            if places_between <= allowed and (higher, lower) not in barred:
                pairs.append((higher, lower))
    if not has_bye:
        return pairs
    for places_before, place in enumerate(places_for_bye(free)):
        if places_before <= len(met[place]):
            pairs.append((place, field))
    return pairs
