"""What the kernel keeps programs from: the filter of system calls, and the rules of Landlock."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from arena.server.programs import landlock, syscall_filter
from arena.server.programs.syscall_filter import (
    AARCH64,
    ALLOW,
    ARM,
    FORBID,
    I386,
    JUMP_IF_AT_LEAST,
    JUMP_IF_EQUAL,
    LOAD,
    LOONGARCH64,
    MACHINES,
    MASK,
    NO_SUCH_CALL,
    RETURN,
    RISCV64,
    X86_64,
)
from arena.server.programs.system_files import system_files
from tests.fixtures.sandboxes import SANDBOX

NEEDS = pytest.mark.skipif(
    not syscall_filter.is_there(), reason="this system has no such filters, or is not known"
)
WORDS: Final = {ALLOW: "allowed", FORBID: "EPERM", NO_SUCH_CALL: "ENOSYS"}
X32, FAR = 1 << 30, 1 << 32
POWERPC = 0xC0000015
KINDS: Final = {
    X86_64: "x86_64",
    I386: "x86_64",
    AARCH64: "aarch64",
    ARM: "aarch64",
    RISCV64: "riscv64",
    LOONGARCH64: "loongarch64",
}
"""By kind of program, a machine that runs it."""


def verdict(code: bytes, kind: int, number: int, *arguments: int) -> str:
    """What the filter says of a call, as the system runs it."""
    call = struct.pack("=IIQ6Q", number, kind, 0, *arguments, *(0,) * (6 - len(arguments)))
    words = list(struct.iter_unpack("=HBBI", code))
    at = held = 0
    while True:
        (what, if_so, if_not, value), at = words[at], at + 1
        match what:
            case _ if what == LOAD:
                held = struct.unpack_from("=I", call, value)[0]
            case _ if what == MASK:
                held &= value
            case _ if what == JUMP_IF_EQUAL:
                at += if_so if held == value else if_not
            case _ if what == JUMP_IF_AT_LEAST:
                at += if_so if held >= value else if_not
            case _ if what == RETURN:
                return WORDS[value]
            case _:
                raise AssertionError(f"no such instruction: {what:#x}")


@pytest.mark.parametrize(
    ("kind", "number", "arguments", "with_landlock", "with_bubblewrap"),
    [
        pytest.param(X86_64, 90, (), "EPERM", "allowed", id="chmod"),
        pytest.param(X86_64, 90 | X32, (), "ENOSYS", "ENOSYS", id="chmod-by-x32"),
        pytest.param(X86_64, 514 | X32, (3, 0x40086602), "ENOSYS", "ENOSYS", id="ioctl-by-x32"),
        pytest.param(I386, 15, (), "EPERM", "allowed", id="chmod-by-i386"),
        pytest.param(I386, 90, (), "allowed", "allowed", id="i386-has-other-numbers"),
        pytest.param(I386, 412, (), "EPERM", "allowed", id="utimensat-with-long-times"),
        pytest.param(ARM, 15, (), "EPERM", "allowed", id="chmod-by-ARM"),
        *(
            pytest.param(kind, 53, (), "EPERM", "allowed", id=f"fchmodat-{KINDS[kind]}")
            for kind in (AARCH64, RISCV64, LOONGARCH64)
        ),
        *(
            pytest.param(kind, number, (), "EPERM", "allowed", id=f"{number}-by-{kind:x}")
            for kind in KINDS
            for number in (452, 463, 466, 469)  # fchmodat2, setxattrat, removexattrat, file_setattr
        ),
        *(
            pytest.param(kind, 425, (), "EPERM", "EPERM", id=f"io_uring_setup-by-{kind:x}")
            for kind in KINDS
        ),
        pytest.param(X86_64, 29, (), "ENOSYS", "ENOSYS", id="shmget"),
        pytest.param(I386, 117, (), "ENOSYS", "ENOSYS", id="ipc"),
        pytest.param(X86_64, 41, (1, 1), "allowed", "allowed", id="Unix-socket"),
        pytest.param(X86_64, 41, (2, 1), "EPERM", "allowed", id="TCP-socket"),
        pytest.param(X86_64, 41, (40, 1), "EPERM", "EPERM", id="VSOCK-socket"),
        pytest.param(X86_64, 41, (FAR | 40, 1), "EPERM", "EPERM", id="VSOCK-socket-with-high-bits"),
        pytest.param(I386, 102, (1,), "EPERM", "EPERM", id="socket-by-socketcall"),
        pytest.param(I386, 102, (3,), "allowed", "allowed", id="connect-by-socketcall"),
        pytest.param(X86_64, 16, (0, 0x5413), "allowed", "allowed", id="size-of-a-terminal"),
        pytest.param(X86_64, 16, (0, FAR | 0x40086602), "EPERM", "allowed", id="flags-of-a-file"),
        pytest.param(X86_64, 302, (0, 7), "allowed", "allowed", id="own-limits"),
        pytest.param(X86_64, 302, (1234, 7), "EPERM", "allowed", id="limits-of-others"),
        pytest.param(X86_64, 141, (0, 0), "allowed", "allowed", id="own-priority"),
        pytest.param(X86_64, 141, (2, 0), "EPERM", "allowed", id="priority-of-all"),
        pytest.param(X86_64, 141, (0, 1234), "EPERM", "allowed", id="priority-of-another"),
        pytest.param(X86_64, 0xFFFFFFFF, (), "ENOSYS", "ENOSYS", id="no-number"),
        pytest.param(X86_64, 0, (), "allowed", "allowed", id="read"),
    ],
)
def test_every_kind_of_program_is_refused_by_its_own_numbers(
    kind: int, number: int, arguments: tuple[int, ...], with_landlock: str, with_bubblewrap: str
) -> None:
    """Numbers of the same call differ by machine; arguments are looked at as the system does: their low 32 bits."""
    for in_bubblewrap, expected in ((False, with_landlock), (True, with_bubblewrap)):
        code = syscall_filter.program(MACHINES[KINDS[kind]], in_bubblewrap=in_bubblewrap)
        assert verdict(code, kind, number, *arguments) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_a_kind_of_program_that_is_not_known_can_do_nothing(machine: str) -> None:
    """Not even end; else it would be a way around the filter."""
    code = syscall_filter.program(MACHINES[machine], in_bubblewrap=False)
    assert verdict(code, POWERPC, 1) == "ENOSYS"


BEGIN: Final = """
import ctypes, errno, mmap, os, socket, struct, sys
from arena.server.programs import syscall_filter as f
place, is_held = sys.argv[1], sys.argv[2]
if is_held == "held":
    f.install()
libc = ctypes.CDLL(None, use_errno=True)
path = f"{place}/file".encode()
file = os.open(path, os.O_RDWR)
def tell(name, result):
    print(name, errno.errorcode[ctypes.get_errno()] if result == -1 else "allowed")
def raw(name, *arguments):
    ctypes.set_errno(0)
    column = f.MACHINES[os.uname().machine][0][1]
    number = {**f.FORBIDDEN, **f.CHANGES}[name][column]
    if number >= 0:
        tell(name, libc.syscall(ctypes.c_long(number), *arguments))
"""
CHANGES: Final = """
me = os.getuid(), os.getgid()
times = struct.pack("@4q", 1, 0, 1, 0)
raw("chmod", path, 0o600); raw("fchmod", file, 0o600); raw("fchmodat", -100, path, 0o600)
raw("fchmodat2", -100, path, 0o600, 0)
raw("chown", path, *me); raw("fchown", file, *me); raw("lchown", path, *me); raw("fchownat", -100, path, *me, 0)
raw("utime", path, times); raw("utimes", path, times); raw("futimesat", -100, path, times)
raw("utimensat", -100, path, times, 0); raw("utimensat", file, None, times, 0)
for call in (lambda: os.chmod(path, 0o600), lambda: os.chown(path, *me), lambda: os.utime(path)):
    try:
        tell("Python", call() or 0)
    except OSError as error:
        print("Python", errno.errorcode[error.errno])
"""
ATTRIBUTES: Final = """
named = path, b"user.a", b"x", ctypes.c_size_t(1), 0
raw("setxattr", *named); raw("lsetxattr", *named); raw("fsetxattr", file, *named[1:])
raw("removexattr", *named[:2]); raw("lremovexattr", *named[:2]); raw("fremovexattr", file, named[1])
raw("setxattrat"); raw("removexattrat"); raw("file_setattr")
"""
OF_OTHERS: Final = """
import resource
other = os.getppid()
for name, call in {
    "prlimit": lambda: resource.prlimit(other, resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, other, os.getpriority(os.PRIO_PROCESS, other)),
    "everybody": lambda: os.setpriority(os.PRIO_USER, 0, 19) if is_held == "held" else None,
    "affinity": lambda: os.sched_setaffinity(other, os.sched_getaffinity(other)),
    "scheduler": lambda: os.sched_setscheduler(other, os.SCHED_OTHER, os.sched_param(0)),
    "param": lambda: os.sched_setparam(other, os.sched_param(0)),
    "UDP": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "TCP": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "ioctl": lambda: __import__("fcntl").ioctl(file, 2, bytes(4)),  # FIGETBSZ, which every file has
}.items():
    try:
        call()
        print(name, "allowed")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
"""
BY_INT_80: Final = """
code = bytes.fromhex("53 89f8 89f3 89d1 cd80 5b c3")  # the number and two arguments into the registers of i386
low = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, mmap.PROT_READ | mmap.PROT_WRITE | 4)
low[:] = (code.ljust(64) + path + bytes(1)).ljust(4096)
start = ctypes.addressof(ctypes.c_char.from_buffer(low))
if os.fork() == 0:
    result = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint)(start)(15, start + 64, 0o640)
    print("chmod", errno.errorcode[-result] if result else "allowed", flush=True)
    os._exit(0)
os.wait()
"""
FORBIDDEN: Final = """
raw("add_key", b"user", b"x", b"y", 1, -3); raw("request_key", b"user", b"x", None, -3); raw("keyctl", 0, -3, 1)
raw("bpf", 0, None, 0); raw("perf_event_open", bytes(128), 0, -1, -1, 0); raw("open_by_handle_at", -100, bytes(64), 0)
raw("io_uring_setup", 1, bytes(120)); raw("io_uring_enter", -1, 0, 0, 0, None, 0)
raw("io_uring_register", -1, 0, None, 0)
try:
    socket.socket(40, socket.SOCK_STREAM)
    print("vsock allowed")
except OSError as error:
    print("vsock", errno.errorcode[error.errno])
"""
HONEST: Final = """
import fcntl, subprocess, tempfile, termios, threading
with tempfile.TemporaryDirectory(dir=place) as folder:
    assert subprocess.run(["cp", path.decode(), folder], check=False).returncode == 0
ours, theirs = socket.socketpair()
theirs.send(b"12345")
assert fcntl.ioctl(ours, termios.FIONREAD, bytes(4)) == struct.pack("@i", 5)
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(f"{place}/socket")
thread = threading.Thread(target=os.getpid); thread.start(); thread.join()
os.sched_setaffinity(0, os.sched_getaffinity(0)); os.nice(0)
__import__("resource").setrlimit(__import__("resource").RLIMIT_CORE, (0, 0))
os.truncate(path, 0); os.rename(path, path + b"2"); os.close(os.memfd_create("x"))
os.kill(os.getpid(), 0)
print("all allowed")
"""


def said_by(script: str, folder: Path, *, is_held: bool) -> dict[str, set[str]]:
    """The answers to the calls of a script, by name, with and without the filter that helps Landlock."""
    (folder / "file").touch()
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + script, str(folder), "held" if is_held else "free"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return answers(done.stdout)


def answers(output: str) -> dict[str, set[str]]:
    """The lines that a script has printed, by their first word."""
    found: dict[str, set[str]] = {}
    for line in output.splitlines():
        name, answer = line.split()
        found.setdefault(name, set()).add(answer)
    return found


@NEEDS
@pytest.mark.parametrize("script", [CHANGES, ATTRIBUTES, OF_OTHERS, FORBIDDEN, HONEST])
def test_a_program_is_refused_what_landlock_does_not_keep_from_it_and_nothing_else(
    script: str, tmp_path: Path
) -> None:
    """EPERM for what it could do without the filter; what honest programs do works as before."""
    free = said_by(script, tmp_path, is_held=False)
    if script in (CHANGES, OF_OTHERS, HONEST):
        assert {name for name, said in free.items() if said - {"ENOSYS"} != {"allowed"}} == set()
    (tmp_path / "socket").unlink(missing_ok=True)
    held = said_by(script, tmp_path, is_held=True)
    assert held.keys() == free.keys()
    assert held == {name: {"allowed"} if script is HONEST else {"EPERM"} for name in held}


@NEEDS
@pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="only there is a second way into the system"
)
def test_the_calls_of_32_bit_programs_are_no_way_around_the_filter(tmp_path: Path) -> None:
    """`int 0x80`, which every program may use where the system knows it, counts as i386."""
    if said_by(BY_INT_80, tmp_path, is_held=False) != {"chmod": {"allowed"}}:
        pytest.skip("this system runs no 32-bit programs")
    (tmp_path / "file").chmod(0o600)
    assert said_by(BY_INT_80, tmp_path, is_held=True) == {"chmod": {"EPERM"}}
    assert (tmp_path / "file").stat().st_mode & 0o777 != 0o640


@NEEDS
@pytest.mark.parametrize("_sandbox", [SANDBOX])
def test_bubblewrap_holds_programs_to_the_filter_too(_sandbox: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for script, expected in ((FORBIDDEN, "EPERM"), (CHANGES, "allowed")):
        options = syscall_filter.for_bubblewrap()
        done = subprocess.run(
            [
                "bwrap",
                *options,
                "--bind",
                "/",
                "/",
                sys.executable,
                "-c",
                BEGIN + script,
                str(tmp_path),
                "free",
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            pass_fds=[int(options[1])],
        )
        os.close(int(options[1]))
        said = answers(done.stdout)
        assert {name for name, found in said.items() if found - {"ENOSYS"} != {expected}} == set()


# Landlock: which rights a rule gives in every version, and which files a restricted program can
# open


NEEDS_LANDLOCK = pytest.mark.skipif(landlock.version() == 0, reason="this kernel has no Landlock")


@pytest.mark.parametrize(
    ("abi", "files", "network", "scopes"),
    [
        (1, 0x1FFF, 0, 0),
        (2, 0x3FFF, 0, 0),
        (3, 0x7FFF, 0, 0),
        (4, 0x7FFF, 3, 0),
        (5, 0xFFFF, 3, 0),
        (6, 0xFFFF, 3, 3),
        (7, 0xFFFF, 3, 3),
    ],
)
def test_a_ruleset_forbids_all_that_the_version_can_forbid(
    abi: int, files: int, network: int, scopes: int
) -> None:
    """The kernel refuses a ruleset with a right that it does not know."""
    assert landlock.handled(abi) == (files, network, scopes)


LAUNCH = """
import os, sys
from arena.server.programs import landlock
landlock.restrict(sys.argv[3:])
os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", *sys.argv[1:3]])
"""
SCRIPT = """
import os, socket, sys
def can(act):
    try:
        act()
    except OSError:
        return False
    return True
place = sys.argv[1]
print(can(lambda: open(place + "/own/bot.py").read()))
print(can(lambda: open(place + "/scratch/new", "w").write("x")))
print(can(lambda: open("/dev/null", "w").write("x")))
print(can(lambda: open(place + "/key").read()))
print(can(lambda: open(place + "/own/bot.py", "w")))
print(can(lambda: os.truncate(place + "/key", 0)))
print(can(lambda: os.listdir(place)))
print(can(lambda: open(f"/proc/{os.getppid()}/environ").read()))
print(can(lambda: os.kill(os.getppid(), 0)))
print(can(lambda: socket.create_server(("127.0.0.1", 0))))
print(open("/proc/self/status").read().split("CapBnd:")[1].split()[0])
"""


@NEEDS_LANDLOCK
def test_a_program_opens_only_what_the_rules_name(tmp_path: Path) -> None:
    for name in ("own", "scratch"):
        (tmp_path / name).mkdir()
    (tmp_path / "own/bot.py").touch()
    (tmp_path / "key").write_text("secret")
    runtime = [f"r{path}" for path in (*system_files(), sys.base_prefix, sys.prefix)]
    rules = [
        *runtime,
        f"r{tmp_path}/own",
        f"w{tmp_path}/scratch",
        "d/dev/null",
        "r/proc",
        "r/no/such/path",
    ]
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, SCRIPT, str(tmp_path), *rules],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    *could, capabilities = done.stdout.split()
    abi = landlock.version()
    may_truncate, may_signal, may_listen = (
        abi < landlock.ABI_TRUNCATE,
        abi < landlock.ABI_SCOPES,
        abi < landlock.ABI_TCP,
    )
    expected = [True, True, True, False, False, may_truncate, False, False, may_signal, may_listen]
    assert could == [str(one) for one in expected]
    assert capabilities == "0" * 16 or os.getuid() != 0
    assert (tmp_path / "key").read_text() == "secret" or may_truncate


def test_a_system_without_landlock_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is missing: an old kernel, or one with Landlock switched off."""

    def fails(*_: object) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(landlock, "_call", fails)
    assert landlock.version() == 0
