"""Prints the module map of `docs/design.md`: every module of `grader` with the first sentence of its docstring."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def module_map() -> str:
    """The map, folders after the files of the folder above them."""
    found = (path for path in (ROOT / "grader").rglob("*.py") if "course" not in path.parts)
    lines = [
        f"- `{path.relative_to(ROOT).as_posix()}` — {_first_line(path)}" for path in sorted(found, key=_place)
    ]
    return "\n".join(lines)


def _place(path: Path) -> tuple[str, bool, str]:
    return (path.parent.as_posix(), path.name != "__init__.py", path.name)


def _first_line(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


if __name__ == "__main__":
    print(module_map())  # noqa: T201 - a command that prints
