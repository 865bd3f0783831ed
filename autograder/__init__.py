"""Release, check and grade the course's notebooks with nbgrader's formats. See `python -m autograder --help`."""

__version__ = "1.0.0"
