"""The questions of `arena log`: each is SQL over the tables of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """A question with what it answers, and its SQL; an option of the command is a parameter of the same name."""

    help: str
    sql: str

    @property
    def options(self) -> list[str]:
        """The options that it takes."""
        return list(dict.fromkeys(re.findall(r":(\w+)", self.sql)))


QUESTIONS: Final = {
    "games": NamedQuestion(
        "every game: how it ended, and who won",
        "SELECT file || ':' || line AS place, game, winner, loser, ending, monk, points, cause, turns FROM games\n"
        "WHERE :bot IN (seat_1, seat_2, '*') AND match GLOB :match AND ending GLOB :ending LIMIT :limit",
    ),
    "long-games": NamedQuestion(
        "the games, the longest first",
        "SELECT file || ':' || line AS place, game, turns, duration_ms, winner, loser, ending FROM games\n"
        "WHERE :bot IN (seat_1, seat_2, '*') AND match GLOB :match ORDER BY turns DESC LIMIT :limit",
    ),
    "endings": NamedQuestion(
        "how games ended, and for whom",
        "SELECT ending, winner, count(*) AS count FROM games\n"
        "WHERE match GLOB :match GROUP BY ending, winner ORDER BY count DESC, ending, winner",
    ),
    "win-rates": NamedQuestion(
        "win rate and points of every bot, by ending",
        "SELECT bot, ending, count(*) AS games, avg(win) AS win_rate, avg(points) AS mean_points FROM bot_games\n"
        "WHERE bot GLOB :bot GROUP BY bot, ending",
    ),
    "head-to-head": NamedQuestion(
        "every bot against every other",
        "SELECT bot, opponent, count(*) AS games, sum(win = 1) AS won, sum(win = 0.5) AS drawn, sum(win = 0) AS lost,\n"
        "sum(points) AS points FROM bot_games WHERE bot GLOB :bot GROUP BY bot, opponent",
    ),
    "forfeits": NamedQuestion(
        "every forfeit: who, and why",
        "SELECT file || ':' || line AS place, game, loser, cause, clause FROM games\n"
        "WHERE cause IS NOT NULL AND loser GLOB :bot AND match GLOB :match LIMIT :limit",
    ),
    "forfeit-counts": NamedQuestion(
        "who forfeited how often, and why",
        "SELECT loser, cause, count(*) AS count FROM games\n"
        "WHERE cause IS NOT NULL AND match GLOB :match GROUP BY loser, cause ORDER BY count DESC, loser, cause",
    ),
    "rejections": NamedQuestion(
        "every illegal turn, and what was wrong",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, code, clause, message, left FROM rejections\n"
        "WHERE bot GLOB :bot AND match GLOB :match LIMIT :limit",
    ),
    "rejection-counts": NamedQuestion(
        "whose turns were rejected how often, and why",
        "SELECT bot, clause, code, count(*) AS count FROM rejections\n"
        "WHERE bot GLOB :bot AND match GLOB :match GROUP BY bot, clause, code ORDER BY count DESC, bot",
    ),
    "slow-turns": NamedQuestion(
        "the turns, the slowest first",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, coalesce(notation, event) AS played, spent_ms\n"
        "FROM turns WHERE bot GLOB :bot AND match GLOB :match ORDER BY spent_ms DESC LIMIT :limit",
    ),
    "thinking": NamedQuestion(
        "mean and longest thinking time of every bot",
        "SELECT bot, count(*) AS turns, avg(spent_ms) AS mean_ms, max(spent_ms) AS longest_ms FROM turns\n"
        "WHERE match GLOB :match GROUP BY bot",
    ),
    "played-in": NamedQuestion(
        "the turns played in a position, seen by the bot whose turn it is",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, notation FROM turns\n"
        "WHERE position = :position AND bot GLOB :bot LIMIT :limit",
    ),
    "leading-to": NamedQuestion(
        "the turns that led to a position, seen by the opponent",
        "SELECT file || ':' || line AS place, game, turn, bot, dice, notation FROM turns\n"
        "WHERE position_after = :position AND bot GLOB :bot LIMIT :limit",
    ),
    "moves": NamedQuestion(
        "the moves played most",
        "SELECT value AS move, count(*) AS count FROM turns, json_each(moves)\n"
        "WHERE bot GLOB :bot GROUP BY move ORDER BY count DESC, move LIMIT :limit",
    ),
    "absences": NamedQuestion(
        "lost connections, and bots that came back (times in UTC)",
        "SELECT file || ':' || line AS place, datetime(at_ms / 1000, 'unixepoch') AS time, bot, event, reason\n"
        "FROM absences WHERE bot GLOB :bot AND match GLOB :match LIMIT :limit",
    ),
    "builds": NamedQuestion(
        "the versions and builds that played",
        "SELECT bot, version, fingerprint, count(*) AS count FROM bots\n"
        "WHERE bot GLOB :bot GROUP BY bot, version, fingerprint",
    ),
    "matches": NamedQuestion(
        "every attempt at a match, with what decided it or why it is void",
        "SELECT file || ':' || line AS place, attempt, state, seat_1, score_1, score_2, seat_2,\n"
        "coalesce(decision, void_reason) AS why FROM matches\n"
        "WHERE :bot IN (seat_1, seat_2, '*') AND match GLOB :match LIMIT :limit",
    ),
}
"""Every question by its name, in the order in which they are listed."""
