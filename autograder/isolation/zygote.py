"""The process that student processes are forked from: started fresh, so it never held a test or an answer.

It imports what notebooks use, rehearses what children do, builds the walls that they share, and obeys its parent over
one socket: "fork" (with the two ends of pipes that are the child's channel), "kill", "prepare" (a given cell, to be
compiled) and "copy" (with the socket that the copy of it obeys). It has one thread. When the parent goes, all of it goes.
"""

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import time


def main() -> None:
    gc.disable()  # what is loaded here stays
    control = socket.socket(fileno=int(sys.argv[1]))
    options = json.loads(sys.argv[2])
    sys.path.insert(0, options["package"])  # the folder that holds `autograder`; gone again after the imports
    from autograder.isolation import sandbox as walls

    sandbox = walls.Sandbox()
    sandbox.enter_pid_namespace()
    shell = _imports(options["matplotlib"])
    from autograder.isolation import child, watch
    from autograder.isolation.limits import Limits
    from autograder.isolation.rehearsal import rehearse

    rehearse(shell)
    sys.path.remove(options["package"])
    _clean_environment()
    sandbox.enter()
    watch.allow(sandbox.folders)
    gc.freeze()
    threads = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 1
    greeting = json.dumps({"walls": sandbox.walls, "threads": threads, "folders": sandbox.folders}).encode()
    control.send(greeting)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _obey(control, greeting, sandbox, child, shell, Limits)


def _imports(matplotlib: bool):
    """What notebooks use, so that children find it loaded; each module also does its lazy work once."""
    import random  # noqa: F401

    import numpy
    import numpy.fft
    import numpy.linalg
    import numpy.ma
    import numpy.polynomial
    import numpy.random
    import numpy.testing

    numpy.random.default_rng(0).normal(size=3)
    numpy.linalg.inv(numpy.eye(2))
    if matplotlib:
        import io

        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(1, 1))
        axes.plot([0, 1], label="a")
        axes.set_title("$x$")
        axes.legend()
        figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")
        pyplot.close("all")
    from autograder.isolation.shell import make_shell

    return make_shell()


def _clean_environment() -> None:
    language = os.environ.get("LANG", "C.UTF-8")
    os.environ.clear()
    os.environ.update(LANG=language, HOME="/scratch", TMPDIR="/scratch", PATH="/usr/bin:/bin", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MPLBACKEND="Agg")
    sys.argv[:] = ["notebook"]
    sys.stdin = open(0, closefd=False)  # nothing to read, here and in children
    sys.path.insert(0, "")  # a notebook's own folder: here the scratch folder
    time.tzset()


def _obey(control, greeting, sandbox, child, shell, limits_type) -> None:
    made = None  # what the next child begins with
    children: dict[int, int] = {}  # the parent's name for a child -> its process id
    while True:
        try:
            message, handles, _, _ = socket.recv_fds(control, 65536, 4)
        except OSError:
            message = b""
        if not message:
            break
        request = json.loads(message)
        if request["do"] == "fork":
            limits = limits_type(**request["limits"])
            if made is None or made.limits != limits:
                made = child.Child(shell, limits)
            reply = _fork(sandbox, child, made, handles)
            if "pid" in reply:
                children[request["name"]] = reply["pid"]
        elif request["do"] == "prepare":
            shell.prepare(request["source"])
            reply = {}
        elif request["do"] == "copy":
            if not children:  # earlier copies, and what they have left
                with contextlib.suppress(ChildProcessError):
                    while os.waitpid(-1, os.WNOHANG)[0]:
                        pass
            copy = _copy(sandbox, request["processors"], handles[0])
            if copy is not None:
                control.close()
                control = copy
                children.clear()
                control.send(greeting)
            continue  # no answer from the original
        else:
            reply = _end(children.pop(request["name"], None), request["patient"])
        control.send(json.dumps(reply).encode())
    for pid in children.values():  # without a pid namespace they would survive
        os.kill(pid, signal.SIGKILL)
    os._exit(0)


def _copy(sandbox, processors, handle):
    """None here. In a copy of this process: the socket that it obeys. When there is none, who asked sees the socket closed."""
    control = socket.socket(fileno=handle)
    try:
        sandbox.before_copy()
        original = os.fork() != 0
    except OSError:
        original = True
    if original:
        control.close()
        return None
    try:
        os.sched_setaffinity(0, processors)
        sandbox.enter_again()
    except OSError:
        os._exit(70)
    return control


def _fork(sandbox, child, made, handles) -> dict:
    try:
        sandbox.serial += 1
        sandbox.before_fork()
        pid = os.fork()
    except OSError as error:
        for handle in handles:
            os.close(handle)
        return {"error": str(error)}
    if pid == 0:
        try:
            child.main(sandbox.confine(made.limits, handles), made)
        except BaseException as error:
            text = repr(error).encode()[:500]
            with contextlib.suppress(OSError):
                os.write(sandbox.CHANNEL[1] if sandbox.placed else handles[1], len(text).to_bytes(4, "little") + text)
        finally:
            os._exit(70)
    for handle in handles:
        os.close(handle)
    return {"pid": pid}


def _end(pid: int | None, patient: bool) -> dict:
    """End a child, wait for it, and say how it ended: its exit status, or a signal's number, negative.

    patient: its channel is closed, so give it a moment to end by itself, which tells how.
    """
    if pid is None:
        return {}
    for _ in range(50 if patient else 1):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return {"ended": os.waitstatus_to_exitcode(status)}
        if patient:
            time.sleep(0.004)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return {"ended": "killed"}


if __name__ == "__main__":
    main()
