"""`ol kit`: what a service needs to grade with ol, one kind a module."""

import click

from grader.commands.group import Commands

KINDS = {
    "github": "grader.commands.kit.github",
    "gradescope": "grader.commands.kit.gradescope",
}


@click.group(cls=Commands, modules=KINDS, short_help="For instructors: what a service needs to grade.")
def command() -> None:
    """Write what a service needs to grade a lesson with ol.

    A kit names the lesson, the hash of its data and the exact versions of all that it installs: a learner who edits
    the course's files is refused, and next month's grade is this month's.

    \b
    Examples:
      ol kit github --lesson L7.1
      ol kit gradescope --lesson L7.1 --out autograder.zip
    """
