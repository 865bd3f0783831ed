"""What the grader and a student's process say to each other: a byte of kind, the number of the question, then values.

The grader asks; the child answers, and may call back functions of the test's before it does. A question's number
can't be foreseen, and all that belongs to it carries it.
"""

import struct

HEADER = struct.Struct("<BQ")
REQUESTS = ("run", "get", "call", "operate", "attribute", "stay")
KINDS = {name: kind for kind, name in enumerate(REQUESTS)}
DONE, FAILED, CALLBACK = 100, 101, 102  # from the child: value | names of the exception's classes, text | number, arguments
RETURNED, RAISED = 200, 201  # the grader's answer to a callback: value | name of the exception's class, text
