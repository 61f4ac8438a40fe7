"""A page of HTML that needs nothing but itself, and text that may stand in one."""

from __future__ import annotations

import html

from grader import texts


def page(title: str, style: str, body: str) -> str:
    """The whole page; all three are HTML or CSS already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def escaped(text: str) -> str:
    """Any text as HTML that shows it, with nothing in it that misleads a reader's eye."""
    return html.escape(texts.plain(text))
