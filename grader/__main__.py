"""The command `ol`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    from grader.cli import run  # noqa: PLC0415 - `python -m grader` and the script share this one import

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
