"""The tournament file: what an organiser decides, checked completely before anything starts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
import tomli_w
from msgspec import Meta
from msgspec.structs import replace

from arena.games import DEFAULT, Game, GameError, load_game
from arena.games.interface import OptionError
from arena.matches.facts import Terms
from arena.matches.time_control import Ms, TimeControl
from arena.server.io.listening import ListenError
from arena.server.setup.bot_section import BotSection, bot_problems
from arena.server.setup.entrant_ids import id_beside, id_problems
from arena.server.setup.given_fields import GivenField, put_fields
from arena.server.setup.listen_section import ListenSection
from arena.server.setup.luck_section import LuckError, LuckSection, fixed_evaluator
from arena.server.setup.problems import Problem, Problems, first_problems
from arena.server.setup.sections import read_section, read_toml, unknown_name
from arena.tournaments import TournamentError
from arena.tournaments.formats import (
    DEFAULT_FORMAT,
    OPTIONS,
    AnyFormat,
    foreign_option,
    format_named,
)
from arena.tournaments.names import display_problems, entrant_problems
from arena.tournaments.results import BestGame
from arena.words import ProblemsError, Said, say

Limit = Annotated[int, Meta(ge=0, le=1_000_000)]
Positive = Annotated[int, Meta(ge=1, le=1_000_000)]

SECTIONS = ("tournament", "clock", "limits", "listen", "luck")
"""The sections that stand once."""
GAMES = 3
"""Games of a match by default."""
AT_ONCE = 2
"""Matches at the same time by default: while one waits for bots, another goes on."""
PERSONS_JOIN_MS = 3_600_000
"""For persons to open their links, by default."""
LEAST_FOR_A_PERSON_MS = 300_000
TURNS_OF_A_PERSON = 50
"""A person needs five minutes for a game of so many turns, which is the median of good games of
Bräde."""
AHEAD = 2
"""So many matches are made ready while others are played: their programs start and log in."""


class PlanError(ProblemsError, ValueError):
    """The tournament file cannot be used; tells the first problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(first_problems(problems), between="list.lines")


class TournamentSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[tournament]`, without the format and its options, which stand in the same section."""

    name: Annotated[str, Meta(min_length=1, max_length=100)] = "tournament"
    ruleset: str | dict[str, Any] = DEFAULT
    """A name, or a house ruleset: `base`, `name` and the fields that differ."""
    options: tuple[str, ...] = ()
    """The options of the ruleset, or of its base, that are switched on (B11, G6)."""
    games: Literal[3, 5, 7] | None = None
    """Games of a match (M1): 3 unless it is of pairs."""
    pairs: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Duplicate pairs of a match, in place of single games."""
    best_game: Literal["value", "rank"] | None = None
    """How M2 compares won games: by value by default; not at all in pairs."""
    at_once: Annotated[int, Meta(ge=1, le=256)] | None = None
    """Matches played at the same time: 2 by default, and 1 for each worker."""
    absent: Literal["forfeit", "wait"] = "forfeit"
    """What happens to the matches of a remote bot that is away: it forfeits them, or they wait for
    it."""


class LimitsSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[limits]`."""

    rejections: Limit = 3
    """Illegal turns forgiven per game; 0 is strict."""
    turns: Positive = 1000
    """B10.3."""
    violations: Limit = 5
    """Forfeits and lost connections per tournament; one more withdraws an entrant (M5)."""
    startup_ms: Annotated[int, Meta(ge=1, le=7 * 24 * 3600 * 1000)] = 10_000
    """For a bot to be ready for a match, or for the next game when it was gone."""
    grace_ms: Ms = 10_000
    """How long a remote bot may take to come back during a game."""
    break_ms: Ms = 120_000
    """How long a bot that asks for it may rest between two games, as a person does; 0: nobody
    waits."""
    join_ms: Ms = 120_000
    """How long remote bots may take to log in before the first match, or when nothing else can be
    played."""
    idle_ms: Ms = 120_000
    """How long a bot that owes no answer may be silent, leaving pings unanswered; 0 for ever."""
    second_login: Literal["refuse", "take_over"] = "refuse"
    """What to do when a connected remote bot logs in again; with its resume_key it always takes
    over."""
    sandbox: Literal["auto", "require", "off"] = "auto"
    """How launched programs are contained.

    "auto": by bubblewrap where it works, else by Landlock where the system has it. "require": by
    bubblewrap, or nothing is started. "off": not at all.
    """
    check_bots: Literal["require", "warn", "off"] = "require"
    """What to do about a launched bot that fails when it is tried out before the first match; "off"
    tries out none."""
    memory_mib: Annotated[int, Meta(ge=16, le=1 << 20)] = 1024
    """Memory of a launched program with everything it starts."""
    cpu_ms: Annotated[int, Meta(ge=100, le=7 * 24 * 3600 * 1000)] = 86_400_000
    """CPU time of a launched program with everything it starts, from its start to its end."""
    pondering: bool = False
    """Whether a launched program may use one core all the time it is not awaited; else it may use a
    tenth of one."""
    processes: Annotated[int, Meta(ge=1, le=10_000)] = 64
    """Processes of a launched program, itself included."""
    open_files: Annotated[int, Meta(ge=16, le=1 << 20)] = 1024
    """Files and connections that each process of a launched program may have open at once."""
    file_mib: Annotated[int, Meta(ge=1, le=1 << 20)] = 64
    """Length of each file that a launched program writes; in the sandbox also the size of its /tmp."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole tournament file."""

    tournament: TournamentSection = TournamentSection()
    format: AnyFormat = DEFAULT_FORMAT
    """The format, which draws the matches."""
    clock: TimeControl = TimeControl()
    limits: LimitsSection = LimitsSection()
    listen: ListenSection = ListenSection()
    luck: LuckSection = LuckSection()
    bot: tuple[BotSection, ...] = ()

    @property
    def entrants(self) -> list[str]:
        """The ids of the entrants in the order of drawing."""
        return [bot.entrant for bot in self.bot]

    @property
    def names(self) -> dict[str, str]:
        """Names of all entrants on screens."""
        return {bot.entrant: bot.name for bot in self.bot}

    @property
    def by_pages(self) -> list[BotSection]:
        """The entrants who play by hand at pages of the arena."""
        return [bot for bot in self.bot if bot.person and self.listen.pages]

    @property
    def from_elsewhere(self) -> list[BotSection]:
        """The entrants whose programs connect by themselves, at the address in `[listen]`."""
        return [bot for bot in self.bot if bot.remote and not (bot.person and self.listen.pages)]

    @property
    def terms(self) -> Terms:
        """The terms of every match."""
        pairs = self.tournament.pairs
        return Terms(
            form="series" if pairs is None else "pairs",
            games=self.tournament.games or GAMES if pairs is None else 2 * pairs,
            clock=self.clock,
            rejections=self.limits.rejections,
            turn_limit=self.limits.turns,
            startup_ms=self.limits.startup_ms,
        )

    @property
    def at_once(self) -> int:
        """Number of matches that one process plays at the same time."""
        return self.tournament.at_once or AT_ONCE

    @property
    def best_game(self) -> BestGame:
        """Rule by which M2 compares won games."""
        return self.tournament.best_game or "value" if self.tournament.pairs is None else "none"

    def game(self) -> Game[Any]:
        """The rules; raises `GameError`."""
        return load_game(self.tournament.ruleset, self.tournament.options)


def parse_plan(
    text: str,
    fields: Sequence[GivenField] = (),
    *,
    tell_lines: bool = False,
    by_options: bool = False,
    has_evaluator: bool = True,
) -> Plan:
    """Read a tournament file (TOML); raises `PlanError` with every problem, naming known fields and the nearest.

    `fields` are given by options of the command line, and count as if they stood in the file; a
    problem of one begins with its option. With `tell_lines` a problem begins with the line in which
    it is. A file that was made of options of the command line is `by_options`: advice must be of
    use there. Without `has_evaluator` the one in `[luck]` is taken as it is named: a later arena
    need not have it.
    """
    kinds = {
        "clock": TimeControl,
        "limits": LimitsSection,
        "listen": ListenSection,
        "luck": LuckSection,
    }
    raw, unreadable = read_toml(text, SECTIONS, ["bot"])
    if unreadable:
        raise PlanError(unreadable)
    problems = Problems(text if tell_lines else "")
    put_fields(raw, fields, problems)
    sections: dict[str, Any] = {}
    known = [*SECTIONS, "bot"]
    for name in raw:
        if name not in known:
            problems.add(partial(unknown_name, "plan.unknown_section", name, known), f"[{name}]")
    sections["tournament"], sections["format"] = _tournament(raw.get("tournament", {}), problems)
    for name, kind in kinds.items():
        given = raw.get(name, {})
        sections[name] = read_section(kind, given, f"[{name}]", problems) or kind()
    bots = raw.get("bot", [])
    if not isinstance(bots, list):
        problems.add(Said("plan.bots_no_list"), "[bot]")
        bots = []
    field: list[BotSection] = []
    for number, given in enumerate(bots, 1):
        place, so_far = f"[[bot]] number {number}", problems.number
        bot = read_section(BotSection, given, place, problems)
        if bot is not None:
            bot = replace(
                bot, remote=bot.remote or bot.person, id=id_beside(bot.name, bot.id, number)
            )
            field.append(bot)
            for problem in bot_problems(bot) if problems.number == so_far else ():
                problems.add(Said("plan.of_bot", {"name": bot.name, "problem": problem}), place)
    owners: dict[str, list[str]] = {}
    for bot in field:
        if bot.token_file:
            owners.setdefault(bot.token_file, []).append(bot.name)
    for name, bots_of_file in sorted(owners.items()):
        if len(bots_of_file) > 1:
            problems.add(
                Said("plan.shared_token_file", {"file": repr(name), "names": bots_of_file})
            )
    challengers = getattr(sections["format"], "challengers", None)
    if challengers is not None:  # by their ids, though the file may name entrants as they are shown
        ids = {bot.name: bot.entrant for bot in field}
        challengers = tuple(ids.get(name, name) for name in challengers)
        sections["format"] = replace(sections["format"], challengers=challengers)
    plan = Plan(**sections, bot=tuple(field))
    if plan.by_pages and "join_ms" not in raw.get("limits", {}):
        plan = replace(plan, limits=replace(plan.limits, join_ms=PERSONS_JOIN_MS))
    if isinstance(raw.get("bot", []), list) and len(field) == len(bots):
        for number, problem in id_problems(
            [(bot.name, bot.id) for bot in field], by_options=by_options
        ):
            problems.add(
                problem,
                f"[[bot]] number {number}",
                "name" if field[number - 1].id is None else "id",
            )
        told = set(map(say, entrant_problems(plan.entrants)))
        for problem in (*plan.format.problems(plan.entrants), *display_problems(plan.names)):
            if say(problem) not in told:
                problems.add(problem)
    _check(plan, problems, has_evaluator=has_evaluator)
    if problems.number:
        raise PlanError(problems.by_line())
    return plan


def format_plan(plan: Plan) -> str:
    """The inverse of `parse_plan`, for runs that are started without a file; fields with their default are left out."""
    raw: dict[str, Any] = {}
    for section in SECTIONS:
        raw[section] = _given(getattr(plan, section))
    if plan.format != DEFAULT_FORMAT:
        raw["tournament"] |= {"format": plan.format.name} | _given(plan.format)
    raw = {section: given for section, given in raw.items() if given}
    raw["bot"] = [_given(bot) for bot in plan.bot]
    return tomli_w.dumps(raw)


def _given(section: msgspec.Struct) -> dict[str, Any]:
    fields = msgspec.structs.fields(section)
    return {
        field.name: value
        for field in fields
        if (value := getattr(section, field.name)) != field.default
    }


def _check(plan: Plan, problems: Problems, *, has_evaluator: bool) -> None:
    """Find what does not fit together in what is said of matches, and the rules they are to be played by."""
    if plan.tournament.pairs is not None:
        if plan.tournament.games is not None:
            problems.add(Said("plan.games_and_pairs"), "[tournament]", "pairs")
        if plan.tournament.best_game is not None:
            problems.add(Said("plan.best_game_of_pairs"), "[tournament]", "best_game")
    if plan.tournament.absent == "wait" and plan.format.matches(len(plan.bot)):
        problems.add(
            Said("plan.cannot_wait", {"format": plan.format.name}), "[tournament]", "absent"
        )
    _check_text(plan.tournament.name, "name", problems)
    if not (plan.clock.delay_ms or plan.clock.bank_ms):
        problems.add(Said("plan.no_time"), "[clock]", "bank_ms")
    given_ms = plan.clock.bank_ms + TURNS_OF_A_PERSON * (
        plan.clock.delay_ms + plan.clock.increment_ms
    )
    if plan.by_pages and given_ms < LEAST_FOR_A_PERSON_MS:
        values = {
            "seconds": given_ms // 1000,
            "turns": TURNS_OF_A_PERSON,
            "least": LEAST_FOR_A_PERSON_MS // 1000,
        }
        problems.add(Said("plan.short_for_a_person", values), "[clock]", "bank_ms")
    try:
        _ = plan.listen.where
    except ListenError as error:
        problems.add(Said("plan.listen", {"problem": error.said}), "[listen]", "address")
    try:
        game = plan.game()
    except GameError as error:
        field = "options" if isinstance(error, OptionError) else "ruleset"
        for problem in error.problems:
            problems.add(Said(f"plan.{field}", {"problem": problem}), "[tournament]", field)
    else:
        _check_text(game.name, "ruleset", problems)
        if plan.tournament.best_game == "rank" and not game.is_ranked:
            problems.add(Said("plan.no_ranks", {"ruleset": game.name}), "[tournament]", "best_game")
        try:
            if has_evaluator:
                fixed_evaluator(plan.luck, game)
        except LuckError as error:
            problems.add(Said("plan.evaluator", {"problem": error.said}), "[luck]", "evaluator")


def _check_text(text: str, field: str, problems: Problems) -> None:
    if not text.isprintable():
        problems.add(
            Said("plan.not_one_line", {"field": field, "value": repr(text)}), "[tournament]", field
        )


def _tournament(given: object, problems: Problems) -> tuple[TournamentSection, AnyFormat]:
    """`[tournament]`: what every tournament has, then the options of its format."""
    fields = dict(given) if isinstance(given, Mapping) else {}
    name = fields.pop("format", DEFAULT_FORMAT.name)
    options = {option: fields.pop(option) for option in OPTIONS if option in fields}
    try:
        kind = format_named(name)
    except TournamentError as error:
        for problem in error.problems:
            problems.add(Said("plan.format", {"problem": problem}), "[tournament]", "format")
        kind, options = type(DEFAULT_FORMAT), {}
    for option in options:
        if fault := foreign_option(kind, option):
            problems.add(Said("plan.tournament", {"problem": fault}), "[tournament]", option)
    own = {option: value for option, value in options.items() if option in kind.__struct_fields__}
    played = read_section(kind, own, "[tournament]", problems) or DEFAULT_FORMAT
    rest = fields if isinstance(given, Mapping) else given
    known = ("format", *kind.__struct_fields__)
    return read_section(
        TournamentSection, rest, "[tournament]", problems, known
    ) or TournamentSection(), played
