"""What an operator hears of bots that come, go and fail."""

from __future__ import annotations

import trio

from arena.server.door.attendance import Attendance
from arena.server.io.news import MOST_NEWS, News
from arena.server.io.recent import WINDOW_MS
from arena.server.setup.account import Account
from protocol.errors import ErrorCode
from protocol.messages import Login

TOKEN = "the token of perl, which nobody else knows"


class Operator:
    """Hears the news at a time that the test sets."""

    def __init__(self) -> None:
        self.now_ms = 0
        self.heard: list[str] = []
        self.news = News(self.heard.append, lambda: self.now_ms)

    def attendance(self, *names: str) -> tuple[Attendance, list[Account]]:
        bots = [Account(name, TOKEN, grace_ms=1000) for name in names]
        return Attendance(bots, self.news), bots


def come(bot: Account) -> None:
    bot.on_login()


def login(name: str, token: str) -> Login:
    return Login(protocol=1, name=name, token=token)


def test_of_one_bot_no_more_is_told_than_can_be_read() -> None:
    """The last word of a minute says so; other bots are told of, and after the minute this one again."""
    operator = Operator()
    for number in range(MOST_NEWS + 3):
        operator.news.tell("perl", f"perl {number}")
    operator.news.tell("ruby", "ruby")
    last = f"perl {MOST_NEWS - 1} (no more of this kind for 60 s)"
    assert operator.heard == [*(f"perl {number}" for number in range(MOST_NEWS - 1)), last, "ruby"]
    operator.now_ms += WINDOW_MS + 1
    operator.news.tell("perl", "perl again")
    assert operator.heard[-1] == "perl again"


def test_who_comes_goes_and_comes_back_is_told() -> None:
    """With how many are here of those that are expected, and why a connection was lost."""
    operator = Operator()
    _, [perl, ruby] = operator.attendance("perl", "ruby")
    come(perl)
    perl.on_loss("it hung up")
    come(perl)
    come(ruby)
    assert operator.heard == [
        "perl is here (1 of 2)",
        "perl has lost its connection: it hung up",
        "perl is back",
        "ruby is here (2 of 2)",
    ]


def test_a_refused_login_is_told_without_its_token() -> None:
    """A wrong token, a name that nobody has, and whatever else the bot was told."""
    operator = Operator()
    attendance, _ = operator.attendance("perl", "ruby")
    wrong = ErrorCode.BAD_LOGIN.to_message("no bot of this name is expected with this token; check both")
    attendance.refused(login("perl", "a guess"), wrong)
    attendance.refused(login("pearl", TOKEN), wrong)
    twice = ErrorCode.ALREADY_CONNECTED.to_message("this bot has a connection already")
    attendance.refused(login("perl", TOKEN), twice)
    assert operator.heard == [
        "a login as perl was refused: wrong token",
        "a login as pearl was refused: bots are expected as perl, ruby",
        "a login as perl was refused: this bot has a connection already",
    ]


async def test_who_does_not_come_in_time_is_told() -> None:
    """Waiting ends when all are here, or after the time to join."""
    operator = Operator()
    attendance, [perl, ruby] = operator.attendance("perl", "ruby")
    come(perl)
    begun = trio.current_time()
    await attendance.gather(60_000)
    assert trio.current_time() >= begun + 60
    assert operator.heard[-1] == "ruby did not come within 60 s; it forfeits until it does"
    come(ruby)
    await attendance.gather(60_000)
    assert operator.heard[-1] == "ruby is here (2 of 2)"
