"""Whether a lesson's golden values load, say which versions they come from, and lie beside what made them."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any

from grader.author.verify.finding import LESSON, Finding, error, note, ok

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from grader.lesson import Lesson

CHECK = "golden values"
META = "meta"
_VERSION = re.compile(r"\d+(\.\d+)+")


def check_golden(lesson: Lesson) -> list[Finding]:
    """The `.npz` and `.json` files in the lesson's folder of fixtures, without what learners handed in."""
    folder = lesson.root / "fixtures" / lesson.id
    files = sorted(path for path in folder.glob("*") if path.suffix in READERS) if folder.is_dir() else []
    if not files:
        return [note(LESSON, CHECK, f"fixtures/{lesson.id} holds none: nothing real is compared with")]
    return [_checked(path, path.relative_to(lesson.root).as_posix()) for path in files]


def _checked(path: Path, name: str) -> Finding:
    try:
        meta = READERS[path.suffix](path)
    except Exception as problem:  # noqa: BLE001 - whatever a reader says of a file that it cannot read
        return error(LESSON, CHECK, f"{name}: content", f"does not load: {type(problem).__name__}: {problem}")
    if not any(_VERSION.match(str(value)) for value in meta):
        says = 'records no version: say what made it, as "meta/torch" (npz) or {"meta": {"torch": …}} (json)'
        return error(LESSON, CHECK, f"{name}: {META}", says)
    script = path.with_suffix(".py")
    if not script.is_file():
        return error(LESSON, CHECK, f"{name}: script", f"{script.name}, which makes it, is not beside it")
    if not _makes_something(script):
        return error(LESSON, CHECK, f"{name}: script", f"{script.name} beside it is no program that makes it")
    return ok(LESSON, CHECK, f"{path.name} loads, and records its versions")


def _makes_something(script: Path) -> bool:
    try:
        return bool(ast.parse(script.read_bytes()).body)
    except (SyntaxError, ValueError):
        return False


def _read_npz(path: Path) -> Iterable[Any]:
    import numpy as np  # noqa: PLC0415 - only for golden values

    with np.load(path, allow_pickle=False) as stored:
        values = dict(stored)
    return [value for key, value in values.items() if key.startswith(f"{META}/")]


def _read_json(path: Path) -> Iterable[Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    meta = content.get(META) if isinstance(content, dict) else None
    return meta.values() if isinstance(meta, dict) else []


READERS: dict[str, Callable[[Path], Iterable[Any]]] = {".npz": _read_npz, ".json": _read_json}
