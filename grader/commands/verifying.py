"""What `ol mutants verify` and `ol lesson verify` have in common: verify lessons, and say what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.commands.delivery import put_json
from grader.commands.options import cores
from grader.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from grader.author.verify import Verification
    from grader.commands.options import Common
    from grader.workers.sandbox import Mode

FORMAT_VERSION = 1


def verify(
    common: Common, wanted: Mapping[str, Collection[str] | None], *, sandbox: Mode, jobs: int | None
) -> int:
    """Verify lessons, tell what was found, and return the exit code for it.

    Args:
        common: what every command may be told.
        wanted: by lesson, the faults that are asked about; None: everything.
        sandbox: which layers hold the runs.
        jobs: runs at a time.
    """
    from grader.author.verify import Bounds, verify_lesson  # noqa: PLC0415 - help verifies nothing
    from grader.console import progress  # noqa: PLC0415 - as above
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    course, found = find_course(common.course), []
    bounds = Bounds(jobs or cores())
    with progress(no_color=common.no_color) as shown:
        for lesson, faults in wanted.items():
            found.append(
                verify_lesson(course, lesson, only=faults, sandbox=sandbox, bounds=bounds, progress=shown)
            )
    _tell(common, found)
    return ExitCode.PASSED if all(each.holds for each in found) else ExitCode.COURSE


def _tell(common: Common, found: Sequence[Verification]) -> None:
    put_json(document(found), common)
    if not common.json_only:
        from grader.console import make_console  # noqa: PLC0415 - only for a screen
        from grader.writers.terminal import verification  # noqa: PLC0415 - as above

        verification.write(found, make_console(no_color=common.no_color), verbose=common.verbose)


def document(found: Sequence[Verification]) -> dict[str, object]:
    """What was found, for `--json`."""
    return {
        "format_version": FORMAT_VERSION,
        "holds": all(each.holds for each in found),
        "lessons": [
            {
                "lesson": each.lesson,
                "title": each.title,
                "holds": each.holds,
                "findings": [
                    {
                        "subject": finding.subject,
                        "check": finding.check,
                        "level": finding.level.value,
                        "message": finding.message,
                    }
                    for finding in each.findings
                ],
            }
            for each in found
        ],
    }
