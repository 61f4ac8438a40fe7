"""Feedback as Markdown, rendered by the parser that GitHub uses: it says what the screen says, and nothing in it acts."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import cmarkgfm  # type: ignore[import-untyped]  # it has no types
import pytest
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]  # as above
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from grader import texts
from grader.advice import next_step
from grader.report import Mutation, Report, Tally, TestLine
from grader.report import Tests as Outcomes
from grader.writers import inert, markdown
from grader.writers.said import message, taken_apart

if TYPE_CHECKING:
    from collections.abc import Callable

    Told = Callable[[str], list[Report]]

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</code></pre><h1>passed</h1>",
    "<!-- hidden -->",
    "--> shown",
    "[click](javascript:alert(1))",
    "![](https://example.org/pixel.png)",
    "[a]: https://example.org",
    "@octocat @org/team",
    "ada@example.org",
    "#1 GH-2 octocat/repo#3",
    "https://example.org www.example.org mailto:a@example.org xmpp:a@example.org",
    "<https://example.org>",
    "| a | b |\n|---|---|\n| c | d |",
    "a|b \\| c \\\\| d",
    "`code` ``more`` ``` fence",
    "```\n# out of the fence\n```",
    "~~~\n# out\n~~~",
    "# heading\n## passed",
    "passed\n===",
    "- item\n1. one\n> quote\n---",
    "**bold** _it_ __b__ ~~gone~~ $x$ a_b_c",
    "trailing backslash \\",
    "&lt;b&gt; &#64;octocat &copy;",
    ":tada: :+1:",
    "\x1b[31mred\x1b[0m \x00 \x07 \r\n",
    "\u202egnp.exe \u200b \u2028::error::x",
    "::error::no\n##[error]no",
    " leading and trailing ",
    "` `",
    "$$\\require{}$$",
]
ALLOWED = {
    "h2",
    "h3",
    "p",
    "strong",
    "code",
    "pre",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "br",
    "em",
}
unhurried = settings(deadline=None)  # the machine may be busy
anything = st.text(st.characters(codec="utf-8"), max_size=40)
# Texts that look like Markdown more often than random ones do.
marks = st.lists(
    st.sampled_from(
        [*"`*_[]()<>#|\\~!@:.-+=&;$\n\t ", "a", "1", "www.", "http://x.y", "```", "<b>", "&#64;", "--"]
    ),
    max_size=12,
).map("".join)


class Page(HTMLParser):
    """What a reader sees: tags, texts outside of code, texts in code, cells of tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.prose: list[str] = []
        self.code: list[str] = []
        self.rows: list[list[str]] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name not in {"lang", "class"}], (tag, attrs)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        if tag != "br":
            self._open.append(tag)
        if tag == "code":
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self._open:
            self.rows[-1][-1] += data
        if "code" in self._open:
            self.code[-1] += data
        else:
            self.prose.append(data)


def rendered(text: str) -> Page:
    """As GitHub renders it: with raw HTML, which the site then filters, so that nothing may need its filter."""
    return Page(cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE))


def assert_inert(page: Page) -> None:
    assert set(page.tags) <= ALLOWED
    for prose in page.prose:  # text nodes; a comment between two of them parts them
        assert not re.search(r"(?<![\w`])@\w", prose), prose
        assert not re.search(r"(?<!\w)#\d|\bGH-\d|://|\bwww\.|:[\w+-]+:", prose), prose
    for text in [*page.prose, *page.code]:
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b\u2028]", text), text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_a_learner_writes_is_shown_and_does_nothing(hostile: str, told: Told) -> None:
    for report in told(hostile):
        assert_inert(rendered(markdown.write(report)))


@unhurried
@given(text=st.one_of(anything, marks))
@example(text="\\|")
@example(text="`|`")
@example(text="<!--")
@example(text="a\n\n\nb")
def test_no_text_whatever_does_anything(text: str, told: Told) -> None:
    for report in told(text):
        page = rendered(markdown.write(report))
        assert_inert(page)
        assert {len(row) for row in page.rows} <= {5}


@unhurried
@given(text=st.one_of(anything, marks).filter(texts.one_line))
@example(text="`")
@example(text="``a`")
@example(text="\\")
@example(text="a|b")
@example(text="\\|")
@example(text="www.example.org|x@y.z")
def test_code_in_a_table_comes_out_as_it_went_in(text: str) -> None:
    page = rendered(f"| a | b |\n|---|---|\n| {inert.cell(text)} | end |\n")
    assert page.rows[1:] == [[texts.one_line(text), "end"]]
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


@unhurried
@given(text=st.one_of(anything, marks).filter(texts.one_line))
@example(text="a_b_ _c_ snake_case")
@example(text="\\`")
def test_words_come_out_as_they_went_in(text: str) -> None:
    page = rendered(f"- x: {inert.inline(text)}.\n")
    assert "".join(page.prose).strip() == f"x: {texts.one_line(text)}."
    assert page.tags == ["ul", "li"]


@unhurried
@given(text=st.one_of(anything, marks))
def test_a_block_of_code_comes_out_as_it_went_in(text: str) -> None:
    shown = texts.plain(text)
    page = rendered(f"before\n\n{inert.block(shown)}\n\nafter\n")
    assert page.code == [f"{shown}\n"]
    assert page.tags == ["p", "pre", "code", "p"]


# The same facts as the screen ----------------------------------------------------------------------------------


def seen(report: Report) -> str:
    """Everything that a reader sees, runs of blanks as one."""
    page = cmarkgfm.github_flavored_markdown_to_html(markdown.write(report), Options.CMARK_OPT_UNSAFE)
    return " ".join(html.unescape(re.sub(r"<!--.*?-->|<[^>]*>", "", page)).split())


def facts(report: Report) -> list[str]:
    """What the screen says of a report."""
    said = [report.reason, next_step(report), report.lesson, f"eed {report.seed}", *report.notices]
    for tests in (report.course, report.own):
        said += _of_tests(tests) if tests else []
    for problem in report.validity.problems if report.validity else ():
        first, place, ours = taken_apart(problem.message)
        said += [problem.test, place, *ours, *message(first).split("\n")]
    return [*said, *(_of_faults(report.mutation) if report.mutation else [])]


def _of_tests(tests: Outcomes) -> list[str]:
    failed = [test for test in tests.tests if test.outcome in {"failed", "error"}]
    return [
        f"{tests.passed} of {len(tests.tests)} pass",
        *(fact for test in failed for fact in _of_test(test)),
    ]


def _of_test(test: TestLine) -> list[str]:
    first, place, _ours = taken_apart(test.message)
    return [
        test.test.rpartition("::")[2],
        test.kind,
        test.checks,
        test.downstream,
        place,
        *message(first).split("\n"),
    ]


def _of_faults(grade: Mutation) -> list[str]:
    said = [f"{grade.killed} of {grade.total} killed, {grade.needed} needed"]
    for fault in grade.faults:
        said += [fault.id, fault.title, fault.status.replace("_", " "), fault.symptom, fault.hint]
        said += [*fault.killed_by, *fault.witness.split("\n")]
    return said


def test_the_page_says_what_the_screen_says(kept: dict[str, Report]) -> None:
    for case, report in kept.items():
        page = seen(report)
        missing = [fact for fact in facts(report) if " ".join(texts.plain(fact).split()) not in page]
        assert missing == [], case


def test_the_page_begins_with_what_the_report_comes_to_and_ends_with_what_to_do(
    kept: dict[str, Report],
) -> None:
    heading, verdict, *_parts, step, _seed = markdown.write(kept["survivors"]).split("\n\n")
    assert heading == "## L7.1: failed"
    assert verdict.startswith("**FAILED:** 8 of 9 faults killed")
    assert step.startswith("**Next:** write a test for s01")


def test_faults_that_are_kept_from_a_learner_are_counted_and_not_named(kept: dict[str, Report]) -> None:
    report = kept["passed"]
    assert report.mutation is not None
    grade = replace(report.mutation, private=Tally(killed=1, total=2))
    assert "; 1 of 2 that are not named here" in markdown.write(replace(report, mutation=grade))


# Limits --------------------------------------------------------------------------------------------------------


def long(report: Report, tests: int) -> Report:
    lines = tuple(
        TestLine(test=f"test_{n}", outcome="failed", message=f"{n} {'x' * 500}") for n in range(tests)
    )
    return replace(report, course=Outcomes(passed=0, failed=tests, tests=lines))


def test_a_long_page_ends_before_github_refuses_it_and_says_so(kept: dict[str, Report]) -> None:
    text = markdown.write(long(kept["survivors"], 2000))
    assert 0.9 * markdown.LIMIT < len(text) <= markdown.LIMIT
    assert re.search(r"^\*\d+ parts of this page are left out here", text, re.MULTILINE)
    assert text.splitlines()[-3].startswith("**Next:** ")
    assert_inert(rendered(text))
    assert text.count("```") % 2 == 0


@pytest.mark.parametrize("limit", [200, 1000, 5000])
def test_a_page_is_cut_between_its_parts(limit: int, kept: dict[str, Report]) -> None:
    whole = markdown.page(long(kept["survivors"], 30), 10**6)
    cut = markdown.page(long(kept["survivors"], 30), limit)
    assert len(cut) <= limit
    parts, _ = re.split(r"\*\d+ parts? of this page", cut)
    assert whole.startswith(parts)
    assert parts == "" or parts.endswith("\n\n")


def test_one_message_cannot_fill_the_page(told: Told) -> None:
    text = markdown.write(told("x" * 100_000)[0])
    assert "more characters]" in text
    assert "Seed 7" in text


@pytest.mark.parametrize(("faults", "killers"), [(1000, 1), (9, 10)], ids=["many faults", "long names"])
def test_a_table_that_is_too_long_is_cut_and_hides_nothing_behind_it(
    faults: int, killers: int, kept: dict[str, Report]
) -> None:
    report = kept["survivors"]
    assert report.mutation is not None
    last = report.mutation.faults[-1]
    names = tuple(f"test_{'x' * 900}_{number}" for number in range(killers))
    killed = replace(last, status="killed", killed_by=names, hint="", symptom="", required=False)
    lines = tuple(replace(killed, id=f"f{number}") for number in range(faults))
    lines += tuple(fault for fault in report.mutation.faults if fault.status != "killed")
    text = markdown.write(replace(report, mutation=replace(report.mutation, faults=lines)))
    assert len(text) < markdown.LIMIT
    assert "| f0 | killed |" in text
    assert "Blind spot" in text
    assert ("more | | | | |" in text) == (faults == 1000)


def test_what_the_killing_tests_said_is_told_where_it_is_asked_for(kept: dict[str, Report]) -> None:
    report = kept["full"]
    assert report.mutation is not None
    said = next(fault.message for fault in report.mutation.faults if fault.status == "killed")
    first = said.strip().splitlines()[0]
    assert first not in markdown.write(report)
    assert first in markdown.write(report, messages=True)


def test_many_killers_are_counted_and_not_all_named(kept: dict[str, Report]) -> None:
    report = kept["matrix"]
    assert report.mutation is not None
    faults = tuple(
        replace(f, killed_by=tuple(f"test_{n}" for n in range(50))) for f in report.mutation.faults
    )
    text = markdown.write(replace(report, mutation=replace(report.mutation, faults=faults)))
    assert "and 40 more" in text
