"""Who is answered, and with what headers; where pages may be served."""

from __future__ import annotations

import pytest
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from arena.pages.serving.app import MOST_BODY_BYTES, Json, front, refusal_of, web_app
from arena.pages.serving.event_stream import Channel, EventResponse
from arena.pages.serving.listening import open_socket, place_of, url_of
from arena.pages.site_files import site_version
from arena.server.io.listening import ListenError, NetAddress
from tests.fixtures.asked_pages import HERE, ask

OWN = {"host": "127.0.0.1:8017", "origin": "http://127.0.0.1:8017"}
SENT = {**OWN, "content-type": "application/json", "content-length": "2"}


async def _take(request: Request) -> Response:
    return Json({"length": len(await request.body())})


async def _fail(_request: Request) -> Response:
    raise RuntimeError("this is a bug")


def app() -> ASGIApp:
    return web_app([Route("/take", _take, methods=["GET", "POST"]), Route("/fail", _fail)], HERE)


async def test_every_answer_has_the_headers() -> None:
    script = await ask(app(), f"/assets/{site_version()}/elements.js")
    assert script.headers["x-content-type-options"] == "nosniff"
    assert script.headers["cross-origin-resource-policy"] == "same-origin"
    picture = f"/assets/{site_version()}/icon.svg"
    for target in ("/take", picture, "/nothing", "/assets/../../pyproject.toml"):
        answered = await ask(app(), target)
        policy = answered.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answered.headers["x-content-type-options"] == "nosniff"
    refused = await ask(app(), "/take", host="evil.example")
    assert refused.status == 421
    assert "content-security-policy" in refused.headers


def test_loopback_answers_under_its_own_names_alone() -> None:
    for host in ("127.0.0.1:8017", "localhost:1", "[::1]:8017", "LOCALHOST"):
        assert refusal_of("GET", {"host": host}, HERE) is None, host
    for host in ("evil.example", "127.0.0.1.evil.example:8017", "", "[", "10.0.0.1"):
        assert refusal_of("GET", {"host": host}, HERE)[0] == 421, host


@pytest.mark.parametrize(("is_behind_proxy", "own"), [(False, None), (True, 421)])
def test_named_hosts_are_answered_and_no_others(is_behind_proxy: bool, own: int | None) -> None:
    """Beside the names of loopback, unless a proxy passes requests on."""
    place = place_of("127.0.0.1:0", is_behind_proxy=is_behind_proxy, hosts=["Arena.example"])
    expected = {
        "arena.example": None,
        "ARENA.example:443": None,
        "evil.example": 421,
        "": 421,
        "127.0.0.1:8017": own,
    }
    found = {host: refusal_of("GET", {"host": host}, place) for host in expected}
    assert {host: refused and refused[0] for host, refused in found.items()} == expected
    with pytest.raises(ListenError, match=r"'https://arena\.example' is not the name of a host"):
        place_of("127.0.0.1:0", is_behind_proxy=is_behind_proxy, hosts=["https://arena.example"])


@pytest.mark.parametrize(
    ("hosts", "front"),
    [
        ([], ""),
        (["Arena.example", "other.example"], "https://arena.example/"),
        (["club.example/arena"], "https://club.example/arena/"),
        (["club.example/a/b/"], "https://club.example/a/b/"),
    ],
)
def test_the_first_host_is_where_people_open_the_pages(hosts: list[str], front: str) -> None:
    place = place_of("127.0.0.1:0", is_behind_proxy=True, hosts=hosts)
    assert place.front == front
    assert place.hosts == {host.partition("/")[0].lower() for host in hosts}
    assert place_of("127.0.0.1:0", is_behind_proxy=False, hosts=hosts).front == ""


@pytest.mark.parametrize(
    "host", ["club.example:443/arena", "/arena", "club.example/a b", "club.example/#x", "a/?b"]
)
def test_a_host_with_something_else_than_a_path_is_refused(host: str) -> None:
    with pytest.raises(ListenError, match=r"or with a path such as club\.example/arena"):
        place_of("127.0.0.1:0", is_behind_proxy=True, hosts=[host])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (SENT, None),
        ({**SENT, "origin": "http://localhost:8017"}, 403),
        ({**SENT, "origin": "https://127.0.0.1:8017"}, 403),
        ({**SENT, "origin": "null"}, 403),
        ({name: value for name, value in SENT.items() if name != "origin"}, 403),
        (
            {**{n: v for n, v in SENT.items() if n != "origin"}, "sec-fetch-site": "same-origin"},
            None,
        ),
        ({**{n: v for n, v in SENT.items() if n != "origin"}, "sec-fetch-site": "cross-site"}, 403),
        ({**SENT, "content-type": "text/plain"}, 415),
        ({**SENT, "content-length": str(10 << 20)}, 413),
        ({**SENT, "content-length": "-1"}, 411),
        ({**SENT, "transfer-encoding": "chunked"}, 411),
    ],
)
def test_only_pages_of_this_server_may_send_something(
    headers: dict[str, str], status: int | None
) -> None:
    refusal = refusal_of("POST", headers, HERE)
    assert (refusal and refusal[0]) == status


async def test_what_is_longer_than_it_says_is_cut_off() -> None:
    answered = await ask(
        app(),
        "/take",
        method="POST",
        body=b"x" * (MOST_BODY_BYTES + 1),
        content_length="5",
        content_type="application/json",
        origin="http://127.0.0.1:8017",
    )
    assert answered.status == 413


async def test_a_long_body_behind_the_request_for_a_stream_ends_it_and_is_no_fault_of_ours(
    capsys,
) -> None:
    channel = Channel(lambda: b"<all>")
    target = web_app([Route("/stream", EventResponse(channel.feed))], HERE)
    with trio.fail_after(5):
        answered = await ask(target, "/stream", body=b"x" * (MOST_BODY_BYTES + 1))
    assert (answered.status, channel.viewers) == (200, 0)
    assert capsys.readouterr().err == ""


async def test_a_bug_is_answered_and_told(capsys) -> None:
    assert (await ask(app(), "/fail")).status == 500
    assert "this is a bug" in capsys.readouterr().err
    assert (await ask(app(), "/take")).status == 200


async def test_assets_are_kept_until_they_change() -> None:
    for version, kept in (
        (site_version(), "public, max-age=31536000, immutable"),
        ("1", "no-store"),
    ):
        asset = await ask(app(), f"/assets/{version}/report.css")
        assert (asset.status, asset.headers["content-type"]) == (200, "text/css; charset=utf-8")
        assert asset.headers["cache-control"] == kept


async def test_a_page_is_sent_only_if_it_has_changed() -> None:
    pages = web_app([front("watch")], HERE)
    first = await ask(pages, "/")
    again = await ask(pages, "/", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    swedish = await ask(
        pages, "/", if_none_match=first.headers["etag"], accept_language="sv-SE,en;q=0.5"
    )
    assert swedish.status == 200
    assert b'<html lang="sv">' in swedish.body
    chosen = await ask(pages, "/", accept_language="sv", cookie="arena-language=en")
    assert b'<html lang="en">' in chosen.body


async def test_everything_but_a_stream_is_packed() -> None:
    asset = await ask(app(), f"/assets/{site_version()}/report.css", accept_encoding="gzip, br")
    assert asset.headers["content-encoding"] == "gzip"


@pytest.mark.parametrize(
    "name", ["page.html", "../page.py", "..%2fpage.py", "nothing.js", "inside.html", ".js"]
)
async def test_nothing_else_is_an_asset(name: str) -> None:
    assert (await ask(app(), f"/assets/{site_version()}/{name}")).status == 404


def test_another_address_needs_a_proxy() -> None:
    assert place_of("localhost:0", is_behind_proxy=False).address.is_loopback
    with pytest.raises(ListenError, match=r"listen on 127\.0\.0\.1 behind a reverse proxy"):
        place_of("0.0.0.0:8017", is_behind_proxy=False)
    assert not place_of("0.0.0.0:8017", is_behind_proxy=True).address.is_loopback


@pytest.mark.parametrize(
    "text", ["", "8017", "example.org:80", "127.0.0.1:99999", "127.0.0.1", "127.0.0.1:x"]
)
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ListenError, match="expected HOST:PORT"):
        place_of(text, is_behind_proxy=False)


def test_a_port_in_use_is_told() -> None:
    place = place_of("127.0.0.1:0", is_behind_proxy=False)
    with open_socket(place.address) as sock:
        port = sock.getsockname()[1]
        assert url_of(sock) == f"http://127.0.0.1:{port}/"
        with pytest.raises(
            ListenError, match=f"port {port}: Address already in use; give another port"
        ):
            open_socket(NetAddress(kind="tcp", host="127.0.0.1", port=port))
