"""`arena report`: a run as one HTML file for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.shared.language import translate
from arena.cli.shared.output import A_PATH, CHECK_FAILED, fail, note, run_argument
from arena.cli.shared.usage import BadValueError
from arena.services.sources import run_folder
from arena.words import Said
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from arena.pages.report.matches import GamesWanted

GAMES: Final = 200
"""Games that can be played through by default: about 2 MB of Bräde."""

MARK_BYTES: Final = 2000
"""Bytes at the beginning of a file that show whether it is a report."""


def _games(_ctx: click.Context, _param: click.Parameter, text: str) -> GamesWanted:
    words: dict[str, GamesWanted] = {
        "all": "all",
        "none": 0,
        "forfeits": "forfeits",
    }
    if text in words:
        return words[text]
    if text.isascii() and text.isdecimal():
        return int(text)
    raise BadValueError(Said("report.bad_games", {"found": repr(text)}))


@click.command()
@run_argument
@click.option("--out", type=A_PATH, help="The file to write.  [default: RUN/report.html]")
@click.option(
    "--games",
    callback=_games,
    metavar="all|none|forfeits|N",
    default=str(GAMES),
    help="Which games the reader can play through; "
    "a number takes forfeited ones first, then the order of play.",
)
@click.option(
    "--no-audit",
    is_flag=True,
    help="Leave out the check of all records, which is slow in a big run.",
)
@click.option(
    "--analyse",
    "with_analysis",
    is_flag=True,
    help="First analyse the matches that are not analysed yet.",
)
@click.option("--force", is_flag=True, help="Write over a file that is not a report.")
def command(
    run: Path,
    out: Path | None,
    games: GamesWanted,
    *,
    no_audit: bool,
    with_analysis: bool,
    force: bool,
) -> None:
    """Write the report of a RUN folder: one HTML file with tables, the dice audit, and the games.

    It opens in any browser, on a phone too, and fetches nothing. The report of an analysed run
    (docs/analysis.md) also has curves of its games, marks of mistakes, the costliest turns and the
    luckiest roll. Works while the run is going on. Exits 0 if the records are in order, 1 if they
    are not (the report is still written, and says where).

    \b
    Examples:
      arena report my-run
      arena report my-run --games all --out friday.html
    """
    from arena.pages.page import page_of
    from arena.pages.report.building import report_of
    from arena.records.lines import RecordError
    from arena.server.io.disk import write_inside
    from arena.server.setup.plan_on_record import contradictions
    from arena.server.setup.run_folder import RunFiles

    folder = run_folder(run)
    target = out or folder / "report.html"
    _check_target(target, force=force)
    if with_analysis:
        _analyse(folder)
    try:
        report = report_of(
            RunFiles(folder),
            games=games,
            is_audited=not no_audit,
            contradictions=contradictions,
        )
    except RecordError as error:
        fail(Said("report.unreadable", {"reason": error.said}), code=CHECK_FAILED)
    page = page_of(report).encode()
    try:
        write_inside(target.parent, target.name, page, mode=0o644)
    except OSError as error:
        failure = {"file": str(target), "reason": system_reason(error)}
        fail(Said("report.not_written", failure), code=CHECK_FAILED)
    if report.games_shown < report.games and games not in (0, "forfeits"):
        note(Said("report.games_shown", {"shown": report.games_shown, "count": report.games}))
    click.echo(translate(Said("report.written", {"file": str(target), "size": len(page) / 1e6})))
    if report.figures.audit.state == "not in order":
        fail(Said("report.not_in_order", {"why": report.figures.audit.sentence}), code=CHECK_FAILED)


def _analyse(folder: Path) -> None:
    from arena.cli.shared.bars import bar_of_analysis
    from arena.services.analysing import analyse_rest

    with bar_of_analysis() as tell:
        warnings = analyse_rest(folder, tell)
    for warning in warnings:
        note(Said("warning", {"said": warning}))


def _check_target(target: Path, *, force: bool) -> None:
    from arena.pages.page import is_report

    if target.is_dir():
        example = str(target / "report.html")
        fail(Said("report.is_folder", {"file": str(target), "example": example}))
    if not target.parent.is_dir():
        fail(Said("report.no_folder", {"folder": str(target.parent)}))
    if not target.exists():
        return
    if not target.is_file():
        fail(Said("report.no_file", {"file": str(target)}))
    if force:
        return
    try:
        with target.open("rb") as file:
            start = file.read(MARK_BYTES)
    except OSError as error:
        failure = {"file": str(target), "reason": system_reason(error)}
        fail(Said("report.file_unreadable", failure))
    if start and not is_report(start):
        fail(Said("report.no_report", {"file": str(target)}))
