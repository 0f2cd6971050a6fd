"""Server-sent events: form, resumption, slow viewers."""

from __future__ import annotations

import trio

from arena.pages.serving.event_stream import COMMENT_SECONDS, Channel, EventResponse, event
from tests.fixtures.asked_pages import ask


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
