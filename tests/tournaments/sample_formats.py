"""Every format with the options and the entrants of its sample in docs/tournaments."""

from pathlib import Path
from typing import Final

from arena.server.setup.tournament_file import Plan, parse_plan
from arena.tournaments.formats import FORMATS

ROOT: Final = Path(__file__).parents[2]
_PLANS = [
    parse_plan(path.read_text()) for path in sorted((ROOT / "docs" / "tournaments").glob("*.toml"))
]
SAMPLES: Final[dict[str, Plan]] = {plan.format.name: plan for plan in _PLANS}
"""One tournament file for each format, by its name."""
FORMATS_OF_RUN: Final = [name for name, kind in FORMATS.items() if not kind.needs_venue]
"""The formats that `arena run` plays."""
