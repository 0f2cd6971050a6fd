"""`venue.toml`: what an operator decides about a venue, checked completely before it opens."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from arena.matches.time_control import Ms
from arena.records.venue_book import bot_name_problems
from arena.regular_files import read_regular
from arena.sample_opponents import OPPONENTS
from arena.server.io.disk import write_inside
from arena.server.io.listening import ListenError, parse_address
from arena.server.setup.bot_section import BotSection
from arena.server.setup.given_fields import GivenField, put_fields
from arena.server.setup.listen_section import ListenSection
from arena.server.setup.problems import Problem, Problems, first_problems, section_in_words
from arena.server.setup.sections import (
    read_section,
    read_sections,
    read_toml,
    unknown_name,
)
from arena.server.setup.tournament_file import read_bots
from arena.server.setup.venue_folder import VENUE_FILE
from arena.server.setup.venue_runs import FORMATS_OF_CUPS, Terms, read_terms
from arena.server.setup.weekly import Weekday, weekly_problems
from arena.tournaments.formats import DEFAULT_FORMAT, FORMATS
from arena.tournaments.names import display_problems
from arena.words import ProblemsError, Said, SaidError

LEAST_ANCHORS: Final = 3
"""The mean of the anchors of a ladder is fixed; a single bot would pull the table with it."""
HOUSE_BOTS: Final = ("random", "greedy", "lookahead", "neural")
"""The sample bots that a new venue runs."""
_RUN: Final = re.compile("[a-z][a-z0-9-]{0,15}")
"""The name of a ladder or a cup: with a date and a number it is the id of a run."""
LISTS: Final = ("ladder", "bot", "cup")
"""The sections that stand once for each thing."""

Number = Annotated[int, Meta(ge=1, le=10_000)]
SectionName = Annotated[str, Meta(min_length=1, max_length=16)]


class VenueFileError(ProblemsError, ValueError):
    """`venue.toml` cannot be used; says the first problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(first_problems(problems), between="list.lines")


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
    versions_a_day: Number = 20
    """New fingerprints of one bot."""
    invite_days: Annotated[int, Meta(ge=1, le=365)] = 7
    """How long an invite can be used."""
    grace_ms: Ms = 60_000
    """How long a bot may take to come back during a game."""
    idle_ms: Ms = 120_000
    """How long a bot that owes no answer may leave pings unanswered; 0 for ever."""
    second_login: Literal["refuse", "take_over"] = "refuse"
    """What to do when a connected bot logs in again."""


class AnalysisSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[analysis]`."""

    on: bool = True
    """True if a process of low priority looks for the costliest turns of the matches."""


class LadderSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[[ladder]]`, without the terms of its matches, which stand in the same section."""

    name: SectionName
    seats: Annotated[int, Meta(ge=1, le=256)] = 2
    """Matches at once."""
    most_matches: Annotated[int, Meta(ge=1, le=100_000)] = 10_000
    """The most matches of a day; then the next day begins."""
    anchors: tuple[str, ...] = ()
    """The house bots that play in it, whose mean rating is fixed; all by default."""
    terms: Terms = Terms()


class CupSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[[cup]]`, without its format and terms, which stand in the same section."""

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
    terms: Terms = Terms()
    """Those of its ladder, where the section gives none."""


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


def parse_venue(
    text: str,
    fields: Sequence[GivenField] = (),
    *,
    tell_lines: bool = True,
) -> VenuePlan:
    """Read a `venue.toml`. Raises `VenueFileError` with every problem.

    `fields` come from options and the environment (`fields_in_order`), and count as if they stood
    in the file. With `tell_lines` a problem begins with its line.
    """
    raw, unreadable = read_toml(text, SECTION_KINDS, LISTS)
    if unreadable:
        raise VenueFileError(unreadable)
    problems = Problems(text if tell_lines else "")
    put_fields(raw, fields, problems)
    sections = read_sections(raw, SECTION_KINDS, [*SECTION_KINDS, *LISTS], problems)
    bots = read_bots(raw.get("bot", []), problems)
    _check_bots(bots, problems)
    ladders = _read_ladders(_tables(raw, "ladder", problems), problems)
    cups = _read_cups(_tables(raw, "cup", problems), ladders, problems)
    plan = VenuePlan(bot=tuple(bots), ladder=ladders, cup=cups, **sections)
    _check_venue(plan, problems)
    if problems.number:
        raise VenueFileError(problems.by_line())
    return plan


def read_venue(folder: Path, fields: Sequence[GivenField] = ()) -> VenuePlan:
    """Read the file of a venue; a new venue gets one.

    Raises `SaidError` with all problems, and `OSError`.
    """
    write_default(folder)
    path = folder / VENUE_FILE
    try:
        return parse_venue(read_regular(path).decode(), fields)
    except UnicodeDecodeError:
        raise SaidError(Said("admin.not_utf_8", {"file": str(path)})) from None
    except VenueFileError as error:
        values = {"file": str(path), "problem": error.said}
        raise SaidError(Said("tournament_file.unusable", values)) from error


def _tables(raw: Mapping[str, Any], name: str, problems: Problems) -> list[Any]:
    """Return the tables of a section that may stand several times; report anything else."""
    tables = raw.get(name, [])
    if isinstance(tables, list):
        return tables
    problems.add(Said("venue.no_list", {"name": name}), f"[{name}]")
    return []


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


def _read_ladders(tables: Sequence[Any], problems: Problems) -> tuple[LadderSection, ...]:
    """Read the `[[ladder]]` sections, without those that cannot be read."""
    ladders: list[LadderSection] = []
    for number, table in enumerate(tables, 1):
        place = f"[[ladder]] number {number}"
        fields, terms = read_terms(table, LadderSection, place, problems)
        ladder = read_section(LadderSection, fields, place, problems)
        if ladder is not None:
            ladders.append(msgspec.structs.replace(ladder, terms=terms))
    return tuple(ladders)


def _read_cups(
    tables: Sequence[Any],
    ladders: Sequence[LadderSection],
    problems: Problems,
) -> tuple[CupSection, ...]:
    """Read the `[[cup]]` sections, without those that cannot be read."""
    terms_by_ladder = {ladder.name: ladder.terms for ladder in ladders}
    cups: list[CupSection] = []
    for number, table in enumerate(tables, 1):
        place = f"[[cup]] number {number}"
        fields, terms = read_terms(table, CupSection, place, problems)
        cup = read_section(CupSection, fields, place, problems)
        if cup is None:
            continue
        for field, problem in weekly_problems(cup.time, cup.zone):
            problems.add(problem, place, field)
        if cup.ladder in terms_by_ladder:
            terms = terms.on(terms_by_ladder[cup.ladder])
        else:
            unknown = partial(unknown_name, "venue.no_ladder", cup.ladder, list(terms_by_ladder))
            problems.add(unknown, place, "ladder")
        cups.append(msgspec.structs.replace(cup, terms=terms))
    return tuple(cups)


def _check_venue(plan: VenuePlan, problems: Problems) -> None:
    """Report what does not fit together."""
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
    if not plan.ladder:
        problems.add(Said("venue.no_ladders"))
    names: set[str] = set()
    for number, ladder in enumerate(plan.ladder, 1):
        place = f"[[ladder]] number {number}"
        _check_run_name(ladder.name, names, place, problems)
        _check_anchors(plan, ladder, place, problems)
        _check_terms(ladder.terms, place, problems, entrants=LEAST_ANCHORS)
    for number, cup in enumerate(plan.cup, 1):
        place = f"[[cup]] number {number}"
        _check_run_name(cup.name, names, place, problems)
        _check_cup(cup, place, problems)


def _check_cup(cup: CupSection, place: str, problems: Problems) -> None:
    """Report terms on which a cup cannot be played."""
    format_name = cup.terms.tournament.get("format", DEFAULT_FORMAT.name)
    if format_name in FORMATS and format_name not in FORMATS_OF_CUPS:
        values = {"format": format_name, "known": ", ".join(FORMATS_OF_CUPS)}
        problems.add(Said("venue.no_cup_format", values), place, "format")
    else:
        _check_terms(cup.terms, place, problems, entrants=cup.best)


def _check_run_name(name: str, names: set[str], place: str, problems: Problems) -> None:
    """Report a name that cannot begin the id of a run, or is that of another ladder or cup."""
    values = {"where": section_in_words(place), "name": repr(name)}
    if not _RUN.fullmatch(name):
        problems.add(Said("venue.no_run_name", values), place, "name")
    if name in names:
        problems.add(Said("venue.name_twice", values), place, "name")
    names.add(name)


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
    for problem in terms.problems(entrants):
        values = {"where": section_in_words(place), "problem": problem}
        problems.add(Said("venue.terms", values), place)


# Flag before environment before file


OF_ENVIRONMENT: Final = {
    "ARENA_VENUE_NAME": ("venue", "name"),
    "ARENA_JOINING": ("venue", "joining"),
    "ARENA_LISTEN": ("listen", "address"),
    "ARENA_CERTIFICATE": ("listen", "certificate"),
    "ARENA_CERTIFICATE_KEY": ("listen", "key"),
    "ARENA_PAGES": ("pages", "address"),
}
"""The fields that variables of the environment give; none is a variable of a bot."""


def fields_in_order(
    flags: Sequence[GivenField], environment: Mapping[str, str]
) -> list[GivenField]:
    """Return the fields from options and from the environment; an option goes before it."""
    given_paths = {field.path for field in flags}
    fields = list(flags)
    for variable, path in OF_ENVIRONMENT.items():
        value = environment.get(variable)
        if value is not None and path not in given_paths:
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
