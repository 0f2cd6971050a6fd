"""The kit for bots in Python, against an arena that follows a script."""

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from protocol.client import AcceptDraw, Bot, CallView, Choice, Moves, Reply, TurnView, main, play_over, run
from protocol.messages import (
    Bye,
    Call,
    Called,
    Error,
    GameEnd,
    GameStart,
    MatchEnd,
    MatchStart,
    Ping,
    Play,
    Pong,
    Rejected,
    Turn,
)
from tests.protocol.fake_arena import PATIENCE_S, FakeArena
from tests.protocol.samples import HELLO, MATCH_START, REJECTED, SESSION, TURN

BYE = Bye(reason="done")


def turn(game: int, number: int = 1) -> Turn:
    return msgspec.structs.replace(TURN, game=game, turn=number)


class First(Bot):
    """Takes the first legal turn and remembers what it was told."""

    name = "first"
    version = "1.2"
    fingerprint = "abc"
    wants = ("legal",)

    def __init__(self) -> None:
        self.told: list[str] = []

    def play(self, turn: TurnView) -> Reply:
        return Choice(0)

    def match_start(self, match: MatchStart) -> None:
        self.told.append("match_start")

    def game_start(self, start: GameStart) -> None:
        self.told.append("game_start")

    def game_end(self, end: GameEnd) -> None:
        self.told.append("game_end")

    def match_end(self, end: MatchEnd) -> None:
        self.told.append("match_end")


class Running:
    """A bot in a thread of its own; `code` is what it would leave the program with."""

    def __init__(self, bot: Bot, stream: socket.socket) -> None:
        self.code: int | None = None
        self.raised: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(bot, stream), daemon=True)
        self._thread.start()

    def _run(self, bot: Bot, stream: socket.socket) -> None:
        with stream:
            try:
                self.code = play_over(stream, bot, "anna", "open sesame")
            except BaseException as error:  # noqa: BLE001 - handed to the test
                self.raised = error

    def end(self) -> int | None:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self.code


@pytest.fixture
def table() -> Iterator[Callable[[Bot], tuple[FakeArena, Running]]]:
    """Seats a bot opposite a fake arena; both ends of the line are closed afterwards."""
    streams: list[socket.socket] = []

    def seat(bot: Bot) -> tuple[FakeArena, Running]:
        ours, theirs = socket.socketpair()
        streams.append(ours)
        return FakeArena(ours), Running(bot, theirs)

    yield seat
    for stream in streams:
        stream.close()


def test_a_session_goes_from_login_to_goodbye(table: Any) -> None:
    """The kit logs in, gets ready with entropy, answers, tells its hooks, and leaves with 0 at bye."""
    bot = First()
    arena, running = table(bot)
    login = arena.welcome()
    assert (login.name, login.version, login.token) == ("anna", "1.2", "open sesame")
    assert (login.window, login.wants, login.fingerprint) == (1, ("legal",), "abc")
    given = arena.start(1)
    assert (given.match, len(given.entropy)) == (MATCH_START.match, 32)
    arena.say(turn(1))
    assert arena.expect(Play) == Play(game=1, turn=1, choice=0)
    arena.say(*[message for _, message in SESSION if isinstance(message, GameEnd)])
    arena.say(MatchEnd(match=MATCH_START.match, result="won", score=[6, 0]), BYE)
    assert running.end() == 0
    assert bot.told == ["match_start", "game_start", "game_end", "match_end"]
    arena.expect_end()


def test_entropy_differs_from_match_to_match(table: Any) -> None:
    """Every match gets fresh entropy; the same match, told of again, the same."""
    arena, _ = table(First())
    arena.welcome()
    first = arena.start().entropy
    assert arena.start().entropy == first
    arena.say(MatchEnd(match=MATCH_START.match, result="void", score=[0, 0]))
    assert arena.start().entropy != first


def test_the_end_of_the_stream_after_login_is_a_good_end(table: Any) -> None:
    """An arena that hangs up between messages ends the bot with 0."""
    arena, running = table(First())
    arena.welcome()
    arena.stream.close()
    assert running.end() == 0


@pytest.mark.parametrize(
    "before, said",
    [
        (lambda arena: None, "before it said welcome"),
        (lambda arena: (arena.welcome(), arena.stream.sendall(b"\0")), "in the middle of a message"),
    ],
)
def test_the_end_of_the_stream_elsewhere_is_a_failure(
    table: Any, capsys: pytest.CaptureFixture[str], before: Any, said: str
) -> None:
    """An arena that hangs up too early or inside a message ends the bot with 1 and one line."""
    arena, running = table(First())
    before(arena)
    arena.stream.close()
    assert running.end() == 1
    assert said in capsys.readouterr().err


def test_a_fatal_error_is_one_line_and_exit_code_1(table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A refused login shows the arena's words and ends the bot with 1."""
    arena, running = table(First())
    arena.say(HELLO, Error(code="bad_login", message="No such name.", fatal=True))
    assert running.end() == 1
    assert capsys.readouterr().err == "the arena says bad_login: No such name.\n"


def test_an_error_that_is_not_fatal_is_shown_and_play_goes_on(table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A stale answer is told on stderr, and the next turn is answered."""
    arena, running = table(First())
    arena.welcome()
    arena.start(1)
    arena.say(Error(code="stale_turn", message="Too late.", fatal=False), turn(1))
    arena.expect(Play)
    arena.say(BYE)
    assert running.end() == 0
    assert "stale_turn: Too late." in capsys.readouterr().err


def test_an_arena_that_breaks_the_protocol_is_told_so(table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A bad frame from the arena is answered by a fatal error, and the bot ends with 1."""
    arena, running = table(First())
    arena.welcome()
    arena.stream.sendall(b"\0\0\0\1\xc0")
    told = arena.expect(Error)
    assert (told.code, told.fatal) == ("not_a_map", True)
    assert running.end() == 1
    assert "broke the protocol" in capsys.readouterr().err


def test_pings_are_answered(table: Any) -> None:
    """Every ping gets a pong with its data."""
    arena, _ = table(First())
    arena.welcome()
    arena.say(Ping(data=5), Ping())
    assert [arena.hear(), arena.hear()] == [Pong(data=5), Pong()]


class Clumsy(First):
    """Answers wrongly until it is corrected."""

    def play(self, turn: TurnView) -> Reply:
        return [[1, 7]] if "rejected" not in self.told else [[1, 7], [7, 9]]

    def rejected(self, rejected: Rejected, turn: TurnView) -> None:
        super().rejected(rejected, turn)
        self.told.append("rejected")


def test_a_rejected_turn_is_asked_again(table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The rejection is shown on stderr, and play is called once more for the same turn."""
    arena, running = table(Clumsy())
    arena.welcome()
    arena.start(1)
    arena.say(turn(1))
    assert arena.expect(Play).moves == [[1, 7]]
    arena.say(REJECTED)
    assert arena.expect(Play) == Play(game=1, turn=1, moves=[[1, 7], [7, 9]])
    arena.say(BYE)
    assert running.end() == 0
    assert f"rejected: {REJECTED.message} (fewer_dice, B3.3; 2 more forgiven)" in capsys.readouterr().err


def test_the_rejection_that_forfeits_is_not_answered(table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """After one illegal turn too many play is not asked again."""
    arena, running = table(Clumsy())
    arena.welcome()
    arena.start(1)
    arena.say(turn(1))
    arena.expect(Play)
    arena.say(msgspec.structs.replace(REJECTED, left=-1))
    arena.say(BYE)
    assert running.end() == 0
    arena.expect_end()
    assert "the game is forfeited" in capsys.readouterr().err


def test_a_game_that_ends_in_the_same_read_is_not_answered(table: Any) -> None:
    """A turn whose game is over already needs no answer."""
    arena, _ = table(First())
    arena.welcome()
    arena.start(1, 2)
    end = next(message for _, message in SESSION if isinstance(message, GameEnd))
    arena.say(turn(1), turn(2), end)
    assert arena.expect(Play).game == 2


class Batch(First):
    """Answers all waiting turns at once."""

    window = 8

    def play_many(self, turns: Sequence[TurnView]) -> Iterable[Reply]:
        self.told.append(f"{len(turns)} turns")
        return [Moves([[1, 7]], info={"of": len(turns)}) for _ in turns]


def test_all_waiting_turns_come_as_one_batch(table: Any) -> None:
    """With a window above 1 play_many gets every turn that has arrived, and each gets its reply."""
    bot = Batch()
    arena, _ = table(bot)
    assert arena.welcome().window == 8
    arena.start(1, 2, 3)
    arena.say(turn(1), turn(2), turn(3))
    plays = [arena.expect(Play) for _ in range(3)]
    assert [play.game for play in plays] == [1, 2, 3]
    assert [play.info for play in plays] == [{"of": 3}] * 3
    assert bot.told[-1] == "3 turns"


def test_without_play_many_each_answer_is_sent_before_the_next_is_thought_of(table: Any) -> None:
    """Two waiting turns: the first answer is on its way before the second turn is played."""
    arena, _ = table(slow := Slow())
    arena.welcome()
    arena.start(1, 2)
    arena.say(turn(1), turn(2))
    assert arena.expect(Play).game == 1
    slow.go_on.set()
    assert arena.expect(Play).game == 2


class Slow(First):
    """Waits before its second answer until it is told to go on."""

    window = 2

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self.thinking = threading.Event()

    def play(self, turn: TurnView) -> Reply:
        if turn.start.game == 2:
            self.thinking.set()
            assert self.go_on.wait(PATIENCE_S)
        return Choice(0)


def test_the_last_words_of_an_arena_that_hung_up_are_heard(table: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer that finds nobody listening is no crash: the fatal error that came before is shown."""
    arena, running = table(slow := Slow())
    arena.welcome()
    arena.start(1, 2)
    arena.say(turn(2))
    assert slow.thinking.wait(PATIENCE_S)
    arena.say(Error(code="shutting_down", message="Closing time.", fatal=True))
    arena.stream.close()
    slow.go_on.set()
    assert running.end() == 1
    assert "shutting_down: Closing time." in capsys.readouterr().err


class Broken(First):
    """Each kind of mistake an author can make in play."""

    def __init__(self, mistake: str) -> None:
        super().__init__()
        self.mistake = mistake

    def play(self, turn: TurnView) -> Any:
        if self.mistake == "raises":
            raise RuntimeError("my own bug")
        return {"string": "1/7", "nothing": None, "float": Choice(0, info=0.5)}[self.mistake]


@pytest.mark.parametrize(
    "mistake, said",
    [
        ("raises", "my own bug"),
        ("string", "play returned str; expected a list of moves"),
        ("nothing", "play returned NoneType"),
        ("float", "Play cannot be sent: a value of type float"),
    ],
)
def test_what_play_raises_is_never_swallowed(table: Any, mistake: str, said: str) -> None:
    """A mistake in the bot ends it with its own traceback, not with silence."""
    arena, running = table(Broken(mistake))
    arena.welcome()
    arena.start(1)
    arena.say(turn(1))
    running.end()
    assert said in str(running.raised)


def test_a_batch_with_too_few_replies_is_not_swallowed(table: Any) -> None:
    """play_many has to answer every turn it got."""

    class Lazy(Batch):
        def play_many(self, turns: Sequence[TurnView]) -> Iterable[Reply]:
            return []

    arena, running = table(Lazy())
    arena.welcome()
    arena.start(1)
    arena.say(turn(1))
    running.end()
    assert isinstance(running.raised, ValueError)


def test_a_bot_without_play_is_told_so() -> None:
    """The base class names the method that is missing."""
    with pytest.raises(NotImplementedError, match="Bot must implement play"):
        Bot().play(None)  # type: ignore[arg-type]


def test_a_turn_comes_with_its_game_and_its_match() -> None:
    """A turn comes with its game and match, and legal turns that were not asked for are named as missing."""
    start = next(message for _, message in SESSION if isinstance(message, GameStart))
    view = TurnView(TURN, start, MATCH_START)
    assert (view.dice, view.points[0], view.clock.left_ms) == ([6, 2], 15, 60_000)
    assert (view.position["bar"], view.last, view.ruleset["name"]) == ([0, 0], None, "house")
    assert len(view.legal) == 2
    with pytest.raises(LookupError, match='wants = \\("legal",\\)'):
        _ = TurnView(turn(1).__class__(**{**msgspec.structs.asdict(TURN), "legal": None}), start, MATCH_START).legal


@pytest.mark.parametrize("address", ["", "tcp", "tcp:1234", "http://x", "unix:", "tcp:host:port", "localhost:1"])
def test_an_address_of_another_form_is_one_line(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped address is explained, with the forms that are known."""
    assert run(First(), address, "a", "t") == 1
    assert "the address must be unix:/path, tcp:host:port or tls:host:port" in capsys.readouterr().err


def test_nobody_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bot that finds no arena says so in one line."""
    assert run(First(), f"unix:{tmp_path}/none", "a", "t") == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_missing_environment_says_how_to_start_a_bot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bot started by hand explains where the address comes from; exit code 2 is wrong use."""
    for variable in ("ARENA_ADDRESS", "ARENA_NAME", "ARENA_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(sys, "argv", ["bot.py"])
    with pytest.raises(SystemExit) as left:
        main(First())
    assert left.value.code == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "no address and no token is given" in told
    assert "arena run" in told


@pytest.mark.parametrize("by", ["environment", "flags"])
def test_a_script_of_ten_lines_plays(by: str, tmp_path: Path) -> None:
    """A program with the kit, started as the arena starts it or by hand, plays over a Unix socket."""
    script = tmp_path / "bot.py"
    script.write_text(
        "from protocol.client import Bot, Choice\n"
        "class Last(Bot):\n"
        "    wants = ('legal',)\n"
        "    def play(self, turn):\n"
        "        return Choice(len(turn.legal) - 1)\n"
        "Last().main()\n",
        encoding="utf-8",
    )
    given = {"address": f"unix:{tmp_path}/s", "name": "eva", "token": "t"}
    flags = [part for key, value in given.items() for part in (f"--{key}", value)] if by == "flags" else []
    variables = {f"ARENA_{key.upper()}": value for key, value in given.items()} if by == "environment" else {}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{tmp_path}/s")
        listener.listen()
        listener.settimeout(PATIENCE_S)
        bot = subprocess.Popen(
            [sys.executable, script, *flags], env={"PYTHONPATH": str(Path(__file__).parents[2]), **variables}
        )
        with listener.accept()[0] as stream:
            arena = FakeArena(stream)
            assert arena.welcome().name == "eva"
            arena.start(1)
            arena.say(turn(1))
            assert arena.expect(Play).choice == 1
            arena.say(BYE)
            assert bot.wait(PATIENCE_S) == 0


def test_tcp_is_spoken_without_delay() -> None:
    """Over TCP the kit sends small answers at once."""
    from protocol.client import connect

    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        connect(f"tcp:127.0.0.1:{listener.getsockname()[1]}") as stream,
    ):
        assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        listener.accept()[0].close()


class Diplomat(First):
    """Accepts what is offered, and otherwise offers in every form of answer, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.offers: list[Reply] = [Choice(1, offers_draw=True), Moves([[1, 7]], info="even", offers_draw=True)]

    def play(self, turn: TurnView) -> Reply:
        return AcceptDraw(info="fine") if turn.draw_offered else self.offers.pop(0)


def test_draws_are_offered_with_a_turn_and_accepted_instead_of_one(table: Any) -> None:
    """`offers_draw` with either form of answer, `AcceptDraw` in place of both; rejected, the turn is asked again."""
    arena, running = table(Diplomat())
    arena.welcome()
    arena.start(1)
    arena.say(turn(1))
    assert arena.expect(Play) == Play(game=1, turn=1, choice=1, draw="offer")
    arena.say(msgspec.structs.replace(turn(1, 3), draw_offered=True))
    accepted = Play(game=1, turn=3, draw="accept", info="fine")
    assert arena.expect(Play) == accepted
    arena.say(msgspec.structs.replace(REJECTED, turn=3))
    assert arena.expect(Play) == accepted
    arena.say(turn(1, 5))
    assert arena.expect(Play) == Play(game=1, turn=5, moves=[[1, 7]], info="even", draw="offer")
    arena.say(BYE)
    assert running.end() == 0


CALL = Call(game=1, turn=1, dice=[1, 2], position=TURN.position, clock=TURN.clock)


class Bold(First):
    """Calls for one die, and first for none."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = [7, 1, 1]
        self.seen: list[CallView | TurnView] = []

    def call(self, call: CallView) -> int:
        self.seen.append(call)
        return self.answers.pop(0)

    def rejected(self, rejected: Rejected, asked: TurnView | CallView) -> None:
        self.seen.append(asked)


def test_a_bot_with_a_call_of_its_own_is_asked_for_its_dice(table: Any) -> None:
    """The kit asks for calls in the login; a rejected call is asked again; the turn comes as always."""
    bot = Bold()
    arena, running = table(bot)
    assert arena.welcome().wants == ("legal", "call")
    arena.start(1)
    arena.say(CALL)
    assert arena.expect(Called) == Called(game=1, turn=1, dice=7)
    arena.say(msgspec.structs.replace(REJECTED, code="no_such_call"))
    assert arena.expect(Called) == Called(game=1, turn=1, dice=1)
    arena.say(turn(1))
    assert arena.expect(Play) == Play(game=1, turn=1, choice=0)
    arena.say(BYE)
    assert running.end() == 0
    view, rejected, _ = bot.seen
    assert isinstance(view, CallView)
    assert rejected is view
    assert (list(view.choices), view.points, view.clock, view.last) == (
        [1, 2],
        TURN.position["points"],
        TURN.clock,
        None,
    )


def test_a_bot_without_a_call_of_its_own_does_not_ask_for_calls(table: Any) -> None:
    """And one that asks for them all the same calls for all dice."""
    arena, running = table(First())
    assert arena.welcome().wants == ("legal",)
    arena.say(BYE)
    assert running.end() == 0
    asks = First()
    asks.wants = ("call",)
    arena, running = table(asks)
    assert arena.welcome().wants == ("call",)
    arena.start(1)
    arena.say(CALL)
    assert arena.expect(Called) == Called(game=1, turn=1, dice=2)
    arena.say(BYE)
    assert running.end() == 0


def test_calls_and_turns_of_one_read_are_all_answered(table: Any) -> None:
    """The calls first, as their turns are still to come; a game that has ended is not answered."""
    bot = Bold()
    bot.answers = [2, 1]
    arena, running = table(bot)
    arena.welcome()
    arena.start(1, 2, 3)
    second = msgspec.structs.replace(CALL, game=2)
    third = msgspec.structs.replace(CALL, game=3)
    [end] = [message for _, message in SESSION if isinstance(message, GameEnd)]
    arena.say(turn(1), second, third, msgspec.structs.replace(end, game=3))
    assert arena.expect(Called) == Called(game=2, turn=1, dice=2)
    assert arena.expect(Play) == Play(game=1, turn=1, choice=0)
    arena.say(BYE)
    assert running.end() == 0
    assert len(bot.seen) == 1


def test_a_call_that_gives_no_number_is_told_so(table: Any) -> None:
    """Like a `play` that gives no answer."""
    bot = Bold()
    bot.answers = ["one"]  # type: ignore[list-item]
    arena, running = table(bot)
    arena.welcome()
    arena.start(1)
    arena.say(CALL)
    running.end()
    assert "call returned str; expected how many dice to roll, one of [1, 2]" in str(running.raised)


def test_dice_that_do_not_fit_are_told_loudly_and_cost_the_exit_code(table: Any, capsys: Any) -> None:
    """The bot plays on to the end; standard error says what is wrong, and the exit code is 1."""
    bot = First()
    arena, running = table(bot)
    arena.welcome()
    arena.start(1)
    arena.say(turn(1))
    arena.expect(Play)
    arena.say(*[message for _, message in SESSION if isinstance(message, GameEnd | MatchEnd)], BYE)
    assert running.end() == 1
    told = capsys.readouterr().err
    assert "DICE NOT AS PROMISED in r1-anna-v-bo: the entropy that the dice were made of is not the one" in told
    assert "the dice of 1 matches were not as promised" in told
    assert bot.told[-1] == "match_end"
