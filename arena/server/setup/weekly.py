"""A day of the week and a time of the day in a time zone, and when it comes next."""

import re
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Final, Literal, get_args
from zoneinfo import ZoneInfo, available_timezones

from arena.nearest import meant
from arena.words import Said

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: Final[tuple[str, ...]] = get_args(Weekday)
_TIME: Final = re.compile("([01][0-9]|2[0-3]):([0-5][0-9])")


def weekly_problems(at: str, zone: str) -> Iterator[tuple[str, Said]]:
    """Yield what is wrong with a time of the day or a time zone, with the field."""
    if not _TIME.fullmatch(at):
        yield "time", Said("venue.no_time", {"value": repr(at)})
    try:
        ZoneInfo(zone)
    except (ValueError, KeyError, OSError):  # no such name, a folder of zones, or no path
        values = {"value": repr(zone), "meant": meant(zone, available_timezones())}
        yield "zone", Said("venue.no_zone", values)


def next_due_ms(day: Weekday, at: str, zone: str, after_ms: int) -> int:
    """Return the first time after `after_ms` at which it is this day and time in the zone.

    A time that the clocks skip counts by the clock before the change; of a time that comes twice
    the first counts.
    """
    place = ZoneInfo(zone)
    hour, minute = at.split(":")
    local_time = time(int(hour), int(minute))
    today = datetime.fromtimestamp(after_ms / 1000, place).date()
    days_ahead = (WEEKDAYS.index(day) - today.weekday()) % 7
    date = today + timedelta(days=days_ahead)
    while True:
        due = datetime.combine(date, local_time, place)
        due_ms = int(due.timestamp() * 1000)
        if due_ms > after_ms:
            return due_ms
        date += timedelta(days=7)
