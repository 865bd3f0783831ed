"""Numbers of Linux: system calls of the two supported machines and the constants that the sandbox uses."""

import platform

# name: (x86_64, aarch64); None where the machine has no such call.
_ALLOWED = """
read 0 63, write 1 64, close 3 57, fstat 5 80, lseek 8 62, mmap 9 222, mprotect 10 226, munmap 11 215, brk 12 214,
rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigtimedwait 128 137,
pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66, preadv 295 69, pwritev 296 70, access 21 -, pipe 22 -,
pipe2 293 59, select 23 -, sched_yield 24 124, mremap 25 216, msync 26 227, mincore 27 232, madvise 28 233, dup 32 23,
dup2 33 -, dup3 292 24, pause 34 -, nanosleep 35 101, getitimer 36 102, setitimer 38 103, alarm 37 -, getpid 39 172,
sendto 44 206, recvfrom 45 207, shutdown 48 210, getsockname 51 204, getpeername 52 205, getsockopt 55 209, exit 60 93, exit_group 231 94, uname 63 160, fcntl 72 25, flock 73 32,
fsync 74 82, fdatasync 75 83, truncate 76 45, ftruncate 77 46, getdents 78 -, getdents64 217 61, getcwd 79 17,
chdir 80 49, fchdir 81 50, rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -,
creat 85 -, link 86 -, linkat 265 37, unlink 87 -, unlinkat 263 35, symlink 88 -, symlinkat 266 36, readlink 89 -,
readlinkat 267 78, chmod 90 -, fchmod 91 52, fchmodat 268 53, umask 95 166, gettimeofday 96 169, getrlimit 97 163,
getrusage 98 165, sysinfo 99 179, times 100 153, getuid 102 174, getgid 104 176, geteuid 107 175, getegid 108 177,
getppid 110 173, getpgrp 111 -, getpgid 121 155, getsid 124 156, getresuid 118 148, getresgid 120 150, getgroups 115 158,
sigaltstack 131 132, statfs 137 43, fstatfs 138 44, arch_prctl 158 -, gettid 186 178, futex 202 98,
sched_getaffinity 204 123, sched_getparam 143 121, sched_getscheduler 145 120, set_tid_address 218 96,
clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, restart_syscall 219 128, fadvise64 221 223,
epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, openat 257 56,
open 2 -, stat 4 -, lstat 6 -, newfstatat 262 79, faccessat 269 48, faccessat2 439 439, statx 332 291, getrandom 318 278,
pselect6 270 72, ppoll 271 73, poll 7 -, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293, eventfd 284 -,
eventfd2 290 19, utimensat 280 88, utimes 235 -, utime 132 -, copy_file_range 326 285, sendfile 40 71,
membarrier 324 283, getcpu 309 168, fallocate 285 47, time 201 -
"""
_CHECKED = """
ioctl 16 29, clone 56 220, clone3 435 435, socketpair 53 199, kill 62 129, tgkill 234 131, prctl 157 167, prlimit64 302 261,
sched_setaffinity 203 122
"""
_SETUP = """
capset 126 91, pivot_root 155 41, mount_setattr 442 442, setns 308 268, landlock_create_ruleset 444 444,
landlock_add_rule 445 445, landlock_restrict_self 446 446, close_range 436 436
"""

MACHINES = {"x86_64": 0, "aarch64": 1, "arm64": 1}
AUDIT_ARCH = (0xC000003E, 0xC00000B7)


def _table(text: str, column: int) -> dict[str, int]:
    rows = (row.split() for row in text.replace("\n", " ").split(","))
    return {row[0]: int(row[1 + column]) for row in rows if row[1 + column] != "-"}


def table(text: str) -> dict[str, int]:
    """The numbers on this machine; empty on a machine that the sandbox does not know."""
    column = MACHINES.get(platform.machine())
    return {} if column is None else _table(text, column)


ALLOWED, CHECKED, SETUP = table(_ALLOWED), table(_CHECKED), table(_SETUP)


def audit_arch() -> int | None:
    column = MACHINES.get(platform.machine())
    return None if column is None else AUDIT_ARCH[column]


CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER = 0x20000, 0x4000000, 0x8000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET, CLONE_THREAD = 0x20000000, 0x40000000, 0x10000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME = 3, 15, 16
