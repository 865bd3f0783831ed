"""What keeps a student's process in: namespaces, a root of its own, landlock, seccomp, limits, another user.

Each wall stands alone, so that a machine that lacks one still has the others. The zygote builds what children
share (`Sandbox.enter`), each child adds its own (`Sandbox.confine`). Both report what they got, and a child
that was promised a wall refuses to run without it.
"""

import ctypes
import fcntl
import os
import resource
import signal
import struct
import sys
import sysconfig

from . import landlock, seccomp
from . import syscalls as sc

libc = ctypes.CDLL(None, use_errno=True)
SCRATCH = "/scratch"
# Libraries, fonts, time zones: nothing private. What does not exist is left out.
SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/fonts", "/usr/share/zoneinfo",
    "/usr/share/locale", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
NOBODY = 65534
NAMESPACES = (("network namespace", sc.CLONE_NEWNET), ("ipc namespace", sc.CLONE_NEWIPC), ("uts namespace", sc.CLONE_NEWUTS))
FIRST_UID = 1_900_000_000  # beyond the ranges that systems hand out


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _unshare(flags: int) -> None:
    _check(libc.unshare(flags), "unshare")


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    arguments = [text.encode() if text else None for text in (source, target, kind)]
    _check(libc.mount(*arguments, ctypes.c_ulong(flags), data.encode() or None), f"mount {target}")


def _read_only(path: str, recursive: bool) -> None:
    attributes = struct.pack("<QQQQ", sc.MOUNT_ATTR_RDONLY | sc.MOUNT_ATTR_NOSUID, 0, 0, 0)
    flags = sc.AT_RECURSIVE if recursive else 0
    call = sc.SETUP["mount_setattr"]
    _check(libc.syscall(call, sc.AT_FDCWD, path.encode(), flags, attributes, ctypes.c_size_t(32)), f"read-only {path}")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def die_with_parent() -> None:
    libc.prctl(sc.PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)


def library_folders() -> list[str]:
    """Folders that imports may read: the interpreter's library, site-packages and the system's libraries."""
    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [p for p in sys.path if p.startswith((sys.prefix, sys.base_prefix)) and os.path.isdir(p)]
    paths += [p for p in (os.environ.get("MPLCONFIGDIR"), *SYSTEM) if p]
    chosen: list[str] = []
    for path in sorted({os.path.abspath(p) for p in paths if os.path.exists(p)}, key=len):
        if not any(path == parent or path.startswith(parent + "/") for parent in chosen):
            chosen.append(path)
    return chosen


class Sandbox:
    """walls: name -> True, or the reason why this machine does not give it."""

    CHANNEL = 3, 4  # the descriptors of a child's only connection: requests, replies

    def __init__(self):
        self.walls: dict[str, bool | str] = {}
        self.folders: list[str] = []
        self._pid_namespace: int | None = None
        self.placed = False  # whether this is a child that has its channel where it belongs

    def _try(self, name: str, action) -> bool:
        try:
            action()
        except (OSError, KeyError) as error:
            self.walls[name] = str(error) or type(error).__name__
            return False
        self.walls[name] = True
        return True

    # --- the zygote ---

    def enter_pid_namespace(self) -> None:
        """Go on as the first process of a pid namespace; this process only waits for it. Before any thread."""
        user, group = os.getuid(), os.getgid()

        def split():
            if user == 0:
                try:
                    _unshare(sc.CLONE_NEWPID)
                    return
                except OSError:
                    pass
            _unshare(sc.CLONE_NEWUSER | sc.CLONE_NEWPID)
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", f"{user} {user} 1")
            _write("/proc/self/gid_map", f"{group} {group} 1")
            self.walls["user namespace"] = True

        if not self._try("pid namespace", split):
            return
        child = os.fork()
        if child:
            for handle in range(3, 256):
                try:
                    os.close(handle)
                except OSError:
                    pass
            try:
                os.waitpid(child, 0)
            finally:
                os._exit(0)
        die_with_parent()
        self._pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def enter(self) -> None:
        """The namespaces and the root folder that all children share. After the imports."""
        with open("/proc/self/statm") as file:
            self._mapped = int(file.read().split()[0]) * resource.getpagesize()
        try:
            _write("/proc/self/oom_score_adj", "1000")  # short of memory, the system ends a student's process first
        except OSError:
            pass
        self.folders = library_folders()
        for name, flag in NAMESPACES:
            self._try(name, lambda flag=flag: _unshare(flag))
        if self._try("mount namespace", lambda: _unshare(sc.CLONE_NEWNS)):
            self._try("own root folder", self._change_root)
        self.walls["landlock"] = landlock.version(libc) > 0 or "the kernel has no landlock"
        self._rules = landlock.rules(self.folders, list(DEVICES))
        self.walls["seccomp"] = sc.audit_arch() is not None or "unknown machine"
        seccomp.program(1, self.walls.get("own root folder") is True)  # kept for the children: each is its namespace's first

    def _change_root(self) -> None:
        """A root in memory that holds the library folders, read-only, and a place for the scratch folder."""
        root = next(path for path in ("/sys", "/mnt", "/srv", "/tmp") if os.path.isdir(path))
        _mount("", "/", "", sc.MS_REC | sc.MS_PRIVATE)
        _mount("tmpfs", root, "tmpfs", sc.MS_NOSUID | sc.MS_NODEV, "size=1m,mode=755")
        for path in (*self.folders, *DEVICES):
            if not os.path.exists(path):
                continue
            target = root + path
            if os.path.isdir(path):
                os.makedirs(target, exist_ok=True)
            else:
                os.makedirs(os.path.dirname(target), exist_ok=True)
                open(target, "w").close()
            _mount(path, target, "", sc.MS_BIND | sc.MS_REC)
            if path not in DEVICES:
                _read_only(target, recursive=True)
        os.mkdir(root + SCRATCH)
        os.chdir(root)
        _check(libc.syscall(sc.SETUP["pivot_root"], b".", b"."), "pivot_root")
        _check(libc.umount2(b".", sc.MNT_DETACH), "umount")
        os.chdir("/")
        _read_only("/", recursive=False)

    def before_copy(self) -> None:
        """The next process that is forked is another zygote, in the same pid namespace."""
        if self._pid_namespace is not None:
            _check(libc.setns(self._pid_namespace, sc.CLONE_NEWPID), "setns")

    def enter_again(self) -> None:
        """In a copy of the zygote: its children share nothing with those of the original, which run at the same time."""
        die_with_parent()
        self.serial = os.getpid() * 10_000
        for name, flag in NAMESPACES:
            if self.walls[name] is True:
                _unshare(flag)

    def before_fork(self) -> None:
        """The next child starts a pid namespace of its own, inside the zygote's."""
        if self._pid_namespace is not None:
            _check(libc.setns(self._pid_namespace, sc.CLONE_NEWPID), "setns")
            _unshare(sc.CLONE_NEWPID)

    # --- a child ---

    def confine(self, limits, keep: list[int]) -> tuple[int, int]:
        """All that binds one child; afterwards the two of `keep` are its only descriptors beyond /dev/null. Raises OSError.

        Returns the descriptors that they became.
        """
        die_with_parent()
        os.setsid()
        self._place_descriptors(keep)
        scratch = self._scratch(limits)
        self._limit(limits)
        self._drop_user()
        die_with_parent()  # again: who becomes another user has forgotten it
        _check(libc.prctl(sc.PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0), "no_new_privs")
        libc.prctl(sc.PR_SET_DUMPABLE, ctypes.c_ulong(0), 0, 0, 0)
        self._drop_capabilities()
        if self.walls["landlock"] is True:
            landlock.restrict(libc, self._rules, [SCRATCH] if scratch else [])
        self._close_descriptors()
        if self.walls["seccomp"] is True:
            seccomp.install(libc, os.getpid(), own_root=self.walls.get("own root folder") is True)
        return self.CHANNEL

    def _place_descriptors(self, keep: list[int]) -> None:
        null = os.open("/dev/null", os.O_RDWR)
        # First out of the way: one may have the number where the other belongs.
        handles = [fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, landlock.HIGH) for handle in keep]
        for handle, target in zip((null, null, null, *handles), (0, 1, 2, *self.CHANNEL), strict=True):
            os.dup2(handle, target, inheritable=target < 3)
        self.placed = True

    def _close_descriptors(self) -> None:
        """All but the standard ones and the channel."""
        first, call = self.CHANNEL[-1] + 1, sc.SETUP.get("close_range")
        if call is None or libc.syscall(call, ctypes.c_uint(first), ctypes.c_uint(0xFFFFFFFF), ctypes.c_uint(0)):
            os.closerange(first, 65536)

    def _scratch(self, limits) -> bool:
        """A folder in memory of bounded size, gone with the child. Without a mount namespace there is none."""
        if self.walls.get("own root folder") is not True:
            os.chdir("/")
            return False
        _unshare(sc.CLONE_NEWNS)
        options = f"size={limits.scratch},nr_inodes={limits.scratch_files},mode=777"
        _mount("tmpfs", SCRATCH, "tmpfs", sc.MS_NOSUID | sc.MS_NODEV | sc.MS_NOEXEC, options)
        os.chdir(SCRATCH)
        return True

    def _limit(self, limits) -> None:
        cpu = int(limits.total) + 5
        bounds = {
            resource.RLIMIT_CPU: cpu, resource.RLIMIT_AS: self._mapped + limits.memory, resource.RLIMIT_CORE: 0,
            resource.RLIMIT_FSIZE: limits.file_size, resource.RLIMIT_NOFILE: limits.files, resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0, resource.RLIMIT_STACK: 8 << 20,
        }  # fmt: skip
        # Elsewhere the count would include the user's other processes; there memory bounds the threads.
        if os.getuid() == 0 or self.walls.get("user namespace") is True:
            bounds[resource.RLIMIT_NPROC] = limits.threads
        for name, value in bounds.items():
            hard = resource.getrlimit(name)[1]
            if hard != resource.RLIM_INFINITY:
                value = min(value, hard)
            resource.setrlimit(name, (value, value))

    def _drop_user(self) -> None:
        """As root: become a user that owns nothing, a different one for each child where the system allows."""
        if os.getuid() != 0:
            return
        os.setgroups([])
        for user in (FIRST_UID + self.serial % 1_000_000, NOBODY):
            try:
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                return
            except OSError:
                continue
        raise OSError(1, "could not become another user")

    serial = 0  # set by the zygote for each child

    def _drop_capabilities(self) -> None:
        header, none = struct.pack("<Ii", 0x20080522, 0), struct.pack("<6I", *[0] * 6)
        _check(libc.syscall(sc.SETUP["capset"], header, none), "capset")
