"""`arena report`: a run as one HTML file for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.shared.language import told
from arena.cli.shared.output import A_PATH, CHECK_FAILED, fail, run_folder

if TYPE_CHECKING:
    from arena.pages.report.matches import GamesWanted

GAMES: Final = 200
"""How many games can be played through by default: about 2 MB of Bräde."""

MARK_BYTES: Final = 2000
"""A report says that it is one within so many bytes of its beginning."""


def _games(_ctx: click.Context, _param: click.Parameter, value: str) -> GamesWanted:
    words: dict[str, GamesWanted] = {"all": "all", "none": 0, "forfeits": "forfeits"}
    if value in words:
        return words[value]
    if value.isascii() and value.isdecimal():
        return int(value)
    raise click.BadParameter(f"found {value!r}; expected all, none, forfeits or a whole number such as 500")


@click.command()
@click.argument("run", type=A_PATH)
@click.option("--out", type=A_PATH, help="The file to write.  [default: RUN/report.html]")
@click.option(
    "--games",
    callback=_games,
    metavar="all|none|forfeits|N",
    default=str(GAMES),
    help="Which games the reader can play through; a number takes forfeited ones first, then the order of play.",
)
@click.option("--no-audit", is_flag=True, help="Leave out the check of all records, which is slow in a big run.")
@click.option("--analyse", "with_analysis", is_flag=True, help="First analyse what `arena analyse` has not yet.")
@click.option("--force", is_flag=True, help="Write over a file that is not a report.")
def command(
    run: Path, out: Path | None, games: GamesWanted, *, no_audit: bool, with_analysis: bool, force: bool
) -> None:
    """Write the report of a RUN folder: one HTML file with tables, the dice audit, and games to play through.

    It opens in any browser, on a phone too, and fetches nothing. A run that is analysed (docs/analysis.md) has curves
    of its games in it, marks of mistakes, the costliest turns and the luckiest roll. Works while the run is going on.
    Exits 0 if the records are in order, 1 if they are not (the report is written nevertheless, and says where).

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
        from arena.cli.shared.analysing import analyse_rest

        analyse_rest(folder)
    try:
        report = report_of(RunFiles(folder), games=games, is_audited=not no_audit, contradictions=contradictions)
    except RecordError as error:
        fail(f"a record cannot be read: {error}", code=CHECK_FAILED)
    page = page_of(report).encode()
    try:
        write_inside(target.parent, target.name, page, mode=0o644)
    except OSError as error:
        fail(f"{target} cannot be written: {error.strerror}; give --out another name", code=CHECK_FAILED)
    if report.games_shown < report.games and games not in (0, "forfeits"):
        shown = f"{report.games_shown} of {report.games} games can be played through in the report"
        click.echo(f"{shown}; --games all has them all, --games N another number", err=True)
    click.echo(f"{target}  ({len(page) / 1e6:.1f} MB; open it in a browser)")
    if report.figures.audit.state == "not in order":
        why = told(report.figures.audit.sentence)
        fail(f"the records are not in order, which the report says too: {why}", code=CHECK_FAILED)


def _check_target(target: Path, *, force: bool) -> None:
    from arena.pages.page import is_report

    if target.is_dir():
        fail(f"{target} is a folder; give --out the name of a file, such as {target / 'report.html'}")
    if not target.parent.is_dir():
        fail(f"{target.parent} is not a folder; make it first, or give --out a name in one that is there")
    if target.exists() and not target.is_file():
        fail(f"{target} is not an ordinary file; give --out another name")
    if target.exists() and not force:
        try:
            with target.open("rb") as file:
                start = file.read(MARK_BYTES)
        except OSError as error:
            fail(f"{target} is there and cannot be read: {error.strerror}; give --out another name")
        if start and not is_report(start):
            fail(f"{target} is there and is not a report; give --out another name, or --force to write over it")
