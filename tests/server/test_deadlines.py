"""Deadlines and the clock they go by."""

import random
import time

import pytest
import trio

from arena.server.io.clock import STOPPED_SECONDS, TICK_SECONDS, Clock, Deadlines, RunningClock


@pytest.fixture
async def clock() -> Clock:
    return Clock()


@pytest.fixture
async def deadlines(nursery: trio.Nursery, clock: Clock) -> Deadlines:
    made = Deadlines(clock)
    nursery.start_soon(made.watch)
    await trio.testing.wait_all_tasks_blocked()
    return made


class Calls:
    """Notes when it is called; asks to be called again as often as it was told."""

    def __init__(self, *again_ms: int | None) -> None:
        self.at_ms: list[int] = []
        self._again = list(again_ms)

    def check(self, now_ms: int) -> int | None:
        self.at_ms.append(now_ms)
        return self._again.pop(0) if self._again else None


async def test_a_check_may_ask_to_be_called_again(deadlines: Deadlines, clock: Clock) -> None:
    now_ms = clock.now_ms()
    calls = Calls(now_ms + 200, now_ms + 150, now_ms + 250, None)
    deadlines.at(now_ms + 100, calls.check)
    await trio.sleep(10)
    assert calls.at_ms == [now_ms + 100, now_ms + 200, now_ms + 200, now_ms + 250]


async def test_a_check_may_ask_for_others_while_it_is_called(
    deadlines: Deadlines, clock: Clock
) -> None:
    other = Calls()
    now_ms = clock.now_ms()

    def check(at_ms: int) -> None:
        deadlines.at(at_ms, other.check)
        deadlines.at(at_ms + 50, other.check)

    deadlines.at(now_ms + 100, check)
    await trio.sleep(1)
    assert other.at_ms == [now_ms + 100]


async def test_many_random_wishes_are_met_at_the_earliest_time_of_each(
    deadlines: Deadlines, clock: Clock
) -> None:
    chance = random.Random(4)
    now_ms = clock.now_ms()
    checks = [Calls() for _ in range(50)]
    earliest = dict.fromkeys(range(50), 10**18)
    for _ in range(500):
        number, due_ms = chance.randrange(50), now_ms + chance.randrange(1, 5000)
        earliest[number] = min(earliest[number], due_ms)
        deadlines.at(due_ms, checks[number].check)
    await trio.sleep(10)
    assert [calls.at_ms for calls in checks] == [[earliest[number]] for number in range(50)]


async def test_the_clock_shows_a_millisecond_from_its_first_instant(clock: Clock) -> None:
    chance = random.Random(5)
    now_ms = clock.now_ms()
    for after_ms in sorted(chance.randrange(20 * 24 * 3600 * 1000) for _ in range(300)):
        await trio.sleep_until(clock.loop_time(now_ms + after_ms))
        assert clock.now_ms() == now_ms + after_ms


async def test_the_clock_never_runs_backwards(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_ms = clock.now_ms()
    monkeypatch.setattr("time.time", lambda: 0.0)
    await trio.sleep(2)
    assert clock.now_ms() == before_ms + 2000


# A clock that stands still while the arena is stopped


class Hands:
    """A machine's clock, turned by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def now(self) -> float:
        return self.seconds


@pytest.mark.parametrize(
    ("gap", "passed"),
    [
        (0.01, 0.01),
        (STOPPED_SECONDS - 0.01, STOPPED_SECONDS - 0.01),
        (STOPPED_SECONDS + 0.01, 0.0),
        (3600.0, 0.0),
    ],
)
def test_a_clock_that_is_not_looked_at_for_long_leaves_that_time_out(
    gap: float, passed: float
) -> None:
    """It is looked at every tick: nobody looked because the arena was stopped."""
    hands = Hands()
    clock = RunningClock(hands.now)
    clock.start_clock()
    before = clock.current_time()
    hands.seconds += gap
    assert clock.current_time() - before == pytest.approx(passed)
    assert clock.stopped_seconds == pytest.approx(gap - passed)
    hands.seconds += 0.1
    assert clock.current_time() - before == pytest.approx(passed + 0.1)


def test_no_sleep_is_longer_than_a_tick() -> None:
    """Else a stop could not be told from it."""
    hands = Hands()
    clock = RunningClock(hands.now)
    now = clock.current_time()
    sleeps = [clock.deadline_to_sleep_time(now + seconds) for seconds in (0.01, 3600, float("inf"))]
    assert sleeps == [pytest.approx(0.01), TICK_SECONDS, TICK_SECONDS]


def test_a_loop_under_this_clock_sleeps_as_long_as_it_is_told() -> None:

    async def sleep() -> float:
        began = time.perf_counter()
        await trio.sleep(3.5 * TICK_SECONDS)
        return time.perf_counter() - began

    assert trio.run(sleep, clock=RunningClock()) >= 3.5 * TICK_SECONDS
