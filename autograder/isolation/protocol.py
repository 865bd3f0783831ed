"""What the grader and a student's process say to each other: a byte of kind, the number of the question, then values.

The grader asks; the child answers, and may call back functions of the test's before it does. A question's number
can't be foreseen, and all that belongs to it carries it.
"""

import struct

HEADER = struct.Struct("<BQ")
REQUESTS = ("run", "run_all", "get", "call", "call_all", "operate", "attribute", "stay")
KINDS = {name: kind for kind, name in enumerate(REQUESTS)}
# From the child: value | names of the exception's classes, text | number of the function, arguments. Where there is more to say, the
# first two go on with what names stand for by now (functions and small plain values, as far as that changed), and the arguments that
# were changed in place; the third with keywords, and those names.
DONE, FAILED, CALLBACK = 100, 101, 102
RETURNED, RAISED = 200, 201  # the grader's answer to a callback: value | name of the exception's class, text
# What becomes of what a cell defines: the grader is told; or the child keeps the functions, for the tests to name.
TELL, KEEP = "tell", "keep"


def is_told(value) -> bool:
    """Whether the grader is told of a value without asking: what can't change, and is small."""
    kind = type(value)
    if kind is tuple:
        return len(value) <= 16 and all(type(item) in (float, int) and is_told(item) for item in value)
    return kind is float or kind is bool or (kind is int and value.bit_length() <= 64) or (kind is str and len(value) <= 100)
