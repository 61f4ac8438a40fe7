"""A group of commands, each in a module of its own."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class Commands(click.Group):
    """Finds a command in its own module, so that one command does not pay for the imports of all.

    Args:
        modules: by a command's name, the module that holds it as `command`; imported when it is called or listed.
    """

    def __init__(self, *arguments: Any, modules: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order in which a reader meets them."""
        del ctx
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None where there is none of this name."""
        del ctx
        if cmd_name not in self._modules:
            return None
        command = importlib.import_module(self._modules[cmd_name]).command
        assert isinstance(command, click.Command)  # noqa: S101 - what a module of a group holds
        return command
