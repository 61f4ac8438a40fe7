"""A generated pool: kept as data, named by hash, graded beside the faults with a threshold of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.errors import LessonError
from grader.lesson import fault_source, load_lesson, load_without_pools
from grader.lesson.replacement import name_of

ROOT = Path(__file__).resolve().parents[2]
DIARY = ROOT / "tests/cases/diary"
SUITE = DIARY / "fixtures/D1/submissions/complete/suite"
POOL = "mutants/D1/pools/generated.toml"
SIZE = 6
MOVED = ('map(int, day.split("-"))', 'map(int, day.split("-"))  # all of them')


def ol(course: Path, *words: str | Path, code: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "grader"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OL_COURSE": str(course)}
    return subprocess.run(
        [*command, *map(str, words)],
        env=environment,
        cwd=course.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose pool the command has written, and which does not grade it yet."""
    course = tmp_path_factory.mktemp("pool") / "diary"
    shutil.copytree(DIARY, course, ignore=shutil.ignore_patterns("__pycache__"))
    words = ("--operators", "mutmut:operator,drop-statement", "--inputs", "0", "--pool", str(SIZE))
    done = ol(course, "mutants", "suggest", "D1", *words)
    assert done.returncode == 0, done.stderr
    assert f"{SIZE} candidates" in done.stderr
    assert "[pools.generated]" in done.stderr
    return course


@pytest.fixture
def course(written: Path, tmp_path: Path) -> Path:
    """The same, graded with a threshold of one half."""
    copy = tmp_path / "diary"
    shutil.copytree(written, copy)
    threshold(copy, "0.50")
    return copy


def threshold(course: Path, text: str) -> None:
    file = course / "mutants/D1/lesson.toml"
    plain = file.read_text(encoding="utf-8").partition("\n[pools")[0]
    file.write_text(f"{plain}\n[pools.generated]\nthreshold = {text}\n", encoding="utf-8")


def candidates(course: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((course / POOL).read_text(encoding="utf-8"))["candidate"]
    return found


def report(course: Path, *words: str, suite: Path = SUITE) -> dict[str, Any]:
    file = course.parent / "report.json"
    ol(course, "check", "D1", "--only", "mutation", "--tests", suite, "--seed", "7", "--json", file, *words)
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    schema = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


# what is written


def test_a_candidate_is_its_own_description(written: Path) -> None:
    found = candidates(written)
    assert len(found) == SIZE
    for each in found:
        keys = ("file", "function", "original", "replacement", "occurrence")
        assert each["id"] == name_of(*(each[key] for key in keys))


def test_without_a_table_in_the_lesson_a_pool_is_not_graded(written: Path) -> None:
    lesson = load_lesson(written, "D1")
    assert (lesson.pool_faults, dict(lesson.pools)) == ((), {})


def test_each_is_a_private_program_that_is_never_required(course: Path) -> None:
    lesson = load_lesson(course, "D1")
    assert len(lesson.faults) == len(load_lesson(DIARY, "D1").faults)
    assert [fault.id for fault in lesson.pool_faults] == [
        f"generated:{each['id']}" for each in candidates(course)
    ]
    for fault, each in zip(lesson.pool_faults, candidates(course), strict=True):
        assert fault.private
        assert not fault.required
        before = lesson.reference_modules[lesson.module].source
        after = fault_source(lesson, fault)[lesson.module_file]
        assert after != before
        assert each["replacement"] in after
        assert len(after) - len(before) == len(each["replacement"]) - len(each["original"])


def test_the_lessons_hash_covers_the_pool(course: Path) -> None:
    before = load_lesson(course, "D1").sha256
    file = course / POOL
    file.write_text(file.read_text(encoding="utf-8") + "# a word more\n", encoding="utf-8")
    assert load_lesson(course, "D1").sha256 != before


# how it is graded


def test_a_suite_that_kills_enough_passes_and_the_report_counts_no_texts(course: Path) -> None:
    document = report(course)
    (pool,) = document["mutation"]["pools"]
    assert pool == {
        "name": "generated",
        "killed": pool["killed"],
        "total": SIZE,
        "needed": 3,
        "threshold": "0.50",
        "score": round(pool["killed"] / SIZE, 4),
    }
    assert pool["killed"] >= 3
    assert document["status"] == "passed"
    assert not any(each["id"] in json.dumps(document) for each in candidates(course))
    assert (
        document["mutation"]["total"]
        == len(document["mutation"]["faults"])
        == len(load_lesson(DIARY, "D1").faults)
    )


def test_a_pool_that_is_not_reached_fails_a_suite_that_kills_every_fault(
    course: Path, tmp_path: Path
) -> None:
    threshold(course, "1")
    weak = tmp_path / "weak"
    shutil.copytree(SUITE, weak)
    weakest = report(course, suite=weak)
    if weakest["mutation"]["pools"][0]["killed"] == SIZE:
        pytest.fail("the suite of this test has to miss something of the pool")
    assert weakest["mutation"]["killed"] == weakest["mutation"]["total"]
    assert (weakest["status"], weakest["exit_code"]) == ("failed", 1)
    assert (
        f"pool generated: {weakest['mutation']['pools'][0]['killed']} of {SIZE} killed, {SIZE} needed"
        in weakest["reason"]
    )


def test_the_screen_and_every_format_tell_the_pool_in_one_line(course: Path) -> None:
    file = course.parent / "report.json"
    report(course)
    # A case of JUnit's that passes has a name and no words.
    told = dict.fromkeys(("text", "markdown", "gradescope"), r"pool generated: \d of 6 killed, 3 needed")
    for name, line in (told | {"junit": 'name="pool generated"'}).items():
        done = ol(course, "report", name, file)
        assert done.returncode == 0, done.stderr
        assert len(re.findall(line, done.stdout)) >= 1, name


def test_the_score_alone_tells_no_required_fault_beside_a_pool(course: Path, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    (nothing / "test_nothing.py").write_text(
        "from diary.due import add_months\n\ndef test_it_is_text():\n    assert isinstance(add_months('2024-01-01', 1), str)\n"
    )
    document = report(course, "--feedback", "score", suite=nothing)
    assert document["mutation"]["required_missing"]
    assert document["reason"].endswith(f"not killed: {len(document['mutation']['required_missing'])}")


def test_a_lesson_without_pools_has_no_such_key(tmp_path: Path) -> None:
    copy = tmp_path / "diary"
    shutil.copytree(DIARY, copy)
    assert "pools" not in report(copy)["mutation"]


def test_grading_needs_no_mutmut(course: Path) -> None:
    code = (
        "import sys\nsys.modules['mutmut'] = sys.modules['libcst'] = sys.modules['tomlkit'] = None\n"
        "from grader.cli import run\nsys.exit(run(sys.argv[1:]))"
    )
    done = ol(course, "check", "D1", "--only", "mutation", "--tests", SUITE, code=code)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pool generated: " in done.stdout


# what an author can get wrong


def entry(change: Callable[[dict[str, Any]], None], *, rename: bool = True) -> Callable[[Path], None]:
    """Change the first candidate; with its name as it should then be."""

    def do(course: Path) -> None:
        found = candidates(course)
        change(found[0])
        if rename:
            keys = ("file", "function", "original", "replacement", "occurrence")
            found[0]["id"] = name_of(*(found[0][key] for key in keys))
        lines = []
        for each in found:
            lines.append("[[candidate]]")
            lines += [f"{key} = {json.dumps(value)}" for key, value in each.items()]
        (course / POOL).write_text("\n".join(lines), encoding="utf-8")

    return do


def reference(old: str, new: str) -> Callable[[Path], None]:
    def do(course: Path) -> None:
        file = course / "reference/diary/due.py"
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")

    return do


def emptied(course: Path) -> None:
    (course / POOL).write_text("candidate = []\n", encoding="utf-8")


WRONG: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "another replacement": (
        entry(lambda it: it.update(replacement="None"), rename=False), POOL, "candidate[0].id"),
    "another occurrence": (entry(lambda it: it.update(occurrence=7), rename=False), POOL, "candidate[0].id"),
    "an occurrence that there is not": (entry(lambda it: it.update(occurrence=7)), POOL, "candidate[0].original"),
    "a function that there is not": (entry(lambda it: it.update(function="gone")), POOL, "candidate[0].function"),
    "a file that there is not": (entry(lambda it: it.update(file="diary/gone.py")), POOL, "candidate[0].file"),
    "no change": (entry(lambda it: it.update(replacement=f"({it['original']})" if it["original"][0] not in "ir" else it["original"])), POOL, "candidate[0].replacement"),
    "no Python": (entry(lambda it: it.update(replacement="((")), POOL, "candidate[0].replacement"),
    "an unknown key": (entry(lambda it: it.update(more=1)), POOL, "candidate[0].more"),
    "a key that is missing": (entry(lambda it: it.pop("within")), POOL, "candidate[0].within"),
    "a reference that was changed": (
        reference(*MOVED),
        POOL, ".within"),
    "no file": (lambda course: (course / POOL).unlink(), POOL, "file"),
    "no candidates": (emptied, POOL, "candidate"),
    "a threshold of nothing": (lambda course: threshold(course, "0"), "mutants/D1/lesson.toml", "pools.generated.threshold"),
    "a threshold above one": (lambda course: threshold(course, "1.01"), "mutants/D1/lesson.toml", "pools.generated.threshold"),
    "a threshold in words": (lambda course: threshold(course, '"most"'), "mutants/D1/lesson.toml", "threshold"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "file", "key"), WRONG.values(), ids=list(WRONG))
def test_an_authors_mistake_is_named_with_file_and_key(
    course: Path, spoil: Callable[[Path], None], file: str, key: str
) -> None:
    load_lesson(course, "D1")
    spoil(course)
    with pytest.raises(LessonError) as caught:
        load_lesson(course, "D1")
    assert caught.value.file == file
    assert key in caught.value.key


def test_one_candidate_twice_is_refused(course: Path) -> None:
    file = course / POOL
    text = file.read_text(encoding="utf-8")
    first = text[text.index("[[candidate]]") :].split("[[candidate]]")[1]
    file.write_text(f"{text}\n[[candidate]]{first}", encoding="utf-8")
    with pytest.raises(LessonError, match=rf"candidate\[{SIZE}\]\.id: is that of candidate\[0\], too"):
        load_lesson(course, "D1")


def test_a_stale_pool_can_be_made_anew(course: Path) -> None:
    reference(*MOVED)(course)
    assert load_without_pools(course, "D1").pool_faults == ()
    words = ("--operators", "mutmut:operator,drop-statement", "--inputs", "0", "--pool", str(SIZE))
    done = ol(course, "mutants", "suggest", "D1", *words)
    assert done.returncode == 0, done.stderr
    assert len(load_lesson(course, "D1").pool_faults) == SIZE
