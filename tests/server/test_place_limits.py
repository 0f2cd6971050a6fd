"""Limits on what one address may do in a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.server.door.connection_limits import Place
from arena.server.door.place_limits import PlaceLimit, is_nearby
from arena.server.io import operator_log

FAR = Place("192.0.2.1")


@pytest.mark.parametrize(
    ("place", "nearby"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::", True),  # the network of ::1
        ("session 12", True),
        ("192.0.2.1", False),
        ("10.0.0.1", False),
        ("2001:db8::", False),
    ],
)
def test_loopback_and_sockets_of_this_machine_are_nearby(place: str, nearby: bool) -> None:
    assert is_nearby(Place(place)) == nearby


@given(st.integers(1, 4), st.lists(st.integers(0, 50), max_size=40))
def test_in_no_window_are_there_more_than_the_limit(most: int, pauses: list[int]) -> None:
    limit = PlaceLimit(100)
    now_ms, allowed = 0, []
    for pause in pauses:
        now_ms += pause
        wait_ms = limit.wait_ms(FAR, now_ms, most)
        if not wait_ms:
            limit.count(FAR, now_ms)
            allowed.append(now_ms)
        else:
            assert not limit.wait_ms(FAR, now_ms + wait_ms, most)
            limit = PlaceLimit(100)
            for earlier in allowed:
                limit.count(FAR, earlier)
    for first, last in zip(allowed, allowed[most:], strict=False):
        assert last - first >= 100


def test_a_flood_of_addresses_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_log, "PLACES", 3)
    limit = PlaceLimit(1000)
    for number in range(10):
        limit.count(Place(f"192.0.2.{number}"), number)
    assert limit.wait_ms(Place("192.0.2.9"), 10, 1)
    assert not limit.wait_ms(Place("192.0.2.0"), 10, 1)
