"""Private faults for the tiny course, and a look for anything of such faults in what learners may read."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from tests.engine.conftest import lay_down

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHORTEST = 4  # characters: what is shorter stands in every text
LEARNERS_FILES = ("grades.csv", "submissions/*/*")

FAULTS = {
    "q71-hushed-after-comma.toml": """\
        title     = "hushed after a comma"
        symptom   = "the second clause comes out quiet"
        hint      = "shout a sentence with punctuation inside"
        caught_by = ["test_loud"]

        [[edit]]
        file    = "words/shout.py"
        find    = "return text.upper() + MARK"
        replace = "return ','.join([text.partition(',')[0].upper(), *text.split(',')[1:]]).swapcase() + MARK"

        [witness]
        call    = "return shout('oyez, citizens')"
        """,
    "q72-marked-twice.toml": """\
        title     = "marked twice over"
        symptom   = "an interrobang would be calmer"
        hint      = "count what stands at the end"
        caught_by = ["test_mark"]

        [[edit]]
        file    = "words/shout.py"
        find    = 'MARK = "!"'
        replace = 'MARK = "?!!"'

        [witness]
        call    = "return shout('clarion')"
        """,
}


def lay_private_faults(folder: Path) -> Path:
    return lay_down(folder, FAULTS)


def secrets_of(folder: Path) -> set[str]:
    """Every text of these faults, and every line and word group of those that are code."""
    found: set[str] = set()
    for file in folder.glob("*.toml"):
        found |= {file.name, file.stem, file.stem.partition("-")[0]}
        found |= set(
            _texts(
                {k: v for k, v in tomllib.loads(file.read_text(encoding="utf-8")).items() if k != "caught_by"}
            )
        )
    return {text for text in found if len(text) >= SHORTEST or re.fullmatch(r"[a-z]\d+", text)}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, below in value.items():
            yield from () if name == "file" else _texts(below)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        lines = [line.strip() for line in value.splitlines()]
        yield from lines
        for line in lines:
            # What a witness or an edit says in quotes tells as much as the whole line.
            yield from re.findall(r"'([^']+)'", line) + re.findall(r'"([^"]+)"', line)


def leaks(out: Path, secrets: set[str]) -> list[str]:
    """Where a learner's file of a class holds one of these texts: `file: text`, whatever the case."""
    files = [file for pattern in LEARNERS_FILES for file in out.glob(pattern)]
    assert files, f"nothing to look at in {out}"
    return [
        f"{file.relative_to(out)}: {secret}"
        for file in files
        for text in [file.read_text(encoding="utf-8").casefold()]
        for secret in sorted(secrets)
        if re.search(rf"(?<!\w){re.escape(secret.casefold())}(?!\w)", text)
    ]
