"""The sources of the sample bots: what they hold to, that they are starters, and the one in shell by itself."""

import json
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.new import LANGUAGES
from tests.fixtures.bot_workshop import (
    BOTS,
    BUILD_TIMEOUT_S,
    ROOT,
    SAMPLES,
    Sample,
    build,
    call,
    surroundings,
)
from tests.generators import make_types

JAVASCRIPT = SAMPLES / "javascript"


def check(*command: str, folder: Path) -> None:
    """Run a tool that has nothing to say about good code."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=BUILD_TIMEOUT_S,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_the_types_are_those_of_the_protocol() -> None:
    assert make_types.PATH.read_text(encoding="utf-8") == make_types.text()


@pytest.mark.soak
def test_the_javascript_bot_keeps_to_the_types(tmp_path: Path) -> None:
    (javascript,) = (sample for sample in BOTS if sample.folder == "javascript")
    build(javascript)
    for name in ("bot.mjs", "protocol.d.ts", "package.json", "package-lock.json", "tsconfig.json"):
        shutil.copy(JAVASCRIPT / name, tmp_path)
    install = "npm ci --prefer-offline --no-audit --no-fund --loglevel=error > npm.log 2>&1"
    done = subprocess.run(
        ["sh", "-c", install],
        cwd=tmp_path,
        env=surroundings(),
        check=False,
        timeout=BUILD_TIMEOUT_S,
    )
    if done.returncode:
        pytest.skip(f"TypeScript cannot be installed: {(tmp_path / 'npm.log').read_text()}")
    tsc = str(tmp_path / "node_modules" / ".bin" / "tsc")
    check(tsc, folder=tmp_path)
    source = (tmp_path / "bot.mjs").read_text(encoding="utf-8")
    (tmp_path / "bot.mjs").write_text(
        source.replace('type: "pong"', 'type: "peng"'), encoding="utf-8"
    )
    with pytest.raises(AssertionError, match="peng"):
        check(tsc, folder=tmp_path)


def test_javascript_is_pinned_without_a_download_host() -> None:
    package = json.loads((JAVASCRIPT / "package.json").read_text(encoding="utf-8"))
    locked = json.loads((JAVASCRIPT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in (package["dependencies"] | package["devDependencies"]).items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert not [name for name, entry in locked.items() if "resolved" in entry]
    assert all("integrity" in entry for name, entry in locked.items() if name)


def test_rust_is_pinned() -> None:
    manifest = (SAMPLES / "rust" / "Cargo.toml").read_text(encoding="utf-8")
    dependencies = manifest.partition("[dependencies]")[2]
    versions = re.findall(r'^\w[\w-]* = (?:\{ version = )?"(=?)\d', dependencies, re.MULTILINE)
    assert versions
    assert all(versions)
    lock = (SAMPLES / "rust" / "Cargo.lock").read_text(encoding="utf-8")
    assert set(re.findall(r'^source = "(.*)"$', lock, re.MULTILINE)) == {
        "registry+https://github.com/rust-lang/crates.io-index"
    }


def test_java_is_pinned() -> None:
    """Maven has no lock file: every dependency and every plugin that the build runs has its version."""
    maven = "{http://maven.apache.org/POM/4.0.0}"
    pom = ET.parse(SAMPLES / "java" / "pom.xml")
    pinned = [*pom.iter(f"{maven}dependency"), *pom.iter(f"{maven}plugin")]
    assert len(pinned) > 2
    assert all(re.fullmatch(r"[\d.]+", one.findtext(f"{maven}version") or "") for one in pinned)


def test_the_table_of_sample_bots_is_true() -> None:
    page = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\(.*\| (\d+) \| [^|]* \| `(.*)` \|$", page, re.MULTILINE)
    assert {sample.folder for sample in BOTS} <= {folder for folder, _, _ in rows}
    for folder, lines, command in rows:
        (source,) = filter(is_source, (SAMPLES / folder).rglob("*"))
        assert (folder, len(source.read_text(encoding="utf-8").splitlines())) == (
            folder,
            int(lines),
        )
        texts = [*(SAMPLES / folder).glob("*.md"), *(SAMPLES / folder).glob("*.toml")]
        assert any(f'"{command}"' in path.read_text(encoding="utf-8") for path in texts), command


def is_source(path: Path) -> bool:
    """Whether this is the one file that somebody has written as the bot."""
    built = {"node_modules", "target", "build"} & set(path.relative_to(SAMPLES).parts)
    return not built and (path.stem.lower() == "bot" or path.name == "main.rs")


# What `arena new` writes plays at once, by the commands it prints


PLACE = ROOT / "build" / "starters"


def printed_by(command: str) -> str:
    """What a command prints to standard output; it must go well."""
    done = call(command)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def folder() -> Iterator[Path]:
    PLACE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PLACE) as made:
        yield Path(made).relative_to(ROOT)


def test_every_sample_bot_for_a_language_is_a_starter() -> None:
    assert {sample.folder for sample in BOTS} == set(LANGUAGES.values())


@pytest.mark.soak
def test_a_starter_builds_and_plays_by_the_commands_that_are_printed(
    sample: Sample, folder: Path, tmp_path: Path
) -> None:
    """Three games against its twin.

    The sample has been built before, so that all it needs is on this machine.

    What Cargo has compiled of other packages is taken along: it would take longer than all else
    here, and is theirs.
    """
    (language,) = (language for language, name in LANGUAGES.items() if name == sample.folder)
    printed = printed_by(f"arena new {language} {folder}/my-bot")
    *build, play = [line.strip() for line in printed.splitlines() if line.startswith("  ")]
    assert len(build) == bool(sample.product)
    if sample.folder == "rust":
        shutil.copytree(sample.path / sample.product, ROOT / folder / "my-bot" / sample.product)
    for command in build:
        printed_by(command)
    assert "1 of 1 matches" in printed_by(
        play.replace("--out my-bot-run", f"--out {tmp_path / 'run'}")
    )


# The sample bot in shell, without an adapter; tests/sample_bots plays it with one, as all sample
# bots


SHELLS = [
    pytest.param(
        shell,
        marks=pytest.mark.skipif(
            shutil.which(shell[0]) is None, reason=f"{shell[0]} is not installed"
        ),
    )
    for shell in (["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"])
]


@pytest.mark.parametrize("shell", SHELLS)
def test_any_shell_counts_the_legal_turns(shell: list[str]) -> None:
    """Whatever a turn looks like, every choice is one of them, and the last as likely as the first."""
    legals = ([[]], [[[1, 7]]], [[[1, 7], [1, 6]], [[1, 7], [7, 12]]], [[["d1", "d3"]]] * 3)
    lines = [
        json.dumps(
            {"type": "turn", "game": 1, "last": {"moves": [[1, 2]]}, "legal": legal},
            separators=(",", ":"),
        )
        for legal in legals
        for _ in range(40)
    ]
    said = "\n".join(['{"type":"match_start"}', *lines, '{"type":"game_end"}', ""])
    done = subprocess.run(
        [*shell, SAMPLES / "shell" / "bot.sh"],
        input=said,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    choices = [json.loads(line)["choice"] for line in done.stdout.splitlines()]
    assert done.stderr == ""
    assert [set(choices[at : at + 40]) for at in range(0, 160, 40)] == [
        set(range(len(legal))) for legal in legals
    ]
