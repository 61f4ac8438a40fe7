"""`ol grade`: every submission in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import interrupts
from grader.commands.delivery import STANDARD_OUTPUT, delivery, put_at
from grader.commands.feedback_options import feedback_options
from grader.commands.options import (
    common,
    cores,
    jobs_option,
    pin_option,
    sandbox_option,
    seed_option,
    timeout_option,
)
from grader.errors import ExitCode, GraderError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.classroom.batch import Batch
    from grader.classroom.entries import Entry
    from grader.classroom.executor import Executor, Work
    from grader.classroom.shards import Shard
    from grader.commands.delivery import Delivery
    from grader.commands.options import Common
    from grader.feedback import Policy
    from grader.lesson import Lesson


CLASS_FORMATS = ("csv", "github", "json", "junit", "markdown")  # what `grader.classroom.formats` writes


@dataclass(frozen=True)
class Options:
    """What `ol grade` may be told beside what all commands may be."""

    lesson: str
    folder: Path
    out: Path
    seed: int | None
    jobs: int | None
    cluster: str | None
    timeout: float
    sandbox: Any
    regrade: bool
    only_changed: bool
    only_latest: bool
    shard: str | None
    with_course: bool
    extra_faults: Path | None
    lesson_sha256: str


@click.command(short_help="Grade every submission in a folder.")
@click.argument("lesson")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where grades are kept; a folder, made if need be.",
)
@jobs_option("Worker processes; else one for each core.")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Grade on the workers of this Dask scheduler; `local` starts a cluster here.",
)
@seed_option("Of this run; else the first one of --out.")
@timeout_option("For one run of a suite on a correct program.")
@sandbox_option
@click.option("--regrade", is_flag=True, help="Grade again what is known, and show old beside new.")
@click.option("--only-changed", is_flag=True, help="With --regrade: show only grades that changed.")
@click.option("--only-latest", is_flag=True, help="Of each learner, only what they handed in last.")
@feedback_options
@click.option(
    "--extra-faults",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="More faults, which count, and of which learners are not told.",
)
@click.option(
    "--shard", metavar="I/N", help="Only part I of N of the learners; `ol report merge` puts parts together."
)
@click.option(
    "--with-course", is_flag=True, help="The course tests on the learner's module, too, and they count."
)
@pin_option
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=PATH]",
    help=f"Write the table of grades in another format, too: {', '.join(CLASS_FORMATS)}.",
)
@common
def command(common: Common, *, policy: Policy, formats: tuple[str, ...], **options: Any) -> int:
    """Grade every submission in DIR, and keep the grades in the folder that --out names.

    A submission is a child of DIR: a workspace, a folder of tests, one test file, or an archive. Downloads from
    Gradescope and Moodle and the clones of GitHub Classroom are known by their form.

    Run it again to go on: what is graded is not graded again. Nothing that a submission holds stops the others.

    \b
    What --out holds then:
      grades.csv                    a line for each submission
      submissions/NAME/report.json  the report, and the feedback as feedback.txt and feedback.md
      grades.sqlite                 all attempts there ever were

    \b
    Examples:
      ol grade L7.1 submissions/ --out grades/
      ol grade L7.1 submissions/ --out grades/ --regrade --only-changed

    Exit codes: 0 every submission has been graded or found invalid, 70 some could not be graded for reasons of
    the machine's, 130 interrupted: what was graded until then is kept.
    """
    return _grade(common, Options(**options), policy, delivery(common, formats, CLASS_FORMATS))


def _grade(common: Common, asked: Options, policy: Policy, places: Delivery) -> int:
    from grader.classroom.batch import Batch, Wanted  # noqa: PLC0415 - help needs none of it
    from grader.classroom.outputs import Outputs  # noqa: PLC0415 - as above
    from grader.classroom.store import Store  # noqa: PLC0415 - as above

    if asked.with_course and asked.cluster is not None:
        raise click.UsageError(
            "--with-course runs tests that lie in the course, which a cluster does not have"
        )
    if asked.only_changed and not asked.regrade:
        raise click.UsageError("--only-changed says what to show of a --regrade: give both")
    entries = _entries(asked)
    lesson = _lesson(common, asked)
    wanted = Wanted(asked.regrade, asked.with_course, common.ref_deps)
    with Store.open(asked.out, lesson.id, asked.seed) as store:
        batch = Batch(lesson, entries, store, Outputs(store, policy, one_each=asked.only_latest), wanted)
        try:
            _run(common, asked, batch)
        except interrupts.Interrupted:
            return _interrupted(asked, batch, places)
        except GraderError:
            _compare(asked, batch, places)
            raise
        return _told(asked, batch, places)


def _entries(asked: Options) -> Sequence[Entry]:
    from grader.classroom.entries import only_latest  # noqa: PLC0415 - help needs none of it
    from grader.classroom.layouts import find_submissions  # noqa: PLC0415 - as above

    entries = find_submissions(asked.folder)
    _keep_apart(asked.folder.resolve(), asked.out.resolve())
    if not entries:
        raise click.UsageError(
            f"{asked.folder} holds no submission: no folder, no archive and no Python file"
        )
    if asked.only_latest:
        entries = only_latest(entries)
    if asked.shard is not None:
        shard = _shard(asked.shard)
        entries = [entry for entry in entries if entry.learner in shard]
    return entries


def _keep_apart(folder: Path, out: Path) -> None:
    """What is graded and what is written may not lie in one another."""
    from grader.classroom.outputs import SUBMISSIONS  # noqa: PLC0415 - help needs none of it

    if out.is_relative_to(folder):
        raise click.UsageError(f"--out {out} lies in the folder of submissions; name one beside it")
    if folder.is_relative_to(out / SUBMISSIONS):
        raise click.UsageError(f"{folder} lies where --out writes its feedback; name another --out")


def _shard(text: str) -> Shard:
    from grader.classroom.shards import Shard  # noqa: PLC0415 - only for a part of a class

    try:
        return Shard.parse(text)
    except ValueError as error:
        raise click.UsageError(f"--shard {text}: {error}") from error


def _lesson(common: Common, asked: Options) -> Lesson:
    from grader.lesson import find_course, load_lesson  # noqa: PLC0415 - help needs none of it
    from grader.lesson.pin import check_pin  # noqa: PLC0415 - as above

    lesson = load_lesson(find_course(common.course), asked.lesson, asked.extra_faults)
    check_pin(lesson.id, lesson.sha256, asked.lesson_sha256)
    return lesson


def _run(common: Common, asked: Options, batch: Batch) -> None:
    from grader.console import batch_progress  # noqa: PLC0415 - help needs none of it

    with _executor(asked, batch.lesson) as executor, batch_progress(no_color=common.no_color) as follower:
        batch.run(executor, follower)


def _executor(asked: Options, lesson: Lesson) -> Executor:
    """What runs the tasks."""
    from grader.classroom.executor import Work  # noqa: PLC0415 - help needs none of it
    from grader.classroom.local import LocalExecutor  # noqa: PLC0415 - as above
    from grader.suite_grader import Settings  # noqa: PLC0415 - as above

    # The store keeps everything that feedback at any level may tell, witnesses too: each is made once a worker.
    settings = Settings(timeout=asked.timeout, sandbox=asked.sandbox, witnesses=True)
    work, jobs = Work(lesson, settings), asked.jobs or cores()
    return LocalExecutor(work, jobs) if asked.cluster is None else _on_cluster(work, asked.cluster, jobs)


def _on_cluster(work: Work, address: str, jobs: int) -> Executor:
    try:
        from grader.classroom.cluster import ClusterExecutor  # noqa: PLC0415 - only where it is asked for
    except ModuleNotFoundError as error:
        raise MissingExtraError("Dask distributed", "cluster") from error
    return ClusterExecutor(work, address, jobs)


def _interrupted(asked: Options, batch: Batch, places: Delivery) -> int:
    from grader.console import leave_the_line, say  # noqa: PLC0415 - only when there is something to say

    interrupts.ignore()
    leave_the_line()
    _compare(asked, batch, places)
    done = f"{batch.tally.done} of {batch.tally.total} submissions"
    if asked.regrade:
        say(f"ol: interrupted; {done} are graded again and kept, --regrade begins anew")
    else:
        say(f"ol: interrupted; {done} are graded and kept, the same command goes on from there")
    return ExitCode.INTERRUPTED


def _compare(asked: Options, batch: Batch, places: Delivery) -> None:
    """Show old grades beside new ones, also of a run that did not get to its end: the next one cannot any more."""
    from grader.classroom import regrading  # noqa: PLC0415 - help needs none of it
    from grader.console import put  # noqa: PLC0415 - as above

    if places.screen:
        for line in regrading.told(batch.changes, only_changed=asked.only_changed):
            put(line)


def _told(asked: Options, batch: Batch, places: Delivery) -> int:
    """Say what was done, wherever it was asked for; the exit code."""
    from grader.classroom import summary  # noqa: PLC0415 - help needs none of it
    from grader.classroom.formats import deliver, write  # noqa: PLC0415 - as above
    from grader.console import put, say  # noqa: PLC0415 - as above

    for name, path in places.targets:
        put_at(path, write(name, batch))
        if path == STANDARD_OUTPUT:
            deliver(name, batch)
    _compare(asked, batch, places)
    (put if places.screen else say)(batch.tally.summary())
    return summary.exit_code(batch)
