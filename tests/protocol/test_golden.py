"""The golden conversations hold what this side really says, and the Python kit answers them."""

import random

import pytest

from protocol.client import Bot, Break, CallView, Choice, TurnView, run
from protocol.codec import HEADER_BYTES, TO_ARENA, TO_BOT, decode, encode
from tests.fixtures.fake_arena import Door
from tests.fixtures.golden_talks import NAMES, Golden
from tests.generators import make_golden
from tests.generators.make_vectors import plain
from tests.protocol.client_bots import Running


class Anything(Bot):
    """Answers all that can be asked."""

    wants = ("legal",)
    window = 3

    def play(self, turn: TurnView) -> Choice:
        return Choice(random.randrange(len(turn.legal)))

    def call(self, call: CallView) -> int:
        return call.choices[0]  # as recorded: the turn that follows is for so many dice

    def between_games(self, pause: Break) -> None:
        assert pause.left_ms > 0


def test_the_committed_files_are_current() -> None:
    found = {
        path.name: path.read_text(encoding="utf-8") for path in make_golden.FOLDER.glob("*.json")
    }
    assert found == make_golden.texts()


@pytest.mark.parametrize("name", NAMES)
def test_every_frame_is_the_message_beside_it(name: str) -> None:
    for connection in Golden(name).plain["connections"]:
        for place, frame in enumerate(connection["frames"]):
            data = bytes.fromhex(frame["frame"])
            size = HEADER_BYTES + int.from_bytes(data[:HEADER_BYTES], "big")
            if frame["message"] is None:
                assert (connection["ends"], place) == ("cut", len(connection["frames"]) - 1)
                assert HEADER_BYTES < len(data) < size
                continue
            message = decode(data[HEADER_BYTES:], TO_ARENA if frame["from"] == "bot" else TO_BOT)
            assert (plain(message), encode(message)) == (frame["message"], data)


@pytest.mark.parametrize("name", NAMES)
def test_the_kit_answers_as_recorded(name: str, door: Door) -> None:
    golden = Golden(name)
    running = Running(lambda: run(Anything(), door.address, make_golden.NAME, make_golden.TOKEN))
    assert golden.play(door) == ""
    assert running.end() == (1 if name == "refused" else 0)
