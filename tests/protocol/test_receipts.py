"""The Python kit keeps the receipt of every game, signs it with its key, and checks the dice it saw."""

import hashlib
import json
import re
import sys
from base64 import b64encode
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from msgspec.structs import replace

from arena.matches.facts import GameEnded, GameStarted, TurnPlayed
from protocol.client import dice, run
from protocol.client.dice import SeenMatch
from protocol.client.receipts import KeyFileError, Receipts, signed_text
from protocol.codec import TO_ARENA, decode, encode
from protocol.messages import (
    GameEnd,
    GameStart,
    Last,
    MatchEnd,
    MatchReveal,
    MatchStart,
    Receipt,
    Turn,
    TurnClock,
)
from tests.fixtures.fake_arena import CAN_RETURN, Door
from tests.fixtures.message_samples import MATCH_START, SESSION, START
from tests.fixtures.resumed_match import MATCHES, play_out
from tests.fixtures.sitting import SEED, Sitting
from tests.protocol.client_bots import First, Running

RECEIPT = Receipt(lines=41, sha256=bytes(range(32)))
[END] = [replace(said, receipt=RECEIPT) for _, said in SESSION if isinstance(said, GameEnd)]
OVER = MatchEnd(match=MATCH_START.match, result="won", score=[6, 0], receipt=RECEIPT)


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "key.pem"
    path.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
    )
    return str(path)


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "receipts.jsonl"
    monkeypatch.setenv("ARENA_RECEIPTS", str(path))
    return path


def test_what_is_signed_names_the_record_its_lines_and_their_hash() -> None:
    assert signed_text("r1-anna-v-bo", 2, RECEIPT) == (
        b"brade-receipt-1|r1-anna-v-bo|2|41|000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    )


def test_every_receipt_is_a_line_and_needs_no_key(kept: Path) -> None:
    receipts = Receipts("elsewhere", None)
    assert receipts.public_key is None
    assert receipts.take(MATCH_START, END, "anna") is None
    assert receipts.take(MATCH_START, OVER, "anna") is None
    game, match = map(json.loads, kept.read_text().splitlines())
    assert (game["bot"], game["match"], game["attempt"], game["game"]) == (
        "anna",
        "r1-anna-v-bo",
        1,
        1,
    )
    assert (game["lines"], game["sha256"], match["game"]) == (41, RECEIPT.sha256.hex(), None)


def test_with_a_key_it_signs_every_game(kept: Path, key: str) -> None:
    receipts = Receipts(None, key)
    confirm = receipts.take(replace(MATCH_START, attempt=3), END, "anna")
    assert confirm.signature is not None
    assert receipts.public_key is not None
    public = Ed25519PublicKey.from_public_bytes(receipts.public_key)
    public.verify(confirm.signature, signed_text("r1-anna-v-bo", 3, RECEIPT))
    with pytest.raises(InvalidSignature):
        public.verify(confirm.signature, signed_text("r1-anna-v-bo", 2, RECEIPT))
    [line] = map(json.loads, kept.read_text().splitlines())
    assert (line["public_key"], line["signature"]) == (
        receipts.public_key.hex(),
        confirm.signature.hex(),
    )


def test_an_objection_is_sent_in_place_of_a_signature(kept: Path, key: str) -> None:
    """Cut to 200 characters, and kept."""
    confirm = Receipts(None, key).take(MATCH_START, END, "anna", "no " * 100)
    assert (confirm.signature, len(confirm.objection)) == (None, 200)
    assert "signature" not in json.loads(kept.read_text())


def test_an_objection_of_several_lines_is_sent_as_one(key: str) -> None:
    """The arena ends a connection for a control character in a text."""
    confirm = Receipts(None, key).take(
        MATCH_START, END, "anna", "my turn\nwas legal\t(I think)\x00"
    )
    assert confirm.objection == "my turn was legal (I think) "
    assert decode(encode(confirm)[4:], TO_ARENA) == confirm


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, kept: Path) -> None:
    monkeypatch.delenv("ARENA_RECEIPTS")
    Receipts(None, None).take(MATCH_START, END, "anna")
    monkeypatch.setenv("ARENA_RECEIPTS", "")
    Receipts(str(kept), None).take(MATCH_START, END, "anna")
    assert not kept.exists()


def test_a_folder_that_is_not_there_costs_no_game(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("ARENA_RECEIPTS", "/nowhere/receipts.jsonl")
    assert Receipts(None, key).take(MATCH_START, END, "anna") is not None


@pytest.mark.parametrize("by", ["class", "environment"])
def test_files_are_relative_to_the_script(
    by: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(
        sys.modules["__main__"], "__file__", str(tmp_path / "bot.py"), raising=False
    )
    files = ("receipts.jsonl", "key.pem")
    for variable, file in zip(("ARENA_RECEIPTS", "ARENA_SIGNING_KEY"), files, strict=True):
        monkeypatch.setenv(variable, file) if by == "environment" else monkeypatch.delenv(
            variable, raising=False
        )
    receipts = Receipts(*(files if by == "class" else (None, None)))
    receipts.take(MATCH_START, END, "anna")
    found = load_pem_private_key(Path(key).read_bytes(), None).public_key().public_bytes_raw()
    assert receipts.public_key == found
    assert json.loads((tmp_path / "receipts.jsonl").read_text())["public_key"] == found.hex()


def test_a_key_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys.modules["__main__"], "__file__", str(tmp_path / "bot.py"), raising=False
    )
    other = generate_private_key(SECP256R1())
    (tmp_path / "other").write_bytes(
        other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    own = Ed25519PrivateKey.generate().private_bytes(
        Encoding.DER, PrivateFormat.PKCS8, NoEncryption()
    )
    unknown = b64encode(
        own.replace(bytes.fromhex("2b6570"), bytes.fromhex("2b6502"))
    )  # the number of the algorithm
    (tmp_path / "unknown").write_bytes(
        b"-----BEGIN PRIVATE KEY-----\n" + unknown + b"\n-----END PRIVATE KEY-----\n"
    )
    (tmp_path / "junk").write_text("junk")
    for name in ("missing", "junk", "other", "unknown", "."):
        with pytest.raises(
            KeyFileError, match=rf"{re.escape(str(tmp_path / name))}.*arena key new"
        ):
            Receipts(None, name)


def test_a_key_that_is_gone_when_the_bot_comes_back_is_one_line(
    key: str, door: Door, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = First()
    bot.signing_key = key
    running = Running(lambda: run(bot, door.address, "anna", "open sesame"))
    with door.open() as arena:
        arena.greet()
        arena.say(CAN_RETURN)
        Path(key).unlink()
    assert running.end() == 1
    assert (
        f"{key}: No such file or directory; expected the key of the bot" in capsys.readouterr().err
    )


# The Python kit checks the dice it saw: what fits passes, and each thing that does not is found


THEIRS = b"t" * 32


def seen_from(seat: int, sitting: Sitting, seen: SeenMatch) -> MatchEnd:
    """Show a bot at this seat a match as the wire would, and give its end."""
    seen.reveal(
        MatchReveal(match=seen.start.match, opponent_commitment=hashlib.sha256(THEIRS).digest())
    )
    last: dict[int, TurnPlayed] = {}
    for fact in sitting.facts:
        if isinstance(fact, GameStarted):
            told = 3 - seat if sitting.opened.terms.form == "pairs" and fact.game % 2 == 0 else seat
            starts = fact.starter == seat
            seen.game_start(
                GameStart(game=1, match="m", number=fact.game, seat=told, starts=starts)
            )
        elif isinstance(fact, TurnPlayed):
            before, last[fact.game] = last.get(fact.game), fact
            if fact.seat == seat:
                shown = None if before is None else Last(dice=before.dice, moves=())
                clock = TurnClock(left_ms=0, opponent_left_ms=0, spent_ms=0, delay_left_ms=0)
                asked = Turn(
                    game=1, turn=fact.turn, dice=fact.dice, position=START, clock=clock, last=shown
                )
                seen.games[fact.game].turn(asked)
        elif isinstance(fact, GameEnded) and fact.game in last and fact.game in seen.games:
            final = last[fact.game]
            is_theirs = (
                final.seat != seat and fact.result.cause is None and final.turn == fact.turns
            )
            shown = Last(dice=final.dice, moves=()) if is_theirs else None
            seen.games[fact.game].end(replace(GAME_END, last=shown))
    mine = seen.reveal(
        MatchReveal(match="m", opponent_commitment=hashlib.sha256(THEIRS).digest())
    ).entropy
    entropies = [mine, THEIRS] if seat == 1 else [THEIRS, mine]
    return MatchEnd(match="m", result="won", score=[1, 0], dice_seed=SEED, entropies=entropies)


GAME_END = GameEnd(
    game=1,
    match="m",
    number=1,
    result="won",
    ending="x",
    clause="",
    monk=False,
    points=0,
    score=[0, 0],
)


def played(kind: str, seat: int, monkeypatch: pytest.MonkeyPatch) -> tuple[SeenMatch, MatchEnd]:
    """A match of the arena's machine, as a bot at a seat has seen it."""
    mine = b"m" * 32
    monkeypatch.setattr(dice.os, "urandom", lambda _: mine)
    rules, terms = MATCHES[kind]
    sitting = Sitting(rules=rules, terms=terms)
    for at, entropy in ((seat, mine), (3 - seat, THEIRS)):
        sitting.commits(at, entropy.hex())
    for at, entropy in ((1, mine if seat == 1 else THEIRS), (2, THEIRS if seat == 1 else mine)):
        sitting.reveals(at, entropy.hex())
    play_out(sitting)
    opened = sitting.opened
    start = MatchStart(
        match=opened.match,
        ruleset=opened.ruleset,
        games=terms.games,
        form=terms.form,
        seat=seat,
        opponent=MATCH_START.opponent,
        clock=MATCH_START.clock,
        rejections=0,
        dice_commitment=bytes.fromhex(opened.dice_commitment),
    )
    seen = SeenMatch(start)
    return seen, seen_from(seat, sitting, seen)


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("kind", MATCHES)
def test_the_dice_of_an_honest_arena_fit(
    kind: str, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, end = played(kind, seat, monkeypatch)
    assert seen.check(end) == []
    rolls = [roll for game in seen.games.values() for roll in game.rolls.values()]
    assert len(rolls) > 5 or "brandubh" in kind


@pytest.mark.parametrize("kind", ["series", "pairs", "backgammon"])
def test_every_changed_roll_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, end = played(kind, 1, monkeypatch)
    for game in seen.games.values():
        for turn, roll in list(game.rolls.items()):
            game.rolls[turn] = (roll[0] % 6 + 1, roll[1])
            [problem] = seen.check(end)
            assert problem.startswith(f"turn {turn} of game {game.start.number} was ")
            game.rolls[turn] = roll


def test_a_program_that_came_after_its_last_turn_does_not_guess_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The opponent's last turn comes with the end, without a number."""
    seen, end = played("series", 1, monkeypatch)
    began = seen.games[1].start
    late = seen.games[1] = dice.SeenGame(began)
    late.end(replace(GAME_END, last=Last(dice=(1, 2), moves=())))
    assert (late.rolls, seen.check(end)) == ({}, [])


SENT = {
    "another seed": (
        lambda end: replace(end, dice_seed=bytes(32)),
        "is not the one that the arena committed to",
    ),
    "another entropy of mine": (
        lambda end: replace(end, entropies=[b"x" * 32, end.entropies[1]]),
        "is not the one this bot has revealed",
    ),
    "another entropy of theirs": (
        lambda end: replace(end, entropies=[end.entropies[0], b"x" * 32]),
        "is not the one it had committed to",
    ),
    "no entropies": (
        lambda end: replace(end, entropies=None),
        "the arena does not tell the entropies",
    ),
}


@pytest.mark.parametrize(("change", "told"), SENT.values(), ids=SENT.keys())
def test_an_end_that_does_not_fit_is_told(
    change: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, end = played("series", 1, monkeypatch)
    assert any(told in problem for problem in seen.check(change(end)))


def test_another_starter_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, end = played("series", 1, monkeypatch)
    game = seen.games[1]
    game.start = replace(game.start, starts=not game.start.starts)
    assert "game 1 was not started by the side that the throw" in seen.check(end)[0]


@pytest.mark.parametrize("commitment", [bytes(32), None])
def test_another_commitment_of_theirs_is_told(
    commitment: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, end = played("series", 1, monkeypatch)
    seen.reveal(MatchReveal(match="m", opponent_commitment=commitment))
    assert "is not the one it had committed to" in seen.check(end)[0]


@pytest.mark.parametrize("file", ["dice_vectors.json", "pair_dice_vectors.json"])
def test_the_kit_and_the_arena_compute_the_same_dice(file: str) -> None:
    for one in json.loads((Path(__file__).parents[1] / "records" / file).read_text()):
        place = f"{one['pair']}|{one['step']}" if "pair" in one else one["game"]
        version = "brade-dice-pairs-2" if "pair" in one else "brade-dice-2"
        label = f"{version}|{one['fixture']}|{one['attempt']}|{place}"
        stream = dice.dice_stream(
            bytes.fromhex(one["seed"]), label, [bytes.fromhex(e) for e in one["entropy"]]
        )
        assert list(islice(stream, len(one["dice"]))) == one["dice"]
