"""The arena as people install it: a wheel, put in an environment of its own by uv or pipx."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.fixtures.doc_pages import ROOT, blocks

pytestmark = pytest.mark.slow

README = ROOT / "README.md"
INSTALL = {"pipx": ("install",), "uv": ("tool", "install", "--python", sys.executable)}
OF_THIS_ENVIRONMENT = (
    "COV_",
    "PIPX_",
    "PYTEST_",
    "PYTHON",
    "UV_PYTHON",
    "UV_TOOL_",
    "VIRTUAL_ENV",
    "XDG_",
)
"""How variables begin that are not passed on; others say where the index of packages is."""


def done(
    *command: object, cwd: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def built(project: Path, folder: Path) -> Path:
    """Build the wheel of a project into a folder."""
    result = done(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, project, cwd=folder
    )
    if result.returncode != 0:
        pytest.skip(f"no wheel can be built here: {result.stderr.strip().splitlines()[-1]}")
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, in which a sample bot was built as well."""
    source = tmp_path_factory.mktemp("checkout") / "source"
    unwanted = shutil.ignore_patterns(
        ".*", "build", "target", "node_modules", "__pycache__", "*-run", "tests"
    )
    shutil.copytree(ROOT, source, ignore=unwanted)
    (source / "sample_bots" / "rust" / "target").mkdir()
    (source / "sample_bots" / "rust" / "target" / "bot").write_text("built")
    return source


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(source, tmp_path_factory.mktemp("wheel"))


def environment_with(
    package: object, folder: Path
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Install a package in an environment of its own; returns its folder of programs, and what pip said."""
    done(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    programs = folder / "bin"
    pip = (sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet")
    return programs, done(*pip, package, cwd=folder)


@pytest.fixture(scope="module", params=["uv", pytest.param("pipx", marks=pytest.mark.soak)])
def install(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[object, ...]:
    """The command that installs a wheel, by a program that was installed for it."""
    programs, got = environment_with(
        request.param, tmp_path_factory.mktemp("installer") / "environment"
    )
    if got.returncode != 0:
        pytest.skip(
            f"{request.param} cannot be installed here: {got.stderr.strip().splitlines()[-1]}"
        )
    return programs / request.param, *INSTALL[request.param]


def test_pages_and_sample_bots_go_along_and_nothing_that_was_built(wheel: Path) -> None:
    """All in the two packages: the environment is shared with other people's."""
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.partition("/")[0] for name in names} == {
        "arena",
        "protocol",
        "brade_arena-0.1.0.dist-info",
    }
    pages = {f"arena/docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert (
        pages | {"arena/sample_bots/rust/src/main.rs", "arena/docs/tournaments/vasa.toml"} <= names
    )
    assert not [name for name in names if "/target/" in name]


def test_the_sdist_gives_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    programs, installed = environment_with("hatchling", tmp_path / "builder")
    if installed.returncode != 0:
        pytest.skip(
            f"hatchling cannot be installed here: {installed.stderr.strip().splitlines()[-1]}"
        )
    build = f"from hatchling.build import build_sdist; build_sdist({str(tmp_path)!r})"
    made = done(programs / "python", "-c", build, cwd=source)
    assert made.returncode == 0, made.stderr
    [sdist] = tmp_path.glob("*.tar.gz")
    again = built(sdist, tmp_path)
    assert contents(again) == contents(wheel)


def contents(wheel: Path) -> dict[str, int]:
    """The checksum of every file in a wheel."""
    return {entry.filename: entry.CRC for entry in zipfile.ZipFile(wheel).infolist()}


def test_the_bot_of_the_readme_plays_where_the_arena_is_installed_for_itself(
    install: tuple[object, ...], wheel: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(OF_THIS_ENVIRONMENT)
    }
    environment = kept | {
        "HOME": str(home),
        "PATH": f"{home}/.local/bin:{os.defpath}",
        "NO_COLOR": "1",
    }
    installed = done(*install, wheel, cwd=home, environment=environment)
    assert installed.returncode == 0, installed.stderr
    [bot] = [block.text for block in blocks(README) if block.saved_as == "mybot.py"]
    (home / "mybot.py").write_text(bot)

    def arena(*arguments: str) -> str:
        result = done("arena", *arguments, cwd=home, environment=environment)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "FORFEITS" not in result.stderr
        return result.stdout

    assert str(home) in arena("version")
    text = " ".join(README.read_text(encoding="utf-8").split())
    assert (
        'let `arena new greedy rival` write it, and give `--bot rival="python rival/bot.py"`'
        in text
    )
    arena("new", "greedy", "rival")
    arena(
        "run",
        "--bot",
        "me=python mybot.py",
        "--bot",
        "rival=python rival/bot.py",
        "--out",
        "my-run",
    )
    arena("verify", "my-run")
    arena("check", "python mybot.py", "--only", "handshake")
    sample = Path(arena("docs").partition("\n")[0]) / "tournaments" / "vasa.toml"
    arena("run", str(sample), "--quiet", "--out", "of-the-docs")
    assert arena("docs", "docs/rules.md") == (ROOT / "docs" / "rules.md").read_text(
        encoding="utf-8"
    )
    lacking = done("arena", "check", "python3 -S mybot.py", cwd=home, environment=environment)
    assert "start it with `python`" in lacking.stdout


def test_the_kit_installs_alone_and_plays(source: Path, tmp_path: Path) -> None:
    kit = built(source / "protocol", tmp_path)
    assert {name.partition("/")[0] for name in zipfile.ZipFile(kit).namelist()} == {
        "protocol",
        "brade_bot_kit-0.1.0.dist-info",
    }
    required = {
        name: set(
            tomllib.loads((source / name).read_text(encoding="utf-8"))["project"]["dependencies"]
        )
        for name in ("pyproject.toml", "protocol/pyproject.toml")
    }
    assert required["protocol/pyproject.toml"] <= required["pyproject.toml"]
    programs, installed = environment_with(kit, tmp_path / "alone")
    python = programs / "python"
    assert installed.returncode == 0, installed.stderr
    assert "No module named 'arena'" in done(python, "-c", "import arena", cwd=tmp_path).stderr
    bot = shutil.copy(ROOT / "sample_bots" / "random" / "bot.py", tmp_path)
    checked = done(
        sys.executable, "-m", "arena", "check", f"{python} {bot}", "--only", "handshake", cwd=ROOT
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
