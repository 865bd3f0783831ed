"""What the grader and a student's process say to each other: a byte of kind, the number of the question, then values.

The grader asks; the child answers, and may call back functions of the test's before it does. A question's number
can't be foreseen, and all that belongs to it carries it.
"""

import struct

HEADER = struct.Struct("<BQ")
REQUESTS = ("run", "run_all", "get", "call", "call_all", "operate", "attribute", "stay")
KINDS = {name: kind for kind, name in enumerate(REQUESTS)}
# From the child: value | names of the exception's classes, text | number of the function, arguments, keywords. The first two go
# on with the functions that names stand for by now, as far as that changed, and the arguments that were changed in place.
DONE, FAILED, CALLBACK = 100, 101, 102
RETURNED, RAISED = 200, 201  # the grader's answer to a callback: value | name of the exception's class, text
# What becomes of the functions of a cell that runs: the grader is told of them; or the child keeps them, for the tests to name.
TELL, KEEP = "tell", "keep"
