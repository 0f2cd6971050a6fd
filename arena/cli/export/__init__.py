"""`arena export`: the records of a run as files for other programs."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Final

import click

from arena.cli.shared.output import A_FILE, A_PATH, CHECK_FAILED, fail, read_source, run_argument

FORMATS: Final = {
    "sqlite": ".sqlite",
    "csv": "-csv",
    "parquet": "-parquet",
    "mat": "-mat",
    "ogxm": "-ogxm",
}
"""Formats, with the ending of the default name: a file, or a folder of files."""


@click.command()
@run_argument
@click.option("--to", "form", type=click.Choice(list(FORMATS)), required=True, help="The format.")
@click.option("--out", type=A_PATH, help="File or folder to write; by default named after the run.")
@click.option("--key", type=A_FILE, help="Sign OGXM by a key of `arena key new`.")
@click.option("--force", is_flag=True, help="Replace an existing file or folder.")
def command(run: Path, form: str, out: Path | None, key: Path | None, *, force: bool) -> None:
    """Write the records of a RUN folder, or one record under its matches/, for other programs.

    sqlite is one file; csv, mat, parquet and ogxm (with the extras of these names) are folders. The
    tables are those of `arena query`; mat and ogxm are for backgammon, mat for GNU Backgammon. The
    export is complete, or nothing is written; nothing is replaced without --force. A record that
    cannot be read ends the export.

    \b
    Examples:
      arena export my-run --to sqlite                 # my-run.sqlite
      arena export my-run --to csv --out tables
    """
    from arena.cli.export.writing import WRITERS, advice_on_mat, write_ogxm
    from arena.records.lines import RecordError
    from arena.server.setup.credentials import Signer

    source = read_source(run)
    write = WRITERS[form]
    if key is not None:
        if form != "ogxm":
            fail(f"--key signs OGXM, and the format is {form}; leave one of them out")
        write = partial(write_ogxm, signer=Signer(key, source.path))
    if out is None:
        out = Path(source.path.absolute().name.removesuffix(".jsonl") + FORMATS[form])
    is_folder = form != "sqlite"
    _check_target(out, is_folder=is_folder, force=force)
    parent = out.absolute().parent
    try:
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=parent) as private:
            new = Path(private) / out.name
            write(source.files, new)
            if is_folder and out.exists():
                for file in new.iterdir():
                    file.replace(out / file.name)
            else:
                new.replace(out)
    except RecordError as error:
        fail(f"a record cannot be read, nothing was written: {error}", code=CHECK_FAILED)
    except OSError as error:
        fail(f"{out} cannot be written: {error}", code=CHECK_FAILED)
    click.echo(str(out))
    if form == "mat":
        advice = advice_on_mat(source.files, out)
        if advice:
            click.echo(advice, err=True)


def _check_target(out: Path, *, is_folder: bool, force: bool) -> None:
    parent = out.absolute().parent
    if not parent.is_dir():
        reason = f"there is no folder {parent}; make it, or give another --out"
        fail(f"{out} cannot be written: {reason}")
    if not out.exists():
        return
    if out.is_dir() and not is_folder:
        fail(f"{out} is a folder, this format needs a file; give another --out")
    if is_folder and not out.is_dir():
        fail(f"{out} is a file, this format needs a folder; give another --out")
    if not force:
        fail(f"{out} is there already; give another --out, or --force to replace it")
