"""The command `ol` without the static policy: a switch that the command line lacks, for the corpus of attacks alone.

`python without_policy.py check LESSON …` is `ol check LESSON …` in all else.
"""

from __future__ import annotations

import sys
from functools import partial

from grader import cli, pipeline

if __name__ == "__main__":
    # Commands import the name when they are called.
    pipeline.Request = partial(pipeline.Request, policy=False)  # type: ignore[misc,assignment]  # the point of this file
    sys.exit(cli.run(sys.argv[1:]))
