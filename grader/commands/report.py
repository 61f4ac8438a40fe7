"""`ol report`: a report that was kept, in another format."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands.delivery import put_into, put_out
from grader.commands.options import common, pin_option
from grader.errors import PathNotFoundError, UnreadableError
from grader.writers import FORMATS, SCREEN, SETTINGS, deliver, written

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.commands.options import Common
    from grader.report import Report


POINTS = re.compile(r"\d{1,9}(\.\d{1,9}|/\d{1,9})?", re.ASCII)  # `1e999999999` would take all memory


def _points(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Fraction | None:
    if value is None:
        return None
    try:
        return Fraction(value if POINTS.fullmatch(value) else "")
    except (ValueError, ZeroDivisionError) as error:
        raise click.BadParameter(f"{value!r} is no number of points") from error


def points_option(text: str) -> Callable[..., Any]:
    """The option --points with this help; the command gets a `Fraction`, or None."""
    return click.option("--points", callback=_points, metavar="N", help=text)


class _Report(click.Command):
    """The command, with another one behind the word `merge` in the place of a format."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that is meant."""
        word = next((number for number, each in enumerate(args) if not each.startswith("-")), len(args))
        if args[word : word + 1] != ["merge"]:
            return super().make_context(info_name, args, parent, **extra)
        from grader.commands.merge import command as merge  # noqa: PLC0415 - only when it is asked for

        return merge.make_context(f"{info_name} merge", args[:word] + args[word + 1 :], parent, **extra)


@click.command(cls=_Report, short_help="Write a kept report in another format.")
@click.argument("form", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.argument("path", metavar="REPORT.json", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file.")
@points_option("For gradescope: what a full score is worth.")
@click.option("--root", metavar="DIR", help="For github: the suite's folder in the repository.")
@click.option("--lesson", metavar="LESSON", default="", help="Refuse the report of another lesson.")
@pin_option
@common
def command(common: Common, *, form: str, path: Path, out: Path | None, **asked: Any) -> int:
    """Write REPORT.json, which `ol check --json` made, in another FORMAT.

    A report that contradicts itself is refused: it is none of ol's. Where it comes from a place that you do not
    trust, name the lesson that it has to be of, and the hash of that lesson's data.

    \b
    Formats:
      terminal    the screen of `ol check`
      text        the same as plain text, 80 columns wide
      json        the report as it is
      markdown    feedback for a comment or a mail
      csv         one line, as in a table of grades
      junit       JUnit XML, for CI services
      gradescope  results.json of Gradescope
      github      annotations and the summary of a GitHub Actions step

    `ol report merge OUT... --out OUT` is another command: it puts the grades of a class together.

    \b
    Examples:
      ol check L7.1 --json report.json
      ol report markdown report.json --out feedback.md
      ol report gradescope report.json --points 20 --out results.json
    """
    setting = _setting(form, asked)
    report = read(path, asked["lesson"], asked["lesson_sha256"])
    if form == SCREEN and out is None:
        from grader.console import make_console  # noqa: PLC0415 - only for a screen
        from grader.writers import terminal  # noqa: PLC0415 - as above

        view = terminal.View(verbose=common.verbose)
        terminal.write(report, make_console(no_color=common.no_color), view)
        return 0
    text = written(form, report, **setting, messages=common.verbose)
    if out is not None:
        put_into(out, text)
        return 0
    put_out(text)
    deliver(form, report)
    return 0


def _setting(form: str, asked: dict[str, Any]) -> dict[str, Any]:
    """What the format is told, as keywords of its writer.

    Raises:
        click.UsageError: an option is for another format.
    """
    given = {name: asked[name] for name in ("points", "root") if asked[name] is not None}
    for name in given:
        if name not in SETTINGS.get(form, ()):
            raise click.UsageError(f"--{name} is not for the format {form}")
    return given


def read(path: Path, lesson: str = "", lesson_sha256: str = "") -> Report:
    """The report that a file holds.

    Args:
        path: the file.
        lesson: the lesson that the report has to be of; empty: any.
        lesson_sha256: the hash of the lesson's data that it has to be made with; empty: any. An error has none.

    Raises:
        PathNotFoundError: there is no such file.
        UnreadableError: it holds no report, or none that ol can have made, or one of another lesson.
        PinnedLessonError: it was made with other data.
    """
    from grader.lesson.pin import check_pin  # noqa: PLC0415 - help needs no report
    from grader.report_checks import contradiction  # noqa: PLC0415 - as above

    report = _read(path)
    wrong = contradiction(report)
    if not wrong and lesson and report.lesson != lesson:
        wrong = f"it is of the lesson {report.lesson}, not of {lesson}"
    if wrong:
        raise UnreadableError(path, f"it is no report that can be used here ({wrong})")
    if report.status != "error":
        check_pin(report.lesson, report.lesson_sha256, lesson_sha256)
    return report


def _read(path: Path) -> Report:
    import msgspec  # noqa: PLC0415 - help needs no report

    from grader.report_checks import LARGEST  # noqa: PLC0415 - as above
    from grader.writers import json  # noqa: PLC0415 - as above

    if not path.exists():
        raise PathNotFoundError(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)  # what is no file may have no size
        if len(data) > LARGEST:
            raise UnreadableError(path, f"it is larger than {LARGEST >> 20} MiB")
        return json.decoded(data)
    except OSError as error:
        raise UnreadableError(path, error.strerror or str(error)) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableError(path, f"it is no report ({error})") from error
