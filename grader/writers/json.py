"""The report as JSON: UTF-8, no NaN, keys as in the schema in `docs/report.schema.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from grader.report import Report

if TYPE_CHECKING:
    from pathlib import Path


def write(report: Report) -> str:
    """The document, indented, with a newline at its end."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def read(path: Path) -> Report:
    """The report that a file holds.

    Raises:
        msgspec.MsgspecError: it holds no report.
    """
    return decoded(path.read_bytes())


def decoded(data: bytes) -> Report:
    """As `read`, for what was read already."""
    return msgspec.json.decode(data, type=Report)


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the document, as it is published in `docs/report.schema.json`."""
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Report)))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | made
