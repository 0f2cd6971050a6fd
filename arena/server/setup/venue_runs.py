"""The terms of the runs of a venue: what a ladder or a cup says of its matches.

They stand in `[[ladder]]` and `[[cup]]` with the names that they have in a tournament file: the
fields of `[tournament]` in the section itself, the others in `[ladder.clock]` and
`[ladder.limits]`. A run gets a tournament file that is made of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import tomli_w

from arena.server.setup.bot_section import BotSection
from arena.server.setup.problems import Problems
from arena.server.setup.sections import check_names
from arena.server.setup.tournament_file import PlanError, non_defaults, parse_plan
from arena.tournaments.formats import OPTIONS
from arena.words import Said

TABLES: Final = ("clock", "limits")
"""Sections of a tournament file, as tables in a section of the venue's file."""
OF_MATCHES: Final = ("ruleset", "options", "games", "pairs", "best_game")
"""Fields of `[tournament]` that are about matches."""
OF_CUPS: Final = ("format", *OPTIONS)
OF_THE_VENUE: Final = ("grace_ms", "idle_ms", "second_login")
"""Limits that are the same for all runs of a venue, since a bot has one connection for all."""
DEFAULT_PAIRS: Final = 1


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """Tables of a tournament file."""

    tournament: dict[str, Any] = {}
    """Without its name and the number of matches at once."""
    clock: dict[str, Any] = {}
    limits: dict[str, Any] = {}

    def on(self, ladder: "Terms") -> "Terms":
        """Return the terms of a cup, which has those of its ladder where it gives none."""
        tournament = dict(ladder.tournament)
        if "games" in self.tournament or "pairs" in self.tournament:
            for field in ("games", "pairs", "best_game"):
                tournament.pop(field, None)
        if "ruleset" in self.tournament:
            tournament.pop("options", None)
        return Terms(
            tournament=tournament | self.tournament,
            clock=ladder.clock | self.clock,
            limits=ladder.limits | self.limits,
        )

    def problems(self, entrants: int) -> Sequence[Said]:
        """Say why no run with this number of entrants can be played on these terms."""
        bots = [BotSection(name=f"bot{number}", remote=True) for number in range(entrants)]
        try:
            parse_plan(tournament_text(self, name="run", bots=bots))
        except PlanError as error:
            return error.problems
        return ()


def tournament_text(
    terms: Terms,
    *,
    name: str,
    bots: Sequence[BotSection],
    tournament: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
) -> str:
    """Return the tournament file of a run of the venue.

    `tournament` and `limits` have fields of these sections that go before those of the terms: how
    many matches at once, the format of a ladder, and the limits of the venue.
    """
    of_tournament = {"name": name, **terms.tournament, **(tournament or {})}
    if "games" not in of_tournament:
        of_tournament.setdefault("pairs", DEFAULT_PAIRS)
    raw: dict[str, Any] = {
        "tournament": of_tournament,
        "clock": terms.clock,
        "limits": {**terms.limits, **(limits or {})},
        "bot": [non_defaults(bot) for bot in bots],
    }
    return tomli_w.dumps(raw)


def read_terms(
    table: object,
    kind: type[msgspec.Struct],
    where: str,
    problems: Problems,
) -> tuple[object, Terms]:
    """Take the terms out of a section; returns the other fields, and the terms.

    Fields that the section does not have are reported. The values of the terms are checked later.
    """
    if not isinstance(table, Mapping):
        return table, Terms()
    of_tournament: tuple[str, ...] = OF_MATCHES
    if "ladder" in kind.__struct_fields__:
        of_tournament = (*OF_MATCHES, *OF_CUPS)
    own = [name for name in kind.__struct_fields__ if name != "terms"]
    check_names(table, [*own, *of_tournament, *TABLES], where, problems)
    sections: dict[str, dict[str, Any]] = {"tournament": {}}
    for name in of_tournament:
        if name in table:
            sections["tournament"][name] = table[name]
    for name in TABLES:
        sections[name] = _table(table.get(name, {}), name, where, problems)
    for name in OF_THE_VENUE:
        if name in sections["limits"]:
            problems.add(Said("venue.limit_of_all", {"name": name}), where, "limits")
    fields = {name: table[name] for name in own if name in table}
    return fields, Terms(**sections)


def _table(value: object, name: str, where: str, problems: Problems) -> dict[str, Any]:
    """Return a table in a section; report anything else."""
    if isinstance(value, dict):
        return value
    problems.add(Said("plan.no_table", {"where": name}), where, name)
    return {}
