"""The exact versions of everything that this installation runs on, as lines for pip."""

from __future__ import annotations

from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader.errors import HarnessError

DISTRIBUTION = "ol-grader"
EXTRA = "hypothesis"  # for suites with property-based tests


def version() -> str:
    """This installation's own version.

    Raises:
        HarnessError: it was not installed.
    """
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError as error:
        raise HarnessError(
            f"{DISTRIBUTION} is not installed in this Python, so no kit can name its version.",
            "Install it with pip or pipx, and run that installation's `ol`.",
        ) from error


def itself() -> str:
    """The line for this version of the program, with the extra for property-based tests."""
    return f"{DISTRIBUTION}[{EXTRA}]=={version()}"


def pins() -> tuple[str, ...]:
    """`name==version` of everything that the program needs, direct or not, in the order of names."""
    found: dict[str, str] = {}
    todo = [(DISTRIBUTION, frozenset({EXTRA}))]
    while todo:
        name, extras = todo.pop()
        for need in _needs(name, extras):
            key = canonicalize_name(need.name)
            if key not in found and _is_installed(need.name):
                found[key] = metadata.version(need.name)
                todo.append((need.name, frozenset(need.extras)))
    return tuple(f"{name}=={found[name]}" for name in sorted(found) if name != DISTRIBUTION)


def _needs(name: str, extras: frozenset[str]) -> list[Requirement]:
    every = [Requirement(line) for line in metadata.requires(name) or ()]
    return [need for need in every if _applies(need, extras)]


def _applies(need: Requirement, extras: frozenset[str]) -> bool:
    if need.marker is None:
        return True
    return any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
