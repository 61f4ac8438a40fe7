"""From the command line to settings and back to an exit code; no logic of grading, no layout of output."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import __version__
from grader.errors import ExitCode, GraderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from grader.report import Report

FEEDBACK = ("score", "names", "hints", "full")
SEED_BITS = 32
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. The only place that turns errors into text."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = main.main(list(arguments), prog_name="ol", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except GraderError as error:
        from grader.console import print_error  # noqa: PLC0415 - only when there is an error to print

        print_error(error)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("ol: interrupted; nothing was recorded", err=True)
        return ExitCode.INTERRUPTED
    return code if isinstance(code, int) else ExitCode.PASSED


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@click.group(context_settings=CONTEXT)
@click.version_option(__version__, prog_name="ol")
def main() -> None:
    """How good are your tests? Grade them against correct programs and named faults."""


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--debug", is_flag=True, help="Show what the processes of a grading print."),
        click.option(
            "-v", "--verbose", is_flag=True, help="Show the messages of the tests that killed a fault."
        ),
        click.option("--no-color", is_flag=True, help="No colour (so does the variable NO_COLOR)."),
        click.option(
            "--json", "json_path", metavar="FILE", help="Write the report as JSON; - is standard output."
        ),
        click.option(
            "--course", type=click.Path(path_type=Path), envvar="OL_COURSE", help="Another course's folder."
        ),
        click.option(
            "--workspace", type=click.Path(path_type=Path), help="Your workspace (default: found upward)."
        ),
    ):
        command = option(command)
    return command


@main.command()
@click.argument("lesson")
@click.option("--only", type=click.Choice(["course", "mutation"]), help="Only this part of the check.")
@click.option(
    "--tests", type=click.Path(path_type=Path), help="Grade this file or folder, not the workspace's suite."
)
@click.option("--matrix", is_flag=True, help="Run every test on every fault and name every killer.")
@click.option(
    "--feedback", type=click.Choice(FEEDBACK), default="hints", show_default=True, help="How much to tell."
)
@click.option("--seed", type=click.IntRange(min=0), help="Repeat a grading: the seed stands in its report.")
@click.option("--jobs", type=click.IntRange(min=1), help="Runs at a time (default: one per core).")
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=20.0, show_default=True, help="Seconds for one run."
)
@_common
def check(**options: Any) -> int:
    r"""Grade the tests that you wrote for LESSON.

    Your tests run against correct programs, which they must pass, and against faults, which they must catch.

    \b
    Example:
      ol check L7.1 --only mutation --tests my_tests/
    """
    from grader.pipeline import Request, check_suite  # noqa: PLC0415 - other commands do without

    if options["debug"]:
        os.environ["OL_DEBUG"] = "1"
    report = check_suite(_request(Request, options))
    _write(report, options)
    return report.exit_code


def _request(make: Callable[..., Any], options: dict[str, Any]) -> Any:
    from grader.grading import Options  # noqa: PLC0415 - other commands do without
    from grader.lesson import find_course  # noqa: PLC0415 - as above

    seed = options["seed"] if options["seed"] is not None else secrets.randbits(SEED_BITS)
    jobs = options["jobs"] or len(os.sched_getaffinity(0))
    return make(
        course=find_course(options["course"]),
        lesson=options["lesson"],
        tests=options["tests"],
        options=Options(seed, options["timeout"], jobs, options["matrix"]),
        feedback=options["feedback"],
    )


def _write(report: Report, options: dict[str, Any]) -> None:
    from grader.writers import json  # noqa: PLC0415 - other commands do without

    if options["json_path"] == "-":
        sys.stdout.write(json.write(report))
        return
    if options["json_path"]:
        Path(options["json_path"]).write_text(json.write(report), encoding="utf-8")
    from grader.console import make_console  # noqa: PLC0415 - rich is not needed for JSON
    from grader.writers import terminal  # noqa: PLC0415 - as above

    terminal.write(report, make_console(no_color=options["no_color"]), verbose=options["verbose"])
