"""`ol mutants`: what an instructor does with faults, one command a module."""

import click

from grader.commands.group import Commands

COMMANDS = {
    "list": "grader.commands.mutants.list",
    "show": "grader.commands.mutants.show",
    "new": "grader.commands.mutants.new",
    "edit": "grader.commands.mutants.edit",
    "verify": "grader.commands.mutants.verify",
    "witness": "grader.commands.mutants.witness",
    "suggest": "grader.commands.mutants.suggest",
    "adopt": "grader.commands.mutants.adopt",
    "matrix": "grader.commands.mutants.matrix",
}


@click.group(cls=Commands, modules=COMMANDS, short_help="For instructors: a lesson's faults.")
def command() -> None:
    """Write faults, and prove that they are what they say.

    A fault is the reference with one mistake that a learner might make, as a file `mutants/LESSON/ID-name.toml`.
    It is named in full, as in L7.1/s01, or by its id alone where only one lesson has it.

    \b
    A fault from its beginning to its end:
      ol mutants new L7.1 --run     edit the reference, and say what is wrong with it
      ol mutants witness L7.1/s10   look for an input that shows it
      ol mutants verify L7.1/s10    prove that it is what it says
    """
