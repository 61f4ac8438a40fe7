"""How a check tells whoever waits for it how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Follows a check while it goes on; called from several threads."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def runs(self, done: int, needed: int) -> None:
        """So many runs of the mutation grade are done, of those known to be needed."""


class Silent:
    """Follows nothing."""

    def stage(self, name: str) -> None:
        """Nothing."""

    def runs(self, done: int, needed: int) -> None:
        """Nothing."""
