"""In the zygote: one IPython shell, made once and inherited by every child; figures become pictures."""

import __future__
import ast
import gc
import io
import linecache
import re
import sys
import traceback

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell
from traitlets.config import Config

from .limits import DEFAULT
from .outputs import SHOWN, Collector

MAX_PREPARED = 1000
FUTURE = 0  # flags of what a cell imported from __future__, which the cells after it are compiled with
for _name in __future__.all_feature_names:
    FUTURE |= getattr(__future__, _name).compiler_flag
NO_VALUE = re.compile(
    r"(?:async|def|class|import|from|for|while|with|try|else|elif|except|finally|if)\b|[A-Za-z_]\w*(?: *, *[A-Za-z_]\w*)* *=(?!=)"
)
REFUSED = "shell commands do not run in the grader"


# Plain attributes stand here where IPython has observed and validated ones: nothing observes them, and to set them would take
# longer than most cells do.


class History(HistoryManager):
    """The inputs so far, in memory."""

    _i00 = _i = _ii = _iii = ""


class Hook(DisplayHook):
    """The value of a cell's last expression."""

    exec_result = None

    def start_displayhook(self):
        pass

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        self.shell.collector.data("execute_result", format_dict, self.prompt_count)

    def finish_displayhook(self):
        pass


class Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, source=None, **kwargs):
        self.shell.collector.data("display_data", data)

    def clear_output(self, wait=False):
        pass


class Shell(InteractiveShell):
    """IPython without history, terminal, colours or commands."""

    execution_count, last_execution_succeeded, last_execution_result = 1, True, None
    collector = None
    _prepared: dict[str, list] = {}  # source -> its code objects

    def init_history(self):
        self.history_manager = History(shell=self, parent=self)
        self.configurables.append(self.history_manager)

    def run_cell(self, raw_cell, store_history=False, **options):
        """As IPython does it. What is plain Python takes a shorter way: parsed once, compiled in one piece."""
        program = self._program(raw_cell) if store_history and not options else None
        if program is None:
            return super().run_cell(raw_cell, store_history=store_history, **options)
        info = ExecutionInfo(raw_cell, store_history, False, True, None)
        result = ExecutionResult(info)
        number = result.execution_count = self.execution_count
        self.execution_count += 1  # before the cell runs: its own output is counted one back
        self.events.trigger("pre_execute")
        self.events.trigger("pre_run_cell", info)
        self.history_manager.store_inputs(number, raw_cell, raw_cell)
        with self.builtin_trap, self.display_trap:
            self.displayhook.exec_result = result
            for code in program:
                if _finished(self.run_code(code, result)):
                    break
            self.displayhook.exec_result = None
        self.last_execution_succeeded, self.last_execution_result = result.success, result
        self.events.trigger("post_execute")
        self.events.trigger("post_run_cell", result)
        return result

    def prepare(self, source):
        """Compile a cell that many notebooks hold, so that children find it compiled."""
        program = self._compiled(source, 0)
        if program is not None and len(self._prepared) < MAX_PREPARED:
            self._prepared[source] = program

    def _program(self, source):
        """The code objects of a cell, None when IPython must see to it: magics, syntax errors, top-level await."""
        if self.ast_transformers or self.ast_node_interactivity != "last_expr":
            return None
        if source in self._prepared and not self.compile.flags & FUTURE:
            return self._prepared[source]
        return self._compiled(source, self.execution_count)

    def _compiled(self, source, number):
        try:
            name = self.compile.cache(source, number)
            if _ends_without_value(source):  # there is nothing to show, so the tree is not needed
                return [self.compile(source, name, "exec")]
            tree = self.compile.ast_parse(source, name)
            last = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
            program = [self.compile(tree, name, "exec")]
            return [*program, self.compile(ast.Interactive(last), name, "single")] if last else program
        except Exception:
            return None

    def enable_gui(self, gui=None):
        pass

    def enable_matplotlib(self, gui=None):
        return "agg", "agg"

    def enable_pylab(self, gui=None, import_all=True, welcome_message=False):
        return "agg", "agg", []

    def ask_exit(self):
        pass

    def transform_cell(self, raw_cell):
        """What is plain Python already needs no rewriting, which takes IPython a while."""
        try:
            compile(raw_cell, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except Exception:
            return super().transform_cell(raw_cell)
        return raw_cell if raw_cell.endswith("\n") else raw_cell + "\n"

    def system(self, cmd):
        sys.stderr.write(f"{REFUSED}: {cmd}\n")
        self.user_ns["_exit_code"] = 1

    system_raw = system_piped = system

    def getoutput(self, cmd, split=True, depth=0):
        self.system(cmd)
        from IPython.utils.text import LSString, SList

        return SList() if split else LSString("")

    def showtraceback(self, exc_tuple=None, filename=None, tb_offset=None, exception_only=False, running_compiled_code=False):
        kind, value, tb = exc_tuple or sys.exc_info()
        self._report(kind, value, tb)

    def showsyntaxerror(self, filename=None, running_compiled_code=False):
        kind, value, _ = sys.exc_info()
        self._report(kind, value, None)

    def showindentationerror(self):
        self.showsyntaxerror()

    def _report(self, kind, value, tb):
        """The traceback from the first frame of the student's code on."""
        try:
            message = str(value)
        except Exception:
            message = "(its message could not be made)"
        try:
            while tb is not None and not linecache.cache.get(tb.tb_frame.f_code.co_filename) and tb.tb_next:
                tb = tb.tb_next
            lines = traceback.format_exception(kind, value, tb, limit=8, chain=False)
            lines = [line for line in "".join(lines).rstrip("\n").split("\n")]
        except Exception:
            lines = [f"{kind.__name__}: {message}"]
        self.collector.error(kind.__name__, message, lines)


def _ends_without_value(source):
    """Whether a cell surely ends with a definition, a block or an assignment, by the last line that is not indented."""
    lines = source.splitlines()
    while lines and (not lines[-1] or lines[-1][0] in " \t#)]}"):
        lines.pop()
    if not lines or ";" in lines[-1] or not NO_VALUE.match(lines.pop()):
        return False
    before = "\n".join(lines)  # a line within brackets or a text begins no statement
    return not before.endswith("\\") and all(before.count(a) == before.count(b) for a, b in ("()", "[]", "{}")) and not (
        before.count('"""') % 2 or before.count("'''") % 2
    )


def _finished(coroutine):
    """The value of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise RuntimeError("the coroutine waits")


def make_shell() -> Shell:
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryAccessor.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Plain"
    config.InteractiveShell.enable_html_pager = False
    Shell.displayhook_class.default_value = Hook
    Shell.display_pub_class.default_value = Publisher
    shell = Shell.instance(config=config)
    shell.display_formatter.active_types = list(SHOWN)
    _warm_up(shell)
    return shell


def _warm_up(shell) -> None:
    """Run once what every child will, so that its lazy work is done and shared; then forget it."""
    shell.collector = Collector(DEFAULT)
    shell.collector.start()
    shell.run_cell("import numpy as np\ndef f(x): return np.sin(x)\nf(np.arange(3.0))", store_history=True)
    shell.run_cell("raise ValueError", store_history=True)
    shell.run_cell("%matplotlib inline", store_history=True)
    forget(shell)


def forget(shell) -> None:
    """What ran in this process so far, so that children begin with nothing."""
    gc.freeze()  # `reset` looks for garbage: in nothing then, which takes no time
    shell.reset(new_session=True)
    shell.execution_count = 1
    for name in ("_i00", "_i", "_ii", "_iii"):
        setattr(shell.history_manager, name, "")
    linecache.clearcache()


def publish_figures(collector) -> None:
    """Every open figure as a picture, as notebooks do at the end of a cell; then they are closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        if figure.axes or figure.lines or figure.texts or figure.images or figure.patches:
            picture = io.BytesIO()
            figure.savefig(picture, format="png", bbox_inches="tight")
            collector.data("display_data", {"image/png": picture.getvalue(), "text/plain": repr(figure)})
    pyplot.close("all")
