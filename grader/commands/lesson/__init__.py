"""`ol lesson`: what an instructor does with whole lessons, one command a module."""

import click

from grader.commands.group import Commands

COMMANDS = {
    "new": "grader.commands.lesson.new",
    "verify": "grader.commands.lesson.verify",
}


@click.group(cls=Commands, modules=COMMANDS, short_help="For instructors: whole lessons.")
def command() -> None:
    """Lay down a lesson, and prove that all of it fits together.

    A lesson is data in a course's folder: what learners build, what it is compared with, and the faults that
    their tests have to notice. The grader has no line about any of it.

    \b
    Examples:
      ol lesson new L7.3 --title "Rotary position embedding"
      ol lesson verify L7.3
    """
