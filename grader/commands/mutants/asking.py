"""Questions to the author, for what the command line does not say."""

from __future__ import annotations

from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Questions:
    """Asks, or leaves out what was not given.

    Attributes:
        allowed: whether to ask at all; a command that is given everything as options asks nothing.
        on_stderr: standard output is taken.
    """

    allowed: bool
    on_stderr: bool = False

    def ask(self, question: str, default: str = "") -> str:
        """The answer on one line; `default` where there is none, as at the end of the input.

        Raises:
            click.Abort: the author called it off.
        """
        if not self.allowed:
            return default
        try:
            answer: str = click.prompt(
                question, default=default, show_default=bool(default), err=self.on_stderr
            )
        except click.Abort as abort:
            # click makes one of both: Ctrl-C, and an input that has come to its end.
            if isinstance(abort.__context__, EOFError):
                self.tell("")  # after the question, which nobody answered
                return default
            raise
        return answer.strip()

    def tell(self, text: str) -> None:
        """Say something about an answer."""
        click.echo(text, err=self.on_stderr)

    def confirm(self, question: str) -> bool:
        """Whether the author says yes; no answer is a no."""
        return self.ask(f"{question} [y/N]").lower() in {"y", "yes"}
