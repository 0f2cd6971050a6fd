"""The fixtures that wait to be played; the next one is found as entrants become free."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from arena.tournaments.schedule import Fixture

Queued = tuple[int, Fixture]
"""The number of a fixture in the order of play, and the fixture; no two have the same number."""


class WaitingFixtures:
    """Fixtures in the order of play; the first whose entrants are both free is taken.

    A fixture stands in the queue of one of its entrants. If the search meets it there and the
    opponent is not free, it moves to the queue of the opponent. The search looks only at the head
    of a queue, and only if its entrant is free. A long queue for a few
    entrants costs next to nothing.
    """

    def __init__(self) -> None:
        self.entrants: Counter[str] = Counter()
        """The number of fixtures of each entrant."""
        self._queues: dict[str, list[Queued]] = {}
        """A heap for each entrant; none is empty."""
        self._heads: list[tuple[int, str]] = []
        """A heap of the heads of queues whose entrants were free. The search drops an entry that
        is no longer a head."""
        self._blocked: set[str] = set()
        """The entrants of the other queues."""
        self._first = self._last = 0
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def add(self, fixtures: Iterable[Fixture]) -> None:
        """Add fixtures behind all others."""
        for fixture in fixtures:
            self._last += 1
            self._count(fixture, 1)
            self._enter((self._last, fixture))

    def put_back(self, fixture: Fixture) -> None:
        """Add a fixture before all others."""
        self._first -= 1
        self._count(fixture, 1)
        self._enter((self._first, fixture))

    def can_be_played(self, free: AbstractSet[str]) -> bool:
        """Return whether a fixture waits whose entrants are both among these."""
        return self._find(free) is not None

    def take(self, free: AbstractSet[str]) -> Fixture | None:
        """Take out the first fixture whose entrants are both among these; None if there is none."""
        entrant = self._find(free)
        if entrant is None:
            return None
        _, fixture = self._leave(entrant)
        self._count(fixture, -1)
        return fixture

    def take_out_all(self, condition: Callable[[Fixture], bool]) -> list[Fixture]:
        """Remove and return, in order of play, the fixtures that meet the condition.

        Slow: checks every fixture.
        """
        waiting: list[Queued] = []
        for queue in self._queues.values():
            waiting += queue
        waiting.sort()
        self._queues.clear()
        self._heads.clear()
        self._blocked.clear()
        removed = []
        for queued in waiting:
            _, fixture = queued
            if condition(fixture):
                removed.append(fixture)
                self._count(fixture, -1)
            else:
                self._enter(queued)
        return removed

    def next_fixtures(self, number: int, away: AbstractSet[str]) -> list[Fixture]:
        """Return the next fixtures, `number` at most, without those of entrants that are away."""
        near = 2**number - 1  # the beginning of a heap that holds its first `number` places
        candidates: list[Queued] = []
        for entrant, queue in self._queues.items():
            if entrant in away:
                continue
            for queued in queue[:near]:
                _, fixture = queued
                if away.isdisjoint(fixture.entrants):
                    candidates.append(queued)
        return [fixture for _, fixture in heapq.nsmallest(number, candidates)]

    def _find(self, free: AbstractSet[str]) -> str | None:
        """Return the entrant whose queue has the first fixture that can be played at its head."""
        for entrant in self._blocked & free:
            self._blocked.remove(entrant)
            self._show_head(entrant)
        while self._heads:
            number, entrant = self._heads[0]
            queue = self._queues.get(entrant)
            if queue is None or queue[0][0] != number:
                heapq.heappop(self._heads)
            elif entrant not in free:
                heapq.heappop(self._heads)
                self._blocked.add(entrant)
            elif self._pass_on(entrant, free) == 0:
                return entrant
        return None

    def _pass_on(self, entrant: str, free: AbstractSet[str]) -> int:
        """Move fixtures from the head of a queue while their opponent is not free.

        Returns how many were moved.
        """
        queue = self._queues[entrant]
        number = 0
        while queue:
            _, fixture = queue[0]
            opponent = fixture.second if fixture.first == entrant else fixture.first
            if opponent in free:
                break
            self._queue_with(opponent, heapq.heappop(queue))
            number += 1
        if not queue:
            del self._queues[entrant]
        elif number:
            self._show_head(entrant)
        return number

    def _enter(self, queued: Queued) -> None:
        """Queue a fixture with the entrant that has more to play."""
        _, fixture = queued
        if self.entrants[fixture.first] >= self.entrants[fixture.second]:
            self._queue_with(fixture.first, queued)
        else:
            self._queue_with(fixture.second, queued)

    def _queue_with(self, entrant: str, queued: Queued) -> None:
        queue = self._queues.get(entrant)
        if queue is None:
            self._queues[entrant] = [queued]
            self._blocked.add(entrant)
            return
        heapq.heappush(queue, queued)
        if queue[0] is queued and entrant not in self._blocked:
            self._show_head(entrant)

    def _leave(self, entrant: str) -> Queued:
        """Take out the head of a queue."""
        queue = self._queues[entrant]
        queued = heapq.heappop(queue)
        if queue:
            self._show_head(entrant)
        else:
            del self._queues[entrant]
        return queued

    def _show_head(self, entrant: str) -> None:
        number, _ = self._queues[entrant][0]
        heapq.heappush(self._heads, (number, entrant))

    def _count(self, fixture: Fixture, number: int) -> None:
        self._number += number
        for entrant in fixture.entrants:
            self.entrants[entrant] += number
