"""A rehearsal: one turn, of a record or the first, is put to a bot, and its answer judged as in the match."""

import math
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio
from msgspec.structs import replace

from arena.conformance.conversation import Conversation, DeviationError
from arena.conformance.situation import Situation, Words
from arena.games import Game, ruleset_record
from arena.matches import game as games
from arena.matches.facts import FlagFell, MatchOpened, TurnFact, TurnRejected
from arena.matches.match import open_match
from arena.matches.state import GameState, Setting
from arena.records.dice import commitment, deal_from
from arena.server.io import secret_values
from arena.server.play import translate
from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import find_containment
from arena.server.programs.last_lines import last_lines
from arena.server.programs.program import Ended, Guest, Host, launched
from arena.server.setup.bot_section import BotSection
from arena.server.setup.tournament_file import Plan
from arena.server.venue.entrance import server_name
from arena.words import Said, SaidError, joined, quoted
from protocol.connection import BOT_FRAME_BYTES
from protocol.greetings import Hello, Limits, Welcome
from protocol.messages import Bye, FromArena

HANDLE: Final = 1
"""The number of the game on the connection."""
MATCH: Final = "check"
"""What the match is called to which a bot is invited."""
DICE: Final = (6, 2)
"""The roll of the turn, as far as the game has dice."""
LAST_LINES: Final = 5
"""How much of standard error is told."""
NEVER_CONNECTED: Final = Said("rehearsal.never_connected")
SEED: Final = bytes(32)
"""Of dice that are never rolled."""


class RehearsalError(SaidError):
    """The bot did not get as far as an answer; says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuestion:
    """A turn of a match, as returned by `find_turn`."""

    setting: Setting
    game: GameState

    @property
    def opened(self) -> MatchOpened:
        """The header of the match."""
        return self.setting.opened

    @property
    def rules(self) -> Game[Any]:
        """The rules of the match."""
        return self.setting.rules

    @property
    def name(self) -> str:
        """The entrant to move."""
        return self.opened.entrants[self.game.mover - 1]

    @property
    def shown(self) -> str:
        """Name on screens."""
        return self.opened.shown[self.game.mover - 1]


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """Result of putting a turn to a bot again."""

    verdict: TurnFact | None = None
    """The fact that the record would get; its times count from 0, when the turn was written."""
    failure: Said | None = None
    """The reason if there is no answer to judge."""
    has_connected: bool = False
    """Whether it came as far as a connection."""
    program: Ended | None = None
    stdout: str = ""
    stderr: str = ""
    advice: Said | None = None
    """What to do after what its program printed."""


async def rehearse(question: TurnQuestion, host: Host, ready_ms: int, most_ms: int | None = None) -> Rehearsal:
    """Put the turn to a bot that has to be ready within `ready_ms`; it has `most_ms` if its clock allows more."""
    rehearsal = Rehearsal()
    async with host() as guest:
        with trio.CancelScope() as conversation:
            guest.on_end = conversation.cancel
            await _converse(guest, question, rehearsal, ready_ms, most_ms)
    rehearsal.program, rehearsal.advice = guest.how, guest.advice
    rehearsal.stdout, rehearsal.stderr = guest.stdout, guest.stderr
    if rehearsal.verdict is None and guest.how is not None:
        end = Said("lost.program", {"how": guest.how.reason})
        if conversation.cancelled_caught:
            rehearsal.failure = end
        elif guest.how.is_by_itself:
            rehearsal.failure = end if rehearsal.failure is None else joined([rehearsal.failure, end])
    return rehearsal


async def _converse(
    guest: Guest, question: TurnQuestion, rehearsal: Rehearsal, ready_ms: int, most_ms: int | None
) -> None:
    rehearsal.failure = Said("rehearsal.not_ready", {"number": ready_ms})
    with trio.CancelScope(deadline=trio.current_time() + ready_ms / 1000) as ready:
        connection, _ = await guest.listener.accept()
        rehearsal.has_connected = True
        async with trio.SocketStream(connection) as stream:
            talk = _RehearsalTalk(stream, question, guest.token)
            try:
                await talk.log_in()
                ready.deadline = math.inf
                rehearsal.verdict = await talk.ask(most_ms)
                rehearsal.failure = None
            except RehearsalError as error:
                rehearsal.failure = error.said


class _RehearsalTalk:
    """The arena's end of the conversation: `Conversation` speaks the protocol, and the referee judges the answer."""

    def __init__(self, stream: trio.SocketStream, question: TurnQuestion, token: str) -> None:
        self._stream = stream
        self._question = question
        situation = Situation(
            name="rehearsal", what="", section="", connections=(), game=question.rules, is_judged=False
        )
        self._conversation = Conversation(situation, question.name, token)

    async def log_in(self) -> None:
        """From hello to the bot's readiness for the match. Raises `RehearsalError`."""
        question = self._question
        await self._say(Hello(server=server_name(), nonce=secret_values.new_nonce()))
        limits = Limits(frame_bytes=BOT_FRAME_BYTES, window=1)
        await self._say(
            Welcome(session="rehearsal", resume_key=secret_values.new_token(), limits=limits),
            translate.match_start(question.opened, question.game.mover, ""),
        )

    async def ask(self, most_ms: int | None) -> TurnFact:
        """Put the turn, or the call for its dice, to the bot; the flag falls after `most_ms` at the latest."""
        question, login = self._question, self._conversation.login
        assert login is not None, "it has logged in"
        rules, game, opened = question.rules, question.game, question.opened
        message = translate.question(question.setting, HANDLE, game, 0, wants_legal="legal" in login.wants)
        began = trio.current_time()
        start = translate.game_start(HANDLE, opened, game.number, game.starter, game.mover)
        game = games.written(game, opened.terms.clock, 0)
        limit_ms = game.due_ms
        assert limit_ms is not None, "its clock runs"
        if most_ms is not None:
            limit_ms = min(limit_ms, most_ms)
        with trio.move_on_after((limit_ms + 1) / 1000):
            await self._say(start, message)
            said = self._conversation.answers[HANDLE]
            now_ms = int((trio.current_time() - began) * 1000)
            event = translate.answer(said, message, game.number, now_ms, 0)
            _, verdict, _ = games.answered(question.setting, game, event)
            with suppress(RehearsalError):  # it has answered, and may have gone
                if isinstance(verdict, TurnRejected):
                    await self._write(self._conversation.say(Words(messages=(translate.rejected(HANDLE, verdict),))))
                await self._say(Bye(reason="the rehearsal is over"))
            return verdict
        _, flag, _ = games.flag(rules, game, limit_ms + 1)
        return flag

    async def _say(self, *messages: FromArena) -> None:
        """Say something, and wait until all that it asks for is answered."""
        await self._write(self._conversation.say(Words(messages=messages)))
        while self._conversation.owed:
            try:
                data = await self._stream.receive_some()
            except trio.BrokenResourceError:
                data = b""
            if not data:
                raise RehearsalError(Said("lost.hung_up"))
            try:
                await self._write(self._conversation.hear(data))
            except DeviationError as deviation:
                await self._write(self._conversation.complain(deviation))
                raise RehearsalError(Said("rehearsal.deviates", {"found": quoted(deviation.found)})) from deviation

    async def _write(self, parts: Sequence[bytes]) -> None:
        try:
            for part in parts:
                await self._stream.send_all(part)
        except trio.BrokenResourceError as error:
            raise RehearsalError(Said("lost.hung_up")) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class BotFinding:
    """Result of the check of one bot."""

    entrant: str
    name: str
    problem: Said | None = None
    """Why it would forfeit, in words that follow its name; None if it is fit to play."""
    warning: Said | None = None
    """What is wrong with the answer of a bot that is fit to play otherwise."""
    last_words: str = ""
    """The last line it wrote to standard error."""
    last_lines: tuple[str, ...] = ()
    """The last lines of it, with the place in the source where a Python program failed."""
    advice: Said | None = None
    """What to do, as far as its last words tell."""
    spent_ms: int | None = None
    """What it took for its turn; None if it has not answered."""


async def check_bots(
    plan: Plan, names: Collection[str], directory: Path, hidden: Sequence[Path] = ()
) -> list[BotFinding]:
    """Try out the launched bots of a plan that have these names, some at the same time; in the order of the plan.

    No bot may see the `hidden` places. Each has as long to be ready as in a match, and at most as long to answer.
    """
    containment = find_containment(plan, hidden=hidden, directory=directory)
    rules = plan.game()
    found: dict[str, BotFinding] = {}
    limit = trio.CapacityLimiter(max(2 * plan.at_once, os.cpu_count() or 1))  # no more than start at once in the run

    async def check(bot: BotSection) -> None:
        async with limit:
            opponent = next(name for name in [*plan.entrants, MATCH] if name != bot.entrant)
            host = partial(launched, command_of(bot, directory), containment, name=bot.entrant)
            found[bot.entrant] = await _check(plan, rules, bot, opponent, host)

    bots = [bot for bot in plan.bot if bot.entrant in names and not bot.remote]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(check, bot)
    return [found[bot.entrant] for bot in bots]


async def _check(plan: Plan, rules: Game[Any], bot: BotSection, opponent: str, host: Host) -> BotFinding:
    question = _first_turn(plan, rules, bot.entrant, opponent)
    rehearsal = await rehearse(question, host, question.opened.terms.startup_ms, plan.limits.startup_ms)
    lines = last_lines(rehearsal.stderr, LAST_LINES)
    verdict, program = rehearsal.verdict, rehearsal.program
    has_left = program is not None and program.reason == Said("program.exit", {"status": 0})
    return BotFinding(
        entrant=bot.entrant,
        name=bot.name,
        problem=_problem(plan, rehearsal),
        warning=_illegal(verdict) if isinstance(verdict, TurnRejected) else None,
        last_words=lines[-1].strip() if lines else "",
        last_lines=lines,
        advice=NEVER_CONNECTED if has_left and not rehearsal.has_connected else rehearsal.advice,
        spent_ms=None if verdict is None or isinstance(verdict, FlagFell) else verdict.spent_ms,
    )


def _illegal(verdict: TurnRejected) -> Said:
    return Said("rehearsal.illegal", {"why": verdict.said, "clause": verdict.clause})


def _problem(plan: Plan, rehearsal: Rehearsal) -> Said | None:
    """Return why a bot is not fit to play; an illegal answer is forgiven, and so is silence within the delay."""
    if rehearsal.verdict is None:
        return rehearsal.failure
    if isinstance(rehearsal.verdict, FlagFell) and rehearsal.verdict.spent_ms > plan.clock.delay_ms:
        values = {"number": rehearsal.verdict.spent_ms - 1, "clock": plan.clock.said}
        return Said("rehearsal.no_answer", values)
    return None


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
