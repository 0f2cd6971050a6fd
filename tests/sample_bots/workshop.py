"""Builds the sample bots as their READMEs say, once for all tests.

What is built lies beside the sources in folders that git ignores, so that the next session of tests
builds only what has changed.
"""

import fcntl
import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.cli.new import Starter

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_bots"
LOCKS = ROOT / "build" / "sample_bots"
BUILD_TIMEOUT_S = 300
NO_NETWORK = re.compile(
    # npm
    r"EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED"
    r"|dial tcp|i/o timeout|no such host"  # go
    r"|Could not resolve host|Could not connect|failed to download|Timeout was reached"  # cargo
    r"|Could not transfer artifact|Unknown host"  # maven
)


@dataclass(frozen=True)
class Sample:
    """A sample bot: its folder in `sample_bots`, the name of its language, and the programs it cannot do without."""

    folder: str
    language: str
    programs: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    """What the C compiler has to find."""
    product: str = ""
    """The folder in its own that building makes; empty if there is nothing to build."""
    has_kit: bool = False
    """Whether the Python kit speaks the protocol for it."""
    speaks_tls: bool = True

    @property
    def path(self) -> Path:
        return SAMPLES / self.folder

    @property
    def readme(self) -> Starter:
        """What its README says of how to build it, start it and have it play."""
        return Starter(self.path)

    def start_command(self) -> list[str]:
        return self.readme.start_command()


BOTS = [
    Sample("random", "Python", has_kit=True),
    Sample("javascript", "JavaScript", programs=("node", "npm"), product="node_modules"),
    Sample("go", "Go", programs=("go",), product="build"),
    Sample("rust", "Rust", programs=("cargo",), product="target", speaks_tls=False),
    Sample("java", "Java", programs=("java", "javac", "mvn"), product="target"),
    Sample(
        "c",
        "C",
        programs=("make", "cc", "pkg-config"),
        headers=("msgpack.h",),
        product="build",
        speaks_tls=False,
    ),
    Sample("shell", "shell", programs=("sh",), has_kit=True),  # by `arena adapter stdio`
]
"""Those that do all a bot may be asked over the wire; `minimal`, `greedy` and `batching` are tested
elsewhere."""


def surroundings(**more: str) -> dict[str, str]:
    """The environment of every command here: nothing of another arena, and `arena` and `python` of this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return kept | {"PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "120"} | more


def why_missing(sample: Sample) -> str:
    """What this machine lacks for the bot; empty if nothing."""
    programs = [name for name in sample.programs if shutil.which(name) is None]
    if programs:
        return f"{', '.join(programs)} not installed"
    headers = [name for name in sample.headers if not _finds_header(name)]
    return f"{', '.join(headers)} not found by cc" if headers else ""


def _finds_header(name: str) -> bool:
    source = f"#include <{name}>\n"
    return not subprocess.run(
        ["cc", "-E", "-x", "c", "-"],
        input=source,
        text=True,
        capture_output=True,
        check=False,
        timeout=BUILD_TIMEOUT_S,
    ).returncode


def build(sample: Sample) -> None:
    """Build it, unless what is there is built from the same source; skips the test where it cannot be built."""
    missing = why_missing(sample)
    if missing:
        pytest.skip(f"the sample bot in {sample.language} is not tested: {missing}")
    if not sample.product:
        return
    LOCKS.mkdir(parents=True, exist_ok=True)
    with (LOCKS / f"{sample.folder}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other workers wait here, and find it built
        stamp = sample.path / sample.product / ".built"
        source = _digest(sample)
        if stamp.exists() and stamp.read_text() == source:
            return
        stamp.unlink(missing_ok=True)
        for command in sample.readme.build_commands():
            _run(sample, command)
        stamp.write_text(source)


def call(command: str) -> subprocess.CompletedProcess[str]:
    """Have a shell do a command from the root of the checkout, as the documentation says it."""
    return subprocess.run(
        ["sh", "-c", command],
        cwd=ROOT,
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=BUILD_TIMEOUT_S,
        check=False,
    )


def _run(sample: Sample, command: str) -> None:
    try:
        done = call(command)
    except subprocess.TimeoutExpired:
        pytest.skip(
            f"the sample bot in {sample.language} is not tested: '{command}' took over {BUILD_TIMEOUT_S} s"
        )
    said = done.stdout + done.stderr
    if done.returncode and (trouble := NO_NETWORK.search(said)):
        pytest.skip(
            f"the sample bot in {sample.language} is not tested: building it needs the network ({trouble[0]})"
        )
    assert done.returncode == 0, f"{command}\n{said}"


def _digest(sample: Sample) -> str:
    digest = hashlib.sha256()
    for path in sorted(sample.path.rglob("*")):
        inside = path.relative_to(sample.path)
        if path.is_file() and inside.parts[0] not in (sample.product, "__pycache__"):
            digest.update(f"{inside}\n{path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def imported(bot: str, *names: str) -> Iterator[SimpleNamespace]:
    """Modules of a sample bot, imported as it imports them itself: from its own folder."""
    folder = SAMPLES / bot
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "").parent == folder:
                del sys.modules[name]
