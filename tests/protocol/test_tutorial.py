"""Every program in docs/writing-a-bot.md plays as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from protocol.messages import Bye, Error, Ping, Play, Pong
from tests.fixtures.fake_arena import PATIENCE_S, tcp_door
from tests.fixtures.message_samples import TURN

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "writing-a-bot.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_has_four_programs() -> None:
    assert len(PROGRAMS) == 4
    assert len(PROGRAMS[0].splitlines()) <= 16
    assert len(PROGRAMS[2].splitlines()) <= 50


@pytest.mark.parametrize("number", range(4))
def test_a_program_plays(number: int, tmp_path: Path) -> None:
    script = tmp_path / "mybot.py"
    script.write_text(PROGRAMS[number], encoding="utf-8")
    with tcp_door() as door:
        bot = subprocess.Popen(
            [sys.executable, script],
            env={
                "PYTHONPATH": str(ROOT),
                "ARENA_ADDRESS": door.address,
                "ARENA_NAME": "eva",
                "ARENA_TOKEN": "open sesame",
            },
            stderr=subprocess.PIPE,
            text=True,
        )
        with bot, door.open() as arena:
            login = arena.welcome()
            assert (login.name, login.token, login.wants) == ("eva", "open sesame", ("legal",))
            assert arena.start(1).entropy
            for turn in range(1, 6):
                arena.say(msgspec.structs.replace(TURN, turn=turn))
                play = arena.expect(Play)
                assert (play.game, play.turn) == (1, turn)
                assert play.choice in {0, 1}
            arena.say(Error(code="stale_turn", message="Too late.", fatal=False), Ping(data=9))
            assert arena.hear() == Pong(data=9)
            arena.say(Bye())
            assert bot.wait(PATIENCE_S) == 0
            assert "Too late." in bot.stderr.read()


def test_the_peaceful_bot_offers_and_accepts_draws_where_they_are_agreed() -> None:
    names: dict[str, object] = {"__name__": "tutorial"}
    exec(PROGRAMS[1].replace("Peaceful().main()", ""), names)  # the page's own words
    from protocol.client import AcceptDraw, Choice, TurnView
    from protocol.messages import GameStart
    from tests.fixtures.message_samples import MATCH_START

    brandubh = msgspec.structs.replace(MATCH_START, ruleset={"fields": {"draw_by_agreement": True}})
    start = GameStart(game=1, match=MATCH_START.match, number=1, seat=1, starts=True)
    bot = names["Peaceful"]()  # type: ignore[operator]
    offered = msgspec.structs.replace(TURN, draw_offered=True)
    assert bot.play(TurnView(TURN, start, MATCH_START)) == Choice(0)
    assert bot.play(TurnView(TURN, start, brandubh)) == Choice(0, offers_draw=True)
    assert bot.play(TurnView(offered, start, brandubh)) == AcceptDraw()
