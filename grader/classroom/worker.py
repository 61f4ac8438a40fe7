"""A worker process on this machine: one warm server, one submission at a time.

Started as `python -P -m grader.classroom.worker DESCRIPTOR PARENT`. It ends when the batch closes its end of the
socket, when the batch's process ends, however it ends, and after a grading that failed.
"""

from __future__ import annotations

import contextlib
import sys
from multiprocessing.connection import Connection

from grader import interrupts
from grader.workers import launch, limits


def main(arguments: list[str]) -> None:
    """Serve the batch at this descriptor; then the process id of the batch."""
    descriptor, parent = map(int, arguments)
    limits.die_with(parent)
    interrupts.install()
    with contextlib.suppress(interrupts.Interrupted), Connection(descriptor) as batch:
        try:
            # What is wrong with the machine will show once more, where it can be told.
            with interrupts.held(), contextlib.suppress(OSError):
                # It imports numpy and pytest while this process imports what it needs itself.
                launch.launch_ahead()
            from grader.classroom.serving import serve  # noqa: PLC0415 - see above

            serve(batch)
        finally:
            launch.dispose_of_the_rest()


if __name__ == "__main__":
    main(sys.argv[1:])
