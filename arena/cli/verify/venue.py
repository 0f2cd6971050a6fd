"""`arena verify` of the folder of a venue: its log, its runs, and the chain of its days."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.cli.shared.language import with_noun
from arena.cli.shared.output import echo_json, output
from arena.records.files import VENUE_RECORD

if TYPE_CHECKING:
    from arena.records.verify import Verified
    from arena.records.verify_venue import VerifiedRun


def check_venue(folder: Path, *, as_json: bool) -> None:
    """Verify a venue, and print each run that is in order. Raises `RecordError`."""
    from arena.records.lines import RecordError
    from arena.records.verify_venue import verify_venue
    from arena.regular_files import failed, read_regular
    from arena.server.setup.run_folder import RunFiles
    from arena.server.setup.venue_folder import RUNS

    try:
        names = [path.name for path in (folder / RUNS).iterdir() if path.is_dir()]
        record = read_regular(folder / VENUE_RECORD)
    except OSError as error:
        raise RecordError(str(folder), failed(error)) from error
    runs = {name: RunFiles(folder / RUNS / name) for name in names}
    rows: list[dict[str, Any]] = []
    turns = 0
    for run in verify_venue(record, runs, _verified):
        rows.append(_as_json(run))
        turns += rows[-1].get("turns", 0)
        if not as_json:
            output().print(f"{run.run}: {_in_words(run)}")
    if as_json:
        echo_json({"verified": True, "runs": rows})
    else:
        runs_in_words = with_noun(len(rows), "run")
        output().print(f"in order: {runs_in_words}, {with_noun(turns, 'turn')}, and the log")


def _verified(files: Any) -> Verified:
    from arena.records.verify import verify_run
    from arena.server.setup.credentials import is_signed
    from arena.server.setup.plan_on_record import contradictions

    return verify_run(files, is_signed, contradictions=contradictions)


def _in_words(run: VerifiedRun) -> str:
    if run.verified is None:
        return "not started"
    state = "finished" if run.verified.is_finished else "not finished"
    return f"in order, {with_noun(run.verified.fixtures, 'match', 'matches')}, {state}"


def _as_json(run: VerifiedRun) -> dict[str, Any]:
    verified = run.verified
    if verified is None:
        return {"run": run.run, "series": run.series, "started": False}
    return {
        "run": run.run,
        "series": run.series,
        "finished": verified.is_finished,
        "fixtures": verified.fixtures,
        "games": verified.games,
        "turns": verified.turns,
        "head": {"lines": verified.head.lines, "sha256": verified.head.sha256},
    }
