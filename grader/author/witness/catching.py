"""A witness that shows an exception, as one that returns a value: the exception's name."""

from __future__ import annotations

import ast
import textwrap

CATCHING = """\
try:
{body}
except Exception as error:
    return type(error).__name__
return "no exception\""""


def catching_text(call: str) -> str | None:
    """The body with its last statement's value dropped and every exception named; None where it returns elsewhere too."""
    body = ast.parse(call).body
    last = body[-1]
    returns = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Return)]
    if returns != [last] or not isinstance(last, ast.Return) or last.value is None:
        return None
    if last.value.lineno != last.lineno:
        return None
    lines = call.splitlines()
    line = last.lineno - 1
    lines[line] = lines[line].encode()[last.value.col_offset :].decode()
    return CATCHING.format(body=textwrap.indent("\n".join(lines), "    "))
