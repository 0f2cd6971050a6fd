"""The Python kit checks the dice it saw: what fits passes, and each thing that does not is found."""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from arena.matches.facts import GameEnded, GameStarted, TurnPlayed
from protocol.client import dice
from protocol.client.dice import SeenMatch
from protocol.messages import GameEnd, GameStart, Last, MatchEnd, MatchReveal, MatchStart, Turn, TurnClock
from tests.matches.sitting import SEED, Sitting
from tests.protocol.samples import MATCH_START, START
from tests.records.resumed_match import MATCHES, play_out

THEIRS = b"t" * 32


def seen_from(seat: int, sitting: Sitting, seen: SeenMatch) -> MatchEnd:
    """Show a bot at this seat a match as the wire would, and give its end."""
    seen.reveal(MatchReveal(match=seen.start.match, opponent_commitment=hashlib.sha256(THEIRS).digest()))
    last: dict[int, TurnPlayed] = {}
    for fact in sitting.facts:
        if isinstance(fact, GameStarted):
            told = 3 - seat if sitting.opened.terms.form == "pairs" and fact.game % 2 == 0 else seat
            starts = fact.starter == seat
            seen.game_start(GameStart(game=1, match="m", number=fact.game, seat=told, starts=starts))
        elif isinstance(fact, TurnPlayed):
            before, last[fact.game] = last.get(fact.game), fact
            if fact.seat == seat:
                shown = None if before is None else Last(dice=before.dice, moves=())
                clock = TurnClock(left_ms=0, opponent_left_ms=0, spent_ms=0, delay_left_ms=0)
                asked = Turn(game=1, turn=fact.turn, dice=fact.dice, position=START, clock=clock, last=shown)
                seen.games[fact.game].turn(asked)
        elif isinstance(fact, GameEnded) and fact.game in last and fact.game in seen.games:
            final = last[fact.game]
            is_theirs = final.seat != seat and fact.result.cause is None and final.turn == fact.turns
            shown = Last(dice=final.dice, moves=()) if is_theirs else None
            seen.games[fact.game].end(replace(GAME_END, last=shown))
    mine = seen.reveal(MatchReveal(match="m", opponent_commitment=hashlib.sha256(THEIRS).digest())).entropy
    entropies = [mine, THEIRS] if seat == 1 else [THEIRS, mine]
    return MatchEnd(match="m", result="won", score=[1, 0], dice_seed=SEED, entropies=entropies)


GAME_END = GameEnd(game=1, match="m", number=1, result="won", ending="x", clause="", monk=False, points=0, score=[0, 0])


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
def test_the_dice_of_an_honest_arena_fit(kind: str, seat: int, monkeypatch: pytest.MonkeyPatch) -> None:
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


def change(what: str, seen: SeenMatch, end: MatchEnd) -> MatchEnd:
    assert end.entropies is not None
    match what:
        case "another seed":
            return replace(end, dice_seed=bytes(32))
        case "another entropy of mine":
            return replace(end, entropies=[b"x" * 32, end.entropies[1]])
        case "another entropy of theirs":
            return replace(end, entropies=[end.entropies[0], b"x" * 32])
        case "no entropies":
            return replace(end, entropies=None)
        case "another starter":
            game = seen.games[1]
            game.start = replace(game.start, starts=not game.start.starts)
        case "another commitment of theirs":
            seen.reveal(MatchReveal(match="m", opponent_commitment=bytes(32)))
        case "no commitment of theirs":
            seen.reveal(MatchReveal(match="m"))
    return end


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("another seed", "the dice seed is not the one that the arena committed to"),
        ("another entropy of mine", "is not the one this bot has revealed"),
        ("another entropy of theirs", "is not the one it had committed to"),
        ("no entropies", "the arena does not tell the entropies"),
        ("another starter", "game 1 was not begun by the side that the throw"),
        ("another commitment of theirs", "is not the one it had committed to"),
        ("no commitment of theirs", "is not the one it had committed to"),
    ],
)
def test_whatever_does_not_fit_is_told(what: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, end = played("series", 1, monkeypatch)
    assert any(told in problem for problem in seen.check(change(what, seen, end)))


def test_the_kit_and_the_arena_compute_the_same_dice() -> None:
    import json
    from pathlib import Path

    folder = Path(__file__).parents[1] / "records"
    vectors: list[Any] = [
        *json.loads((folder / "dice_vectors.json").read_text()),
        *json.loads((folder / "pair_dice_vectors.json").read_text()),
    ]
    for one in vectors:
        place = f"{one['pair']}|{one['step']}" if "pair" in one else one["game"]
        version = "brade-dice-pairs-2" if "pair" in one else "brade-dice-2"
        label = f"{version}|{one['fixture']}|{one['attempt']}|{place}"
        stream = dice.dice_stream(bytes.fromhex(one["seed"]), label, [bytes.fromhex(e) for e in one["entropy"]])
        assert list(islice(stream, len(one["dice"]))) == one["dice"]
