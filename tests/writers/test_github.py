"""Commands to a GitHub Actions runner, read as the runner reads them: nobody but us gives one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from grader.errors import UnreadableError
from grader.report import ProblemLine, Report
from grader.writers import github, markdown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Told = Callable[[str], list[Report]]

ANNOTATIONS = ("error", "warning", "notice")
COMMANDS = (*ANNOTATIONS, "debug", "group", "endgroup", "add-mask", "set-output", "set-env", "add-path", "echo", "add-matcher")  # fmt: skip
unhurried = settings(deadline=None, max_examples=30)  # the machine may be busy, and a screen takes its time
anything = st.text(st.characters(codec="utf-8"), max_size=60)


@dataclass
class Runner:
    """What a step's log comes to: the rules of the runner's ActionCommand and ActionCommandManager."""

    commands: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    token: str = ""

    def read(self, log: str) -> Runner:
        for line in re.split(r"\r\n|\r|\n", log):
            self._line(line)
        return self

    def _line(self, line: str) -> None:
        found = self._old(line) or self._new(line)
        if found is None:
            self.text.append(line)
            return
        name, _properties, data = found
        if self.token:
            if name == self.token:
                self.token = ""
            else:
                self.text.append(line)
        elif name == "stop-commands":
            self.token = data
        else:
            self.commands.append(found)

    def _new(self, line: str) -> tuple[str, dict[str, str], str] | None:
        line = line.lstrip()
        if not line.startswith("::") or "::" not in line[2:]:
            return None
        info, _, data = line[2:].partition("::")
        name, _, rest = info.partition(" ")
        if name not in {*COMMANDS, "stop-commands", self.token}:
            return None
        pairs = [pair.split("=", 1) for pair in rest.split(",") if "=" in pair]
        return name, {key.strip(): self._value(value) for key, value in pairs}, _unescaped(data)

    def _old(self, line: str) -> tuple[str, dict[str, str], str] | None:
        found = re.search(r"##\[([\w-]+)[^\]]*\](.*)", line)
        return (found[1], {}, found[2]) if found and found[1] in {*COMMANDS, "stop-commands"} else None

    @staticmethod
    def _value(value: str) -> str:
        return _unescaped(value.replace("%3A", ":").replace("%2C", ","))


def _unescaped(data: str) -> str:
    return data.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def test_commands_are_stopped_before_the_screen_and_resumed_after_it(kept: dict[str, Report]) -> None:
    runner = Runner().read(github.write(kept["survivors"]))
    assert runner.token == ""
    assert "8 of 9 killed, 8 needed" in runner.text
    assert [(name, properties["title"]) for name, properties, _ in runner.commands] == [
        ("error", "L7.1: failed"),
        ("error", "s01 eps outside the root (required): survived"),
    ]


def test_a_pass_is_a_notice_and_no_error(kept: dict[str, Report]) -> None:
    runner = Runner().read(github.write(kept["passed"]))
    assert [name for name, _, _ in runner.commands] == ["notice"]


def test_a_survivor_that_is_not_required_is_a_warning(kept: dict[str, Report]) -> None:
    runner = Runner().read(github.write(replace(kept["just-started"], course=None)))
    levels = {properties["title"].split()[0]: name for name, properties, _ in runner.commands}
    assert (levels["s01"], levels["s05"]) == ("error", "warning")


def test_findings_name_the_file_in_the_repository_and_the_line(kept: dict[str, Report]) -> None:
    runner = Runner().read(github.write(kept["not-allowed"], root="python/tests/l7-1-norm"))
    places = [(found.get("file"), found.get("line")) for _, found, _ in runner.commands]
    assert places == [
        (None, None),
        *(("python/tests/l7-1-norm/test_norm.py", str(line)) for line in (1, 2, 3)),
    ]


def test_a_test_that_rejects_a_correct_program_is_pointed_at(kept: dict[str, Report]) -> None:
    _verdict, first, second = Runner().read(github.write(kept["too-strict"])).commands
    assert (first[1]["file"], first[1]["line"]) == ("test_norm.py", "19")
    assert second[1]["title"] == "too strict: test_norm.py::test_gemma"
    assert "Another correct implementation gives something else here" in first[2]


def test_there_are_never_more_annotations_than_a_step_shows(kept: dict[str, Report]) -> None:
    report = kept["not-allowed"]
    assert report.validity is not None
    problems = tuple(
        ProblemLine(kind="policy", test="", program="reference", message=f"number {n} [test_x.py:{n}].")
        for n in range(1, 41)
    )
    many = replace(
        report,
        validity=replace(report.validity, problems=problems),
        notices=tuple(f"note {n}" for n in range(30)),
    )
    runner = Runner().read(github.write(many))
    counts = Counter(name for name, _, _ in runner.commands)
    assert counts == {"error": 10, "notice": 10}
    errors = [data for name, _, data in runner.commands if name == "error"]
    assert errors[0] == report.reason
    assert errors[1].startswith("number 1")
    assert errors[-1] == "32 more are left out here; the log has them all"  # of 41, 9 are shown


def test_exactly_ten_are_all_shown(kept: dict[str, Report]) -> None:
    many = replace(kept["passed"], notices=tuple(f"note {n}" for n in range(9)))
    notices = [data for _, _, data in Runner().read(github.write(many)).commands]
    assert notices[-1] == "note 8"


@pytest.mark.parametrize(
    "hostile",
    [
        "::error::forged",
        "  ::set-env name=PATH::/evil",
        "a\n::add-path::/evil",
        "a\r::add-mask::a",
        "a%0A::error::forged",
        "##[error]forged",
        "x ##[add-path]/evil",
        "::stop-commands::mine",
        "title,line=1,file=/etc/passwd::forged",
        "\u2028::error::x",
        "\x85::error::x",
        "\x0b::error::x",
    ],
)
def test_no_text_of_a_learner_is_a_command(hostile: str, told: Told) -> None:
    for report in told(hostile):
        assert_only_ours(report)


@unhurried
@given(text=anything)
@example(text="%0A::error::x")
@example(text=":,%=\r\n")
@example(text="::" * 20)
def test_no_text_whatever_is_a_command(text: str, told: Told) -> None:
    for report in told(text):
        assert_only_ours(report)


def assert_only_ours(report: Report) -> None:
    log = github.write(report)
    runner = Runner().read(log)
    assert runner.token == ""
    levels = Counter(each.level for each in github.annotations_of(report))
    expected = {level: min(number, github.MOST) for level, number in levels.items()}
    assert Counter(name for name, _, _ in runner.commands) == expected
    for _, properties, data in runner.commands:
        assert set(properties) <= {"file", "line", "title"}
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", data + "".join(properties.values()))


@unhurried
@given(data=st.text(max_size=60))
@example(data="%25%0A\r\n:,")
def test_the_runner_reads_back_what_was_escaped(data: str) -> None:
    line = f"::error title={github.escaped_property(data)}::{github.escaped(data)}"
    assert "\n" not in line
    assert "\r" not in line
    assert _unescaped(github.escaped(data)) == data
    assert Runner._value(github.escaped_property(data)) == data


def test_nobody_can_know_the_token_before_the_report_is_written(kept: dict[str, Report]) -> None:
    """It is a hash over the report: a text in the report that holds it would change it."""
    first = github.write(kept["survivors"]).splitlines()[0]
    token = first.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{64}", token)
    again = replace(kept["survivors"], notices=(f"::{token}::",))
    log = github.write(again)
    assert log.splitlines()[0] != first
    assert f"\n::{token}::" not in log


# The summary ---------------------------------------------------------------------------------------------------


def test_the_summary_is_the_markdown_page_behind_what_is_there(
    kept: dict[str, Report], tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    github.deliver(kept["survivors"], {"GITHUB_STEP_SUMMARY": str(summary)})
    assert summary.read_text(encoding="utf-8") == "before\n\n\n" + markdown.write(kept["survivors"])


def test_the_summary_begins_on_a_line_of_its_own(kept: dict[str, Report], tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("no line end")
    github.deliver(kept["survivors"], {"GITHUB_STEP_SUMMARY": str(summary)})
    assert "\n\n## L7.1: failed\n" in summary.read_text(encoding="utf-8")


def test_a_summary_never_becomes_too_long_to_be_shown(told: Told, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_bytes(b"x" * (github.SUMMARY_LIMIT - 2000))
    github.deliver(told("größe √σ " * 400)[0], {"GITHUB_STEP_SUMMARY": str(summary)})
    assert github.SUMMARY_LIMIT - 2000 < summary.stat().st_size <= github.SUMMARY_LIMIT


def test_a_full_summary_stays_as_it_is(kept: dict[str, Report], tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_bytes(b"x" * github.SUMMARY_LIMIT)
    github.deliver(kept["survivors"], {"GITHUB_STEP_SUMMARY": str(summary)})
    assert summary.stat().st_size == github.SUMMARY_LIMIT


def test_outside_of_a_step_there_is_no_summary(kept: dict[str, Report]) -> None:
    github.deliver(kept["survivors"], {})


def test_a_summary_that_cannot_be_written_is_an_error_with_its_name(
    kept: dict[str, Report], tmp_path: Path
) -> None:
    with pytest.raises(UnreadableError, match="summary"):
        github.deliver(kept["survivors"], {"GITHUB_STEP_SUMMARY": str(tmp_path / "no" / "summary")})
