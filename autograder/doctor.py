"""`python -m autograder doctor`: which walls this machine gives around student code, and what each protects."""

import platform
import sys

from .isolation.engine import Engine, EngineError, missing_isolation

# What each wall keeps out of a student's reach. The names are those that the sandbox reports.
PROTECTS = {
    "user namespace": "rights of the user who grades",
    "pid namespace": "other processes: they can't be seen or signalled, and nothing outlives the submission",
    "network namespace": "the network, and services on this machine",
    "ipc namespace": "shared memory and message queues of others",
    "uts namespace": "the machine's name",
    "mount namespace": "the view of the file system",
    "own root folder": "every file but the interpreter and its libraries",
    "landlock": "files, enforced by the kernel a second time",
    "seccomp": "system calls that open sockets, start programs, trace or mount",
}
ELSEWHERE = (
    "Isolation uses features of the Linux kernel; this is {system}. Grade in the container instead:\n"
    "    docker build -t autograder . && docker run --rm -v \"$PWD/class:/work/class\" -v \"$PWD/submissions:/work/submissions:ro\" \\\n"
    "        --security-opt seccomp=unconfined autograder grade submissions --class class"
)


def report() -> tuple[str, bool]:
    """(the text, whether grade would run here without --trust-students)."""
    system = platform.system()
    if sys.platform != "linux":
        return ELSEWHERE.format(system=system), False
    try:
        with Engine() as engine:
            walls = engine.about["walls"]
    except EngineError as error:
        return f"the process that student code is forked from does not start: {error}", False
    width = max(map(len, [*PROTECTS, *walls]))
    lines = [f"{system} {platform.release()}, Python {platform.python_version()}"]
    for name in dict.fromkeys([*PROTECTS, *walls]):
        if name in walls:
            given = walls[name] is True
            lines.append(f"  {'yes' if given else 'no '}  {name:<{width}}  {PROTECTS.get(name, '')}{'' if given else f'  ({walls[name]})'}")
    lines.append(f"  yes  {'limits':<{width}}  time, memory, processes, size and number of files of each submission")
    missing = missing_isolation(walls)
    if missing:
        lines.append(f"Not safe: {missing}. `grade` refuses here unless --trust-students is given.")
    else:
        lines.append("Student code can't reach files, network or other processes: `grade` runs isolated.")
    return "\n".join(lines), not missing
