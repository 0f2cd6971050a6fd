"""What is shown of a program that failed: the line that says why, whatever language it is written in."""

from pathlib import Path

import pytest

from arena.server.programs.advice import advice
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.last_lines import last_lines
from arena.server.programs.start_problems import program_problems
from arena.words import say
from tests.english import english

NODE_MODULE = """node:internal/modules/esm/resolve:873
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@msgpack/msgpack' imported from /bots/bot.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)
    at ModuleJob._link (node:internal/modules/esm/module_job:168:49) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v20.20.2
"""
NODE = """/bots/bot.mjs:3
TypeError: Cannot read properties of null (reading 'x')
    at f (/bots/bot.mjs:3:19)
    at choose (/bots/bot.mjs:9:2)

Node.js v20.20.2
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: broken
\tat T.main(T.java:5)
Caused by: java.lang.ArrayIndexOutOfBoundsException: Index 3 out of bounds for length 1
\tat T.f(T.java:1)
\t... 1 more
"""
GO = """panic: runtime error: index out of range [3] with length 0

goroutine 1 [running]:
main.choose(...)
\t/bots/m.go:2
main.main()
\t/bots/m.go:9 +0x9
exit status 2
"""
RUST = """
thread 'main' (6846) panicked at bot.rs:1:60:
index out of bounds: the len is 0 but the index is 3
stack backtrace:
   0: __rustc::rust_begin_unwind
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
PYTHON = """Traceback (most recent call last):
  File "/bots/bot.py", line 9, in <module>
    f()
IndexError: list index out of range
"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            NODE_MODULE,
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@msgpack/msgpack' imported from /bots/bot.mjs",
        ),
        (NODE, "TypeError: Cannot read properties of null (reading 'x')"),
        (
            JAVA,
            "Caused by: java.lang.ArrayIndexOutOfBoundsException: Index 3 out of bounds for length 1",
        ),
        (GO, "panic: runtime error: index out of range [3] with length 0"),
        (
            RUST,
            "thread 'main' (6846) panicked at bot.rs:1:60: index out of bounds: the len is 0 but the index is 3",
        ),
        (PYTHON, "IndexError: list index out of range"),
        ("ValueError: forgiven\nthe bot goes on\nkilled\n", "killed"),
        ("Error: one\n", "Error: one"),
    ],
    ids=["node-module", "node", "java", "go", "rust", "python", "something-else-later", "one-line"],
)
def test_the_line_that_says_why_is_the_last_of_those_shown(said: str, told: str) -> None:
    assert last_lines(said, 2)[-1] == told
    assert last_lines(said, 5)[-1] == told


def test_the_place_stands_before_it() -> None:
    assert (
        last_lines('x\n  File "a", line 1\n    f()\n  File "b", line 2\n    g()\nE', 5)[0]
        == '  File "b", line 2'
    )
    assert last_lines('  File "a", line 1\n1\n2\n3\n4\n5\n', 5) == (
        '  File "a", line 1',
        "2",
        "3",
        "4",
        "5",
    )
    assert last_lines(NODE, 3)[0] == "    at f (/bots/bot.mjs:3:19)"
    assert last_lines(GO, 5)[1:3] == ("main.choose(...)", "    /bots/m.go:2")


def test_the_class_in_place_of_the_bot_is_told() -> None:
    """`Mine.main()`: Python says it in words that a beginner does not know."""
    said = "TypeError: Bot.main() missing 1 required positional argument: 'self'"
    assert "Mine().main()" in say(advice(said, BotCommand(words=("x",), directory=Path())))


def test_a_file_without_its_interpreter_is_told_with_what_to_write(tmp_path: Path) -> None:
    for name in ("mybot.py", "mybot.mjs", "mybot", "built.x"):
        (tmp_path / name).touch()
    (tmp_path / "built.x").chmod(0o755)

    def told(program: str) -> str:
        [problem] = english(
            program_problems({"me": BotCommand(words=(program,), directory=tmp_path)})
        )
        return problem

    assert (
        told("mybot.py")
        == "bot me: there is no program 'mybot.py'; for the file mybot.py write: python mybot.py"
    )
    assert told("mybot.mjs").endswith("write: node mybot.mjs")
    assert told("mybot").endswith("write: INTERPRETER mybot")
    assert told("built.x").endswith("write: ./built.x")
    assert told("none.py").endswith("give a path or a name found on PATH")
    assert told("./mybot.py").endswith(
        "is not executable; chmod +x ./mybot.py, or write: python ./mybot.py"
    )
