"""The rehearsal does what it is meant to, and leaves nothing behind."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import gc, json, sys
sys.path.insert(0, sys.argv[1])
from autograder.isolation import child, protocol, rehearsal
from autograder.isolation.shell import make_shell

shell = make_shell()
clean, hooks = sorted(shell.user_ns), (sys.stdout, sys.displayhook)
replies = []
reply = child.Child.reply
child.Child.reply = lambda self, nonce, kind, parts, *more: (replies.append((kind, repr(parts))), reply(self, nonce, kind, parts, *more))
gc.disable()
rehearsal.rehearse(shell)
gc.unfreeze()  # so that `get_objects` shows all
print(json.dumps({
    "new": sorted(set(shell.user_ns) - set(clean)), "count": shell.execution_count, "inputs": shell.user_ns["In"], "outputs": shell.user_ns["Out"],
    "same": hooks == (sys.stdout, sys.displayhook), "failed": sorted({text for kind, text in replies if kind != protocol.DONE}), "replies": len(replies),
    "kept": sum(type(o).__name__ in ("Child", "Callback") for o in gc.get_objects()),
}))
"""


def test_it_answers_as_children_do_and_leaves_nothing():
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(ROOT)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert (found["new"], found["count"], found["inputs"], found["outputs"], found["same"], found["kept"]) == ([], 1, [""], {}, True, 0)
    assert found["replies"] == 61
    assert len(found["failed"]) == 1 and "unsupported operand type" in found["failed"][0]  # numbers times a generator: errors are rehearsed too
