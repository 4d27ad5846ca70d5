"""Exceptions that carry a sentence for a person."""


class InputProblem(ValueError):
    """Something a person gave cannot be used.

    The message is a single sentence that names the place (file, line, column,
    field) and the mend. The command line prints it and exits with 2; pages show
    it where the input was given. It never needs a traceback to be understood.
    """


class Outage(InputProblem):
    """The database cannot be used, now or at all.

    Its sentence names file or host, for whoever runs the program, on the command line and in the log; whoever
    only uses a page is not told these.
    """
