"""The costliest turns of matches that the analysis has judged, for the pages of bots."""

from pathlib import Path
from typing import Final

import msgspec

from arena.pages.venue_contents import CostlyTurn
from arena.records.files import match_record

MOST_TURNS: Final = 3
"""Of a match."""


def costly_turns(folder: Path, fixture: str, entrant: str) -> list[CostlyTurn] | None:
    """Read the costliest turns of an entrant in a match, the worst first.

    None if the match is not analysed.
    """
    # not imported for the first page, which is to come soon
    from arena.records.analysed import analysis_of
    from arena.server.setup.run_folder import RunFiles

    analysis = analysis_of(RunFiles(folder), match_record(fixture))
    if analysis is None:
        return None
    decisions, _ = analysis.counted
    slips = [row for row in decisions if row.bot == entrant and row.kind == "turn" and row.mark]
    slips.sort(key=lambda row: -row.loss)
    return msgspec.convert(slips[:MOST_TURNS], list[CostlyTurn], from_attributes=True)
