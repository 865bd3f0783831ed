"""Code that does not stop or takes what it can get: it loses its own cell; the others and the machine are unharmed."""

from .synthetic import RIGHT, added, code, place, submission
from .table import row

SHORT = {"seconds": 0.7}
OK = "\n    return 2 * np.asarray(x)"


@row(limits=SHORT, last=0, notes="last: stopped after")
def endless_loop():
    return submission(last="while True:\n    pass")


@row(limits=SHORT, double=0, notes="double: stopped after")
def endless_loop_in_the_first_answer():
    return submission(double="def double(x):" + OK + "\nwhile True:\n    pass")


@row(limits=SHORT, notes="stopped after")
def endless_loop_in_a_cell_of_its_own():
    return added("while True: pass", after="half")


@row(limits=SHORT, last=0, notes="stopped after")
def endless_loop_that_catches_everything():
    return submission(last="while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass")


@row(limits=SHORT, last=0, notes="last-value: stopped after")
def endless_loop_in_a_function():
    return submission(last="def last(values):\n    while True: pass")


@row(limits=SHORT, compose=0, notes="compose-steps: stopped after")
def endless_loop_in_a_returned_function():
    return submission(compose="def compose(f, n):\n    def g(x):\n        while True: f(x)\n    return g")


@row(limits=SHORT, compose=0, notes="stopped after")
def endless_calls_of_the_tests_function():
    return submission(compose="def compose(f, n):\n    while True:\n        f(1)")


@row(limits=SHORT, double=0, notes="stopped after")
def sleeps():
    return submission(double="import time\ndef double(x):\n    time.sleep(1000)")


@row(limits=SHORT, last=0, notes="stopped after")
def regular_expression_without_end():
    return submission(last="import re\nre.match('(a|a)*$', 'a' * 60 + 'b')")


@row(limits=SHORT, last=0, notes="stopped after")
def numpy_call_without_end():
    return submission(last="a = np.random.rand(2500, 2500)\nfor _ in range(1000):\n    np.linalg.svd(a)")


@row(limits=SHORT, last=0, notes="stopped after")
def big_power():
    return submission(last="x = 7 ** (10 ** 9)")


@row(limits=SHORT, last=0)
def endless_generator():
    return submission(last="def last(values):\n    while True:\n        yield 7")


@row(limits=SHORT, last=0, notes="stopped after")
def endless_generator_consumed():
    return submission(last="import itertools\nlist(zip(itertools.repeat(0, 10**12), range(3))) and sum(1 for _ in itertools.count())")


@row(limits=SHORT, last=0, notes="stopped after")
def waits_for_a_lock():
    return submission(last="import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()")


@row(limits=SHORT, last=0, notes="stopped after")
def waits_for_a_thread():
    return submission(last="import threading, time\nt = threading.Thread(target=lambda: time.sleep(999))\nt.start()\nt.join()")


@row(limits=SHORT)
def thread_that_stays():
    return submission(last="import threading, time\nthreading.Thread(target=lambda: time.sleep(999)).start()\n" + RIGHT["last"])


@row(limits={"seconds": 2.0})
def thread_that_burns_time():
    return submission(last="import threading\ndef burn():\n    while True: pass\nthreading.Thread(target=burn, daemon=True).start()\n" + RIGHT["last"])


@row(limits=SHORT, last=0, notes="stopped after")
def ignores_signals():
    return submission(last="import signal\nfor s in range(1, 64):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True: pass")


@row(limits=SHORT, last=0, notes="stopped after")
def stops_itself():
    return submission(last="import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass")


@row(limits=SHORT, last=0, notes="stopped after")
def endless_repr():
    return submission(last="class R:\n    def __repr__(self):\n        while True: pass\nR()")


@row(limits=SHORT, last=0, notes="stopped after")
def endless_destructor():
    return submission(last="class R:\n    def __del__(self):\n        while True: pass\nr = R()\ndel r")


@row(limits=SHORT)
def endless_exit_handler():
    return submission(last="import atexit\ndef stay():\n    while True: pass\natexit.register(stay)\n" + RIGHT["last"])


@row(limits=SHORT, last=0, notes="stopped after")
def endless_message_of_an_error():
    return submission(last="class E(Exception):\n    def __str__(self):\n        while True: pass\ndef last(values):\n    raise E")


@row(limits=SHORT, last=0, notes="stopped after")
def endless_length():
    return submission(last="class A:\n    def __array__(self, *a, **k):\n        while True: pass\n    def __eq__(self, other):\n        while True: pass\nlast = lambda values: A()\nA() == 1")


@row(limits={"seconds": 0.5, "total": 2.0}, double=0, half=0, compose=0, last=0)
def every_cell_runs_for_ever():
    return submission(**{name: "while True: pass" for name in RIGHT})


@row(limits={"seconds": 0.5, "total": 1.5}, last=0)
def more_runaway_cells_than_time():
    return added(*["while True: pass"] * 20, after="compose-steps")


# --- memory, files, processes ---


@row(last=0, prints="MemoryError", limits={"memory": 200 << 20})
def memory_bomb():
    return submission(last="x = []\nwhile True:\n    x.append('a' * 10**7)")


@row(last=0, prints="MemoryError")
def memory_bomb_of_numpy():
    return submission(last="x = np.ones((200_000, 100_000))")


@row(last=0)
def memory_bomb_in_a_function():
    return submission(last="def last(values):\n    return 'a' * 10**10")


@row(last=0)
def memory_bomb_of_text():
    return submission(last="s = 'a'\nwhile True:\n    s += s")


@row(prints="PermissionError")
def fork_bomb():
    return added("import os\nwhile True:\n    os.fork()", after="double-array")


@row()
def fork_bomb_that_does_not_give_up():
    return added("import os\nfor _ in range(3000):\n    try: os.fork()\n    except OSError: pass", after="double-array")


@row(prints="Error")
def process_pool():
    return added("import concurrent.futures as c\nwith c.ProcessPoolExecutor() as p:\n    print(list(p.map(abs, [1])))", after="double-array", )


@row(prints="can't start new thread")
def thread_bomb():
    return added(
        "import threading, time\nthreads = []\nwhile True:\n    t = threading.Thread(target=time.sleep, args=(999,), daemon=True)\n    t.start()\n    threads.append(t)",
        after="double-array",
    )


@row(last=0, prints="RecursionError")
def recursion():
    return submission(last="def f(n):\n    return f(n + 1)\nf(0)")


@row(limits={"seconds": 4.0}, last=0)
def recursion_without_limit():
    return submission(last="import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __getattr__(self, n):\n        return getattr(self, n + 'a')\nA().x")


@row(last=0)
def recursion_in_a_function():
    return submission(last="def last(values):\n    return last(values)")


@row(last=0, prints="OSError")
def huge_file():
    return submission(last="with open('big', 'wb') as f:\n    while True:\n        f.write(b'0' * 10**6)")


@row(last=0, prints="No space left")
def many_big_files():
    return submission(last="for i in range(1000):\n    with open(f'big{i}', 'wb') as f:\n        f.write(b'0' * 10**7)")


@row(last=0, prints="No space left")
def many_files():
    return submission(last="for i in range(10**6):\n    open(f'f{i}', 'w').close()")


@row(last=0, prints="Too many open files")
def many_open_files():
    return submission(last="import os\nwhile True:\n    os.open('/dev/null', 0)")


@row(last=0)
def folders_nested_deeply():
    return submission(last="import os\nfor i in range(100_000):\n    os.mkdir('d')\n    os.chdir('d')")


@row(prints="was cut")
def thirty_megabytes_on_one_line():
    return submission(last="print('x' * 30_000_000)\n" + RIGHT["last"])


@row(limits=SHORT, last=0, notes="stopped after")
def endless_printing():
    return submission(last="while True:\n    print('spam' * 100)")


@row(prints="was cut")
def many_lines():
    return submission(last="for i in range(200_000):\n    print(i)\n" + RIGHT["last"])


@row(prints="was cut")
def many_displays():
    return submission(last="for i in range(2000):\n    display(i)\n" + RIGHT["last"])


@row()
def long_last_expression():
    return submission(last=RIGHT["last"] + "\n'x' * 10_000_000")


@row()
def long_message():
    return added("raise ValueError('x' * 10_000_000)")


@row(last=0)
def long_message_of_a_function():
    return submission(last="def last(values):\n    raise ValueError('x' * 10_000_000)")


@row()
def many_figures():
    return added("import matplotlib.pyplot as plt\nfor i in range(15):\n    plt.figure(figsize=(1, 1))\n    plt.plot([1, 2])")


@row(limits={"seconds": 5.0})
def gigantic_figure():
    return added("import matplotlib.pyplot as plt\nplt.figure(figsize=(600, 600), dpi=1000)\nplt.plot([1, 2])")


@row(notes="printed and drew too much", limits={"output": 300_000})
def much_output_in_every_cell():
    return added(*["print('x' * 19_000)"] * 60)


@row(notes="more remarks")
def thousands_of_remarks():
    notebook = submission()
    again = [{**c, "id": f"again{i}", "source": "# edited"} for i, c in enumerate(notebook["cells"] * 100) if c["id"] == "half-value"]
    notebook["cells"] += again
    return notebook


# --- ends its process ---


@row(last=0, notes="ended the process")
def exits_at_once():
    return submission(last="import os\nos._exit(0)")


@row(last=0, notes="last-value: ended the process")
def exits_at_once_in_a_function():
    return submission(last="import os\ndef last(values):\n    os._exit(0)")


@row(notes="ended the process")
def exits_in_a_cell_of_its_own():
    return added("import os\nos._exit(0)", after="double")


@row(last=0, notes="ended the process")
def segmentation_fault():
    return submission(last="import ctypes\nctypes.string_at(1)")


@row(last=0, notes="ended the process")
def abort():
    return submission(last="import os\nos.abort()")


@row(last=0, limits=SHORT)
def kills_itself():
    return submission(last="import os\nos.kill(os.getpid(), 9)\nwhile True: pass")


@row()
def kills_everything():
    return added("import os\nos.kill(-1, 9)", "import os\nos.killpg(0, 9)", "import os\nos.kill(os.getppid(), 9)", after="double")


@row(last=0, notes="ended the process")
def closes_all_descriptors():
    return submission(last="import os\nos.closerange(0, 1000)\n" + RIGHT["last"])


@row()
def daemon():
    return added("import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass", "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'while 1: pass'])", after="double")


@row()
def executes_another_program():
    return added("import os\nos.execv('/bin/sh', ['sh'])", "import os\nos.posix_spawn('/bin/sh', ['sh'], {})", "import os\nos.system('sleep 100')", after="double")


@row(double=1, notes="ended the process")
def dies_in_the_second_call():
    return submission(double="import os\ncalls = []\ndef double(x):\n    calls.append(1)\n    if len(calls) > 1: os._exit(1)" + OK)


@row()
def cell_that_fails_only_when_replayed():
    """The first cell works once; the restart after the killer has to do without it."""
    notebook = submission(last="import os\nos.path.exists('x')\n" + RIGHT["last"])
    at = place(notebook, "half")
    notebook["cells"][at:at] = [code("runs = 1"), code("import os\nos._exit(0)")]
    return notebook
