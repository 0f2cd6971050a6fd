"""The check before a run starts: each launched bot starts, logs in and answers the first turn of a game."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import trio
from msgspec.structs import replace

from arena.conformance.turn_replay import Rehearsal, TurnQuestion, rehearse_launched
from arena.games import Game, ruleset_record
from arena.matches import game as games
from arena.matches.facts import FlagFell, MatchOpened, TurnRejected
from arena.matches.match import open_match
from arena.matches.state import Setting
from arena.records.dice import commitment, deal_from
from arena.server.programs.containment import Containment, find_containment
from arena.server.programs.last_words import advice, last_lines
from arena.server.setup.tournament_file import BotSection, Plan
from arena.words import Said, say

MATCH: Final = "check"
"""What the match is called to which a bot is invited."""
DICE: Final = (6, 2)
"""The roll of the turn, as far as the game has dice."""
LAST_LINES: Final = 5
"""How much of standard error is told."""
NEVER_CONNECTED: Final = "it never connected to the arena; is `.main()` missing at the end of its program?"
SEED: Final = bytes(32)
"""Of dice that are never rolled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotFinding:
    """Result of the check of one bot."""

    entrant: str
    name: str
    problem: str = ""
    """Why it would forfeit, in words that follow its name; empty if it is fit to play."""
    warning: str = ""
    """What is wrong with the answer of a bot that is fit to play otherwise."""
    last_words: str = ""
    """The last line it wrote to standard error."""
    last_lines: tuple[str, ...] = ()
    """The last lines of it, with the place in the source where a Python program failed."""
    advice: str = ""
    """What to do, as far as its last words tell."""
    spent_ms: int | None = None
    """What it took for its turn; None if it has not answered."""


async def check_bots(
    plan: Plan, names: Collection[str], directory: Path, hidden: Sequence[Path] = ()
) -> list[BotFinding]:
    """Try out the launched bots of a plan that have these names, some at the same time; in the order of the plan.

    Commands run in `directory`; no bot may see the `hidden` folders. A bot has as long to be ready as in a match, and
    at most as long again to answer.
    """
    containment = find_containment(plan, hidden=hidden, directory=directory)
    rules = plan.game()
    found: dict[str, BotFinding] = {}
    limit = trio.CapacityLimiter(max(2 * plan.at_once, os.cpu_count() or 1))  # no more than start at once in the run

    async def check(bot: BotSection) -> None:
        async with limit:
            opponent = next(name for name in [*plan.entrants, MATCH] if name != bot.entrant)
            found[bot.entrant] = await _check(plan, rules, bot, opponent, containment, directory)

    bots = [bot for bot in plan.bot if bot.entrant in names and not bot.remote]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(check, bot)
    return [found[bot.entrant] for bot in bots]


async def _check(
    plan: Plan, rules: Game[Any], bot: BotSection, opponent: str, containment: Containment, directory: Path
) -> BotFinding:
    """Try out one bot."""
    question = _first_turn(plan, rules, bot.entrant, opponent)
    rehearsal = await rehearse_launched(question, bot.arguments, containment, bot.reads, plan.limits.startup_ms)
    lines = last_lines(rehearsal.stderr, LAST_LINES)
    verdict = rehearsal.verdict
    return BotFinding(
        entrant=bot.entrant,
        name=bot.name,
        problem=_problem(plan, rehearsal),
        warning=f"{say(verdict.said)} ({verdict.clause})" if isinstance(verdict, TurnRejected) else "",
        last_words=lines[-1].strip() if lines else "",
        last_lines=lines,
        advice=_advice(rehearsal, directory),
        spent_ms=None if verdict is None or isinstance(verdict, FlagFell) else verdict.spent_ms,
    )


def _advice(rehearsal: Rehearsal, directory: Path) -> str:
    """Return what to do about a bot that is not fit to play."""
    program = rehearsal.program
    if program is not None and program.reason == Said("program.exit", {"status": 0}) and not rehearsal.has_connected:
        return NEVER_CONNECTED
    return advice(rehearsal.stderr, directory)


def _problem(plan: Plan, rehearsal: Rehearsal) -> str:
    """Return why a bot is not fit to play; empty if it is.

    An illegal answer is no reason, since illegal turns are forgiven, and neither is silence within the delay.
    """
    if rehearsal.verdict is None:
        return rehearsal.failure
    if isinstance(rehearsal.verdict, FlagFell) and rehearsal.verdict.spent_ms > plan.clock.delay_ms:
        clock = plan.clock
        return (
            f"it did not answer its first turn within {rehearsal.verdict.spent_ms - 1} ms; "
            f"its clock allows {clock.delay_ms} ms a turn + {clock.bank_ms} ms a game"
        )
    return ""


def _first_turn(plan: Plan, rules: Game[Any], name: str, opponent: str) -> TurnQuestion:
    """The first turn of the first game of a match, put to the entrant `name`."""
    opened = MatchOpened(
        at_ms=0,
        match=MATCH,
        attempt=1,
        ruleset=ruleset_record(rules),
        terms=plan.terms,
        entrants=(name, opponent),
        dice_commitment=commitment(SEED),
    )
    setting: Setting = open_match(rules, opened, deal_from(opened, SEED)).setting
    game = games.open_game(setting, number=1, starter=1, dealt=0)
    dice = DICE[: rules.dice_to_roll(game.position)]
    return TurnQuestion(setting=setting, game=replace(game, dice=dice))
