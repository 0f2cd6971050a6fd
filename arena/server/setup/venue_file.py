"""`venue.toml`: what an operator decides about a venue, checked completely before it opens."""

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from arena.matches.time_control import Ms
from arena.nearest import unknown_name
from arena.records.venue_book import bot_name_problems
from arena.regular_files import read_regular
from arena.sample_opponents import OPPONENTS
from arena.server.io.disk import write_inside
from arena.server.io.listening import ListenError, parse_address
from arena.server.setup.bot_section import BotSection
from arena.server.setup.given_fields import GivenField, put_fields
from arena.server.setup.listen_section import ListenSection
from arena.server.setup.problems import FileProblemsError, Problems, section_in_words
from arena.server.setup.sections import (
    read_section,
    read_sections,
    read_toml,
)
from arena.server.setup.tournament_file import read_bots
from arena.server.setup.venue_folder import VENUE_FILE
from arena.server.setup.venue_runs import CupTerms, Terms
from arena.server.setup.weekly import Weekday, weekly_problems
from arena.tournaments.ladder_players import LEAST_ANCHORS
from arena.tournaments.names import display_problems
from arena.words import Said, SaidError

HOUSE_BOTS: Final = ("random", "greedy", "lookahead", "neural")
"""The sample bots that a new venue runs."""
_RUN: Final = re.compile("[a-z][a-z0-9-]{0,15}")
"""The name of a ladder or a cup: with a date and a number it is the id of a run."""
LISTS: Final = ("ladder", "bot", "cup")
"""The sections that stand once for each thing."""
OF_RUNS: Final = ("grace_ms", "idle_ms", "second_login")
"""Limits that are the same for all runs of a venue, since a bot has one connection for all."""

S = TypeVar("S", bound=msgspec.Struct)
Number = Annotated[int, Meta(ge=1, le=10_000)]
SectionName = Annotated[str, Meta(min_length=1, max_length=16)]


class VenueFileError(FileProblemsError):
    """`venue.toml` cannot be used."""


class VenueSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[venue]`."""

    name: Annotated[str, Meta(min_length=1, max_length=60)] = "venue"
    """Its name on screens."""
    joining: Literal["open", "invite", "closed"] = "invite"
    """Who may join: every bot, those with an invite of the operator, or none."""


class PagesSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[pages]`."""

    address: str = "127.0.0.1:8018"
    hosts: tuple[str, ...] = ()
    """Names under which a reverse proxy serves the pages; the first may have a path."""


class VenueLimitsSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[limits]`: by address, where they are not of a bot. Loopback has none."""

    sign_ups_a_day: Number = 5
    logins_a_minute: Number = 20
    """Wrong ones: a login with the right token never waits."""
    invite_days: Annotated[int, Meta(ge=1, le=365)] = 7
    """How long an invite can be used."""
    grace_ms: Ms = 60_000
    """How long a bot may take to come back during a game."""
    idle_ms: Ms = 120_000
    """How long a bot that owes no answer may leave pings unanswered; 0 for ever."""
    second_login: Literal["refuse", "take_over"] = "refuse"
    """What to do when a connected bot logs in again."""

    @property
    def of_runs(self) -> dict[str, Any]:
        """The limits that are the same for all runs: a bot has one connection for all."""
        return {name: getattr(self, name) for name in OF_RUNS}


class AnalysisSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[analysis]`."""

    on: bool = True
    """True if a process of low priority looks for the costliest turns of the matches."""


class LadderSection(Terms, frozen=True, kw_only=True):
    """`[[ladder]]`."""

    name: SectionName
    seats: Annotated[int, Meta(ge=1, le=256)] = 2
    """Matches at once."""
    most_matches: Annotated[int, Meta(ge=1, le=100_000)] = 10_000
    """The most matches of a day; then the next day begins."""
    anchors: tuple[str, ...] = ()
    """The house bots that play in it, whose mean rating is fixed; all by default."""


class CupSection(CupTerms, frozen=True, kw_only=True):
    """`[[cup]]`."""

    name: SectionName
    ladder: SectionName
    """The ladder whose best bots play."""
    day: Weekday
    time: str
    """Local time of its beginning, `20:00`."""
    zone: str = "UTC"
    """The time zone, such as `Europe/Stockholm`."""
    best: Annotated[int, Meta(ge=2, le=256)] = 8
    """The most bots that play: the best that are connected."""


class VenuePlan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole `venue.toml`."""

    venue: VenueSection = VenueSection()
    listen: ListenSection = ListenSection()
    pages: PagesSection = PagesSection()
    limits: VenueLimitsSection = VenueLimitsSection()
    analysis: AnalysisSection = AnalysisSection()
    ladder: tuple[LadderSection, ...] = ()
    bot: tuple[BotSection, ...] = ()
    """The house bots, which the arena starts."""
    cup: tuple[CupSection, ...] = ()

    def anchors_of(self, ladder: LadderSection) -> list[BotSection]:
        """Return the house bots that play in a ladder."""
        if not ladder.anchors:
            return list(self.bot)
        return [bot for bot in self.bot if bot.entrant in ladder.anchors]


SECTION_KINDS: Final[Mapping[str, type[Any]]] = {
    "venue": VenueSection,
    "listen": ListenSection,
    "pages": PagesSection,
    "limits": VenueLimitsSection,
    "analysis": AnalysisSection,
}
"""The sections that stand once."""


def parse_venue(text: str, fields: Sequence[GivenField] = ()) -> VenuePlan:
    """Read a `venue.toml`. Raises `VenueFileError` with every problem.

    `fields` come from the environment, and count as if they stood in the file.
    """
    raw, unreadable = read_toml(text, SECTION_KINDS, LISTS)
    if unreadable:
        raise VenueFileError(unreadable)
    problems = Problems(text)
    put_fields(raw, fields, problems)
    sections = read_sections(raw, SECTION_KINDS, [*SECTION_KINDS, *LISTS], problems)
    problems_before = problems.number
    bots = read_bots(raw.get("bot", []), problems)
    if problems.number == problems_before:  # all are there, and their numbers are known
        _check_bots(bots, problems)
    plan = VenuePlan(bot=tuple(bots), **sections)
    _check_sections(plan, problems)
    ladders = _read_ladders(raw, plan, problems)
    cups = _read_cups(raw, ladders, problems)
    if problems.number:
        raise VenueFileError(problems.by_line())
    return replace(plan, ladder=tuple(ladders.values()), cup=tuple(cups.values()))


def read_venue(folder: Path) -> VenuePlan:
    """Read the file of a venue, with the fields that the environment gives.

    Raises `SaidError` with all problems, and `OSError`.
    """
    path = folder / VENUE_FILE
    try:
        return parse_venue(read_regular(path).decode(), fields_of(os.environ))
    except UnicodeDecodeError:
        raise SaidError(Said("venue.not_utf_8", {"file": str(path)})) from None
    except VenueFileError as error:
        values = {"file": str(path), "problem": error.said}
        raise SaidError(Said("venue.unusable", values)) from error


def _check_sections(plan: VenuePlan, problems: Problems) -> None:
    """Report what is wrong with the sections that stand once."""
    if not plan.venue.name.isprintable():
        problems.add(Said("venue.name", {"value": repr(plan.venue.name)}), "[venue]", "name")
    try:
        _ = plan.listen.where
    except ListenError as error:
        problems.add(Said("plan.listen", {"problem": error.said}), "[listen]", "address")
    try:
        parse_address(f"tcp:{plan.pages.address}")
    except ListenError:
        values = {"address": repr(plan.pages.address)}
        problems.add(Said("venue.pages", values), "[pages]", "address")


def _check_bots(bots: Sequence[BotSection], problems: Problems) -> None:
    """Report house bots that the arena cannot start by itself, and names that cannot be used."""
    names: dict[str, str] = {}
    for number, bot in enumerate(bots, 1):
        place = f"[[bot]] number {number}"
        for field in ("remote", "person", "if_installed", "token_file"):
            if getattr(bot, field):
                values = {"name": bot.name, "field": field}
                problems.add(Said("venue.house_bot", values), place, field)
        for problem in bot_name_problems(bot.entrant):
            problems.add(problem, place, "name")
        if bot.entrant in names:
            twice = Said("name.entered_twice", {"name": repr(bot.entrant), "count": 2})
            problems.add(twice, place, "name")
        names[bot.entrant] = bot.name
    for problem in display_problems(names):
        problems.add(problem, "[[bot]] number 1")


def _read_all(
    name: str, kind: type[S], raw: Mapping[str, Any], problems: Problems
) -> Iterator[tuple[str, S]]:
    """Yield the sections of a kind that can be read, each with its place in the file."""
    tables = raw.get(name, [])
    if not isinstance(tables, list):
        problems.add(Said("venue.no_list", {"name": name}), f"[{name}]")
        return
    for number, table in enumerate(tables, 1):
        place = f"[[{name}]] number {number}"
        section = read_section(kind, table, place, problems)
        if section is not None:
            yield place, section


def _read_ladders(
    raw: Mapping[str, Any], plan: VenuePlan, problems: Problems
) -> dict[str, LadderSection]:
    """Read the `[[ladder]]` sections; returns them by name."""
    if not raw.get("ladder"):
        problems.add(Said("venue.no_ladders"))
    ladders: dict[str, LadderSection] = {}
    for place, ladder in _read_all("ladder", LadderSection, raw, problems):
        _check_run_name(ladder.name, ladders, place, problems)
        _check_anchors(plan, ladder, place, problems)
        _check_terms(ladder, place, problems, entrants=LEAST_ANCHORS)
        ladders[ladder.name] = ladder
    return ladders


def _read_cups(
    raw: Mapping[str, Any], ladders: Mapping[str, LadderSection], problems: Problems
) -> dict[str, CupSection]:
    """Read the `[[cup]]` sections; returns them by name, on the terms of their ladders."""
    cups: dict[str, CupSection] = {}
    for place, section in _read_all("cup", CupSection, raw, problems):
        _check_run_name(section.name, {**ladders, **cups}, place, problems)
        for field, problem in weekly_problems(section.time, section.zone):
            problems.add(problem, place, field)
        if section.ladder not in ladders:
            unknown = partial(unknown_name, "venue.no_ladder", section.ladder, list(ladders))
            problems.add(unknown, place, "ladder")
            continue
        cup = section.on(ladders[section.ladder])
        _check_terms(cup, place, problems, entrants=cup.best)
        cups[cup.name] = cup
    return cups


def _check_run_name(name: str, used_names: Container[str], place: str, problems: Problems) -> None:
    """Report a name that cannot begin the id of a run, or is that of another ladder or cup."""
    values = {"where": section_in_words(place), "name": repr(name)}
    if not _RUN.fullmatch(name):
        problems.add(Said("venue.no_run_name", values), place, "name")
    if name in used_names:
        problems.add(Said("venue.name_twice", values), place, "name")


def _check_anchors(plan: VenuePlan, ladder: LadderSection, place: str, problems: Problems) -> None:
    """Report anchors that are no house bots, and a ladder with too few of them."""
    house = [bot.entrant for bot in plan.bot]
    for anchor in ladder.anchors:
        if anchor not in house:
            problem = partial(unknown_name, "venue.no_house_bot", anchor, house)
            problems.add(problem, place, "anchors")
    number = len(plan.anchors_of(ladder))
    if number < LEAST_ANCHORS:
        values = {"ladder": repr(ladder.name), "count": number, "least": LEAST_ANCHORS}
        problems.add(Said("venue.few_anchors", values), place, "anchors")


def _check_terms(terms: Terms, place: str, problems: Problems, *, entrants: int) -> None:
    """Report terms on which no match can be played."""
    for name in OF_RUNS:
        if name in terms.limits:
            problems.add(Said("venue.limit_of_all", {"name": name}), place, "limits")
    for problem in terms.problems(entrants):
        values = {"where": section_in_words(place), "problem": problem}
        problems.add(Said("venue.terms", values), place)


# Environment before file


OF_ENVIRONMENT: Final = {
    "ARENA_VENUE_NAME": ("venue", "name"),
    "ARENA_JOINING": ("venue", "joining"),
    "ARENA_LISTEN": ("listen", "address"),
    "ARENA_CERTIFICATE": ("listen", "certificate"),
    "ARENA_CERTIFICATE_KEY": ("listen", "key"),
    "ARENA_PAGES": ("pages", "address"),
}
"""The fields that variables of the environment give; none is a variable of a bot."""


def fields_of(environment: Mapping[str, str]) -> list[GivenField]:
    """Return the fields from the environment."""
    fields: list[GivenField] = []
    for variable, path in OF_ENVIRONMENT.items():
        if variable in environment:
            value = environment[variable]
            fields.append(GivenField(option=variable, path=path, value=value))
    return fields


# What a new venue begins with


_DEFAULT_TEXT: Final = """\
# The file of a venue (docs/opening-a-venue.md). After a change: arena admin VENUE reload

[venue]
name = "Bräde"
joining = "invite"           # of the operator: arena admin VENUE invite; or "open", or "closed"

[listen]                     # the door of the bots
address = "tcp:127.0.0.1:4711"
# For bots from elsewhere: an address of this machine, a certificate and its key.
# address = "tls:0.0.0.0:4711"
# certificate = "fullchain.pem"
# key = "privkey.pem"

[pages]
address = "127.0.0.1:8018"
# hosts = ["arena.example.org"]   # the name by which a reverse proxy serves them

[limits]                     # by address; none for bots on this machine
sign_ups_a_day = 5
logins_a_minute = 20         # wrong ones

[analysis]
on = true                    # a process of low priority looks for the costliest turns

[[ladder]]
name = "vasa"
ruleset = "vasa"
pairs = 1                    # a match is a duplicate pair; or games = 3
seats = 2                    # matches at once

[ladder.clock]
delay_ms = 500
bank_ms = 30000

# The house bots: their mean rating is fixed, so a ladder has at least three.
"""
_DEFAULT_BOT: Final = """
[[bot]]
name = "{name}"
command = '''{command}'''
"""
_DEFAULT_CUP: Final = """
# A cup every week, for the best that are connected:
# [[cup]]
# name = "saturday"
# ladder = "vasa"
# day = "saturday"
# time = "20:00"
# zone = "Europe/Stockholm"
# best = 8
# format = "swiss-monrad-1"
# rounds = 4
"""


def default_text() -> str:
    """Return the `venue.toml` of a new venue, with comments."""
    text = _DEFAULT_TEXT
    commands = {opponent.name: opponent.command() for opponent in OPPONENTS}
    for name in HOUSE_BOTS:
        text += _DEFAULT_BOT.format(name=name, command=commands[name])
    return text + _DEFAULT_CUP


def write_default(folder: Path) -> None:
    """Write the file of a new venue, unless there is one. Raises `OSError`."""
    if not (folder / VENUE_FILE).exists():
        write_inside(folder, VENUE_FILE, default_text().encode(), mode=0o640)
