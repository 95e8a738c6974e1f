"""The system call filter: its program on every processor, run by a small interpreter of BPF, and in earnest here."""

from __future__ import annotations

import errno
import os
import re
import shutil
import struct
import subprocess

import pytest

from gra_core import SandboxJob, SandboxLimits
from gra_skill_scratch_datasets.guest import seal
from gra_skill_scratch_datasets.sandboxes.supervised import SupervisedRunner

ALLOW = "allow"


def interpret(code: bytes, *, number: int, architecture: int, arguments: tuple[int, ...] = ()) -> object:
    """Run a classic BPF program over one `struct seccomp_data`, as seccomp(2) and bpf(4) describe them."""
    arguments = (*arguments, *([0] * (6 - len(arguments))))
    data = struct.pack("<iIQ6Q", number, architecture, 0, *arguments)
    steps = [struct.unpack_from("HBBI", code, at) for at in range(0, len(code), 8)]
    at = accumulator = 0
    while True:
        kind, yes, no, value = steps[at]
        at += 1
        if kind == 0x20:
            accumulator = struct.unpack_from("<I", data, value)[0]
        elif kind == 0x06:
            return {0x7FFF: ALLOW, 0x8000: "kill"}.get(value >> 16, value & 0xFFFF)
        else:
            met = {
                0x15: accumulator == value,
                0x25: accumulator > value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[kind]
            at += yes if met else no


# Audit numbers of the ELF machines 62, 183 and 243, 64-bit, little endian: linux/audit.h.
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "riscv64": 0xC00000F3}
HARMLESS = {"x86_64": {"read": 0, "write": 1, "mmap": 9, "openat": 257, "futex": 202, "exit_group": 231}, "aarch64": {"read": 63, "write": 64, "mmap": 222, "openat": 56, "futex": 98, "exit_group": 94}}  # fmt: skip


@pytest.fixture(params=["x86_64", "aarch64", "riscv64"])
def machine(request):
    return request.param


def decide(
    machine: str,
    number: int,
    *arguments: int,
    processes: bool = True,
    only: int = 0,
    architecture: int | None = None,
) -> object:
    code = seal.program(machine=machine, processes=processes, own_signals_only=only)
    assert len(code) // 8 <= 4096  # the kernel's bound
    return interpret(
        code,
        number=number,
        architecture=AUDIT[machine] if architecture is None else architecture,
        arguments=arguments,
    )


def column(machine: str) -> int:
    return 0 if machine == "x86_64" else 1


def test_every_listed_call_is_refused_and_ordinary_ones_pass(machine):
    for numbers in seal.SYSCALLS.values():
        if (number := numbers[column(machine)]) is not None:
            assert decide(machine, number) == errno.EPERM
    for number in HARMLESS.get(machine, HARMLESS["aarch64"]).values():
        assert decide(machine, number) == ALLOW


def test_foreign_instruction_sets_and_unknown_calls_are_refused(machine):
    assert decide(machine, 1, architecture=0x40000003) == "kill"  # 32-bit x86
    assert decide(machine, 452) == errno.ENOSYS  # fchmodat2 came after the list was made
    assert decide(machine, 463) == errno.ENOSYS  # setxattrat
    if machine == "x86_64":
        assert decide(machine, 0x40000000 | 41) == errno.EPERM


def test_threads_pass_and_processes_where_they_may(machine):
    clone, thread = seal.CLONE[column(machine)], 0x3D0F00  # what pthread_create asks for
    fork = 0x1200011  # what fork asks for
    assert decide(machine, clone, thread, processes=False) == ALLOW
    assert decide(machine, clone, fork, processes=False) == errno.EAGAIN
    assert decide(machine, clone, fork) == ALLOW
    assert decide(machine, 435, processes=True) == errno.ENOSYS
    for namespace in (
        0x00020000,
        0x02000000,
        0x04000000,
        0x08000000,
        0x10000000,
        0x20000000,
        0x40000000,
        0x80,
    ):
        assert decide(machine, clone, namespace | fork) == errno.EPERM
    if machine == "x86_64":
        assert decide(machine, 57, processes=False) == errno.EAGAIN
        assert decide(machine, 58, processes=False) == errno.EAGAIN
        assert decide(machine, 57) == ALLOW


def test_limits_of_others_and_signals_to_others(machine):
    prlimit, kill = (302, 62) if machine == "x86_64" else (261, 129)
    assert decide(machine, prlimit, 0) == ALLOW
    assert decide(machine, prlimit, 4711) == errno.EPERM
    assert decide(machine, kill, 4711) == ALLOW
    assert decide(machine, kill, 4711, only=99) == errno.EPERM
    assert decide(machine, kill, 99, only=99) == ALLOW
    assert decide(machine, kill, 0xFFFFFFFF, only=99) == errno.EPERM
    assert decide(machine, 424, only=99) == errno.EPERM


@pytest.mark.parametrize(("header", "index"), [("asm/unistd_64.h", 0), ("asm-generic/unistd.h", 1)])
def test_numbers_are_those_of_the_kernel_headers(header, index):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler to ask for the headers")
    done = subprocess.run(
        [compiler, "-E", "-dM", "-include", header, "-xc", os.devnull], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"no header {header}")
    real = {m[1]: int(m[2]) for m in re.finditer(r"^#define __NR_(\w+) (\d+)$", done.stdout, re.M)}
    mine = seal.SYSCALLS | seal.FORKS | seal.OWN_ONLY | seal.SIGNALS
    mine |= {"clone": seal.CLONE, "pidfd_send_signal": seal.PIDFD_SEND_SIGNAL}
    wrong = {n: (v[index], real.get(n)) for n, v in mine.items() if real.get(n, v[index]) != v[index]}
    assert wrong == {}


@pytest.mark.skipif(not seal.supported(), reason="no filter for this processor")
def test_the_seal_alone_guards_signals_sockets_and_modes(tmp_path):
    """As on kernels whose Landlock does not confine signals: nothing but the seal protects here."""
    victim = tmp_path / "victim"
    victim.write_text("x")
    victim.chmod(0o644)
    code = f"""
import os, signal, socket, threading
def blocked(action):
    try:
        action()
    except OSError:
        return True
    return False
assert blocked(lambda: os.kill(os.getppid(), 0))
assert blocked(lambda: os.killpg(os.getpgid(os.getppid()), 0))
assert blocked(lambda: os.kill(-1, 0))
assert blocked(socket.socket)
assert blocked(lambda: os.chmod({str(victim)!r}, 0o777))
assert blocked(os.fork)
os.kill(os.getpid(), 0)
t = threading.Thread(target=lambda: print("thread", flush=True)); t.start(); t.join()
signal.raise_signal(signal.SIGTERM)
"""
    runner = SupervisedRunner("none", seal=True, guard_signals=True, max_processes=1)
    folder = tmp_path / "run"
    folder.mkdir()
    outcome = runner.run(SandboxJob(code=code, folder=folder, limits=SandboxLimits(timeout_s=20.0)))
    assert outcome.output == "thread\n"
    assert (outcome.end, outcome.error) == ("killed", "the process was ended by SIGTERM")
    assert victim.stat().st_mode & 0o777 == 0o644
