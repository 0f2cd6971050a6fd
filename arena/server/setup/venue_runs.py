"""The terms of the runs of a venue: what a ladder or a cup says of its matches.

They stand in `[[ladder]]` and `[[cup]]` with the names that they have in a tournament file: the
fields of `[tournament]` in the section itself, the others in `[ladder.clock]` and
`[ladder.limits]`. A run gets a tournament file that is made of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Self

import msgspec
import tomli_w
from msgspec.structs import replace

from arena.server.setup.bot_section import BotSection
from arena.server.setup.tournament_file import PlanError, non_defaults, parse_plan
from arena.tournaments.formats.swiss import most_rounds
from arena.words import Said

TABLES: Final = ("clock", "limits")
"""Sections of a tournament file, as tables in a section of the venue's file."""
DEFAULT_PAIRS: Final = 1


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a tournament file that are about matches; None if they are left out.

    What they may be is checked with the tournament file that is made of them.
    """

    ruleset: Any = None
    options: Any = None
    games: Any = None
    pairs: Any = None
    best_game: Any = None
    clock: dict[str, Any] = {}
    limits: dict[str, Any] = {}

    @property
    def tournament(self) -> dict[str, Any]:
        """The fields of `[tournament]`."""
        fields: dict[str, Any] = {}
        for name in CupTerms.__struct_fields__:
            value = getattr(self, name, None)
            if name not in TABLES and value is not None:
                fields[name] = value
        return fields

    def problems(self, entrants: int) -> Sequence[Said]:
        """Say why no run with this number of entrants can be played on these terms."""
        bots = [BotSection(name=f"bot{number}", remote=True) for number in range(entrants)]
        try:
            parse_plan(tournament_text(self, name="run", bots=bots))
        except PlanError as error:
            return error.problems
        return ()


class CupTerms(Terms, frozen=True, kw_only=True):
    """The terms of a cup: those of its ladder, where it gives none."""

    format: Literal["round_robin", "swiss-monrad-1", "knockout-1"] | None = None
    """A cup is for the bots that are there: its file cannot name challengers."""
    cycles: Any = None
    rounds: Any = None
    at_once: Any = None

    def on(self, ladder: Terms) -> Self:
        """Return the terms with those of the ladder where there are none."""
        terms = ladder.tournament
        if self.games is not None or self.pairs is not None:
            for field in ("games", "pairs", "best_game"):
                terms.pop(field, None)
        if self.ruleset is not None:
            terms.pop("options", None)
        terms |= self.tournament
        return replace(
            self,
            **terms,
            clock=ladder.clock | self.clock,
            limits=ladder.limits | self.limits,
        )

    def for_field(self, entrants: int) -> Self:
        """Return the terms for the bots that have come: a small field has fewer rounds."""
        if self.rounds is None:
            return self
        return replace(self, rounds=min(self.rounds, most_rounds(entrants)))


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
