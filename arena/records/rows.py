"""A run as tables: a frozen row for each match, game, turn, rejection, absence, bot and analysis.

This is the only SQL schema: `arena log`, `arena query` and `arena export` show these rows, and the
index of the live pages holds them. A row has its place in the records, and ids of entrants instead
of seats. Columns are never renamed or retyped, because scripts and queries depend on them.
"""

from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec

from arena.games.result import Cause, Seat
from arena.words import Said, say

State = Literal["over", "void", "open"]
Kind = Literal["integer", "real", "text", "boolean", "json"]
DecisionKind = Literal["turn", "call"]
Mark = Literal["doubtful", "bad", "blunder"]
GamePhase = Literal["contact", "race"]

Position = dict[str, Any]

ANNULLED: Final = "whether the match does not count, because a bot was withdrawn (M5)"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Where a row comes from."""

    file: Annotated[str, "the record in the run folder, `matches/r2-anna-v-bo.jsonl`"]
    line: Annotated[int, "the line in it, from 1"]
    at_ms: Annotated[int, "when, in milliseconds since 1970-01-01 UTC"]
    match: Annotated[str, "the fixture, `r2-anna-v-bo`"]
    attempt: Annotated[int, "1, or more when earlier attempts at the match were void"]
    ruleset: Annotated[str, "name of the ruleset, with its options"]


class MatchRow(Row, frozen=True, kw_only=True):
    """An attempt at a match."""

    round: Annotated[int, "round of the tournament, from 1"]
    form: Annotated[str, "`series` or `pairs`"]
    games: Annotated[int, "how many games it has"]
    seat_1: Annotated[str, "the bot at seat 1"]
    seat_2: Annotated[str, "the bot at seat 2"]
    name_1: Annotated[str, "what the bot at seat 1 is called on screens"]
    name_2: Annotated[str, "what the bot at seat 2 is called on screens"]
    state: Annotated[State, "`over`, `void` (to be played again) or `open`"]
    annulled: Annotated[bool, ANNULLED]
    ended_ms: Annotated[int | None, "when it was over or void, as `at_ms`"]
    score_1: Annotated[int, "points of seat 1 so far"]
    score_2: Annotated[int, "points of seat 2 so far"]
    winner: Annotated[str | None, "the bot that won, once the match is settled; empty for a draw"]
    decision: Annotated[Said | None, "what decided it, in words (M1, M2)"]
    void_reason: Annotated[Said | None, "why it is void, in words"]


class BotRow(Row, frozen=True, kw_only=True):
    """A bot as it came to the table."""

    seat: Annotated[Seat, "1 or 2"]
    bot: Annotated[str, "its id in the tournament"]
    name: Annotated[str, "what it is called on screens"]
    version: Annotated[str, "what it said its version is"]
    fingerprint: Annotated[str, "what it said identifies its build"]
    kind: Annotated[str, "`person`, or `agent` for a language model; empty for a program"]


class GameRow(Row, frozen=True, kw_only=True):
    """A game that is over."""

    game: Annotated[int, "its number in the match, from 1"]
    annulled: Annotated[bool, ANNULLED]
    seat_1: Annotated[str, "the bot at seat 1"]
    seat_2: Annotated[str, "the bot at seat 2"]
    starter: Annotated[str | None, "the bot that began; empty if the game never did"]
    winner: Annotated[str | None, "the bot that won; empty for a draw"]
    loser: Annotated[str | None, "the bot that lost; empty for a draw"]
    ending: Annotated[str, "how: `forced_jan`, `bearing_off`, `forfeit`, `turn_limit`, ..."]
    clause: Annotated[str, "the clause that ended it"]
    monk: Annotated[bool, "whether with monk (B10.1)"]
    rank: Annotated[int | None, "rank of the ending in B10, 1 is best; empty if it has none"]
    points: Annotated[int, "what the winner got"]
    cause: Annotated[
        Cause | None, "of a forfeit: `illegal_turns`, `time`, `disconnect`, `no_show`, `no_reveal`"
    ]
    turns: Annotated[int, "turns of both sides"]
    duration_ms: Annotated[int | None, "from its start to its end; empty if it never began"]
    score_1: Annotated[int, "points of seat 1 in the match after it"]
    score_2: Annotated[int, "points of seat 2 in the match after it"]


class RowOfTurn(Row, frozen=True, kw_only=True):
    """A row about a turn of a game."""

    game: Annotated[int, "number of the game in the match"]
    turn: Annotated[int, "number of the turn, both sides counted, from 1"]
    seat: Annotated[Seat, "1 or 2"]


class TurnRow(RowOfTurn, frozen=True, kw_only=True):
    """A turn that was answered legally, or not in time."""

    bot: Annotated[str, "the bot whose turn it is"]
    opponent: Annotated[str, "the other"]
    event: Annotated[str, "`turn_played`, `draw_agreed` or `flag_fell`"]
    called: Annotated[int | None, "how many dice it called for, where it had the choice (B11.3)"]
    dice: Annotated[list[int], "the roll"]
    moves: Annotated[list[Any] | None, "[from, to] of each move; empty if none was played"]
    notation: Annotated[
        str | None, "the moves for people, `1/7* 12/15`, with the ending at its end"
    ]
    hits: Annotated[int | None, "how many of the moves hit; in Brandubh the pieces captured"]
    strikes: Annotated[int | None, "how many of the moves strike"]
    spent_ms: Annotated[int, "thinking time in milliseconds"]
    left_ms: Annotated[int | None, "left of the bank in milliseconds; empty if the flag fell"]
    lag_ms: Annotated[int, "what the arena's own delay took off the time, in milliseconds"]
    draw_offered: Annotated[bool, "whether a draw was offered with it (T9)"]
    info: Annotated[Any, "what the bot wanted to have kept"]
    position: Annotated[
        Position | None, "before the turn, from the view of the bot whose turn it is"
    ]
    position_after: Annotated[Position | None, "after it, from the opponent's view; empty if none"]


class RejectionRow(RowOfTurn, frozen=True, kw_only=True):
    """An illegal turn."""

    bot: Annotated[str, "the bot that sent it"]
    opponent: Annotated[str, "the other"]
    dice: Annotated[list[int], "the roll; none when a call was rejected"]
    moves: Annotated[Any, "what it sent as moves"]
    code: Annotated[str, "what was wrong, as a stable word"]
    clause: Annotated[str, "the clause it breaks"]
    message: Annotated[Said, "what was wrong and what would be legal, in words"]
    spent_ms: Annotated[int, "from the writing of the turn to this answer, in milliseconds"]
    lag_ms: Annotated[int, "what the arena's own delay took off the time, in milliseconds"]
    legal_turns: Annotated[int, "how many answers would be legal"]
    left: Annotated[int, "rejections left in the game; -1 when this one forfeits it"]
    draw: Annotated[str | None, "what it said of a draw: `offer` or `accept`"]
    call: Annotated[int | None, "the dice it called for, if this was a call (B11.3)"]
    choice: Annotated[int | None, "the index it gave in place of moves, if it gave one"]
    position: Annotated[Position | None, "the position, from the view of the bot whose turn it is"]


class AbsenceRow(Row, frozen=True, kw_only=True):
    """A bot is gone, or back."""

    seat: Annotated[Seat, "1 or 2"]
    bot: Annotated[str, "the bot"]
    opponent: Annotated[str, "the other"]
    event: Annotated[str, "`bot_left`, `bot_missing` or `bot_returned`"]
    reason: Annotated[Said | None, "why it is gone, in words"]
    grace_ms: Annotated[int | None, "how long it may stay away, in milliseconds"]


class RowOfBot(Row, frozen=True, kw_only=True):
    """A row about a bot in a game that is over."""

    game: Annotated[int, "its number in the match, from 1"]
    seat: Annotated[Seat, "1 or 2"]
    bot: Annotated[str, "the bot"]
    opponent: Annotated[str, "the other"]


class BotGameRow(RowOfBot, frozen=True, kw_only=True):
    """A bot in a game that is over: two rows a game, none of void attempts and annulled matches."""

    win: Annotated[float, "1 if the bot won, 0.5 if the game was drawn, 0 if it lost"]
    points: Annotated[int, "what it got, negative if it lost"]
    ending: Annotated[str, "how: `forced_jan`, `bearing_off`, `forfeit`, `turn_limit`, ..."]
    monk: Annotated[bool, "whether with monk (B10.1)"]
    forfeits: Annotated[int, "1 if the bot forfeited the game, else 0"]
    cause: Annotated[Cause | None, "of a forfeit, by whichever side"]
    starts: Annotated[int, "1 if the bot began, else 0"]
    turns: Annotated[int, "turns of both sides"]
    name: Annotated[str, "what the bot is called on screens"]
    opponent_name: Annotated[str, "what the other is called on screens"]


class JudgedRow(RowOfTurn, frozen=True, kw_only=True):
    """An evaluator's word on a moment of a game."""

    bot: Annotated[str, "the bot whose turn it is"]
    opponent: Annotated[str, "the other"]
    dice: Annotated[list[int], "the roll; none for a call, which comes before it"]
    annulled: Annotated[bool, ANNULLED] = False


class DecisionRow(JudgedRow, frozen=True, kw_only=True):
    """A turn, or a call for dice (B11.3), and what it cost by the word of an evaluator."""

    kind: Annotated[DecisionKind, "`turn`, or `call`: how many dice to roll (B11.3)"]
    played: Annotated[str, "the moves for people, or the number of dice"]
    best: Annotated[str, "the same of what was best; of equal ones what was played"]
    value: Annotated[float, "points that the bot could expect after it, the opponent's taken off"]
    best_value: Annotated[float, "the same after the best"]
    loss: Annotated[float, "what it cost, in thousandths of a point"]
    mark: Annotated[Mark | None, "`doubtful`, `bad` or `blunder`; empty if it cost less"]
    choices: Annotated[int, "how many different turns were legal, or numbers of dice"]
    forced: Annotated[bool, "whether there was no choice, so that it is no decision"]
    phase: Annotated[GamePhase, "`contact`, or `race` when the sides cannot meet any more"]
    evaluator: Annotated[str, "whose word it is"]
    plies: Annotated[int, "how many turns it looked ahead, 1 to 3"]


class RollRow(JudgedRow, frozen=True, kw_only=True):
    """A roll, and how lucky it was by the word of an evaluator.

    Its line is the line after which it was rolled.
    """

    opening: Annotated[bool, "whether it is the throw that decided who begins (G2), never a double"]
    best_value: Annotated[
        float, "points that the bot could expect with this roll and its best turn"
    ]
    mean: Annotated[float, "the same before the roll: the mean over all rolls"]
    luck: Annotated[float, "the difference, in points"]
    win_luck: Annotated[
        float, "how much likelier that turn wins the game than the mean over all rolls"
    ]
    evaluator: Annotated[str, "whose word it is, one turn ahead"]


class LuckGameRow(RowOfBot, frozen=True, kw_only=True):
    """A bot in an analysed game, with its luck: two rows a game, as in `bot_games`."""

    points: Annotated[int, "what it got, negative if it lost"]
    luck: Annotated[float, "the luck of its rolls, in points"]
    opponent_luck: Annotated[float, "that of the opponent's"]
    adjusted: Annotated[
        float | None, "points less luck, plus that of the opponent; empty if the game was forfeited"
    ]
    cause: Annotated[
        Cause | None, "of a forfeit, by whichever side: its result is not of the board"
    ]
    evaluator: Annotated[str, "whose word the luck is, one turn ahead"]


TABLES: Final[dict[str, type[Row]]] = {
    "matches": MatchRow,
    "games": GameRow,
    "turns": TurnRow,
    "rejections": RejectionRow,
    "absences": AbsenceRow,
    "bots": BotRow,
}
"""Every table by its name."""
ANALYSED: Final[dict[str, type[JudgedRow]]] = {
    "decisions": DecisionRow,
    "rolls": RollRow,
}
"""The tables that `arena analyse` adds; they come from its files and not from the records."""
VIEWS: Final[dict[str, type[Row]]] = {
    "bot_games": BotGameRow,
    "luck_games": LuckGameRow,
}
"""The views of the database, with rows that it computes from the tables."""
TABLE_OF: Final[dict[type[Row], str]] = {row: name for name, row in (TABLES | ANALYSED).items()}
FOLLOWED: Final = frozenset({"position", "position_after", "notation", "hits", "strikes"})
"""The columns for which every turn is played again; they take as long as all others together."""

_SQL_TYPES: Final = {
    "integer": "INTEGER",
    "real": "REAL",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "json": "TEXT",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlColumn:
    """A column of a table."""

    name: str
    kind: Kind
    """`json` is a list, a position or what a bot sent, as JSON text."""
    description: str


@cache
def columns_of(table: str) -> tuple[SqlColumn, ...]:
    """Return every column of a table or view, in order."""
    row = (TABLES | ANALYSED | VIEWS)[table]
    hints = get_type_hints(row, include_extras=True)
    columns = []
    for name in row.__struct_fields__:
        hint, description = get_args(hints[name])
        columns.append(
            SqlColumn(
                name=name,
                kind=_kind_of(hint),
                description=description,
            )
        )
    return tuple(columns)


def table_sql(table: str, *additions: str) -> str:
    """Return the statement that creates a table, with more columns or constraints at its end."""
    columns = [f"{column.name} {_SQL_TYPES[column.kind]}" for column in columns_of(table)]
    parts = ", ".join([*columns, *additions])
    return f"CREATE TABLE {table} ({parts})"


_KINDS: Final[dict[Any, Kind]] = {
    int: "integer",
    float: "real",
    str: "text",
    Said: "text",
    bool: "boolean",
}
"""The kind of a column by the type of its field; every other type is `json`."""


def _kind_of(hint: Any) -> Kind:
    """Return the kind of a column whose field has this type; None is allowed in all."""
    if NoneType in get_args(hint):
        [hint] = [option for option in get_args(hint) if option is not NoneType]
    if get_origin(hint) is Literal:
        hint = type(get_args(hint)[0])
    return _KINDS.get(hint, "json")


def cells_of(row: Row) -> tuple[Any, ...]:
    """Return the cells of a row in the order of its columns.

    They are numbers, English text or JSON text; None stays None.
    """
    cells: list[Any] = []
    columns = columns_of(TABLE_OF[type(row)])
    for column, field in zip(columns, msgspec.structs.astuple(row), strict=True):
        if isinstance(field, Said):
            cells.append(say(field))
        elif column.kind == "json" and field is not None:
            cells.append(json_cell(field))
        else:
            cells.append(field)
    return tuple(cells)


def json_cell(field: Any) -> str:
    """Return a list, a position or what a bot sent as the JSON text of a cell."""
    return msgspec.json.encode(field).decode()
