"""How hypothesis runs in a suite: the same draws each time, no clock, no database, no shrinking.

Its draws are then part of the suite's text, not of chance; a slow machine fails nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _pytest.nodes import Item

ATTRIBUTE = "_hypothesis_internal_use_settings"  # where `@settings` and `@given` leave a test's settings


def load_profile() -> None:
    """Import hypothesis and make our settings its default. The import is slow: done once, before runs are forked."""
    from hypothesis import settings  # noqa: PLC0415 - heavy, and only some suites use it
    from hypothesis.internal import charmap  # noqa: PLC0415 - as above

    # A table that most strategies need; made here, no run makes it, or finds it made by another run.
    charmap.charmap()
    settings.register_profile("ol", **_fixed())
    settings.load_profile("ol")


def use_home(folder: str) -> None:
    """Let what hypothesis stores lie in a run's own folder."""
    from hypothesis.configuration import set_hypothesis_home_dir  # noqa: PLC0415 - as above

    set_hypothesis_home_dir(f"{folder}/.hypothesis")


def apply_to(items: Iterable[Item]) -> None:
    """Put the fixed part over what each test asks for itself (`@settings(max_examples=…)` still holds)."""
    from hypothesis import HealthCheck, settings  # noqa: PLC0415 - as above

    for item in items:
        function = getattr(item, "obj", None)
        function = getattr(function, "__func__", function)
        own = getattr(function, ATTRIBUTE, None)
        if isinstance(own, settings):
            quiet = {*own.suppress_health_check, HealthCheck.too_slow}
            setattr(
                function,
                ATTRIBUTE,
                settings(parent=own, **(_fixed() | {"suppress_health_check": list(quiet)})),
            )


def _fixed() -> dict[str, Any]:
    from hypothesis import HealthCheck, Phase  # noqa: PLC0415 - as above

    return {
        "derandomize": True,
        "deadline": None,
        "database": None,
        "print_blob": False,
        "phases": [Phase.explicit, Phase.generate, Phase.target],
        "suppress_health_check": [HealthCheck.too_slow],
    }
