"""The tournament file: what an organiser decides, checked completely before anything starts."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

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
from arena.server.setup.problems import FileProblemsError, Problems
from arena.server.setup.sections import read_section, read_sections, read_toml
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
from arena.words import Said, say

Limit = Annotated[int, Meta(ge=0, le=1_000_000)]
Positive = Annotated[int, Meta(ge=1, le=1_000_000)]

WEEK_MS = 7 * 24 * 3600 * 1000
SECTIONS = ("tournament", "clock", "limits", "listen", "luck")
"""The sections that stand once."""
GAMES = 3
"""Games of a match by default."""
DEFAULT_MATCHES_AT_ONCE = 2
"""Matches at the same time by default: while one waits for bots, another goes on."""
PERSONS_JOIN_MS = 3_600_000
"""For persons to open their links, by default."""
LEAST_FOR_A_PERSON_MS = 300_000
"""The shortest time for a game of `TURNS_OF_A_PERSON` turns."""
TURNS_OF_A_PERSON = 50
"""The median length of good games of Bräde."""
AHEAD = 2
"""Matches made ready while others are played: their programs start and log in."""


class PlanError(FileProblemsError):
    """The tournament file cannot be used."""


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
    startup_ms: Annotated[int, Meta(ge=1, le=WEEK_MS)] = 10_000
    """For a bot to be ready for a match, or for the next game when it was gone."""
    grace_ms: Ms = 10_000
    """How long a remote bot may take to come back during a game."""
    break_ms: Ms = 120_000
    """How long a bot that asks for it may rest between two games, as a person does; 0: no rest."""
    join_ms: Ms = 120_000
    """How long remote bots may take to log in before the first match, or when nothing else can be
    played."""
    idle_ms: Ms = 120_000
    """How long a bot that owes no answer may leave pings unanswered; 0 for ever."""
    second_login: Literal["refuse", "take_over"] = "refuse"
    """What to do when a connected remote bot logs in again; with its resume_key it always takes
    over."""
    sandbox: Literal["auto", "require", "off"] = "auto"
    """The containment of launched programs.

    "auto": by bubblewrap where it works, else by Landlock where the system has it. "require": by
    bubblewrap, or nothing is started. "off": not at all.
    """
    check_bots: Literal["require", "warn", "off"] = "require"
    """What to do about a launched bot that fails its trial before the first match.

    "off" tries out none.
    """
    memory_mib: Annotated[int, Meta(ge=16, le=1 << 20)] = 1024
    """Memory of a launched program with everything it starts."""
    cpu_ms: Annotated[int, Meta(ge=100, le=WEEK_MS)] = 86_400_000
    """CPU time of a launched program with everything it starts, from its start to its end."""
    pondering: bool = False
    """True if a launched program may use a whole core while the arena awaits nothing from it.

    Otherwise it may use a tenth of one.
    """
    processes: Annotated[int, Meta(ge=1, le=10_000)] = 64
    """Processes of a launched program, itself included."""
    open_files: Annotated[int, Meta(ge=16, le=1 << 20)] = 1024
    """Files and connections that each process of a launched program may have open at once."""
    file_mib: Annotated[int, Meta(ge=1, le=1 << 20)] = 64
    """Length of each file that a launched program writes, and size of its /tmp in the sandbox."""


SECTION_KINDS: Final[Mapping[str, type[Any]]] = {
    "clock": TimeControl,
    "limits": LimitsSection,
    "listen": ListenSection,
    "luck": LuckSection,
}
"""The sections that are read by their fields alone."""


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
        if not self.listen.pages:
            return []
        return [bot for bot in self.bot if bot.person]

    @property
    def from_elsewhere(self) -> list[BotSection]:
        """The entrants whose programs connect by themselves, at the address in `[listen]`."""
        remote = [bot for bot in self.bot if bot.remote]
        if not self.listen.pages:
            return remote
        return [bot for bot in remote if not bot.person]

    @property
    def terms(self) -> Terms:
        """The terms of every match."""
        pairs = self.tournament.pairs
        form: Literal["series", "pairs"]
        if pairs is None:
            form = "series"
            games = self.tournament.games or GAMES
        else:
            form = "pairs"
            games = 2 * pairs
        return Terms(
            form=form,
            games=games,
            clock=self.clock,
            rejections=self.limits.rejections,
            turn_limit=self.limits.turns,
            startup_ms=self.limits.startup_ms,
        )

    @property
    def at_once(self) -> int:
        """Number of matches that one process plays at the same time."""
        return self.format.seats_of_day or self.tournament.at_once or DEFAULT_MATCHES_AT_ONCE

    @property
    def best_game(self) -> BestGame:
        """Rule by which M2 compares won games."""
        if self.tournament.pairs is not None:
            return "none"
        return self.tournament.best_game or "value"

    def game(self) -> Game[Any]:
        """Load the rules. Raises `GameError`."""
        return load_game(self.tournament.ruleset, self.tournament.options)


def parse_plan(
    text: str,
    fields: Sequence[GivenField] = (),
    *,
    tell_lines: bool = False,
    by_options: bool = False,
    has_evaluator: bool = True,
) -> Plan:
    """Read a tournament file (TOML). Raises `PlanError` with every problem.

    `fields` come from options of the command line, and count as if they stood in the file; a
    problem of one begins with its option. With `tell_lines` a problem begins with its line. Set
    `by_options` for a file that was made from options of the command line: advice must be of use
    there. Without `has_evaluator` the evaluator in `[luck]` is not looked up: a later arena need
    not have it.
    """
    raw, unreadable = read_toml(text, SECTIONS, ["bot"])
    if unreadable:
        raise PlanError(unreadable)
    problems = Problems(text if tell_lines else "")
    put_fields(raw, fields, problems)
    plan = _read_plan(raw, problems)
    tables = raw.get("bot", [])
    if isinstance(tables, list) and len(tables) == len(plan.bot):
        _check_names(plan, problems, by_options=by_options)
    _check_matches(plan, problems)
    _check_time(plan, problems)
    _check_address(plan, problems)
    _check_rules(plan, problems, has_evaluator=has_evaluator)
    if problems.number:
        raise PlanError(problems.by_line())
    return plan


def _read_plan(raw: Mapping[str, Any], problems: Problems) -> Plan:
    """Return the plan as far as it can be read, with defaults for the sections that cannot."""
    sections = read_sections(raw, SECTION_KINDS, [*SECTIONS, "bot"], problems)
    tournament, format_ = _read_tournament(raw.get("tournament", {}), problems)
    bots = read_bots(raw.get("bot", []), problems)
    _check_token_files(bots, problems)
    plan = Plan(
        tournament=tournament,
        format=_with_challengers_by_id(format_, bots),
        bot=tuple(bots),
        **sections,
    )
    if plan.by_pages and "join_ms" not in raw.get("limits", {}):
        limits = replace(plan.limits, join_ms=PERSONS_JOIN_MS)
        plan = replace(plan, limits=limits)
    return plan


def _read_tournament(table: object, problems: Problems) -> tuple[TournamentSection, AnyFormat]:
    """Read `[tournament]`: the fields of every tournament, and the options of its format."""
    if not isinstance(table, Mapping):
        read_section(TournamentSection, table, "[tournament]", problems)  # reports it
        return TournamentSection(), DEFAULT_FORMAT
    fields = dict(table)
    format_name = fields.pop("format", DEFAULT_FORMAT.name)
    options: dict[str, Any] = {}
    for option in OPTIONS:
        if option in fields:
            options[option] = fields.pop(option)
    kind = _format_kind(format_name, problems)
    if kind is None:
        kind = type(DEFAULT_FORMAT)
        options = {}
    format_ = _read_format(kind, options, problems)
    also = ("format", *kind.__struct_fields__)
    section = read_section(TournamentSection, fields, "[tournament]", problems, also)
    return section or TournamentSection(), format_


def _format_kind(name: Any, problems: Problems) -> type[AnyFormat] | None:
    """Return the format with this name; report an unknown one."""
    try:
        return format_named(name)
    except TournamentError as error:
        for problem in error.problems:
            format_problem = Said("plan.format", {"problem": problem})
            problems.add(format_problem, "[tournament]", "format")
        return None


def _read_format(
    kind: type[AnyFormat], options: Mapping[str, Any], problems: Problems
) -> AnyFormat:
    """Return the format with its options, or the default format if they cannot be read.

    Options of other formats are reported.
    """
    options_of_kind: dict[str, Any] = {}
    for name, option_value in options.items():
        problem = foreign_option(kind, name)
        if problem is None:
            options_of_kind[name] = option_value
        else:
            problem_of_tournament = Said("plan.tournament", {"problem": problem})
            problems.add(problem_of_tournament, "[tournament]", name)
    return read_section(kind, options_of_kind, "[tournament]", problems) or DEFAULT_FORMAT


def read_bots(tables: object, problems: Problems) -> list[BotSection]:
    """Read the `[[bot]]` sections, without those that cannot be read."""
    if not isinstance(tables, list):
        problems.add(Said("plan.bots_no_list"), "[bot]")
        return []
    bots = []
    for number, table in enumerate(tables, 1):
        bot = _read_bot(table, number, problems)
        if bot is not None:
            bots.append(bot)
    return bots


def _read_bot(table: object, number: int, problems: Problems) -> BotSection | None:
    """Read one `[[bot]]` section; report its problems."""
    place = f"[[bot]] number {number}"
    problems_before = problems.number
    section = read_section(BotSection, table, place, problems)
    if section is None:
        return None
    bot = replace(
        section,
        remote=section.remote or section.person,
        id=id_beside(section.name, section.id, number),
    )
    if problems.number == problems_before:
        for problem in bot_problems(bot):
            problem_of_bot = Said("plan.of_bot", {"name": bot.name, "problem": problem})
            problems.add(problem_of_bot, place)
    return bot


def _check_token_files(bots: Sequence[BotSection], problems: Problems) -> None:
    """Report each token file that several bots name."""
    names_by_file: dict[str, list[str]] = {}
    for bot in bots:
        if bot.token_file:
            names_by_file.setdefault(bot.token_file, []).append(bot.name)
    for file, names in sorted(names_by_file.items()):
        if len(names) > 1:
            values = {"file": repr(file), "names": names}
            problems.add(Said("plan.shared_token_file", values))


def _with_challengers_by_id(format_: AnyFormat, bots: Sequence[BotSection]) -> AnyFormat:
    """Return a format with the ids of its challengers, which the file may call by their names."""
    challengers = getattr(format_, "challengers", None)
    if challengers is None:
        return format_
    ids = {bot.name: bot.entrant for bot in bots}
    by_id = tuple(ids.get(name, name) for name in challengers)
    return replace(format_, challengers=by_id)


def _check_names(
    plan: Plan,
    problems: Problems,
    *,
    by_options: bool,
) -> None:
    """Report ids and names that cannot be used, each fault once."""
    names_and_ids = [(bot.name, bot.id) for bot in plan.bot]
    for number, problem in id_problems(names_and_ids, by_options=by_options):
        field = "id"
        if plan.bot[number - 1].id is None:
            field = "name"
        problems.add(problem, f"[[bot]] number {number}", field)
    reported = set(map(say, entrant_problems(plan.entrants)))
    format_problems = plan.format.problems(plan.entrants)
    for problem in (*format_problems, *display_problems(plan.names)):
        if say(problem) not in reported:
            problems.add(problem)


def _check_matches(plan: Plan, problems: Problems) -> None:
    """Report fields of `[tournament]` that do not fit together."""
    tournament = plan.tournament
    if tournament.pairs is not None:
        if tournament.games is not None:
            problems.add(Said("plan.games_and_pairs"), "[tournament]", "pairs")
        if tournament.best_game is not None:
            problems.add(Said("plan.best_game_of_pairs"), "[tournament]", "best_game")
    if tournament.absent == "wait" and plan.format.matches(len(plan.bot)):
        problem = Said("plan.cannot_wait", {"format": plan.format.name})
        problems.add(problem, "[tournament]", "absent")
    _check_text(tournament.name, "name", problems)


def _check_time(plan: Plan, problems: Problems) -> None:
    """Report a clock that leaves no time, or too little for a person."""
    clock = plan.clock
    if not (clock.delay_ms or clock.bank_ms):
        problems.add(Said("plan.no_time"), "[clock]", "bank_ms")
    turns_ms = TURNS_OF_A_PERSON * (clock.delay_ms + clock.increment_ms)
    game_ms = clock.bank_ms + turns_ms
    if plan.by_pages and game_ms < LEAST_FOR_A_PERSON_MS:
        values = {
            "seconds": game_ms // 1000,
            "turns": TURNS_OF_A_PERSON,
            "least": LEAST_FOR_A_PERSON_MS // 1000,
        }
        problems.add(Said("plan.short_for_a_person", values), "[clock]", "bank_ms")


def _check_address(plan: Plan, problems: Problems) -> None:
    try:
        _ = plan.listen.where
    except ListenError as error:
        problem = Said("plan.listen", {"problem": error.said})
        problems.add(problem, "[listen]", "address")


def _check_rules(
    plan: Plan,
    problems: Problems,
    *,
    has_evaluator: bool,
) -> None:
    """Report rules that cannot be played, and fields that do not fit these rules."""
    try:
        game = plan.game()
    except GameError as error:
        field = "options" if isinstance(error, OptionError) else "ruleset"
        for problem in error.problems:
            problem_of_field = Said(f"plan.{field}", {"problem": problem})
            problems.add(problem_of_field, "[tournament]", field)
        return
    _check_text(game.name, "ruleset", problems)
    if plan.tournament.best_game == "rank" and not game.is_ranked:
        no_ranks = Said("plan.no_ranks", {"ruleset": game.name})
        problems.add(no_ranks, "[tournament]", "best_game")
    if not has_evaluator:
        return
    try:
        fixed_evaluator(plan.luck, game)
    except LuckError as error:
        problem = Said("plan.evaluator", {"problem": error.said})
        problems.add(problem, "[luck]", "evaluator")


def _check_text(
    text: str,
    field: str,
    problems: Problems,
) -> None:
    """Report a text that is not one line."""
    if not text.isprintable():
        values = {"field": field, "value": repr(text)}
        problems.add(Said("plan.not_one_line", values), "[tournament]", field)


def format_plan(plan: Plan) -> str:
    """Write a plan as `parse_plan` reads it, without the fields that have their default."""
    raw: dict[str, Any] = {}
    for section in SECTIONS:
        fields = non_defaults(getattr(plan, section))
        if section == "tournament" and plan.format != DEFAULT_FORMAT:
            fields["format"] = plan.format.name
            fields |= non_defaults(plan.format)
        if fields:
            raw[section] = fields
    raw["bot"] = [non_defaults(bot) for bot in plan.bot]
    return tomli_w.dumps(raw)


def non_defaults(section: msgspec.Struct) -> dict[str, Any]:
    """Return the fields of a section that differ from their default."""
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(section):
        setting = getattr(section, field.name)
        if setting != field.default:
            fields[field.name] = setting
    return fields
