"""The store keeps every attempt, knows what is graded, and can be used by one run at a time."""

from __future__ import annotations

import datetime as dt
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from grader.classroom.store import Key, Store, schema
from grader.classroom.store import rows as rows_of
from grader.classroom.store.names import FILE, LOCK
from grader.classroom.store.schema import APPLICATION, MIGRATIONS
from grader.errors import StoreBusyError, StoreError, StoreNewerError, UnreadableError
from tests.classroom.holding import held
from tests.classroom.made import LESSON, VERSIONS, entry, error, graded, invalid, sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
HOSTILE = [
    "=1+1",
    "two\nlines",
    "\x1b[31mred",
    "../../etc/passwd",
    "x" * 5000,
    os.fsdecode(b"\xff\xfe"),
    "nul\0in it",
    "\ud800 alone",
    "Ada",
    "ada",
    "",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "out", LESSON, 7) as store:
        yield store


def key(learner: str = "ada", submission: str = "a", lesson: str = "the lesson", seed: int = 7) -> Key:
    return Key.of(learner, sha256(submission), sha256(lesson), seed, VERSIONS)


def direct(store: Store, *statements: str) -> list[sqlite3.Row]:
    """What the file says to another program; of several statements, what it says to the last."""
    with closing(sqlite3.connect(store.out / FILE)) as database:
        database.row_factory = sqlite3.Row
        found = [database.execute(statement).fetchall() for statement in statements]
        database.commit()
    return found[-1]


# What is kept -----------------------------------------------------------------------------------------------------


def test_a_report_comes_back_as_it_was(store: Store) -> None:
    for report in (graded(), invalid(), error()):
        assert store.report(store.add(entry(), report)) == report


def test_an_attempt_tells_what_the_report_says(store: Store) -> None:
    attempt = store.add(entry(submitted=NOON), graded())
    assert attempt.key == key()
    assert (attempt.killed, attempt.total, attempt.needed, attempt.score) == (2, 4, 3, 0.5)
    assert (attempt.status, attempt.required_missing, attempt.submitted) == ("failed", ("s02",), NOON)
    assert (attempt.place, attempt.source, attempt.learner, attempt.time) == ("ada", "ada", "ada", NOON)


def test_an_attempt_without_a_grade_has_no_numbers(store: Store) -> None:
    attempt = store.add(entry(), invalid())
    assert (attempt.killed, attempt.total, attempt.needed, attempt.score) == (None, None, None, None)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_name_comes_back_as_it_was(store: Store, name: str) -> None:
    attempt = store.add(entry(name, "child"), graded())
    assert attempt.learner == name
    assert store.history(name) == [attempt]
    assert store.known(key(name)) == attempt


def test_names_that_look_alike_are_different_learners(store: Store) -> None:
    for number, name in enumerate(HOSTILE):
        store.add(entry(name, f"child {number}"), graded())
    assert sorted(attempt.learner for attempt in store.latest()) == sorted(HOSTILE)
    assert all(len(store.history(name)) == 1 for name in HOSTILE)


def test_attempts_are_added_and_never_replaced(store: Store) -> None:
    first = store.add(entry(), graded())
    second = store.add(entry(), invalid())
    assert store.history("ada") == [first, second]
    assert store.report(first) == graded()


@pytest.mark.parametrize("change", ["DELETE FROM attempts", "UPDATE attempts SET killed = 9"])
def test_not_even_another_program_changes_an_attempt(store: Store, change: str) -> None:
    store.add(entry(), graded())
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        direct(store, change)


def test_every_value_stands_in_the_column_of_its_name(store: Store) -> None:
    store.add(entry("Grace", "child", NOON), graded())
    row = dict(direct(store, "SELECT * FROM attempts")[0])
    assert rows_of.report_in(row.pop("report")) == graded()
    assert row.pop("graded") > "2026"
    assert row == {
        "id": 1,
        "learner": "Grace",
        "submission_sha256": sha256("a"),
        "lesson_sha256": sha256("the lesson"),
        "seed": "7",
        "versions": '{"numpy": "2.4.6", "ol": "0.1.0", "pytest": "9.2.0", "python": "3.11.7"}',
        "place": entry("Grace", "child").place,
        "source": "child",
        "submitted": "2026-03-01T12:00:00.000000+00:00",
        "status": "failed",
        "reason": graded().reason,
        "killed": 2,
        "total": 4,
        "needed": 3,
        "score": 0.5,
        "required_missing": "s02",
        "learner_order": "grace",
        "source_order": "child",
    }


def test_a_seed_may_be_larger_than_the_databases_numbers(tmp_path: Path) -> None:
    seed = 10**30
    with Store.open(tmp_path, LESSON, seed) as store:
        attempt = store.add(entry(), graded(seed=seed))
        assert attempt.key.seed == seed
        assert store.known(key(seed=seed)) == attempt
    with Store.open(tmp_path, LESSON) as store:
        assert store.seed == seed


def test_no_attempt_is_older_than_the_one_before_it(store: Store) -> None:
    attempts = [store.add(entry(), graded()) for _ in range(20)]
    assert sorted(attempts, key=lambda each: (each.graded, each.id)) == attempts


# What is known ----------------------------------------------------------------------------------------------------


def test_what_was_graded_is_known(store: Store) -> None:
    assert store.known(key()) is None
    attempt = store.add(entry(), graded())
    assert store.known(key()) == attempt


@pytest.mark.parametrize(
    "other",
    [
        key(learner="grace"),
        key(submission="b"),
        key(lesson="another lesson"),
        key(seed=8),
        Key.of("ada", sha256("a"), sha256("the lesson"), 7, {**VERSIONS, "numpy": "3"}),
    ],
    ids=["learner", "submission", "lesson", "seed", "versions"],
)
def test_what_differs_in_one_thing_is_new(store: Store, other: Key) -> None:
    store.add(entry(), graded())
    assert store.known(other) is None


def test_the_order_of_versions_does_not_matter() -> None:
    backwards = dict(reversed(VERSIONS.items()))
    assert Key.of("ada", sha256("a"), sha256("the lesson"), 7, backwards) == key()


def test_an_error_of_the_machine_is_not_known_and_so_graded_again(store: Store) -> None:
    store.add(entry(), error())
    assert store.known(key()) is None
    again = store.add(entry(), graded())
    assert store.known(key()) == again


def test_the_last_attempt_of_a_place_is_what_a_regrade_is_compared_with(store: Store) -> None:
    assert store.last("ada") is None
    store.add(entry(), graded())
    second = store.add(entry(), invalid())
    assert store.last("ada") == second


# The latest of each -----------------------------------------------------------------------------------------------


def test_the_latest_attempt_of_each_place_is_told_in_the_order_of_people(store: Store) -> None:
    for name in ("s10", "s2", "Ada", "s2"):
        store.add(entry(name), graded())
    assert [(each.learner, each.id) for each in store.latest()] == [("Ada", 3), ("s2", 4), ("s10", 1)]


def test_of_several_submissions_of_a_learner_the_one_handed_in_last_counts(store: Store) -> None:
    late = store.add(entry("ada", "submission_1", NOON), graded())
    store.add(entry("ada", "submission_2", NOON - dt.timedelta(days=1)), invalid("b"))
    assert list(store.latest(one_each=True)) == [late]
    assert len(list(store.latest())) == 2


def test_without_times_the_last_name_counts(store: Store) -> None:
    store.add(entry("ada", "take 10"), graded())
    store.add(entry("ada", "take 9"), graded())
    assert [each.source for each in store.latest(one_each=True)] == ["take 10"]


# Attempts within a window -----------------------------------------------------------------------------------------


def handed_in(store: Store, hours: float, submission: str) -> int:
    """Add a submission; its position within 24 hours."""
    when = NOON + dt.timedelta(hours=hours)
    attempt = store.add(entry("ada", f"at {hours}", when), graded(submission=submission))
    return store.position(attempt, dt.timedelta(hours=24))


def test_submissions_within_the_window_are_counted(store: Store) -> None:
    assert [handed_in(store, hours, str(hours)) for hours in (0, 1, 23.9, 24, 100)] == [1, 2, 3, 3, 1]


def test_what_is_handed_in_later_and_graded_before_is_counted_by_its_time(store: Store) -> None:
    late = store.add(entry("ada", "late", NOON + dt.timedelta(hours=2)), graded(submission="late"))
    assert store.position(late) == 1
    assert handed_in(store, 1, "early") == 1
    assert store.position(late) == 2


def test_grading_again_changes_no_position(store: Store) -> None:
    attempts = [store.add(entry("ada", str(n)), graded(submission=str(n))) for n in range(3)]
    before = [store.position(each) for each in attempts]
    again = [store.add(entry("ada", str(n)), graded(submission=str(n))) for n in range(3)]
    assert [store.position(each) for each in again] == before == [1, 2, 3]


def test_the_same_files_handed_in_twice_are_one_attempt(store: Store) -> None:
    assert [handed_in(store, hours, "same") for hours in (0, 1)] == [1, 1]


def test_an_error_of_the_machine_uses_no_attempt(store: Store) -> None:
    store.add(entry("ada", "first", NOON), replace(error(), submission_sha256=sha256("first")))
    assert handed_in(store, 1, "second") == 1


def test_others_do_not_count(store: Store) -> None:
    store.add(entry("grace", submitted=NOON), graded(submission="b"))
    assert handed_in(store, 1, "a") == 1


# One OUT, one lesson, one run -------------------------------------------------------------------------------------


def test_a_new_store_has_a_seed_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a", LESSON) as store:
        seed = store.seed
    with Store.open(tmp_path / "a", LESSON) as again, Store.open(tmp_path / "b", LESSON) as other:
        assert again.seed == seed
        assert other.seed != seed


def test_a_seed_that_is_given_is_used_and_the_first_one_kept(tmp_path: Path) -> None:
    seeds = []
    for given in (5, None, 9, None):
        with Store.open(tmp_path, LESSON, given) as store:
            seeds.append(store.seed)
    assert seeds == [5, 5, 9, 5]


def test_an_out_holds_one_lesson(tmp_path: Path) -> None:
    Store.open(tmp_path, "W1").close()
    with pytest.raises(UnreadableError, match=r"it holds grades of W1, not of W2"):
        Store.open(tmp_path, "W2")
    Store.open(tmp_path, "W1").close()


def test_a_second_run_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    with held(tmp_path) as first, pytest.raises(StoreBusyError, match=f"process {first.pid} on"):
        Store.open(tmp_path, LESSON)
    Store.open(tmp_path, LESSON).close()


@pytest.mark.parametrize("how", ["alone", "with a child"])
def test_a_run_that_was_killed_holds_nothing_whatever_it_had_started(tmp_path: Path, how: str) -> None:
    with held(tmp_path, how) as first:
        first.kill()
        first.wait(60)
        Store.open(tmp_path, LESSON).close()


# Files that cannot be used ----------------------------------------------------------------------------------------


def test_a_newer_store_is_refused_and_not_changed(tmp_path: Path) -> None:
    Store.open(tmp_path, LESSON).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreNewerError, match=f"format {len(MIGRATIONS) + 1}"):
        Store.open(tmp_path, LESSON)
    assert (tmp_path / FILE).read_bytes() == before


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("CREATE TABLE theirs (x)")
    with pytest.raises(UnreadableError, match="another program"):
        Store.open(tmp_path, LESSON)


@pytest.mark.parametrize("script", ["CREATE TABLE theirs (x)", "SELECT 1"], ids=["with tables", "without"])
def test_another_programs_database_with_a_version_is_no_newer_store(tmp_path: Path, script: str) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.executescript(f"{script}; PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(UnreadableError, match="another program"):
        Store.open(tmp_path, LESSON)


@pytest.mark.parametrize("table", ["meta", "attempts"])
def test_a_store_that_cannot_be_opened_is_let_go(tmp_path: Path, table: str) -> None:
    Store.open(tmp_path, LESSON).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute(f"DROP TABLE {table}")
    with pytest.raises(StoreError, match="no such table"):
        Store.existing(tmp_path)
    descriptors = Path("/proc/self/fd").iterdir()
    assert not [each for each in descriptors if each.exists() and each.readlink().parent == tmp_path]


def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match=rf"{FILE} cannot be written or read: file is not a database"):
        Store.open(tmp_path, LESSON)


def test_a_damaged_report_is_an_error_that_names_the_attempt(store: Store) -> None:
    attempt = store.add(entry(), graded())
    direct(store, "DROP TRIGGER attempts_are_not_changed", "UPDATE attempts SET report = x'00'")
    with pytest.raises(StoreError, match="attempt 1"):
        store.report(attempt)


def fill(store: Store) -> None:
    for number in range(100):
        store.add(entry(str(number)), graded(submission="x" * number))


def test_a_full_disk_is_an_error_and_what_was_kept_stays(store: Store) -> None:
    kept = store.add(entry(), graded())
    pages = store._database.execute("PRAGMA page_count").fetchone()[0]
    store._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="full"):
        fill(store)
    assert store.report(kept) == graded()
    assert store.last("99") is None


@pytest.mark.parametrize("out", ["file", "file/below", "/proc/out"])
def test_an_out_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableError, match="cannot be used"):
        Store.open(tmp_path / out, LESSON)


def test_a_folder_without_a_store_is_none_that_exists(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=f"it holds no grades .{FILE}."):
        Store.existing(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_file_in_which_nothing_was_kept_is_no_store_that_exists(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    with pytest.raises(UnreadableError, match="it holds no grades"):
        Store.existing(tmp_path)
    Store.open(tmp_path, LESSON).close()


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    with Store.open(tmp_path, LESSON) as store:
        store.add(entry(), graded())
        for file in tmp_path.iterdir():
            assert not stat.S_IMODE(file.stat().st_mode) & 0o077, file
    assert {file.name for file in tmp_path.iterdir()} == {FILE, LOCK}


def test_the_file_says_whose_it_is(store: Store) -> None:
    assert tuple(direct(store, "PRAGMA application_id")[0]) == (APPLICATION,)
    assert tuple(direct(store, "PRAGMA journal_mode")[0]) == ("wal",)


# Files of an older version ----------------------------------------------------------------------------------------


def test_an_older_file_becomes_one_of_today_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path, LESSON, 7) as store:
        kept = store.add(entry(), graded())
    monkeypatch.setattr(
        schema, "MIGRATIONS", (*MIGRATIONS, "CREATE TABLE more (x); INSERT INTO more VALUES (1);")
    )
    monkeypatch.setattr(schema, "VERSION", len(MIGRATIONS) + 1)
    for _ in range(2):
        with Store.open(tmp_path, LESSON) as store:
            assert list(store.latest()) == [kept]
            assert len(direct(store, "SELECT x FROM more")) == 1
            assert tuple(direct(store, "PRAGMA user_version")[0]) == (len(MIGRATIONS) + 1,)


def test_a_step_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path, LESSON, 7) as store:
        kept = store.add(entry(), graded())
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (*MIGRATIONS, "CREATE TABLE more (x); SELECT no_such();"))
        patched.setattr(schema, "VERSION", len(MIGRATIONS) + 1)
        with pytest.raises(StoreError, match="no_such"):
            Store.open(tmp_path, LESSON)
    with Store.open(tmp_path, LESSON) as store:
        assert list(store.latest()) == [kept]
        assert not direct(store, "SELECT 1 FROM sqlite_master WHERE name = 'more'")
