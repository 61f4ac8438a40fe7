"""Draws inputs of one template and shrinks the first that is wanted: the one place that knows hypothesis."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis import settings
    from hypothesis.strategies import DrawFn, SearchStrategy

    from grader.author.witness.templates import Template


@dataclass(frozen=True)
class Draws:
    """How to draw: at most so many inputs, the same with the same seed; and whether to shrink."""

    inputs: int
    seed: int
    shrink: bool


def draw(template: Template, wanted: Callable[[tuple[str, int]], bool], draws: Draws) -> None:
    """Draw inputs until one is wanted, and then smaller ones for as long as these are.

    Args:
        template: what to fill.
        wanted: called with an input and the sum of its choices, which is 0 for the simplest.
        draws: how many, and which.
    """
    from hypothesis import find  # noqa: PLC0415 - comes with an extra
    from hypothesis.errors import NoSuchExample  # noqa: PLC0415 - as above

    source = random.Random(draws.seed)  # noqa: S311 - no secret
    try:
        find(_inputs(template), wanted, settings=_settings(draws), random=source)
    except NoSuchExample:
        return


def _inputs(template: Template) -> SearchStrategy[tuple[str, int]]:
    from hypothesis import strategies as st  # noqa: PLC0415 - as above

    @st.composite
    def filled(draw: DrawFn) -> tuple[str, int]:
        picked: list[int] = []

        def pick(choices: int) -> int:
            picked.append(draw(st.integers(0, choices - 1)))
            return picked[-1]

        return template.filled(pick), sum(picked)

    return filled()


def _settings(draws: Draws) -> settings:
    from hypothesis import HealthCheck, Phase, Verbosity, settings  # noqa: PLC0415 - as above

    return settings(
        max_examples=draws.inputs,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink] if draws.shrink else [Phase.generate],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
