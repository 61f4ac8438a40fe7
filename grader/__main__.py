"""The command `ol`."""

from __future__ import annotations

import sys

from grader import interrupts
from grader.workers import launch

# Commands that need the warm server, unless one of these words asks for something else.
SERVED = ("check", "tests")
UNSERVED = frozenset({"-h", "--help", "--debug"})


def main() -> None:
    """Run the command line and end the process with its exit code."""
    interrupts.install()
    arguments = sys.argv[1:]
    try:
        if arguments[:1] and arguments[0] in SERVED and not UNSERVED.intersection(arguments):
            # It imports numpy and pytest while this process imports what it needs itself.
            with interrupts.held():
                launch.launch_ahead()
        from grader.cli import run  # noqa: PLC0415 - after the server is started

        code = run(arguments)
    except interrupts.Interrupted:
        from grader.cli import interrupted  # noqa: PLC0415 - as above

        code = interrupted()
    finally:
        launch.dispose_of_the_rest()
    sys.exit(code)


if __name__ == "__main__":
    main()
