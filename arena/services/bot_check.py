"""The check of launched bots before a run or a comparison: each answers one turn."""

import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio
from msgspec.structs import replace

from arena.games import DEFAULT, Game, ruleset_record
from arena.matches import game as games
from arena.matches.facts import FlagFell, MatchOpened, TurnRejected
from arena.matches.match import open_match
from arena.matches.state import Setting
from arena.records.dice import commitment, deal_from
from arena.server.io.clock import RunningClock
from arena.server.io.operator_log import readable_files
from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import find_containment
from arena.server.programs.cpu_share import CORES
from arena.server.programs.last_lines import last_lines
from arena.server.programs.program import Host, launched
from arena.server.setup.bot_section import BotSection
from arena.server.setup.credentials import open_secrets
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.sections import toml_value
from arena.server.setup.tournament_file import Plan
from arena.services.errors import FailedError
from arena.services.progress import Note
from arena.services.rehearsal import Rehearsal, TurnQuestion, rehearse
from arena.services.stopping import stopping_by_name
from arena.words import Said

MATCH: Final = "check"
"""The name of the match to which a bot is invited."""
DICE: Final = (6, 2)
"""The roll of the turn, in games with dice."""
LAST_LINES: Final = 5
"""The number of lines of standard error that are shown."""
SEED: Final = bytes(32)
"""The seed of dice that are never rolled."""
_NOT_THERE: Final = re.compile(
    r"No such file|can't open|cannot find|could not find|Unable to access",
    re.IGNORECASE,
)


class UnfitBotsError(FailedError):
    """A bot failed the check; `problems` has the fault of each bot, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotFinding:
    """Result of the check of one bot."""

    entrant: str
    name: str
    problem: Said | None = None
    """Why it would forfeit, in words that follow its name; None if it is fit to play."""
    warning: Said | None = None
    """The fault in its answer; the bot may play all the same."""
    last_words: str = ""
    """The last line it wrote to standard error."""
    last_lines: tuple[str, ...] = ()
    """The last lines of it, with the place in the source where a Python program failed."""
    advice: Said | None = None
    """Advice that follows from its last words."""
    spent_ms: int | None = None
    """The time of its turn in milliseconds; None if it has not answered."""

    @property
    def lacks_a_file(self) -> bool:
        """True if it failed because a file is missing."""
        return bool(self.problem) and bool(_NOT_THERE.search(self.last_words))

    @property
    def said_last(self) -> Said:
        """Its last words, or that it said nothing."""
        if self.last_words:
            return Said("rehearsal.last_words", {"words": self.last_words})
        return Said("operator.silent")

    @property
    def said(self) -> Said:
        """Its problem, with its name and its last words."""
        return Said(
            "check.problem",
            {"name": self.name, "problem": self.problem, "last": self.said_last},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """Result of a check of a tournament without playing it."""

    findings: Mapping[str, BotFinding]
    """The launched bots, by entrant."""
    warnings: Sequence[Said]
    hint: Said | None
    """Why files may not be there, if a bot lacks one."""

    @property
    def unfit(self) -> int:
        """The number of bots that are not fit to play."""
        return sum(bool(finding.problem) for finding in self.findings.values())


def check_before_start(
    plan: Plan,
    names: Collection[str],
    hidden: Sequence[Path],
    *,
    anyway: bool,
    hint: Said | None = None,
    note: Note,
    trying: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> None:
    """Try out these bots. Raises `UnfitBotsError` if one fails and may not.

    No bot may see the `hidden` places. `hint` says why files may not be there. Warnings go to
    `note`; `trying` is open meanwhile.
    """
    # Eleven branches, one after the other: off, warnings, fit, allowed anyway, refused.
    if plan.limits.check_bots == "off" or not names:
        return
    with trying():
        findings = _try_out(plan, names, hidden)
    for finding in findings:
        if finding.warning:
            note(Said("check.illegal", {"name": finding.name, "why": finding.warning}))
    unfit = [finding for finding in findings if finding.problem]
    if not unfit:
        return
    if anyway or plan.limits.check_bots == "warn":
        for finding in unfit:
            note(Said("check.anyway", {"problem": finding.said}))
        return
    raise _unfit(plan, unfit, hint)


def _unfit(plan: Plan, unfit: Sequence[BotFinding], hint: Said | None) -> UnfitBotsError:
    """Return the error for bots that failed the check, with what to do about each."""
    lines: list[Said | str] = []
    for finding in unfit:
        lines += [finding.said, *what_to_do(plan, finding)]
    below = [Said("check.mend")]
    if hint and any(finding.lacks_a_file for finding in unfit):
        below.insert(0, hint)
    return UnfitBotsError(Said("check.failed"), lines, below=below)


def dry_run(
    plan: Plan,
    out: Path | None,
    hidden: Sequence[Path],
    *,
    hint: Said | None = None,
) -> DryRun:
    """Try out the launched bots of a valid plan, for a run in the folder `out`.

    Raises `FolderError`, and what `stopping_by_name` raises.
    """
    with stopping_by_name(lambda: None):
        if out is not None:
            RunFolder(out).refuse_other_files()
        findings = _try_out(plan, plan.entrants, hidden)
    files = open_secrets(plan, Path.cwd())
    warnings = []
    if files:
        warnings.append(readable_files(files))
    if not any(finding.lacks_a_file for finding in findings):
        hint = None
    by_entrant = {finding.entrant: finding for finding in findings}
    return DryRun(findings=by_entrant, warnings=warnings, hint=hint)


def what_to_do(plan: Plan, finding: BotFinding) -> list[Said | str]:
    """Return lines to put below the problem of a bot: its last lines, and what to do."""
    lines: list[Said | str] = [f"    {line}" for line in finding.last_lines[:-1]]
    if finding.advice:
        lines.append(Said("check.to_do", {"advice": finding.advice}))
    how = "check.see_all" if finding.last_lines else "check.try_alone"
    return [*lines, Said(how, {"command": check_command(plan, finding.entrant)})]


def check_command(plan: Plan, entrant: str) -> str:
    """Return the command that tries out a bot of the plan by itself."""
    [bot] = [bot for bot in plan.bot if bot.entrant == entrant]
    cd = ""
    if bot.folder is not None:
        cd = f"cd {shlex.quote(bot.folder)} && "
    words = ["arena", "check", *_ruleset_words(plan)]
    if not isinstance(bot.command, str):
        return cd + shlex.join([*words, "--", *(bot.command or ())])
    line = f'"{bot.command}"'
    if set(bot.command) & set('"$`\\!'):
        line = shlex.quote(bot.command)
    return f"{cd}{shlex.join(words)} {line}"


def _ruleset_words(plan: Plan) -> list[str]:
    """Return the words of a command that name the ruleset of a plan, if it is not the default."""
    ruleset = plan.tournament.ruleset
    options = plan.tournament.options
    if not isinstance(ruleset, str) or (ruleset, options) == (DEFAULT, ()):
        return []
    words = ["--ruleset", ruleset]
    if options:
        words += ["--set", f"tournament.options={toml_value(list(options))}"]
    return words


def _try_out(plan: Plan, names: Collection[str], hidden: Sequence[Path]) -> list[BotFinding]:
    return trio.run(check_bots, plan, names, Path.cwd(), hidden, clock=RunningClock())


async def check_bots(
    plan: Plan,
    names: Collection[str],
    directory: Path,
    hidden: Sequence[Path] = (),
) -> list[BotFinding]:
    """Try out the launched bots of these names, some at the same time.

    Returns what was found, in the order of the plan.

    No bot may see the `hidden` places. Each has as long to be ready as in a match, and at most as
    long to answer.
    """
    containment = find_containment(plan, hidden=hidden, directory=directory)
    rules = plan.game()
    findings: dict[str, BotFinding] = {}
    most = max(2 * plan.at_once, CORES)  # no more than start at once in the run
    limit = trio.CapacityLimiter(most)

    async def check(bot: BotSection) -> None:
        async with limit:
            opponent = next(name for name in [*plan.entrants, MATCH] if name != bot.entrant)
            host = partial(launched, command_of(bot, directory), containment, name=bot.entrant)
            findings[bot.entrant] = await _check(plan, rules, bot, opponent, host)

    bots = [bot for bot in plan.bot if bot.entrant in names and not bot.remote]
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(check, bot)
    return [findings[bot.entrant] for bot in bots]


async def _check(
    plan: Plan,
    rules: Game[Any],
    bot: BotSection,
    opponent: str,
    host: Host,
) -> BotFinding:
    """Try out one bot against `opponent` on a first turn; return what was found."""
    question = _first_turn(plan, rules, bot.entrant, opponent)
    ready_ms = question.opened.terms.startup_ms
    rehearsal = await rehearse(question, host, ready_ms, plan.limits.startup_ms)
    guest = rehearsal.guest
    lines = last_lines(guest.stderr, LAST_LINES)
    verdict = rehearsal.verdict
    has_left = guest.how is not None and guest.how.reason == Said("program.exit", {"status": 0})
    advice = guest.advice
    if has_left and not rehearsal.has_connected:
        advice = Said("rehearsal.never_connected")
    warning = None
    if isinstance(verdict, TurnRejected):
        warning = Said("rehearsal.illegal", {"why": verdict.said, "clause": verdict.clause})
    spent_ms = None
    if verdict is not None and not isinstance(verdict, FlagFell):
        spent_ms = verdict.spent_ms
    return BotFinding(
        entrant=bot.entrant,
        name=bot.name,
        problem=_problem(plan, rehearsal),
        warning=warning,
        last_words=lines[-1].strip() if lines else "",
        last_lines=lines,
        advice=advice,
        spent_ms=spent_ms,
    )


def _problem(plan: Plan, rehearsal: Rehearsal) -> Said | None:
    """Return why a bot is not fit to play.

    An illegal answer is forgiven, and so is silence within the delay.
    """
    if rehearsal.verdict is None:
        return rehearsal.failure
    if isinstance(rehearsal.verdict, FlagFell) and rehearsal.verdict.spent_ms > plan.clock.delay_ms:
        values = {"number": rehearsal.verdict.spent_ms - 1, "clock": plan.clock.said}
        return Said("rehearsal.no_answer", values)
    return None


def _first_turn(plan: Plan, rules: Game[Any], name: str, opponent: str) -> TurnQuestion:
    """Return the first turn of the first game of a match, put to the entrant `name`."""
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
