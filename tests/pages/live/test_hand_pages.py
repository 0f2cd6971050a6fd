"""The page of playing by hand, asked without sockets: tokens, tabs, answers that cannot be taken, lessons."""

import json
from typing import Any

import pytest
import trio

from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_room import HandRoom
from arena.pages.by_hand.hand_seat import A_SECOND
from arena.person.arena_run import OwnArena, RunError, Wanted
from arena.server.setup.tournament_file import BotSection
from arena.words import Said, say
from protocol.greetings import Login
from protocol.messages import Error
from tests.fixtures.asked_pages import HERE, Answered, ask, follow
from tests.fixtures.fake_arena import PATIENCE_S, Door, unix_door

TOKEN, GUEST = "5e" * 32, "9a" * 32
TAB, OTHER = "aaaaaaaa", "bbbbbbbb"


class Seat:
    """A room without a match, and one who asks for things there."""

    def __init__(self, tmp_path: Any) -> None:
        self.room = HandRoom(tmp_path, "you")
        default = Wanted(opponent="", command="")
        self.app = HandPages({TOKEN: self.room, GUEST: self.room.guest}, default).app(HERE)
        self.room.holder = self.room.guest.holder = TAB

    async def act(self, deed: str, *, token: str = TOKEN, tab: str = TAB, **more: Any) -> Answered:
        return await self.send(json.dumps({"do": deed, "tab": tab, **more}).encode(), token)

    async def send(self, body: bytes, token: str = TOKEN) -> Answered:
        origin, kind, length = "http://127.0.0.1:8017", "application/json", str(len(body))
        headers = {
            "x_seat": token,
            "origin": origin,
            "content_type": kind,
            "content_length": length,
        }
        return await ask(self.app, "/api/act", method="POST", body=body, **headers)

    @property
    def question(self) -> str:
        table = self.room.state().table
        return table.question


@pytest.fixture
async def seat(tmp_path: Any) -> Seat:
    return Seat(tmp_path)


@pytest.mark.parametrize(
    "target",
    ["/api/choice", "/api/record", f"/events?tab={TAB}", f"/events?tab={TAB}&seat={TOKEN}"],
)
async def test_nothing_is_told_to_who_does_not_have_the_link(seat: Seat, target: str) -> None:
    """The token is a header: in an address it would be in the logs of a proxy."""
    for token in ("", "5e" * 31, TOKEN + "00", "ö"):
        found = await ask(seat.app, target, x_seat=token.encode().decode("latin-1"))
        assert found.status == 403
        assert found.json["refused"] == ["refusal.whose_seat", {}]


async def test_a_forged_token_does_nothing(seat: Seat) -> None:
    found = await seat.act("learn", token="00" * 32, lesson="start")
    assert (found.status, seat.room.status) == (403, "choosing")


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"",
            b"[]",
            b"{",
            b'{"do":"fly","tab":"aaaaaaaa"}',
            b'{"do":"undo","tab":"aaaaaaaa","more":1}',
        ),
        *(b'{"\xff":1}', b'{"do":"undo","moves":' + b"[" * 3000),
    ],
)
async def test_what_cannot_be_read_is_refused_with_a_sentence(seat: Seat, body: bytes) -> None:
    found = await seat.send(body)
    assert found.status == 400
    assert say(found.json["refused"]).startswith("the request cannot be read:")


async def test_a_lesson_is_played_by_the_rules_of_the_referee(seat: Seat) -> None:
    assert (await seat.act("learn", lesson="singles")).status == 200
    wrong = await seat.act("move", question=seat.question, moves=[[1, 5]])
    assert wrong.status == 409
    assert wrong.json["clause"] == "B4.3"
    assert say(wrong.json["refused"]).startswith("1/5 puts a second checker on point 5")
    assert seat.room.state().judged == "reached", "the step asks for this refusal"
    assert (await seat.act("learn", lesson="singles", step=1)).status == 200
    assert (await seat.act("move", question=seat.question, moves=[[8, 12]])).status == 200
    state = seat.room.state()
    assert (state.table.text, list(state.table.dice_left), state.judged) == ("8/12", [2], "open")
    assert (await seat.act("confirm", question=seat.question)).json["clause"] == "B3.3"
    assert (await seat.act("undo", question=seat.question)).status == 200
    assert seat.room.state().table.text == ""
    assert (await seat.act("turn", question=seat.question, moves=[[8, 12], [10, 12]])).status == 200
    assert (await seat.act("confirm", question=seat.question)).status == 200
    state = seat.room.state()
    assert (state.judged, state.step, state.is_clean) == ("reached", 1, True)
    assert (await seat.act("learn", lesson="singles", step=2)).status == 200
    state = seat.room.state()
    assert state.table.phase == "counting"
    assert (await seat.act("answer", number=6)).status == 200
    assert seat.room.state().judged == "missed"
    assert (await seat.act("answer", number=4)).status == 200
    assert (await seat.act("learn", lesson="singles", step=3)).status == 200
    assert not seat.room.state().is_clean, "one answer was wrong"
    assert (await seat.act("learn", lesson="singles", step=4)).status == 409


async def test_the_numbers_of_the_evaluator_end_an_attempt_at_a_lesson(seat: Seat) -> None:
    await seat.act("learn", lesson="staircase")
    await seat.act("answer", number=1)
    await seat.act("learn", lesson="staircase", step=1)
    assert seat.room.state().is_clean
    hints = await seat.act("hint", question=seat.question)
    assert hints.json["found"][0]["text"] == "19/24, staircase"
    assert not seat.room.state().is_clean


async def test_a_number_is_asked_for_in_lessons_alone(seat: Seat) -> None:
    assert (await seat.act("answer", number=1)).status == 409


async def test_answers_out_of_turn_are_refused(seat: Seat) -> None:
    for deed in ("move", "undo", "confirm", "call", "accept_draw", "resign", "rematch", "hint"):
        found = await seat.act(deed, question="r1-you-v-greedy.1.1.1", moves=[[1, 2]])
        assert found.status == 409, deed
    await seat.act("learn", lesson="start")
    found = await seat.act("move", question="r1-you-v-greedy.1.1.1", moves=[[1, 7]])
    assert say(found.json["refused"]).startswith("this answer is for another turn")


async def test_a_match_is_begun_only_with_what_is_there(seat: Seat) -> None:
    for opponent, ruleset in (
        ("nobody", "vasa"),
        ("greedy", "ludo"),
        ("greedy", "brandubh-1"),
        ("brandubh", "vasa"),
    ):
        found = await seat.act("begin", opponent=opponent, ruleset=ruleset)
        assert (found.status, seat.room.status) == (409, "choosing")
    found = await seat.act("begin", opponent="random", ruleset="vasa", options=["one_die"])
    assert found.status == 409
    assert "one_die" in say(found.json["refused"])


async def test_nothing_else_is_chosen_while_a_match_starts(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second start could get the folder of the first."""
    deeds = ("choose", "learn", "begin", "rematch")
    statuses: list[int] = []

    async def ask_for_more() -> None:
        for deed in deeds:
            more = {"opponent": "random", "ruleset": "vasa", "lesson": "start"}
            statuses.append((await seat.act(deed, **more)).status)

    def start(*_: object) -> None:
        trio.from_thread.run(ask_for_more)
        raise RunError(Said("refusal.no_match"))

    monkeypatch.setattr(OwnArena, "play", start)
    assert (await seat.act("begin", opponent="random", ruleset="vasa")).status == 200
    assert statuses == [409] * len(deeds)
    assert seat.room.status == "choosing"


async def test_a_start_that_is_cancelled_leaves_the_choice_open(seat: Seat) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await seat.room.begin(Wanted(opponent="random", command=""))
    assert seat.room.status == "choosing"


async def test_who_is_invited_chooses_nothing(seat: Seat) -> None:
    for target in ("/api/past", "/api/review?run=runs/play-it-1"):
        found = await ask(seat.app, target, x_seat=GUEST)
        assert (found.status, found.json["refused"]) == (409, ["refusal.invited", {}]), target
    for deed in ("begin", "choose", "resume", "learn", "rematch"):
        found = await seat.act(
            deed, token=GUEST, lesson="start", opponent="person", ruleset="vasa", names=["a", "b"]
        )
        assert (found.status, found.json["refused"]) == (409, ["refusal.invited", {}]), deed


async def test_two_persons_have_names_that_differ(seat: Seat) -> None:
    found = await seat.act("begin", opponent="person", ruleset="vasa", names=["Anna", "anna"])
    assert (found.status, seat.room.status) == (409, "choosing")
    assert "give each entrant a name of its own" in say(found.json["refused"])


async def test_more_than_a_person_can_do_is_refused(seat: Seat) -> None:
    found = [(await seat.act("undo")).status for _ in range(A_SECOND + 5)]
    assert found[:A_SECOND] == [409] * A_SECOND
    assert found[A_SECOND:] == [429] * 5


async def test_the_later_tab_takes_over_and_the_first_says_so(
    seat: Seat, autojump_clock: Any
) -> None:
    async with trio.open_nursery() as nursery:
        first = await follow(seat.app, f"/events?tab={TAB}", nursery, x_seat=TOKEN)
        await trio.sleep(0.1)
        assert [kind for kind, _, _ in first.events] == ["state"]
        second = await follow(seat.app, f"/events?tab={OTHER}", nursery, x_seat=TOKEN)
        await trio.sleep(0.1)
        assert [kind for kind, _, _ in first.events][-1] == "taken"
        assert [kind for kind, _, _ in second.events] == ["state"]
        refused = await seat.act("learn", lesson="start")
        assert refused.status == 409
        assert say(refused.json["refused"]).startswith("another tab has the board")
        assert (await seat.act("learn", lesson="start", tab=OTHER)).status == 200
        await trio.sleep(0.1)
        kind, _, state = second.events[-1]
        assert (kind, state["status"], state["lesson"]) == ("state", "lesson", "start")
        again = await follow(
            seat.app, f"/events?tab={TAB}", nursery, x_seat=TOKEN, last_event_id="1"
        )
        await trio.sleep(0.1)
        assert [kind for kind, _, _ in again.events] == ["taken"]
        nursery.cancel_scope.cancel()


async def test_a_seat_that_is_refused_is_told_and_taken_again_by_who_loads_the_page_again(
    seat: Seat, tmp_path: Any
) -> None:
    room, me = seat.room, BotSection(name="you", person=True)
    room.sit_down(
        folder=tmp_path, address=f"unix:{tmp_path}/none", me=me, token="token", opponent="it"
    )
    with trio.fail_after(PATIENCE_S):
        while (over := room.state().over) is None:
            await room.more.wait()
    assert say(over.why_left).startswith(
        f"the arena cannot be reached: cannot connect to unix:{tmp_path}/none"
    )
    with unix_door(tmp_path) as door:
        room.sit_down(folder=tmp_path, address=door.address, me=me, token="token", opponent="it")
        refused = await trio.to_thread.run_sync(turned_away, door)
        assert (refused.name, refused.token) == ("you", "token")
        with trio.fail_after(PATIENCE_S):
            while room.state().over is None:
                await room.more.wait()
        room.arrive(OTHER)
        assert room.state().over is None
        await trio.to_thread.run_sync(turned_away, door)


def turned_away(door: Door) -> Login:
    """The login of a seat that an arena does not let in."""
    with door.open() as arena:
        login = arena.greet()
        arena.say(Error(code="already_connected", message="It is here.", fatal=True))
        return login
