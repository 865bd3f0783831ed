"""Submissions that want points, secrets, files or the grader: no point gained, nothing read, nothing written."""

from .synthetic import MARKER, RIGHT, added, cell, code, submission
from .table import row

NOTHING = {"double": 0.0, "half": 0.0, "compose": 0.0, "last": 0.0}
HALVES = (MARKER[:10], MARKER[10:])  # the marker as a student could never know it; see `hunting`


def cheating(prelude: str, **answers) -> dict:
    """All answers wrong, and a prelude that tries to get the points all the same."""
    wrong = {"double": "def double(x):\n    return x", "half": "half = 0.1", "compose": "def compose(f, n):\n    return f", "last": "def last(values):\n    return 0"}
    notebook = submission(**{**wrong, **answers})
    notebook["cells"].insert(2, code(prelude))
    return notebook


def cheats(name: str, prelude: str, expected=None, notes=(), prints=(), limits=None, **answers) -> None:
    row(notes=notes, prints=prints, limits=limits, **{**NOTHING, **(expected or {})})(lambda: cheating(prelude, **answers), name=name)


# --- change what tests use ---

cheats("patches_isclose", "np.isclose = np.allclose = np.array_equal = lambda *a, **k: True\nnp.testing.assert_allclose = lambda *a, **k: None")
cheats("patches_numpy_functions", "np.all = lambda *a, **k: True\nnp.abs = lambda x: np.float64(0)\nnp.asarray = lambda x, **k: np.array(6.0)", {"double": 0})
cheats("patches_builtins", "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.isinstance = lambda *a: True\nbuiltins.float = lambda x: 0.5\nbuiltins.all = lambda x: True")
cheats("patches_assertion_error", "import builtins\nclass Quiet(BaseException):\n    pass\nbuiltins.AssertionError = Quiet\nbuiltins.BaseException = Quiet")
cheats("shadows_helpers", "def expect(*a, **k): pass\ndef call(*a, **k): return 7\ndef answer(name): return 0.5\ndef near(*a, **k): return True\nSEED = 0\ncalled = as_array = show = expect")
cheats("shadows_numpy", "class np:\n    isclose = allclose = all = array_equal = staticmethod(lambda *a, **k: True)")
cheats("shadows_builtins", "abs = lambda x: 0\nfloat = lambda x: 0.5\nassert_ = isinstance = lambda *a: True")
cheats("replaces_modules", "import sys, types\nfor name in ('numpy', 'copy', 'checking', 'numpy.testing'):\n    sys.modules[name] = types.ModuleType(name)")
cheats("globals_replaced", "globals().update(dict.fromkeys(['expect', 'expect_error', 'near', 'truth', 'typed', 'result_of'], lambda *a, **k: None))")

ALWAYS = """
class Always(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __sub__(self, other): return 0.0
    __rsub__ = __add__ = __radd__ = __mul__ = __abs__ = __sub__
    def __abs__(self): return 0.0
    def __hash__(self): return 0
    def __array_ufunc__(self, *a, **k): return True
    def __array_function__(self, *a, **k): return True
    def __bool__(self): return True
"""
cheats("float_that_equals_everything", ALWAYS, double="double = lambda x: Always()", half="half = Always()", last="last = lambda v: Always()")
cheats("object_that_equals_everything", ALWAYS.replace("(float)", ""), double="double = lambda x: Always()", half="half = Always()", last="last = lambda v: Always()", compose="compose = lambda f, n: lambda x: Always()")
cheats("array_that_equals_everything", "class A(np.ndarray):\n    def __array_ufunc__(self, *a, **k): return np.array(True)\n    def __array_function__(self, *a, **k): return True\n    def __eq__(self, o): return True\n    __array_priority__ = 1e9",
       double="double = lambda x: np.zeros(np.shape(x)).view(A)", last="last = lambda v: np.zeros(()).view(A)")  # fmt: skip
cheats("int_and_str_that_equal_everything", "class I(int):\n    def __eq__(s, o): return True\n    def __hash__(s): return 0\nclass S(str):\n    def __eq__(s, o): return True\n    def __hash__(s): return 0", last="last = lambda v: I(3)", half="half = S('x')")
cheats("list_that_equals_everything", "class L(list):\n    def __eq__(s, o): return True\n    def __len__(s): return 7\n    def __iter__(s): return iter([7])", last="last = lambda v: L()", double="double = lambda x: L()")
cheats("lying_class", "class C:\n    __class__ = float\n    def __instancecheck__(s, o): return True\n    def __float__(s): return 0.1\n    def __eq__(s, o): return True", half="half = C()", last="last = lambda v: C()")
cheats("metaclass", "class M(type):\n    def __eq__(c, o): return True\n    def __hash__(c): return 0\n    def __instancecheck__(c, o): return True\nclass K(metaclass=M): pass", last="last = lambda v: K", half="half = K")
cheats("not_a_number_for_every_comparison", "", double="double = lambda x: np.asarray(x) * np.nan", half="half = float('nan')", last="last = lambda v: float('nan')")
cheats("raises_what_a_test_may_catch", "", double="def double(x): raise AssertionError('passed')", last="def last(v): raise StopIteration(7)", compose="def compose(f, n): raise GeneratorExit")
cheats("raises_exits", "", double="def double(x): raise SystemExit(0)", last="def last(v): raise KeyboardInterrupt", compose="def compose(f, n):\n    def g(x): raise BaseException('ok')\n    return g")
cheats("raises_a_class_with_a_borrowed_name", "class Stopped(BaseException): pass\nclass Exception(BaseException): pass\nclass AssertionError(BaseException): pass", double="def double(x): raise Stopped", last="def last(v): raise Exception", compose="def compose(f, n): raise AssertionError")

# --- steer the executor ---


@row(**NOTHING)
def tags_that_skip():
    notebook = cheating("")
    for c in notebook["cells"]:
        c["metadata"]["tags"] = ["skip-execution", "raises-exception", "remove-cell", "hide-input"]
        c["metadata"]["raises-exception"] = True
    return notebook


@row(**NOTHING)
def metadata_that_scores():
    notebook = cheating("")
    for c in notebook["cells"]:
        about = c["metadata"].setdefault("nbgrader", {})
        about.update(points=0, grade=False, locked=False, solution=True, task=True, schema_version=99, checksum="x")
    notebook["metadata"] = {"nbgrader": {"points": 7}, "kernelspec": {"name": "bash", "argv": ["rm"]}, "timeout": 10**9, "execution": {"timeout": -1}}
    return notebook


@row(limits={"seconds": 0.7}, last=0, notes="stopped after")
def metadata_that_extends_the_time():
    notebook = submission(last="while True: pass")
    for c in notebook["cells"]:
        c["metadata"]["timeout"] = c["metadata"]["execution_timeout"] = 10**9
    notebook["metadata"]["timeout"] = 10**9
    return notebook


@row(**NOTHING)
def recorded_outputs_claim_points():
    notebook = cheating("")
    for c in notebook["cells"]:
        if c["cell_type"] == "code":
            c["outputs"] = [{"output_type": "execute_result", "data": {"text/plain": "2.0"}, "metadata": {}, "execution_count": 1}]
    return notebook


cheats("ast_transformer", "import ast\nclass T(ast.NodeTransformer):\n    def visit_Assert(self, node): return ast.Pass()\nget_ipython().ast_transformers.append(T())")
cheats("input_transformer", "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])\nget_ipython().input_transformer_manager.line_transforms.append(lambda lines: ['7\\n'])")
cheats("patched_run_cell", "ip = get_ipython()\nip.run_cell = lambda *a, **k: None\ntype(ip).run_cell = lambda *a, **k: None\ntype(ip).run_code = lambda *a, **k: None")
cheats("patched_display", "ip = get_ipython()\nip.display_formatter.format = lambda *a, **k: ({'text/plain': '2.0'}, {})\nip.displayhook = lambda v: print('2.0')\nimport sys\nsys.displayhook = ip.displayhook")
cheats("events", "ip = get_ipython()\nip.events.register('post_run_cell', lambda r: setattr(r, 'error_in_exec', None))\nip.set_custom_exc((BaseException,), lambda *a, **k: None)")
cheats("prints_points", "print('2.0')\n2.0", last="2.0\n7")
cheats("trace_function", "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\nimport threading\nthreading.settrace(lambda *a: None)")
cheats("replaces_the_childs_own_code", """
import gc, sys
for name, module in list(sys.modules.items()):
    if 'autograder' in name:
        for key, value in list(vars(module).items()):
            if callable(value) and not isinstance(value, type):
                try: setattr(module, key, lambda *a, **k: 7)
                except Exception: pass
""", limits={"seconds": 2.0})  # fmt: skip

# --- read secrets ---


def hunting(source: str) -> dict:
    """Right answers and a cell that prints FOUND when `look(text)` meets the marker of hidden tests and solutions."""
    look = (
        f"def look(text):\n    text = text.decode('latin-1') if isinstance(text, bytes) else str(text)\n"
        f"    if ''.join(['{HALVES[0]}', '{HALVES[1]}']) in text:\n        print('FO' + 'UND')\n"
    )
    return added(look, source, after="half")


def hunts(name: str, source: str, in_calls: bool = False) -> None:
    row(never="FOUND")(lambda: hunting(source), name=f"hunts_{name}")


hunts("gc", "import gc\nfor o in gc.get_objects():\n    try:\n        if isinstance(o, (str, bytes, dict, list, tuple)): look(repr(o)[:200_000])\n    except Exception: pass")
hunts("frames", "import sys\nf = sys._getframe()\nwhile f:\n    look(f.f_locals); look(f.f_globals); look(f.f_code.co_consts); f = f.f_back")
hunts("linecache", "import linecache\nlook(linecache.cache)")
hunts("own_memory", "for n in ('self', '1', str(__import__('os').getpid())):\n    for what in ('mem', 'maps', 'environ', 'cmdline', 'fd', 'root', 'cwd'):\n        try: look(open(f'/proc/{n}/{what}', 'rb').read())\n        except OSError: pass")
hunts("own_memory_with_ctypes", """
import ctypes, gc
texts = [r for o in gc.get_objects() for r in gc.get_referents(o) if type(r) in (str, bytes)][:100_000]
look(b''.join(ctypes.string_at(id(t), t.__sizeof__()) for t in texts))
""")
hunts("environment", "import os, sys\nlook(os.environ); look(sys.argv); look(sys.path); look(os.environb)")
hunts("descriptors", "import os\nfor fd in range(64):\n    try: look(os.pread(fd, 10**6, 0))\n    except OSError: pass\n    if fd != 3:\n        try: look(os.read(fd, 10**6))\n        except OSError: pass")
hunts("modules", "import sys\nfor m in list(sys.modules.values()):\n    look(getattr(m, '__dict__', ''))")
hunts("files", "import os\nfor top in ('/', '/root', '/home', '/tmp', '..', '/proc', '/etc'):\n    for folder, _, names in os.walk(top):\n        for n in names[:50]:\n            if n.endswith(('.md', '.ipynb', '.db', '.py')) and '/lib/python' not in folder:\n                try: look(open(os.path.join(folder, n), 'rb').read(10**5))\n                except OSError: pass")
hunts("arguments_of_calls", "import sys\n_double = double\ndef double(x):\n    f = sys._getframe()\n    while f:\n        look(f.f_locals); look(f.f_globals); f = f.f_back\n    return _double(x)")


@row(double=3, never="FOUND")
def callbacks_hold_no_source():
    return submission(
        compose="""
import inspect
def compose(f, n):
    for get in (inspect.getsource, lambda f: f.__code__, lambda f: f.__globals__, lambda f: f.__closure__, vars, dir):
        try:
            if 'increase' in str(get(f)) and 'def' in str(get(f)): print('FO' + 'UND')
        except Exception: pass
    def g(x):
        for _ in range(n): x = f(x)
        return x
    return g
"""
    )


# --- read and write files ---


def reaches(name: str, source: str, notes=()) -> None:
    """The source must not print REACHED; `attempt` in it runs one attempt."""
    attempt = "def attempt(f):\n    try:\n        f()\n    except BaseException as e:\n        print(type(e).__name__)\n    else:\n        print('REACH' + 'ED')\n"
    row(never="REACHED", notes=notes)(lambda: added(attempt, source, after="half"), name=name)


reaches("opens_files_elsewhere", """
import os
for path in ('/etc/passwd', '/etc/shadow', '/etc/hostname', '/root/.bashrc', '/proc/self/status', '/proc/1/environ', '/sys/kernel', '/dev/mem', '/dev/tty', '/dev/ptmx', '../..', '/'):
    attempt(lambda: os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read(1))
""", notes="tried to open")  # fmt: skip
reaches("writes_elsewhere", """
import os, sys
for path in ('/x', '/tmp/x', '/var/tmp/x', '/dev/shm/x', '/home/x', os.path.join(sys.prefix, 'x'), os.path.dirname(np.__file__) + '/x.py', np.__file__):
    attempt(lambda: open(path, 'a').write('x'))
    attempt(lambda: os.mkdir(path + 'd'))
    attempt(lambda: os.symlink('/etc/passwd', path + 'l'))
    attempt(lambda: os.unlink(path))
    attempt(lambda: os.chmod(path, 0o777))
    attempt(lambda: os.truncate(path, 0))
""", notes="tried to open")  # fmt: skip
reaches("links_out_of_the_scratch_folder", "import os\nos.symlink('/etc/passwd', 'l')\nattempt(lambda: open('l').read())\nos.symlink('/', 'r')\nattempt(lambda: os.listdir('r'))\nattempt(lambda: os.link(np.__file__, 'h') or open('h', 'a').write('x'))")
reaches("devices", "import os, stat\nattempt(lambda: os.mknod('d', stat.S_IFCHR | 0o666, os.makedev(1, 1)))\nattempt(lambda: os.mkfifo('f'))")
reaches("changes_root_and_mounts", """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(f, *a):
    if f(*a) != 0: raise OSError
attempt(lambda: os.chroot('.'))
attempt(lambda: call(libc.mount, b'tmpfs', b'/scratch', b'tmpfs', 0, None))
attempt(lambda: call(libc.umount2, b'/scratch', 2))
attempt(lambda: call(libc.unshare, 0x10000000))
attempt(lambda: call(libc.unshare, 0x20000))
attempt(lambda: call(libc.setns, 3, 0))
attempt(lambda: os.setuid(0))
attempt(lambda: os.setgid(0))
attempt(lambda: os.setgroups([0]))
""")  # fmt: skip
reaches("system_calls", """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
x86 = dict(ptrace=101, process_vm_readv=310, process_vm_writev=311, keyctl=250, add_key=248, bpf=321, perf_event_open=298,
           userfaultfd=323, io_uring_setup=425, memfd_create=319, open_by_handle_at=304, pidfd_open=434, pidfd_getfd=438,
           socket=41, execve=59, execveat=322, fork=57, vfork=58, shmget=29, msgget=68, semget=64, mq_open=240, personality=135,
           init_module=175, finit_module=313, kexec_load=246, reboot=169, swapon=167, sethostname=170, settimeofday=164,
           clone3=435, tkill=200, seccomp=317, sched_setscheduler=144, setpriority=141, prctl_dumpable=157, openat2=437,
           name_to_handle_at=303, fsopen=430, fsmount=432, move_mount=429, landlock_restrict_self=446, process_madvise=440)
arm = dict(ptrace=117, keyctl=219, bpf=280, io_uring_setup=425, memfd_create=279, socket=198, execve=221, pidfd_open=434)
def made(number, name):
    arguments = (4, 1, 0, 0, 0) if name == 'prctl_dumpable' else (0, 0, 0, 0, 0)
    if name == 'memfd_create': arguments = (b'x', 0, 0, 0, 0)
    if name == 'socket': arguments = (2, 1, 0, 0, 0)
    if libc.syscall(number, *arguments) < 0: raise OSError(ctypes.get_errno(), name)
for name, number in (x86 if platform.machine() == 'x86_64' else arm).items():
    attempt(lambda: made(number, name))
if platform.machine() == 'x86_64':  # the numbers of the x32 interface
    attempt(lambda: made(0x40000000 + 41, 'socket'))
""")  # fmt: skip
reaches("network", """
import socket, urllib.request
for family, kind in ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_INET6, socket.SOCK_STREAM), (socket.AF_UNIX, socket.SOCK_STREAM), (16, 3), (17, 3), (40, 1)):
    attempt(lambda: socket.socket(family, kind))
attempt(lambda: socket.create_connection(('127.0.0.1', 22), 1))
attempt(lambda: socket.getaddrinfo('example.org', 80))
attempt(lambda: socket.gethostbyname('example.org'))
attempt(lambda: urllib.request.urlopen('http://127.0.0.1', timeout=1))
def abstract():
    a, b = socket.socketpair()
    a.bind(b'\\0name')
attempt(abstract)
def listen():
    a, b = socket.socketpair()
    a.connect('/tmp/x')
attempt(listen)
""", notes="tried to use the network")  # fmt: skip
reaches("opens_the_grader's_ends_of_its_pipes", "import os\nfor h in (3, 4):\n    for way in (os.O_RDONLY, os.O_WRONLY):\n        attempt(lambda: os.open(f'/proc/self/fd/{h}', way))\n        attempt(lambda: os.open(f'/dev/fd/{h}', way))\nattempt(lambda: os.read(4, 1))\nattempt(lambda: os.write(3, b'x'))")
reaches("passes_descriptors", "import socket, os\ndef f():\n    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(3))\n    socket.send_fds(s, [b'x'], [0])\nattempt(f)")
reaches("shared_memory", "from multiprocessing import shared_memory\nattempt(lambda: shared_memory.SharedMemory(create=True, size=10))\nimport multiprocessing as m\nattempt(lambda: m.Queue())\nattempt(lambda: m.Process(target=print).start())")
reaches("signals", "import os\nfor pid in (0, -1, 2, 3, 4, os.getppid()):\n    attempt(lambda: os.kill(pid, 0))", notes="tried to signal")
reaches("programs", "import os, subprocess\nattempt(lambda: subprocess.run(['true'], check=True))\nattempt(lambda: os.execv('/bin/true', ['true']))\nattempt(lambda: os.popen('true').close() and None or 1 / (os.system('true') == 0))", notes="tried to start a program")
reaches("executes_from_the_scratch_folder", "import os\nopen('p', 'w').write('#!/bin/sh\\n')\nos.chmod('p', 0o755)\nattempt(lambda: os.execv('./p', ['p']))")
reaches("raises_its_limits", "import resource\nfor r in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC):\n    attempt(lambda: resource.setrlimit(r, (-1, -1)))\nattempt(lambda: __import__('os').nice(-5))")

SHADOW = "open('{}', 'w').write('raise SystemExit')\nimport sys, os\nsys.path.insert(0, os.getcwd())\nos.environ['PYTHONPATH'] = os.environ['PYTHONSTARTUP'] = os.getcwd()"
for _file in ("numpy.py", "sitecustomize.py", "usercustomize.py", "x.pth", "copy.py", "checking.py", "autograder.py"):
    cheats(f"shadow_{_file.replace('.', '_')}", SHADOW.format(_file))

# --- the protocol ---

FORGE = """
import gc, os, struct
child = next(o for o in gc.get_objects() if type(o).__name__ == 'Child')
def frame(data): os.write(4, struct.pack('<I', len(data)) + data)
def answer(data, kind=100): frame(struct.pack('<BQ', kind, child.nonce) + data)
NONE, ZERO = b't' + bytes(4), b'i' + bytes(8)  # no news, no changes
"""


def forges(name: str, source: str, notes="suspicious", **expected) -> None:
    """A cell that writes to the channel loses at most the point of what it disturbs; all else is unharmed."""
    row(notes=notes, limits={"seconds": 2.0}, **expected)(lambda: added(FORGE + source, after="double-array"), name=f"forges_{name}")


forges("garbage", "os.write(4, os.urandom(64) + b'\\xff' * 64)")
forges("an_empty_frame", "frame(b'')")
forges("a_huge_length", "os.write(4, b'\\xff\\xff\\xff\\xff')")
forges("a_frame_of_the_greatest_length", "os.write(4, struct.pack('<I', 32 << 20))", notes=())
forges("an_answer", "answer(b'T')")
forges("an_answer_with_no_news", "answer(b'T' + NONE + ZERO)")
forges("an_answer_to_another_question", "child.nonce += 1\nanswer(b'T')")
forges("an_answer_of_another_kind", "answer(b'N', kind=7)")
forges("an_answer_that_ends_early", "answer(b'')")
forges("an_answer_with_more_than_one_value", "answer(b'NNN')")
forges("an_answer_with_half_of_its_news", "answer(b'T' + NONE)")
forges("an_answer_that_goes_on", "answer(b'T' + NONE + ZERO + b'N')")
forges("several_answers_in_one", "answer(b't\\x02\\0\\0\\0' + b'b\\x01\\0\\0\\0\\x01' + b't\\0\\0\\0\\0')")
forges("half_a_header", "frame(b'\\x64\\0\\0')")
forges("a_call_of_nothing", "answer(b'i' + b'\\x63' + b'\\0' * 7 + b't\\0\\0\\0\\0', kind=102)")
forges("a_call_with_keywords_and_no_news", "answer(ZERO + NONE + NONE, kind=102)")
forges("a_call_with_malformed_keywords", "answer(ZERO + NONE + b't\\x01\\0\\0\\0N' + NONE, kind=102)")
forges("a_call_without_arguments", "answer(ZERO, kind=102)")
forges("a_handle_of_nothing", "answer(b'y' + b'\\x63' + b'\\0' * 7 + NONE + ZERO)")
forges("a_given_function_of_no_test", "answer(b'ns\\x04' + b'\\0' * 3 + b'call' + NONE + ZERO)")
forges("changes_of_nothing", "answer(b'N' + NONE + b'i\\xff' + b'\\0' * 7)")
forges("news_of_no_name", "answer(b'N' + b't\\1\\0\\0\\0N' + ZERO)")
forges("news_of_a_value", "answer(b'N' + b't\\1\\0\\0\\0t\\2\\0\\0\\0s\\4\\0\\0\\0halfF' + ZERO)")
forges("text", "os.write(4, b'{\"points\": 7}\\n' * 10)")
forges("a_huge_array_claim", "answer(b'a\\x02\\x03' + b'\\xff' * 16 + b'<f8')")
forges("deep_nesting", "answer(b't\\x01\\0\\0\\0' * 100_000)")
forges("many_items", "answer(b'l\\xff\\xff\\xff\\x7f' + b'N' * 1000)")
forges("a_slow_frame", "import threading, time\nos.write(4, struct.pack('<I', 1000) + b'x')\nwhile True:\n    time.sleep(0.1)\n    os.write(4, b'x')", notes=())
forges("forever", "while True: os.write(4, b'\\0' * 65536)")
forges("nothing_in_small_pipes_that_do_not_wait", "import fcntl\nfor h in (3, 4): fcntl.fcntl(h, 1031, 4096)\nos.set_blocking(4, False)", notes=())
cheats("forges_good_answers", FORGE + """
def double(x):
    child.reply(child.nonce, 100, (6,))
    child.reply(child.nonce, 100, (6,))
    return 6
""", {"double": 1}, notes="suspicious", double="half", limits={"seconds": 2.0})  # the first answer is right: the function gives 6  # fmt: skip
cheats("steals_requests", "import threading, os\ndef steal():\n    while True:\n        try: os.read(3, 10)\n        except OSError: pass\nthreading.Thread(target=steal, daemon=True).start()", limits={"seconds": 0.5, "total": 2.0})
cheats("reports_success_of_its_cells", "import gc\nc = next(o for o in gc.get_objects() if type(o).__name__ == 'Child')\nc.do_run = lambda *parts: ([{'output_type': 'execute_result', 'data': {'text/plain': '7.0'}}], True, ())")
cheats("answers_requests_itself", "import gc\nc = next(o for o in gc.get_objects() if type(o).__name__ == 'Child')\nc.actions[2:5] = [lambda *parts: 8] * 3", limits={"seconds": 2.0}, expected={"last": 0})
cheats("floods_with_callbacks", "", compose="def compose(f, n):\n    for i in range(100_000): f(i)\n    return f", limits={"seconds": 0.7})
cheats("nests_callbacks", "", compose="def compose(f, n):\n    def g(x): return f(g)\n    return g")
cheats("keeps_callbacks_for_later", "kept = []", compose="def compose(f, n):\n    kept.append(f)\n    return f", last="def last(v):\n    return kept[0](6)")
cheats("calls_back_from_a_thread", "import threading", compose="def compose(f, n):\n    t = threading.Thread(target=lambda: f(1))\n    t.start(); t.join()\n    return f")

# --- answers that confuse ---

for _name, _value in {
    "cyclic_list": "(lambda l: (l.append(l), l)[1])([])",
    "cyclic_dict": "(lambda d: (d.update(a=d), d)[1])({})",
    "deep_list": "__import__('functools').reduce(lambda a, _: [a], range(100_000), 7)",
    "shared_list_that_grows": "__import__('functools').reduce(lambda a, _: [a, a], range(50), 7)",
    "giant_list": "[0] * 10_000_000",
    "giant_array": "np.ones(10**8, dtype=np.int8)",
    "giant_broadcast": "np.broadcast_to(np.float64(7), (10**9, 10**9))",
    "giant_int": "10 ** 100_000",
    "giant_text": "'7' * 10**8",
    "colliding_keys": "{i * (2**61 - 1): 0 for i in range(2_000)}",
    "endless_iterator": "__import__('itertools').repeat(7)",
    "object_array": "np.array([object()] * 5, dtype=object)",
    "array_of_arrays": "np.array([np.ones(2), np.ones(3)], dtype=object)",
    "many_dimensions": "np.ones((1,) * 60)",
    "zero_size_huge_shape": "np.empty((0, 10**9, 10**9))",
    "text_of_seven": "'7'",
    "bytes_of_seven": "b'7'",
    "seven_and_a_half": "7.5",
    "frozenset": "frozenset([7])",
    "itself": "last",
    "exception": "ValueError(7)",
    "exception_class": "ValueError",
    "generator_function": "(yield_ for yield_ in [7])",
    "memoryview": "memoryview(b'7')",
    "shell": "get_ipython()",
    "date": "np.datetime64('2020-01-01')",
    "half_open_slice": "slice(7, None)",
    "random_generator": "np.random.default_rng(7)",
    "void": "np.void(b'abc')",
    "object_with_every_attribute": "type('E', (), {'__getattr__': lambda s, n: s, '__call__': lambda s, *a: s, '__len__': lambda s: -1, '__float__': lambda s: 7.0, '__iter__': lambda s: s, '__next__': lambda s: s})()",
    "object_whose_class_lies": "type('E', (), {'__class__': property(lambda s: 1 / 0)})()",
    "class_with_an_evil_name": "type('<script>alert(1)</script>', (), {})()",
}.items():
    row(last=0, limits={"seconds": 3.0})(lambda v=_value: submission(last=f"def last(values):\n    return {v}"), name=f"value_{_name}")


# --- what others will open ---


@row(prints="<script>", never="text/html")
def script_in_outputs():
    return added("from IPython.display import HTML, Javascript, SVG, Markdown, display\ndisplay(HTML('<script>alert(1)</script>'), Javascript('alert(2)'), Markdown('<img src=x onerror=alert(3)>'))")


@row(never=("application/javascript", "image/svg", "text/html", "widget"))
def rich_outputs_of_every_kind():
    return added("from IPython.display import publish_display_data\npublish_display_data({m: '<b>x</b>' for m in ['text/html', 'application/javascript', 'image/svg+xml', 'text/markdown', 'text/latex', 'application/vnd.jupyter.widget-view+json', 'text/plain']})")


@row(never="bm90IGEgcGljdHVyZQ")
def picture_that_is_none():
    return added("from IPython.display import publish_display_data\npublish_display_data({'image/png': 'bm90IGEgcGljdHVyZQ==', 'text/plain': 'x'})")


@row(last=0)
def exception_with_an_evil_name_and_text():
    return submission(last="E = type('<script>', (Exception,), {'__str__': lambda s: 3})\ndef last(values):\n    raise E('<img src=x onerror=alert(1)>')")


@row(last=0)
def exception_whose_class_has_no_name():
    return submission(last="class M(type):\n    __name__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=M): pass\ndef last(values):\n    raise E")


@row(last=0)
def exception_with_a_thousand_causes():
    return submission(last="def last(values):\n    e = None\n    for _ in range(1000):\n        n = ValueError('x' * 1000)\n        n.__cause__ = e\n        e = n\n    raise e")


@row(never="FOUND", last=0)
def secrets_of_one_call_told_in_the_next_message():
    return submission(last="def last(values):\n    import sys\n    raise ValueError('FOUND' if 'TOP-' + 'SECRET' in str(sys._getframe(1).f_globals) else 'no')")


@row()
def student_code_that_knows_the_grader():
    notebook = submission(half="import sys\nprint([m for m in sys.modules if 'autograder' in m])\nhalf = 0.5")
    cell(notebook, "double")["source"] = RIGHT["double"]
    return notebook

# --- the trusted side's own time and memory ---

cheats("huge_arguments_for_the_tests_function", "", compose="def compose(f, n):\n    return lambda x: f(np.ones((3_000_000,)))", limits={"seconds": 3.0})
cheats("quadratic_work_for_the_tests_function", "", compose="def compose(f, n):\n    return lambda x: f(np.ones((60_000, 1)))", limits={"seconds": 3.0})
cheats("endless_loop_of_equal_answers", "", compose="class F:\n    def __call__(self, x): return self\n    def __getattr__(self, name): return self\ncompose = lambda f, n: F()", last="class G:\n    def __iter__(self): return self\n    def __next__(self): return 7\nlast = lambda v: G()", limits={"seconds": 1.0})
cheats("stop_iteration_to_end_a_loop_early", "", double="def double(x): raise StopIteration", last="def last(v): raise StopAsyncIteration")
cheats("generator_with_a_forged_state", "", last="def last(v): return np.random.Generator(np.random.MT19937(1))", double="def double(x): return np.random.Generator(np.random.Philox(1))")


def _sources(*sources):
    """Right answers, and unlabelled cells whose text the grader has to look at."""
    return added(*sources, after="double-text")


row(limits={"seconds": 3.0})(lambda: _sources("(" * 5000 + ")" * 5000, "[" * 5000, "-" * 15_000 + "1", "not " * 4000 + "1", "x" + ".x" * 9000, "lambda: " * 2000 + "1"), name="source_nested_deeply")
row(limits={"seconds": 3.0})(lambda: _sources(*["if x: pass\n" + "elif x: pass\n" * 900 + f"# {i}" for i in range(30)]), name="sources_with_nine_hundred_branches")
row(limits={"seconds": 3.0})(lambda: _sources("x = " + " + ".join(["1"] * 4000), "x = [" + "1," * 9000 + "]", "# " + "y" * 1_000_000), name="source_that_is_long")
row(limits={"seconds": 3.0})(lambda: _sources(*["a\n" * 900 + f"# {i}" for i in range(60)]), name="sources_that_are_slow_to_compare")
row(limits={"seconds": 3.0})(lambda: _sources(*["e" * 1900 + str(i) for i in range(60)]), name="letters_that_are_slow_to_compare")

# --- lists of the test's that come back, shared or within themselves: NumPy would walk through them for hours ---

cheats("argument_that_holds_itself", "", last="def last(v):\n    v[:] = [v, v]\n    return v", double="def double(x):\n    if isinstance(x, list): x[:] = [x, x]\n    return x", limits={"seconds": 3.0})
cheats("argument_that_is_shared_too_often", "", double="def double(x):\n    if isinstance(x, list): x[:] = [1.0] * 100_000\n    return [x] * 100_000", limits={"seconds": 3.0})


@row(never="FOUND", compose=0)
def names_in_messages_of_the_tests_functions():
    return submission(compose="def compose(f, n):\n    try: f()\n    except TypeError as error: raise ValueError('incr' 'ease' in str(error) and 'FOUND' or error)")


@row(prints="p0p0", notes="printed and drew too much", limits={"output": 1_500_000})
def more_outputs_than_fit():
    flood = "from IPython.display import display\nfor i in range(10): display({'image/png': picture, 'text/plain': 'p'}, raw=True)"
    small = "import base64\npicture = base64.b64encode(b'\\x89PNG' + bytes(700_000)).decode()\nprint('p0' * 2)"
    return added(small, *[flood] * 8, after="double-text")


@row(notes="suspicious: a cell that gave no outputs", never="FOUND")
def error_in_the_place_of_outputs():
    return added("import gc\ndef lie(*a): raise OSError('FO' 'UND')\n[o for o in gc.get_objects() if type(o).__name__ == 'Child'][0].do_run = lie", "x = 1", after="last-value")
