"""The fingerprint of a house bot changes with its files, and with nothing else."""

from pathlib import Path

import pytest

from arena.server.series.house_build import check_files, house_fingerprint
from arena.server.setup.bot_section import BotSection
from arena.words import SaidError


def test_a_changed_file_is_another_build(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text("import other")
    (folder / "other.py").write_text("1")
    (tmp_path / "venue.jsonl").write_text("grows")
    bot = BotSection(name="a", command="python mine/bot.py --depth 2")
    first = house_fingerprint(bot, tmp_path)
    assert first.startswith("sha256:")
    (tmp_path / "venue.jsonl").write_text("has grown")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "other.pyc").write_text("x")
    assert house_fingerprint(bot, tmp_path) == first
    (folder / "other.py").write_text("2")
    second = house_fingerprint(bot, tmp_path)
    (folder / "other.py").write_text("1")
    deeper = BotSection(name="a", command="python mine/bot.py --depth 3")
    assert len({first, second, house_fingerprint(deeper, tmp_path)}) == 3
    assert house_fingerprint(bot, tmp_path) == first


def test_a_script_beside_the_file_of_the_venue_counts_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("1")
    (tmp_path / "venue.jsonl").write_text("grows")
    bot = BotSection(name="a", command="python bot.py")
    first = house_fingerprint(bot, tmp_path)
    (tmp_path / "venue.jsonl").write_text("has grown")
    assert house_fingerprint(bot, tmp_path) == first
    (tmp_path / "bot.py").write_text("2")
    assert house_fingerprint(bot, tmp_path) != first


def test_a_house_bot_whose_file_is_missing_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("1")
    commands = ("python bot.py", "python -m json.tool", "true", "env A=b/c python bot.py x/y.bin")
    check_files([BotSection(name="a", command=command) for command in commands], tmp_path)
    for command in ("python gone/bot.py", "env A=1 python gone/bot.py", "gone/bot.py --fast"):
        with pytest.raises(SaidError, match=f"bot a: there is no file {tmp_path}/gone/bot.py;"):
            check_files([BotSection(name="a", command=command)], tmp_path)
    with pytest.raises(SaidError, match=f"{tmp_path}/gone.py"):
        check_files([BotSection(name="a", command="python gone.py")], tmp_path)
