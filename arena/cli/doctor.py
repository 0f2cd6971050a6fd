"""`arena doctor`: a check of this machine, with advice."""

import dataclasses
from pathlib import Path

import click

from arena.cli.shared.output import CHECK_FAILED, echo_json, json_option, output

COLOURS = {
    "ok": "green",
    "warning": "yellow",
    "problem": "red",
}


@click.command()
@json_option("Print JSON instead of lines.")
def command(*, as_json: bool) -> None:
    """Check that this machine has what the arena needs, and say what to do about problems.

    Tries the sandbox of launched bots, control groups, open files, ports, sockets, the disk of the
    current folder, and the clock. docs/containment.md explains what contains bots. Exits 1 if
    nothing would contain them, else 0.

    \b
    Examples:
      arena doctor
      arena doctor --json
    """
    from arena.server.run.machine import check_machine

    checks, is_contained = check_machine(Path.cwd())
    if as_json:
        entries = [dataclasses.asdict(check) for check in checks]
        echo_json({"is_contained": is_contained, "checks": entries})
    else:
        from rich.text import Text

        console = output()
        for check in checks:
            line = Text.assemble(
                (f"{check.state:<8}", COLOURS[check.state]), f"{check.name}: {check.found}"
            )
            if check.advice:
                line.append(f"; {check.advice}")
            console.print(line)
    if not is_contained:
        raise SystemExit(CHECK_FAILED)
