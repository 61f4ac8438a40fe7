"""`ol mutants matrix`: every cell is filled, on whatever program, and every medium tells the same."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from grader.author.matrix import Cell, FaultColumn, Matrix, SuiteRow, TestRow, analysed, table_csv, table_html
from grader.errors import ExitCode
from grader.writers import matrix_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.author.conftest import Course

K, S = Cell.KILLED, Cell.SURVIVED
HOSTILE = "<script>alert(1)</script>&\"'\x1b[31m\u202e::error::"


def wide(faults: int) -> Matrix:
    columns = tuple(
        FaultColumn(f"s{number:02}", f"fault {number}", required=number == 0) for number in range(faults)
    )
    rows = (
        TestRow("test_a.py::test_one", (K, *[S] * (faults - 1))),
        TestRow("test_a.py::" + "test_with_a_very_long_name_" * 4, (*[S] * (faults - 1), Cell.TIMEOUT)),
    )
    return Matrix("T1", columns, rows)


HOSTILE_TABLE = Matrix(
    "T1",
    (FaultColumn("s01", HOSTILE),),
    (TestRow(f"test_a.py::test[{HOSTILE}]", (K,), f"=1+1{HOSTILE}"),),
    (SuiteRow(f"=1+1{HOSTILE}", (K,)), SuiteRow(f"b{HOSTILE}", (), HOSTILE)),
)


# Filling ------------------------------------------------------------------------------------------------------


def test_the_course_tests_kill_exactly_what_the_faults_say(diary: Course) -> None:
    told = diary.json("mutants", "matrix", "D1")
    assert [fault["id"] for fault in told["faults"]] == ["d01", "d02", "d03", "d04", "d05"]
    assert told["suites"] == []
    killed: dict[str, set[str]] = {fault["id"]: set() for fault in told["faults"]}
    for row in told["tests"]:
        assert row["cells"].keys() == killed.keys()
        for fault, cell in row["cells"].items():
            assert cell in {"killed", "survived"}
            if cell == "killed":
                killed[fault].add(row["test"].partition("::")[2].partition("[")[0])
    assert killed == {
        file.name.partition("-")[0]: set(caught_by(file))
        for file in (diary.root / "mutants/D1").glob("d*.toml")
    }
    assert told["analysis"]["unkilled"] == []
    assert set(told["analysis"]["smallest"]) <= {row["test"] for row in told["tests"]}


def caught_by(file: Path) -> list[str]:
    names: list[str] = tomllib.loads(file.read_text(encoding="utf-8"))["caught_by"]
    return names


def test_what_hangs_crashes_or_is_skipped_has_its_own_cell(diary: Course) -> None:
    fault = diary.root / "mutants/D1/d04-no-leading-zeros.toml"
    start, _, rest = fault.read_text(encoding="utf-8").partition("[[edit]]")
    fault.write_text(f"{start}{WORSE}\n[witness]{rest.partition('[witness]')[2]}", encoding="utf-8")
    tests = diary.root / "reference/tests/D1/test_due.py"
    tests.write_text(tests.read_text(encoding="utf-8") + MORE_TESTS, encoding="utf-8")
    told = diary.json("mutants", "matrix", "D1", "--timeout", "5")
    cells = {row["test"].partition("::")[2]: row["cells"]["d04"] for row in told["tests"]}
    assert {
        name: cells[name]
        for name in ("test_hangs", "test_crashes", "test_skipped", "test_fails", "test_passes")
    } == {
        "test_hangs": "timeout",
        "test_crashes": "crashed",
        "test_skipped": "skipped",
        "test_fails": "killed",
        "test_passes": "survived",
    }


WORSE = """\
[[edit]]
file    = "diary/due.py"
find    = '''    year, month, number = parts(day)
'''
replace = '''    while months == 77:
        pass
    if months == 88:
        __import__("os").abort()
    year, month, number = parts(day)
    number += months == 99
'''
"""
MORE_TESTS = """

import pytest as _pytest

def test_hangs():
    add_months("2024-01-31", 77)

def test_crashes():
    add_months("2024-01-31", 88)

@_pytest.mark.skip(reason="never")
def test_skipped():
    add_months("2024-01-31", 77)

def test_fails():
    assert add_months("2024-01-05", 99) == "2032-04-05"

def test_passes():
    assert add_months("2024-01-05", 1) == "2024-02-05"
"""


def test_a_course_test_that_fails_on_the_reference_is_the_authors_mistake(diary: Course) -> None:
    tests = diary.root / "reference/tests/D1/test_due.py"
    tests.write_text(
        tests.read_text(encoding="utf-8") + "\ndef test_wrong():\n    assert False\n", encoding="utf-8"
    )
    done = diary.ol("mutants", "matrix", "D1")
    assert done.returncode == ExitCode.COURSE
    assert "test_wrong" in done.stderr


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    """Suites in a folder: one as a folder, one as a file, one that cannot be graded."""
    folder = tmp_path / "handed in"
    written = {
        "ada/test_ada.py": "from diary.due import add_months\n\n"
        "def test_leap():\n    assert add_months('2024-01-31', 1) == '2024-02-29'\n\n"
        "def test_next_year():\n    assert add_months('2023-12-05', 1) == '2024-01-05'\n",
        "test_bob.py": "from diary.due import add_months\n\n"
        "def test_same():\n    assert add_months('2023-11-15', 0) == '2023-11-15'\n",
        "eve/test_eve.py": "def test_nothing():\n    assert False\n",
    }
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_every_suite_of_a_folder_is_graded_and_its_tests_are_told_one_by_one(
    diary: Course, suites: Path
) -> None:
    told = diary.json("mutants", "matrix", "D1", "--suites", suites)
    rows = {row["suite"]: row for row in told["suites"]}
    assert rows.keys() == {"ada", "eve", "test_bob.py"}
    assert rows["eve"]["problem"]
    assert rows["eve"]["cells"] == {}
    assert rows["ada"]["cells"]["d01"] == rows["ada"]["cells"]["d02"] == "killed"
    assert rows["ada"]["cells"]["d05"] == "survived"
    tests = {(row["suite"], row["test"].partition("::")[2]): row["cells"] for row in told["tests"]}
    assert tests["ada", "test_leap"]["d01"] == "killed"
    assert tests["ada", "test_next_year"]["d01"] == "survived"
    assert not any(suite == "eve" for suite, _test in tests)
    assert told["analysis"]["smallest_suites"] == ["ada"]
    for suite, row in rows.items():
        for fault, cell in row["cells"].items():
            own = [cells[fault] for (name, _test), cells in tests.items() if name == suite]
            assert (cell == "killed") == ("killed" in own)


# Media --------------------------------------------------------------------------------------------------------


def test_one_run_writes_every_format(diary: Course) -> None:
    done = diary.ol(
        "mutants", "matrix", "D1", "--format", "csv=t.csv", "--format", "html=t.html", "--json", "t.json", "--format", "text=t.txt"
    )  # fmt: skip
    assert done.returncode == ExitCode.PASSED, done.stderr
    around = diary.root.parent
    told = json.loads((around / "t.json").read_text(encoding="utf-8"))
    lines = list(csv.DictReader(io.StringIO((around / "t.csv").read_text(encoding="utf-8"))))
    assert [{"test": row["test"], **row["cells"]} for row in told["tests"]] == lines
    page = Page((around / "t.html").read_text(encoding="utf-8"))
    assert [row[1:-1] for row in page.body] == [list(row["cells"].values()) for row in told["tests"]]
    assert (around / "t.txt").read_text(encoding="utf-8") == done.stdout


@pytest.mark.parametrize(
    "words",
    [("--format", "pdf"), ("--format", "csv", "--format", "html"), ("--json", "-", "--format", "csv")],
)
def test_formats_that_cannot_be_are_a_mistake_in_the_command_line(
    words: tuple[str, ...], diary: Course
) -> None:
    assert diary.ol("mutants", "matrix", "D1", *words).returncode == ExitCode.USAGE


def test_a_format_without_a_path_has_standard_output_for_itself(diary: Course) -> None:
    done = diary.ol("mutants", "matrix", "D1", "--format", "csv")
    assert done.stdout.startswith("test,d01,d02,d03,d04,d05\n")
    assert len(list(csv.reader(io.StringIO(done.stdout)))) == done.stdout.count("\n")


@pytest.mark.parametrize("faults", [1, 9, 40])
def test_no_line_is_wider_than_the_page_and_no_cell_is_lost(faults: int) -> None:
    table = wide(faults)
    text = matrix_text.write(table, analysed(table))
    assert max(map(len, text.splitlines())) <= 80
    heads = [
        line.split() for line in text.splitlines() if line.split()[:1] and set(line.split()) <= ids(table)
    ]
    assert [each for line in heads for each in line] == [fault.id for fault in table.faults]
    assert text.count(" x ") == 1
    assert "test_one" in text
    assert "test_a.py" not in text  # the only file


def ids(table: Matrix) -> set[str]:
    return {fault.id for fault in table.faults}


class Page(HTMLParser):
    """The cells of a page's tables; fails on a tag that is not closed in its turn."""

    EMPTY = frozenset({"meta"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.where: list[str] = []
        self.feed(text)
        self.close()
        assert self.tags == []

    @property
    def body(self) -> list[list[str]]:
        return [row for row, where in zip(self.rows, self.where, strict=True) if where == "tbody"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
            self.where.append(self.tags[-2])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.tags.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] in {"td", "th"}:
            self.rows[-1][-1] += data


def test_the_page_needs_nothing_but_itself_and_is_readable_without_colour() -> None:
    table = wide(3)
    text = table_html.write(table, analysed(table))
    page = Page(text)
    tags = {tag for tag, _ in page.seen}
    assert tags & {"script", "link", "img", "iframe", "object"} == set()
    assert not any(
        name.startswith("on") or name in {"src", "href"} for _tag, found in page.seen for name in found
    )
    assert "url(" not in text
    assert "@import" not in text
    assert page.body == [
        ["test_one", "killed", "survived", "survived", "1"],
        ["test_with_a_very_long_name_" * 4, "survived", "survived", "timeout", "0"],
    ]
    assert page.rows[-1] == ["killed by", "1", "0", "0", ""]
    assert {found["scope"] for tag, found in page.seen if tag == "th"} == {"row", "col"}
    assert "caption" in tags
    assert "prefers-color-scheme: dark" in text
    assert page.seen[0] == ("html", {"lang": "en"})


def test_hostile_names_are_text_on_every_medium() -> None:
    analysis = analysed(HOSTILE_TABLE)
    page = Page(table_html.write(HOSTILE_TABLE, analysis))
    assert "script" not in {tag for tag, _ in page.seen}
    assert any("<script>alert(1)</script>&\"'\\x1b[31m\\u202e" in cell for row in page.rows for cell in row)
    text = matrix_text.write(HOSTILE_TABLE, analysis)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    lines = list(csv.reader(io.StringIO(table_csv.write(HOSTILE_TABLE, analysis))))
    assert {len(line) for line in lines} == {4}
    assert not any(cell[:1] in {"=", "+", "-", "@"} for line in lines for cell in line)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("text", "page"),
        ("killed", "text"),
        ("stopped", "text"),
        ("skipped", "text"),
        ("invalid", "text"),
        ("head", "text"),
        ("quiet", "page"),
    ],
)
def test_text_stands_out_from_its_background_in_both_schemes(name: str, other: str) -> None:
    for scheme in (table_html.STYLE.partition("@media")[0], table_html.STYLE.partition("@media")[2]):
        assert contrast(colour(scheme, name), colour(scheme, other)) >= 7


def colour(style: str, name: str) -> tuple[float, float, float]:
    digits = style.partition(f"--{name}: #")[2][:6]
    red, green, blue = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    return red, green, blue


def contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """By WCAG 2.2's definition of contrast ratio."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(rgb: tuple[float, float, float]) -> float:
    linear: list[Any] = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
