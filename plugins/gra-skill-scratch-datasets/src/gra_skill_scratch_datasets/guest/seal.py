"""A seccomp filter that the confined process puts on itself before it runs foreign code.

It closes what file-system rules and namespaces leave open. Landlock has no say over chmod, chown, utime, extended
attributes, resource limits and priorities of other processes; TCP Fast Open and MPTCP reach the network without
the connect(2) of TCP that it watches. Runs before anything is imported, so this file needs the standard library only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

# Names to numbers: x86-64, then the generic table that 64-bit ARM and RISC-V use. None: not there.
SYSCALLS: dict[str, tuple[int | None, int | None]] = {
    # the network, sockets of all families
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242),
    # owner, mode, times and attributes of files that are merely visible
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None), "fchown": (93, 55),
    "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "mknod": (133, None), "mknodat": (259, 33),
    # other processes of the same user
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "migrate_pages": (256, 238), "move_pages": (279, 239),
    # memory and messages that no limit counts
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181), "memfd_secret": (447, 447),
    # namespaces, mounts and the machine
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "acct": (163, 89), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171), "syslog": (103, 116),
    "iopl": (172, None), "ioperm": (173, None), "vhangup": (153, 58), "sethostname": (170, 161),
    "setdomainname": (171, 162), "sync": (162, 81), "syncfs": (306, 267),
    # parts of the kernel that analysis of data never needs
    "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "fanotify_init": (300, 262), "inotify_init": (253, None),
    "inotify_init1": (294, 26),
}  # fmt: skip
FORKS = {"fork": (57, None), "vfork": (58, None)}
CLONE, CLONE3 = (56, 220), (435, 435)
# Allowed for the process itself (first argument 0) only.
OWN_ONLY = {"prlimit64": (302, 261), "sched_setaffinity": (203, 122)}
SIGNALS = {
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}  # fmt: skip
PIDFD_SEND_SIGNAL = (424, 424)
# Later system calls are unknown to this list, so they do not exist for the sealed process.
LAST_KNOWN = 451
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "riscv64": (0xC00000F3, 1)}
X32 = 0x40000000
CLONE_THREAD, CLONE_NAMESPACES = 0x00010000, 0x7E020080

LOAD, JUMP_EQUAL, JUMP_GREATER, JUMP_GREATER_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, ARCHITECTURE, ARGUMENT = 0, 4, 16

Step = tuple[int, int, int, int]


def supported(machine: str = "") -> bool:
    """Whether the filter can be written for this processor."""
    return (machine or platform.machine()) in MACHINES


def program(*, machine: str, processes: bool, own_signals_only: int = 0) -> bytes:
    """The filter as an array of ``struct sock_filter``.

    `processes` says whether new processes (not threads) may be made; `own_signals_only` is the process id that
    signals may be sent to, 0 for no restriction (when something else confines them).
    """
    architecture, column = MACHINES[machine]
    steps: list[Step] = [(LOAD, 0, 0, ARCHITECTURE), (JUMP_EQUAL, 1, 0, architecture), _answer(KILL)]
    steps.append((LOAD, 0, 0, NUMBER))
    if column == 0:
        steps += [(JUMP_GREATER_EQUAL, 0, 1, X32), _refuse(errno.EPERM)]
    steps += [(JUMP_GREATER, 0, 1, LAST_KNOWN), _refuse(errno.ENOSYS)]
    # glibc falls back to clone, whose flags a filter can read, when there is no clone3.
    steps += [(JUMP_EQUAL, 0, 1, CLONE3[column]), _refuse(errno.ENOSYS)]
    for numbers in SYSCALLS.values():
        steps += _when(numbers[column], [_refuse(errno.EPERM)])
    if not processes:
        for numbers in FORKS.values():
            steps += _when(numbers[column], [_refuse(errno.EAGAIN)])
    steps += _when(CLONE[column], _clone(processes))
    for numbers in OWN_ONLY.values():
        steps += _when(
            numbers[column],
            [(LOAD, 0, 0, ARGUMENT), (JUMP_EQUAL, 0, 1, 0), _answer(ALLOW), _refuse(errno.EPERM)],
        )
    if own_signals_only:
        steps += _when(PIDFD_SEND_SIGNAL[column], [_refuse(errno.EPERM)])
        own = [
            (LOAD, 0, 0, ARGUMENT),
            (JUMP_EQUAL, 0, 1, own_signals_only),
            _answer(ALLOW),
            _refuse(errno.EPERM),
        ]
        for numbers in SIGNALS.values():
            steps += _when(numbers[column], own)
    steps.append(_answer(ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _clone(processes: bool) -> list[Step]:
    steps = [(LOAD, 0, 0, ARGUMENT), (JUMP_SET, 0, 1, CLONE_NAMESPACES), _refuse(errno.EPERM)]
    if not processes:
        steps += [(JUMP_SET, 1, 0, CLONE_THREAD), _refuse(errno.EAGAIN)]
    return [*steps, _answer(ALLOW)]


def _when(number: int | None, body: list[Step]) -> list[Step]:
    """`body` (which ends in an answer) for one system call."""
    return [] if number is None else [(JUMP_EQUAL, 0, len(body), number), *body]


def _answer(action: int) -> Step:
    return (RETURN, 0, 0, action)


def _refuse(number: int) -> Step:
    return _answer(ERROR | number)


def apply(*, processes: bool, guard_signals: bool) -> None:
    """Seal this process and all it starts; `OSError` when the kernel refuses."""
    code = program(
        machine=platform.machine(), processes=processes, own_signals_only=os.getpid() if guard_signals else 0
    )
    libc = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(code)

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    argument = Filter(len(code) // 8, ctypes.addressof(held))
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(
        set_seccomp, filter_mode, ctypes.byref(argument), 0, 0
    ):
        number = ctypes.get_errno()
        raise OSError(number, f"the seccomp filter was refused: {os.strerror(number)}")
