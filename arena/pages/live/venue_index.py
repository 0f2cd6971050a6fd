"""What the index answers of many runs together: players, ratings and matches of a venue.

Runs are bound as a list of their numbers in the index, the oldest first, entrants as one of names.
"""

import json
import sqlite3
from typing import Any, Final, TypeVar

import msgspec

from arena.pages.live.index_file import IndexFile
from arena.tournaments.ladder_players import SETTLED_ELO

T = TypeVar("T")
MONTH_MS: Final = 31 * 24 * 3_600_000
"""A bot that was not there for a month leaves the table; its page stays."""
MOST_POINTS: Final = 400
"""Points of a chart; of more, the last one in each of 400 equal times is taken."""
MOST_MATCHES: Final = 12
"""Matches on the page of a bot."""


def rows_of(file: IndexFile, question: str, kind: type[T], **bound: object) -> list[T]:
    """Return the rows that answer a question, as values of this kind."""
    values = {name: json.dumps(value) for name, value in bound.items()}

    def ask(database: sqlite3.Connection) -> list[dict[str, Any]]:
        cursor = database.execute(question, values)
        names = [name for name, *_ in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    return msgspec.convert(file.read(ask), list[kind], strict=False)  # type: ignore[valid-type]


PLAYERS: Final = f"""
WITH sums AS (
  SELECT entrant, sum(matches) AS all_matches, sum(forfeits) AS all_forfeits,
    max(seen_ms) AS last_ms
  FROM rated WHERE run IN (SELECT value FROM json_each(:runs)) GROUP BY entrant
), today AS (
  SELECT *, error <= {SETTLED_ELO} AS is_proven, max(is_there) OVER bots AS is_bot_there,
    max(last_ms) OVER bots AS bot_ms, max(last_ms) OVER () AS latest_ms,
    row_number() OVER (PARTITION BY bot ORDER BY last_ms DESC, version DESC) AS age,
    row_number() OVER (
      PARTITION BY bot ORDER BY error <= {SETTLED_ELO} DESC, last_ms DESC, version DESC
    ) AS age_of_proven
  FROM rated JOIN sums USING (entrant)
  WHERE run = (
    SELECT value FROM json_each(:runs) WHERE EXISTS (SELECT 1 FROM rated WHERE run = value)
    ORDER BY key DESC LIMIT 1
  )
  WINDOW bots AS (PARTITION BY bot)
), divided AS (
  SELECT *, CASE
    WHEN is_anchor THEN iif(is_frozen, 'old', 'anchor')
    WHEN bot_ms < latest_ms - {MONTH_MS} THEN 'away'
    WHEN is_proven AND age_of_proven = 1 THEN 'placed'
    WHEN age = 1 THEN 'provisional'
    ELSE 'old' END AS table_part
  FROM today
)
SELECT entrant, bot, version, elo, error, units, all_matches AS matches, all_forfeits AS forfeits,
  is_house, is_anchor, is_frozen, is_bot_there AS is_there, last_ms AS seen_ms, rests_until_ms,
  parent, gain, gain_error, table_part AS part,
  iif(table_part = 'placed', row_number() OVER (PARTITION BY table_part ORDER BY elo DESC, entrant),
    0) AS place
FROM divided ORDER BY elo DESC, entrant
"""  # noqa: S608 - numbers of this file
"""The players of the last of these days that has some, the strongest first, with their matches on
all of them.

The version that played last has the bot's place. As long as it is provisional, the one that played
last of the others has it.
"""
COURSE: Final = f"""
WITH points AS (
  SELECT at_ms, version, elo, error FROM course
  WHERE run IN (SELECT value FROM json_each(:runs)) AND bot = json_extract(:bot, '$')
)
SELECT max(at_ms) AS at_ms, version, elo, error FROM points
GROUP BY version, at_ms / (1 + (SELECT max(at_ms) - min(at_ms) FROM points) / {MOST_POINTS})
ORDER BY 1
"""  # noqa: S608 - a number of this file
_OF_SEAT: Final = """
SELECT runs.folder AS run, match AS fixture, settled_ms, seat_{seat} AS entrant,
  substr(seat_{other}, 1, length(rtrim(seat_{other}, '0123456789')) - 1) AS opponent,
  CASE winner WHEN seat_{seat} THEN 'won' WHEN seat_{other} THEN 'lost' ELSE 'drawn' END AS outcome,
  score_{seat} AS points_for, score_{other} AS points_against
FROM json_each(:runs) AS days CROSS JOIN json_each(:entrants) AS names
CROSS JOIN runs ON runs.run = days.value
CROSS JOIN matches INDEXED BY matches_of_{seat}
ON matches.run = days.value AND seat_{seat} = names.value
"""
_LATE: Final = """
AND place >= coalesce((
  SELECT place FROM matches AS late
  WHERE late.run = days.value AND late.seat_{seat} = names.value
  ORDER BY place DESC LIMIT 1 OFFSET {most}
), 0)
"""


def _of_both_seats(question: str) -> str:
    first = question.format(seat=1, other=2, most=MOST_MATCHES)
    second = question.format(seat=2, other=1, most=MOST_MATCHES)
    return f"{first} UNION ALL {second}"


AGAINST: Final = f"""
SELECT opponent, count(*) AS matches, sum(outcome = 'won') AS won, sum(outcome = 'drawn') AS drawn,
  sum(outcome = 'lost') AS lost,
  sum(points_for) AS points_for, sum(points_against) AS points_against
FROM ({_of_both_seats(_OF_SEAT)}) GROUP BY opponent ORDER BY matches DESC, opponent
"""  # noqa: S608 - no text of a user is in this SQL
LAST_MATCHES: Final = f"""
{_of_both_seats(_OF_SEAT + _LATE)} ORDER BY settled_ms DESC LIMIT {MOST_MATCHES}
"""
FORFEITS: Final = """
SELECT coalesce(cause, '') AS cause, count(*) AS games
FROM json_each(:runs) AS days CROSS JOIN json_each(:entrants) AS names
CROSS JOIN games INDEXED BY games_forfeited
ON games.run = days.value AND loser = names.value AND ending = 'forfeit'
GROUP BY games.cause ORDER BY games DESC, games.cause
"""
