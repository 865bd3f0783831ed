"""The one exception that the command line turns into a single line and exit status 2."""


class BadInput(Exception):
    """The input can't be used: the message says what is wrong, where, and what to do."""
