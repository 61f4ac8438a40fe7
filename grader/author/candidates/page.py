"""Candidates as one page of HTML: no script, nothing loaded, for light and dark screens."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from grader import texts
from grader.author.candidates.model import Class
from grader.author.candidates.wording import MEANING, kills, label, place, remark, summary
from grader.author.html_page import escaped, page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.author.candidates.model import Judged
    from grader.author.candidates.suggest import Suggested

# Text on its background has a contrast of 7 or more in both schemes (WCAG 2.2, 1.4.6).
STYLE = """\
:root { color-scheme: light dark; --page: #ffffff; --text: #1c1c1c; --line: #c4c4c4; --head: #f1f1f1;
  --missed: #f2b5ae; --killed: #9bd7a4; --other: #e3e3e3; --out: #fbe3e0; --in: #dff3e3 }
@media (prefers-color-scheme: dark) { :root { --page: #161616; --text: #ededed; --line: #4a4a4a; --head: #262626;
  --missed: #5f1d17; --killed: #14532d; --other: #333333; --out: #3f1512; --in: #10361f } }
body { margin: 2rem; background: var(--page); color: var(--text); font: 1rem/1.45 system-ui, sans-serif }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin: 1.8rem 0 .3rem }
p { margin: .3rem 0; max-width: 60rem }
.table { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; margin: .5rem 0; width: 100% }
th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top }
thead th { background: var(--head) }
td.number { text-align: right; white-space: nowrap } td.place { white-space: nowrap }
code, pre { font: .85rem/1.4 ui-monospace, monospace }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; padding: .1rem .3rem }
pre.before { background: var(--out) } pre.after { background: var(--in) }
summary { white-space: nowrap }
.badge { padding: .05rem .45rem; border-radius: .6rem; background: var(--other); white-space: nowrap }
.missed { background: var(--missed) } .killed { background: var(--killed) }"""
HEADS = ("candidate", "score", "place", "change", "killed by", "why")


def write(suggested: Suggested, shown: Sequence[Judged]) -> str:
    """The whole page."""
    title = escaped(f"Candidates for faults of {suggested.lesson}")
    body = [f"<h1>{title}</h1>", f"<p>{escaped(summary(suggested))}.</p>"]
    body += [f"<p>{escaped(notice)}</p>" for notice in suggested.notices]
    for kind in Class:
        of_kind = [each for each in shown if each.kind is kind]
        body += _section(kind, of_kind) if of_kind else []
    return page(title, STYLE, "\n".join(body))


def _section(kind: Class, judged: Sequence[Judged]) -> Iterator[str]:
    badge = f'<span class="badge {kind.value}">{escaped(label(kind))}</span>'
    yield f"<h2>{badge} {escaped(texts.count(len(judged), 'candidate'))}</h2>\n<p>{escaped(MEANING[kind])}.</p>"
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    yield f'<div class="table" role="region" tabindex="0" aria-label="{escaped(label(kind))}">\n<table>'
    yield f"<thead><tr>{heads}</tr></thead>\n<tbody>"
    yield from map(_row, judged)
    yield "</tbody>\n</table>\n</div>"


def _row(judged: Judged) -> str:
    candidate = judged.candidate
    return (
        f'<tr id="{candidate.id}"><th scope="row"><code>{candidate.id}</code></th>'
        f'<td class="number">{judged.score:.2f}</td>'
        f'<td class="place">{escaped(place(judged))}<br>{escaped(candidate.function)}</td>'
        f'<td><pre class="before">{escaped(dedent(candidate.lines_before))}</pre>'
        f'<pre class="after">{escaped(dedent(candidate.lines_after))}</pre>{escaped(", ".join(candidate.operators))}</td>'
        f"<td>{_killers(judged)}</td><td>{_why(judged)}</td></tr>"
    )


def _killers(judged: Judged) -> str:
    if not judged.killed_by:
        return escaped(kills(judged))
    tests = "".join(f"<br>{escaped(test)}" for test in judged.killed_by)
    return f"<details><summary>{escaped(kills(judged))}</summary>{tests}</details>"


def _why(judged: Judged) -> str:
    witness = f"<pre>{escaped(judged.witness)}</pre>" if judged.witness else ""
    return f"{escaped(remark(judged))}{witness}"
