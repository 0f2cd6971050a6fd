"""`arena torture`: run the fault zoo, and check that every fault gets its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.output import CHECK_FAILED, fail, messages, output
from arena.nearest import nearest

if TYPE_CHECKING:
    from arena.torture.case import Case, PlayedCase
    from arena.torture.foreign import Entrant


@click.command()
@click.option("--only", "names", multiple=True, metavar="NAME", help="A fault or a group of faults; may be repeated.")
@click.option("--list", "is_list", is_flag=True, help="Print the faults and the verdicts expected; run nothing.")
@click.option("--crowd", is_flag=True, help="Play 200 matches at once with 20 misbehaving bots instead.")
@click.option("--connect", "address", metavar="ADDRESS", help="Attack a running arena instead of one of our own.")
@click.option(
    "--token",
    "tokens",
    multiple=True,
    metavar="NAME=TOKEN",
    help="With --connect: an entrant of that arena; twice, for two that meet. NAME=@FILE reads the token from a file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(
    names: tuple[str, ...], *, is_list: bool, crowd: bool, address: str | None, tokens: tuple[str, ...], as_json: bool
) -> None:
    """Let misbehaving bots loose on the arena, and compare each verdict with the one expected.

    Every fault gets an arena of its own, a process on loopback with its records in a temporary folder, and honest bots
    beside it. Exits 0 if every verdict is the expected one and no honest bot was harmed, else 1. docs/what-if.md
    explains each verdict.

    With --connect the faults attack a running arena, as far as that is possible over the wire. Faults at the table need
    two of its entrants, both played from here.

    \b
    Examples:
      arena torture
      arena torture --only frame --only pace-crash
      arena torture --crowd
      arena torture --connect tcp:127.0.0.1:4711 --token anna=@anna.token --token bo=@bo.token
    """  # noqa: D301 - click's mark for a block that keeps its lines
    import trio

    from arena.torture.crowd import play_crowd
    from arena.torture.foreign import ForeignError, torture_foreign
    from arena.torture.zoo import CASES, run_cases

    if crowd:
        if names or is_list or address is not None:
            fail("--crowd is a trial of its own; leave out --only, --list and --connect")
        _tell_crowd(trio.run(play_crowd), as_json=as_json)
        return
    cases = _chosen(CASES, names)
    if is_list:
        _list(cases, as_json=as_json)
        return
    console = messages()

    def report(result: PlayedCase) -> None:
        word = "skip" if result.found.skipped else "ok  " if result.is_expected else "DIFF"
        console.print(f"{word} {result.case.name}", markup=False)

    if address is None:
        if tokens:
            fail("--token is for an arena that runs already; say where with --connect ADDRESS")
        results = trio.run(run_cases, cases, report)
    else:
        try:
            results = trio.run(torture_foreign, address, _entrants(tokens), cases, report)
        except ForeignError as error:
            fail(str(error))
    if as_json:
        import json

        click.echo(json.dumps({"all_expected": all(one.is_expected for one in results), "faults": _plain(results)}))
    else:
        _print(results)
    if not all(result.is_expected for result in results):
        raise SystemExit(CHECK_FAILED)


def _chosen(cases: Sequence[Case], names: tuple[str, ...]) -> list[Case]:
    """The cases of these names and groups, all if none is named; ends the command for an unknown name."""
    known = {case.name for case in cases} | {case.group for case in cases}
    for name in names:
        if name not in known:
            fail(f"there is no fault {name!r}{nearest(name, sorted(known))} See them all with: arena torture --list")
    return [case for case in cases if not names or case.name in names or case.group in names]


def _entrants(tokens: Sequence[str]) -> list[Entrant]:
    """The two given entrants, or none; ends the command for anything else."""
    from arena.torture.foreign import Entrant

    entrants = []
    for given in tokens:
        name, _, token = given.partition("=")
        if not name or not token:
            fail("--token: expected NAME=TOKEN or NAME=@FILE, such as --token anna=@anna.token")
        if token.startswith("@"):
            try:
                token = Path(token[1:]).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                fail(f"--token {name}=@FILE: the file cannot be read: {error}")
        entrants.append(Entrant(name=name, token=token))
    if len({entrant.name for entrant in entrants}) not in (0, 2) or len(entrants) > 2:
        fail(
            f"--token is given {len(entrants)} times; the faults at the table need two different entrants that meet in "
            "that arena, those at the door need none"
        )
    return entrants


def _plain(results: Sequence[PlayedCase]) -> list[dict[str, Any]]:
    return [
        {
            "name": result.case.name,
            "what": result.case.what,
            "expected": result.case.expected,
            "verdict": result.found.verdict,
            "skipped": result.found.skipped,
            "took_ms": result.found.took_ms,
            "is_expected": result.is_expected,
        }
        for result in results
    ]


def _print(results: Sequence[PlayedCase]) -> None:
    """The table, and a sentence below it."""
    from arena.cli.shared.tables import plain_table

    console = output()
    shown = plain_table("Faults and verdicts")
    shown.add_column("fault", no_wrap=True)
    for heading in ("what it does", "verdict expected", "verdict"):
        shown.add_column(heading, overflow="fold")
    shown.add_column("ms", justify="right", no_wrap=True)
    for result in results:
        took = "-" if result.found.took_ms is None else str(result.found.took_ms)
        if result.found.skipped:
            verdict = f"skipped: {_escaped(result.found.skipped)}"
        else:
            verdict = "the same" if result.is_expected else f"[red]{_escaped(result.found.verdict)}[/red]"
        shown.add_row(result.case.name, result.case.what, result.case.expected, verdict, took)
    console.print(shown)
    asked = [result for result in results if not result.found.skipped]
    expected = sum(result.is_expected for result in asked)
    skipped = f"; {len(results) - len(asked)} skipped" if len(asked) < len(results) else ""
    console.print(f"{expected} of {len(asked)} faults have the verdict expected{skipped}.")
    console.print("ms: from the fault to the error or the end of the game; clocks, grace and login time included.")


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _list(cases: Sequence[Case], *, as_json: bool) -> None:
    """List the faults."""
    if as_json:
        import json

        faults = [{"name": case.name, "what": case.what, "expected": case.expected} for case in cases]
        click.echo(json.dumps({"faults": faults}))
        return
    from arena.cli.shared.tables import plain_table

    shown = plain_table("Faults")
    for heading in ("fault", "what it does", "verdict expected"):
        shown.add_column(heading, no_wrap=heading == "fault", overflow="fold")
    for case in cases:
        shown.add_row(case.name, case.what, case.expected)
    output().print(shown)


def _tell_crowd(found: Any, *, as_json: bool) -> None:
    """Print the result of the crowd; ends the command with 1 if an honest result was changed."""
    import dataclasses

    if as_json:
        import json

        click.echo(json.dumps({"intact": not found.problems} | dataclasses.asdict(found)))
    else:
        console = output()
        console.print(found.sentence, markup=False)
        for problem in found.problems:
            console.print(f"  {problem}", markup=False)
    if found.problems:
        raise SystemExit(CHECK_FAILED)
