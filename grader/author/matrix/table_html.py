"""The table as one page of HTML: no script, nothing loaded, a word in every cell, for light and dark screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.html_page import escaped, page
from grader.author.matrix.sentences import sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.author.matrix.analysis import Analysis
    from grader.author.matrix.model import Cell, Matrix
    from grader.author.matrix.sentences import Section

# Text on its background has a contrast of 7 or more in both schemes (WCAG 2.2, 1.4.6).
STYLE = """\
:root { color-scheme: light dark;
  --page: #ffffff; --text: #1c1c1c; --quiet: #555555; --line: #c4c4c4; --head: #f1f1f1;
  --killed: #9bd7a4; --stopped: #f3cf7a; --skipped: #e3e3e3; --invalid: #f2b5ae }
@media (prefers-color-scheme: dark) { :root {
  --page: #161616; --text: #ededed; --quiet: #b0b0b0; --line: #4a4a4a; --head: #262626;
  --killed: #14532d; --stopped: #5c4300; --skipped: #333333; --invalid: #5f1d17 } }
body { margin: 2rem; background: var(--page); color: var(--text); font: 1rem/1.45 system-ui, sans-serif }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin: 1.6rem 0 .3rem }
p, ul { margin: .3rem 0; max-width: 60rem }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-size: .875rem }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: center; white-space: nowrap }
th { background: var(--head); font-weight: 600 }
th[scope=row] { text-align: left; position: sticky; left: 0; font-weight: 400;
  white-space: normal; overflow-wrap: anywhere; min-width: min(18rem, 45vw); max-width: min(34rem, 45vw) }
tfoot th[scope=row] { font-weight: 600 }
.killed { background: var(--killed) } .survived { color: var(--quiet) }
.timeout, .crashed { background: var(--stopped) } .skipped, .not-run { background: var(--skipped) }
.invalid { background: var(--invalid); text-align: left }"""


def write(matrix: Matrix, analysis: Analysis) -> str:
    """The whole page."""
    title = escaped(f"Tests and faults of {matrix.lesson}")
    tables, labels = [], matrix.labels()
    if matrix.suites:
        rows = [(row.suite, row.cells, row.problem) for row in matrix.suites]
        tables.append(_table(matrix, "Suites", "suite", rows))
    if matrix.tests:
        tables.append(
            _table(matrix, "Tests", "test", [(labels[row.name], row.cells, "") for row in matrix.tests])
        )
    body = [f"<h1>{title}</h1>", *tables, *_faults(matrix), *map(_section, sections(matrix, analysis))]
    return page(title, STYLE, "\n".join(body))


def _table(matrix: Matrix, caption: str, row: str, rows: Sequence[tuple[str, tuple[Cell, ...], str]]) -> str:
    heads = "".join(f'<th scope="col" title="{escaped(f.title)}">{escaped(f.id)}</th>' for f in matrix.faults)
    lines = [
        f'<div class="table" role="region" tabindex="0" aria-label="{caption}">\n<table>',
        f"<caption>{caption}</caption>",
        f'<thead><tr><th scope="col">{row}</th>{heads}<th scope="col">kills</th></tr></thead>',
        "<tbody>",
        *(_row(matrix, name, cells, problem) for name, cells, problem in rows),
        "</tbody>",
        f"<tfoot>{_totals(matrix, [cells for _name, cells, _problem in rows])}</tfoot>",
        "</table>\n</div>",
    ]
    return "\n".join(lines)


def _row(matrix: Matrix, name: str, cells: tuple[Cell, ...], problem: str) -> str:
    head = f'<tr><th scope="row">{escaped(name)}</th>'
    if problem:
        return f'{head}<td class="invalid" colspan="{len(matrix.faults) + 1}">{escaped(problem)}</td></tr>'
    filled = "".join(f'<td class="{cell.replace(" ", "-")}">{cell}</td>' for cell in cells)
    return f"{head}{filled}<td>{len(matrix.kills(cells))}</td></tr>"


def _totals(matrix: Matrix, rows: Iterable[tuple[Cell, ...]]) -> str:
    killed = [matrix.kills(cells) for cells in rows]
    counts = "".join(f"<td>{sum(fault.id in each for each in killed)}</td>" for fault in matrix.faults)
    return f'<tr><th scope="row">killed by</th>{counts}<td></td></tr>'


def _faults(matrix: Matrix) -> Iterator[str]:
    yield "<h2>The faults</h2>\n<ul>"
    for fault in matrix.faults:
        required = " (required)" if fault.required else ""
        yield f"<li><strong>{escaped(fault.id)}</strong> {escaped(fault.title)}{required}</li>"
    yield "</ul>"


def _section(section: Section) -> str:
    items = "".join(f"<li>{escaped(item)}</li>" for item in section.items)
    listed = f"\n<ul>{items}</ul>" if items else ""
    return f"<h2>{escaped(section.heading)}</h2>\n<p>{escaped(section.sentence)}</p>{listed}"
