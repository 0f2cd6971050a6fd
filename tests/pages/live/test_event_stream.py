"""Server-sent events: form, resumption, slow viewers."""

from __future__ import annotations

import trio
from starlette.routing import Route

from arena.pages.serving.app import web_app
from arena.pages.serving.event_stream import (
    COMMENT_SECONDS,
    MOST_STREAMS,
    Channel,
    EventResponse,
    event,
)
from arena.pages.serving.listening import place_of
from tests.fixtures.asked_pages import HERE, ask, follow


def channel(kept: int = 4) -> Channel:
    return Channel(lambda: b"<all>", kept)


def test_a_message_is_one_line_of_json_whatever_is_in_it() -> None:
    message = event("change", {"name": "a\n\ndata: b\r\nevent: c"}, "7-ab")
    assert message == b'id: 7-ab\nevent: change\ndata: {"name":"a\\n\\ndata: b\\r\\nevent: c"}\n\n'


def test_what_is_gathered_waits_and_after_a_restart_everything_is_said_again() -> None:
    one = channel()
    _, place = one.read(None)
    one.publish("1", b"a")
    assert one.read(place) == (b"", place)
    one.wake()
    assert one.read(place) == (b"a", place + 1)
    one.restart()
    assert one.read(place + 1) == (b"<all>", one.next)
    assert one.place_after("1") is None


def test_a_viewer_that_is_too_slow_gets_everything() -> None:
    one = channel(kept=2)
    _, place = one.read(None)
    for text in (b"a", b"b", b"c"):
        one.publish("", text)
    one.wake()
    assert one.read(place) == (b"<all>", one.next)


async def test_viewers_wait_for_messages(autojump_clock) -> None:
    one, heard = channel(), []

    async def hear(content: bytes) -> None:
        heard.append(content)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.feed, hear)
        await trio.testing.wait_all_tasks_blocked()
        assert heard == [b"retry: 1000\n\n", b"<all>"]
        assert one.viewers == 1
        one.publish("1", b"a")
        one.wake()
        await trio.testing.wait_all_tasks_blocked()
        assert heard[-1] == b"a"
        await trio.sleep(COMMENT_SECONDS + 1)
        assert heard[-1] == b": nothing new\n\n"
        one.close()
    assert one.viewers == 0
    assert one.read(None) == (b"", one.next)


async def test_who_asks_for_the_head_of_a_stream_is_no_viewer(autojump_clock) -> None:
    one = channel()
    with trio.fail_after(1):
        answered = await ask(EventResponse(one.feed), "/", method="HEAD")
    assert (answered.status, answered.body, one.viewers) == (200, b"", 0)


async def test_behind_a_proxy_an_address_has_a_limit_of_streams(autojump_clock) -> None:
    """It is the last address that the proxy names; those before it may be invented."""
    one = channel()
    place = place_of("127.0.0.1:8017", is_behind_proxy=True)
    app = web_app([Route("/stream", EventResponse(one.feed))], place)
    crowd = {"x_forwarded_for": "203.0.113.9, 198.51.100.7"}
    async with trio.open_nursery() as nursery:
        for _ in range(MOST_STREAMS):
            first = await follow(app, "/stream", nursery, **crowd)
        assert first.headers["cache-control"] == "no-cache, no-store"
        assert first.headers["x-accel-buffering"] == "no"
        refused = await ask(app, "/stream", **crowd)
        assert (refused.status, refused.headers["retry-after"]) == (429, "60")
        other = await follow(app, "/stream", nursery, x_forwarded_for="198.51.100.7, 203.0.113.9")
        assert other.status == 200
        network = await follow(app, "/stream", nursery, x_forwarded_for="2001:db8::1")
        assert network.status == 200
        one.close()
    async with trio.open_nursery() as nursery:
        again = await follow(app, "/stream", nursery, **crowd)
        assert again.status == 200
        nursery.cancel_scope.cancel()


async def test_on_this_machine_nobody_counts_streams(autojump_clock) -> None:
    one = channel()
    app = web_app([Route("/stream", EventResponse(one.feed))], HERE)
    async with trio.open_nursery() as nursery:
        for _ in range(MOST_STREAMS + 1):
            last = await follow(app, "/stream", nursery, x_forwarded_for="198.51.100.7")
        assert last.status == 200
        one.close()
