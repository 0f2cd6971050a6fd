"""No viewer learns of a step of a pair before both halves have it, and no viewer waits for longer."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.matches.facts import (
    DrawAgreed,
    Fact,
    FlagFell,
    GameEnded,
    MatchEnded,
    MatchVoided,
    Terms,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.time_control import TimeControl
from arena.pages.contents import ShownStep
from arena.pages.following import Change, MatchFollower
from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving.app import web_app
from arena.records.lines import encode_line
from tests.fixtures.asked_pages import HERE, ask, write_run
from tests.fixtures.caller import CALLER
from tests.fixtures.sitting import VASA, Sitting
from tests.fixtures.small_run import FIXTURE, RECORD, issued, opened_tournament

TERMS = Terms(
    form="pairs",
    games=4,
    clock=TimeControl(delay_ms=100, bank_ms=300),
    rejections=2,
    turn_limit=12,
    startup_ms=1000,
)
NEVER_ENDS = 10**9


class Viewer:
    """Somebody who is told the record of a match as it grows."""

    def __init__(self) -> None:
        self.follower = MatchFollower(RECORD)
        self.facts: list[Fact] = []

    def hears(self, facts: list[Fact]) -> list[Change]:
        """These lines are added to the record; what the viewer is told. It must not be too early."""
        self.facts += facts
        self.follower.read([encode_line(fact) for fact in facts])
        changes = [change for _, change in self.follower.advance()]
        assert self.follower.broken == ""
        for change in changes:
            for step in steps_of(change):
                other = change.game + 1 if change.game % 2 else change.game - 1
                assert turn_of(step) <= self.finished(other), (
                    f"{step} is told while game {other} still thinks about it"
                )
        return changes

    def finished(self, game: int) -> int:
        """The last step of a half that nobody thinks about any more."""
        if any(isinstance(fact, MatchEnded | MatchVoided) for fact in self.facts):
            return NEVER_ENDS
        last = 0
        for fact in self.facts:
            if getattr(fact, "game", 0) == game:
                if isinstance(fact, GameEnded):
                    return NEVER_ENDS
                if isinstance(fact, TurnPlayed | DrawAgreed | FlagFell) or (
                    isinstance(fact, TurnRejected) and fact.left < 0
                ):
                    last = fact.turn
        return last

    @property
    def has_heard_all(self) -> bool:
        return self.follower.lines == len(self.facts)


def turn_of(step: ShownStep) -> int:
    """The turn that a step belongs to: its label is `17`, or `17a` for the first event before that turn."""
    return int(step.at.rstrip("abcdefghijklmnopqrstuvwxyz"))


def steps_of(change: Change) -> list[ShownStep]:
    found = [] if change.steps is msgspec.UNSET else change.steps
    return [step for step in found if step.kind in ("turn", "rejected", "call", "draw", "flag")]


@pytest.mark.parametrize("rules", [VASA, CALLER], ids=["vasa", "calls"])
def test_whatever_happens_no_step_is_told_early_and_none_too_late(
    rules: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("arena.records.timeline.rules_on_record", lambda *_: rules)
    chance, waits = random.Random(5), 0
    for _ in range(60):
        sitting, viewer = Sitting(terms=TERMS, rules=rules, seed=chance.randbytes(32)), Viewer()
        sitting.ready(entropy="0a")
        viewer.hears(sitting.facts)
        while not sitting.is_over and sitting.asked:
            facts = happens(sitting, chance)
            viewer.hears(facts)
            waits += not viewer.has_heard_all
            went_on = any(isinstance(fact, TurnPlayed) for fact in facts)
            if went_on and all(game.held is None for game in sitting.match.games):
                assert viewer.has_heard_all, "both halves have the step, and it is not told"
        assert viewer.has_heard_all == sitting.is_over or not sitting.is_over
    assert waits > 500, "hardly any half was quicker than the other"


def happens(sitting: Sitting, chance: random.Random) -> list[Fact]:
    game, fate = chance.choice(sitting.asked), chance.random()
    sitting.at(game.number)
    if fate < 0.06:
        return sitting.waits(chance.choice((1, 150, 450)))
    if fate < 0.07:
        return sitting.void()
    if fate < 0.09:
        return sitting.leaves(chance.choice((1, 2)), grace_ms=chance.choice((0, 100)))
    if game.calls:
        return sitting.calls(chance.choice((*game.calls, 3)))
    return sitting.plays_illegally() if fate < 0.2 else sitting.plays()


async def test_no_page_tells_it_early(tmp_path: Path) -> None:
    sitting = Sitting(terms=TERMS)
    sitting.ready()
    sitting.at(2).plays()
    early = len(sitting.facts)
    sitting.at(1).plays()
    log = [opened_tournament(terms=TERMS), issued(sitting)]
    record = [encode_line(fact) + b"\n" for fact in sitting.facts]
    files = {
        "tournament.jsonl": b"".join(encode_line(fact) + b"\n" for fact in log),
        RECORD: b"".join(record[:early]),
    }
    watcher = Watcher(write_run(tmp_path / "run", files))
    app = web_app(RunPages(watcher).routes(), HERE)

    async def shown() -> tuple[int, list[int], int]:
        targets = ("/api/run", f"/api/matches/{FIXTURE}", f"/api/matches/{FIXTURE}/1/2")
        run, match, game = [(await ask(app, target)).json for target in targets]
        return (
            run["running"][0]["turn"],
            [len(one["steps"]) for one in match["shown"]],
            len(game["game"]["steps"]),
        )

    watched = watcher.watched(FIXTURE, is_page=True)
    place = watched.channel.next
    assert await shown() == (1, [0, 0], 0)
    with (watcher.folder / RECORD).open("ab") as file:
        file.write(b"".join(record[early:]))
    watcher.watched(FIXTURE)
    watched.channel.wake()
    assert watched.channel.read(place)[0].count(b'"kind":"step"') == 2
    assert await shown() == (2, [1, 1], 1)
    watcher.close()
