"""Which names of files a submission may have."""

from __future__ import annotations

import unicodedata

DEEPEST = 30  # folders in one another; pytest's time grows with the square of it
SEPARATORS = (
    "Cc",
    "Cf",
    "Cs",
    "Zl",
    "Zp",
)  # control, format (bidi among them), surrogate, line and paragraph separators


def problem_with(name: str) -> str:
    """Why a path of a submission is refused, as the rest of a sentence; empty when it is not."""
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":"):
        return "the path is absolute; pack the folder itself"
    if ".." in parts:
        return "the path leaves the submission"
    if len(parts) > DEEPEST:
        return f"it lies more than {DEEPEST} folders deep"
    if any(unicodedata.category(character) in SEPARATORS for character in name):
        return "the name holds control characters; rename the file"
    return ""


def is_passed_over(name: str) -> bool:
    """Whether a path lies in a dot-folder, in a cache, or in what a Mac adds to archives."""
    return any(
        part.startswith(".") or part in {"__pycache__", "__MACOSX"} for part in name.split("/") if part != "."
    )
