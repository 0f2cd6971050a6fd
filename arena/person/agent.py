"""A language model at the board: the seat of a person, as a server of the Model Context Protocol.

The tools are what a person can do at a table. Their docstrings are what the model reads of them,
and so is all that they return: plain English, as in the messages of the protocol. The times of the
library are anyio's, which runs on trio over standard input, and on asyncio behind HTTP.
"""

import json
import re
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, Final

import anyio
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from arena.games import GameError, Illegal, load_game
from arena.games.interface import text_of
from arena.person.seat import Seat
from arena.person.sitting import Sitting
from arena.person.told import GameOver, PlayedTurn, Refusal
from arena.shipped import shipped
from arena.words import Said, say

WAIT_SECONDS: Final = 25
"""The longest wait of one call: clients give up after 60 seconds, some after 30."""
LOOK_SECONDS: Final = 0.02
MOST_TURNS: Final = 100
"""The most legal turns that are listed; some rolls of equal dice have more."""
LAST_TURNS: Final = 4
BAD_PARAMETERS: Final = -32602
"""The code of JSON-RPC."""
INSTRUCTIONS: Final = (
    "You sit at a table of the Bräde arena and play a match against a bot. Read `rules` once. Then "
    "call `wait`; when it returns with phase `turn`, look at the board, choose one of the "
    "`legal_turns`, and `play` it. `play` waits for the opponent, so that you can play the next "
    "turn at once. If nothing has happened, `wait` again. Your clock runs in phase `turn`."
)


class AgentSeat(Seat):
    """The seat of a language model."""

    name = "agent"
    version = "by a language model"
    kind = "agent"


class AgentTools:
    """The tools of one seat."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    async def rules(self, clause: str = "") -> str:
        """Return the rule book of the game that is played, or one clause of it, such as `B3.3`."""
        game = self._seat.sitting.rules
        if game is None:
            raise ToolError("no match has started yet; `wait` for it")
        return rule_book(game.ruleset, clause)

    async def table(self) -> str:
        """Return the board, the dice, the score, the clocks and the last turns.

        Your checkers are O, and points are numbered along your own path; the opponent's turns have
        the numbers beside X. Brackets mark what the last turn has changed. `phase` is what is due:
        `turn` (`play` a turn), `call` (`play` a number of dice), `break` (`wait` begins the next
        game), `arriving`, `waiting` or `ready` (`wait`), `over` (`wait` shows whether another match
        follows), `left`.
        """
        with self._seat.at_the_board() as sitting:
            return "\n".join(_table(sitting, self._seat.asked_at))

    async def legal_turns(self) -> str:
        """Return the legal turns of the open roll, one a line, as `play` takes them."""
        with self._seat.at_the_board() as sitting:
            if sitting.phase != "turn":
                raise ToolError(say(Said(f"not_due.{sitting.phase}")))
            rules, start = sitting.rules, sitting.start
            turns = rules.legal_turns(start, sitting.dice)
        lines = [
            rules.format_turn(turn.moves, start, turn.ending) for turn in islice(turns, MOST_TURNS)
        ]
        return "\n".join([f"{len(turns)} legal turns", *lines])

    async def play(self, question: str, turn: str, *, offers_draw: bool = False) -> str:
        """Play a whole turn, such as `1/7 12/15`, or `pass`; then do as `wait` does.

        `question` is that of the table, so that nothing is played in another position than you saw.
        In phase `call` the turn is the number of dice. `accept` accepts a draw that was offered;
        `offers_draw` offers one with the turn. An illegal turn is not played and costs only time:
        you are told the clause that it breaks.
        """
        try:
            with self._seat.at_the_board() as sitting:
                if sitting.phase == "call":
                    dice = {"1": 1, "2": 2}.get(turn, 0)
                    self._seat.answer(lambda sitting: sitting.call(question, dice))
                elif turn == "accept":
                    self._seat.answer(lambda sitting: sitting.accept_draw(question))
                else:
                    self._play(sitting, question, turn, offers_draw=offers_draw)
        except Refusal as refused:
            raise _tool_error(refused) from refused
        return await self.wait()

    async def wait(self, seconds: float = WAIT_SECONDS) -> str:
        """Wait until there is something to do, at most 25 seconds; then return the table.

        In a break it begins the next game; after a match it waits for the next one.
        """
        seat = self._seat
        was_over = seat.sitting.phase == "over"
        if seat.sitting.phase == "break":
            with suppress(Refusal):  # the game has just started by itself
                seat.ready(seat.sitting.question)
        with anyio.move_on_after(min(seconds, WAIT_SECONDS)):
            while self._is_idle(was_over=was_over):  # noqa: ASYNC110 - another thread changes it
                await anyio.sleep(LOOK_SECONDS)
        if was_over and not seat.later:
            return "no other match has started"
        if was_over:
            seat.go_on()
        return await self.table()

    async def leave(self) -> str:
        """Leave the match for good: the opponent wins all the games that are not over."""
        try:
            self._seat.leave()
        except Refusal as refused:
            raise _tool_error(refused) from refused
        return await self.table()

    def teach(self, ruleset: str = "") -> str:
        """Learn a ruleset from the rule book, by default that of the match, and play the match."""
        game = self._seat.sitting.rules
        try:
            if ruleset or game is None:
                game = load_game(ruleset)
        except GameError as error:
            raise MCPError(BAD_PARAMETERS, str(error)) from error
        return f"{rule_book(game.ruleset)}\n\n{INSTRUCTIONS}"

    def _play(self, sitting: Sitting, question: str, turn: str, *, offers_draw: bool) -> None:
        """Play a turn as a whole. Raises `Refusal`, with the board as it was."""
        sitting.due("turn", question)
        try:
            moves = sitting.rules.parse_turn(turn, sitting.start, sitting.dice)
        except GameError as error:
            raise Refusal(error.problems[0]) from error
        verdict = sitting.rules.judge(sitting.start, sitting.dice, moves)
        if isinstance(verdict, Illegal):
            raise Refusal(verdict.said, verdict.clause)
        if offers_draw and sitting.rules.agreement is None:
            raise Refusal(Said("refusal.no_draws", {"ruleset": sitting.rules.name}))
        sitting.move(question, moves, is_whole=True)
        self._seat.answer(lambda sitting: sitting.confirm(question, offers_draw=offers_draw))

    def _is_idle(self, *, was_over: bool) -> bool:
        """Return whether there is nothing to do yet, and something can still come."""
        if self._seat.sitting.phase == "over":
            return was_over and not self._seat.later and not self._seat.wait(0)
        return self._seat.sitting.phase in ("arriving", "waiting", "ready")


def _tool_error(refused: Refusal) -> ToolError:
    if not refused.clause:
        return ToolError(say(refused.said))
    return ToolError(f"{say(refused.said)} ({refused.clause})")


def rule_book(ruleset: Mapping[str, Any], clause: str = "") -> str:
    """Return the page of the rule book for a ruleset, with its fields; or only one clause.

    Raises `ToolError`: the page has no such clause.
    """
    page = "other-games"
    if ruleset.get("facing") == "same_way":
        page = "rules"
    text = (shipped("docs") / f"{page}.md").read_text(encoding="utf-8")
    if not clause:
        return f"{text}\nThis match is played by the ruleset {json.dumps(ruleset)}."
    for paragraph in re.split(r"\n(?=- \*\*|#|\n)", text):
        if paragraph.startswith(f"- **{clause}**"):
            return paragraph
    raise ToolError(f"{page}.md has no clause {clause!r}; expected one such as B3.3")


def _table(sitting: Sitting, asked_at: float) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"phase: {sitting.phase}"
    if sitting.why_left:
        yield say(sitting.why_left)
    match = sitting.match
    if match is None:
        return
    yield f"match {match.match}: {match.games} games of {sitting.rules.name}"
    yield f"your opponent: {match.opponent.name}"
    for event in sitting.story:
        if isinstance(event, GameOver):
            yield _game_over(event)
    if sitting.end:
        mine, theirs = sitting.end.score
        yield f"the match is {sitting.end.result}, {mine} : {theirs}"
    if sitting.game is None:
        return
    for event in sitting.log[-LAST_TURNS:]:
        yield _turn(event)
    yield text_of(sitting.rules.picture(sitting.position, before=sitting.before))
    if sitting.phase in ("turn", "call"):
        yield from _question(sitting, time.monotonic() - asked_at)


def _game_over(game: GameOver) -> str:
    mine, theirs = game.score
    return (
        f"game {game.number}: {game.result}, {say(Said(f'ending.{game.ending}'))}, "
        f"{game.points} points ({game.clause}); score {mine} : {theirs}"
    )


def _turn(played: PlayedTurn) -> str:
    side = "opponent"
    if played.is_mine:
        side = "you"
    return f"{side} {'-'.join(map(str, played.dice))}: {played.text}"


def _question(sitting: Sitting, spent_s: float) -> Iterator[str]:
    """Yield what is asked, and the clocks."""
    view = sitting.view
    assert view is not None, "a question is open"
    if sitting.phase == "call":
        yield f"choose a number of dice: {', '.join(map(str, sitting.calls))}"
    elif sitting.dice:
        yield f"your dice: {'-'.join(map(str, sitting.dice))}"
    if sitting.is_draw_offered:
        yield "the opponent offers a draw"
    yield f"question: {sitting.question}"
    yield (
        f"time for this turn: {view.limit_ms / 1000 - spent_s:.1f} s; "
        f"the opponent's bank: {view.clock.opponent_left_ms / 1000:.1f} s"
    )


def agent_server(seat: Seat) -> MCPServer:
    """Return the server with the tools of a seat, and the prompt that teaches its game."""
    tools = AgentTools(seat)
    server = MCPServer("brade-arena", instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in (
        tools.rules,
        tools.table,
        tools.legal_turns,
        tools.play,
        tools.wait,
        tools.leave,
    ):
        server.add_tool(tool, structured_output=False)
    server.prompt()(tools.teach)
    return server


def serve_agent(seat: Seat, port: int | None, path: str) -> None:
    """Serve the tools of a seat until standard input ends, or at this port of loopback.

    The path has a secret: other users of this machine cannot play for the agent. Nor can a page in
    a browser: the library refuses the names of other hosts.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # a thread of the library may wait for ever
    server = agent_server(seat)
    if port is None:
        anyio.run(server.run_stdio_async, backend="trio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=port, streamable_http_path=path)
