"""A class graded in parts is the same class when the parts are put together."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from grader.classroom.merge import merged
from grader.classroom.shards import Shard
from grader.classroom.store import Store
from grader.cli import main
from grader.errors import StoreBusyError, UnreadableError
from tests.classroom.holding import held
from tests.classroom.made import LESSON, entry, graded, invalid

if TYPE_CHECKING:
    from pathlib import Path

LEARNERS = [f"learner {number}" for number in range(200)]


# Shards -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 7])
def test_every_learner_is_in_exactly_one_part(count: int) -> None:
    shards = [Shard.parse(f"{index}/{count}") for index in range(1, count + 1)]
    assert all(
        sum(learner in shard for shard in shards) == 1 for learner in [*LEARNERS, "", "\udcff", "\ud800"]
    )


def test_parts_are_of_about_one_size() -> None:
    sizes = [sum(learner in Shard(index, 4) for learner in LEARNERS) for index in range(1, 5)]
    assert min(sizes) > 30


def test_a_learner_stays_in_their_part() -> None:
    parts = [[number for number in range(12) if f"learner {number}" in Shard(part, 3)] for part in (1, 2, 3)]
    assert parts == [[1, 2, 5, 7, 8, 11], [6, 10], [0, 3, 4, 9]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2", "not of the form I/N"),
        ("1/2/3", "not of the form I/N"),
        ("a/b", "not of the form I/N"),
        ("-1/2", "not of the form I/N"),
        ("1/\u0662", "not of the form I/N"),
        ("0/2", "numbered from 1 to 2"),
        ("3/2", "numbered from 1 to 2"),
        ("1/0", "numbered from 1 to 0"),
    ],
)
def test_what_is_no_part_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Shard.parse(text)


# Merging ----------------------------------------------------------------------------------------------------------


def part(folder: Path, *learners: str, lesson: str = LESSON, seed: int = 7) -> Path:
    with Store.open(folder, lesson, seed) as store:
        for learner in learners:
            store.add(entry(learner), graded(submission=learner))
    return folder


def everyone(out: Path) -> list[str]:
    with Store.existing(out) as store:
        return [attempt.learner for attempt in store.latest()]


def test_merging_puts_all_attempts_together(tmp_path: Path) -> None:
    parts = [part(tmp_path / "1", "ada", "\udcff", "=x"), part(tmp_path / "2", "grace", "nul\0")]
    done = merged(parts, tmp_path / "all")
    with done.store as store:
        assert done.added == 5
        attempts = list(store.latest())
        assert [each.learner for each in attempts] == ["=x", "ada", "grace", "nul\0", "\udcff"]
        assert all(store.report(each) == graded(submission=each.learner) for each in attempts)
        assert (store.lesson, store.seed) == (LESSON, 7)


def test_folders_to_merge_may_be_called_anything(tmp_path: Path) -> None:
    names = ["a part", "p?mode=ro", "'; --", os.fsdecode(b"\xff")]
    parts = [part(tmp_path / name, name) for name in names]
    done = merged(parts, tmp_path / os.fsdecode(b"all \xfe"))
    done.store.close()
    assert done.added == len(names)


def test_merging_twice_adds_nothing(tmp_path: Path) -> None:
    source = part(tmp_path / "1", "ada", "ada")
    numbers = []
    for _ in range(2):
        done = merged([source, source], tmp_path / "all")
        numbers.append(done.added)
        done.store.close()
    assert numbers == [2, 0]


def test_the_last_attempt_counts_in_whatever_order_parts_are_merged(tmp_path: Path) -> None:
    old = part(tmp_path / "old", "ada")
    with Store.open(tmp_path / "new", LESSON, 7) as store:
        store.add(entry("ada"), invalid("later"))
    for number, order in enumerate(([old, tmp_path / "new"], [tmp_path / "new", old])):
        with merged(order, tmp_path / f"all{number}").store as store:
            assert [attempt.status for attempt in store.latest()] == ["invalid"]
            last = store.last("ada")
            assert last is not None
            assert last.status == "invalid"


def test_after_a_merge_the_next_attempt_is_the_last(tmp_path: Path) -> None:
    with merged([part(tmp_path / "1", "ada")], tmp_path / "all").store as store:
        added = store.add(entry("ada"), invalid("later"))
        assert list(store.latest()) == [added]


def test_parts_of_two_lessons_are_refused_before_anything_is_merged(tmp_path: Path) -> None:
    parts = [part(tmp_path / "1", "ada"), part(tmp_path / "2", "grace", lesson="W2")]
    with pytest.raises(UnreadableError, match=r"grades of W2, and .*1 of W1"):
        merged(parts, tmp_path / "all")
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize("place", ["../../eve", "..", "", "/eve", "a/b", ".eve"])
def test_a_part_whose_places_lead_elsewhere_is_refused(tmp_path: Path, place: str) -> None:
    """It may come from a machine that others had their hands on."""
    with Store.open(tmp_path / "1", LESSON, 7) as store:
        store.add(dataclasses.replace(entry("eve"), place=place), graded())
    with pytest.raises(UnreadableError, match="no submission can have"):
        merged([tmp_path / "1"], tmp_path / "all")


def test_a_part_that_is_being_written_is_refused(tmp_path: Path) -> None:
    parts = [part(tmp_path / "1", "ada"), part(tmp_path / "2", "grace")]
    with held(tmp_path / "2"), pytest.raises(StoreBusyError, match="2 is in use by another run"):
        merged(parts, tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_a_part_is_no_place_to_merge_into(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="one of the folders to merge"):
        merged([part(tmp_path / "1", "ada")], tmp_path / "1")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["report", "merge", *map(str, words)], prog_name="ol")


def test_the_command_writes_the_files_of_the_whole_class(tmp_path: Path) -> None:
    parts = [part(tmp_path / "1", "ada"), part(tmp_path / "2", "grace", "s10", "s2")]
    done = run(*parts, "--out", tmp_path / "all")
    assert done.exit_code == 0, done.output
    assert done.output == f"4 attempts added from 2 folders; {tmp_path}/all/grades.csv has 4 lines\n"
    lines = (tmp_path / "all" / "grades.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in lines] == ["learner", "ada", "grace", "s2", "s10"]
    assert (tmp_path / "all" / "submissions" / "grace" / "feedback.md").exists()
    assert everyone(tmp_path / "1") == ["ada"]


def test_the_command_says_its_numbers_as_json(tmp_path: Path) -> None:
    done = run(part(tmp_path / "1", "ada"), "--out", tmp_path / "all", "--json", "-")
    assert json.loads(done.stdout) == {"added": 1, "folders": 1, "lines": 1}


def test_the_command_says_when_seeds_differ(tmp_path: Path) -> None:
    parts = [part(tmp_path / "1", "ada"), part(tmp_path / "2", "grace", seed=8)]
    assert "2 different seeds" in run(*parts, "--out", tmp_path / "all").stderr


def test_the_command_says_when_the_lessons_data_differ(tmp_path: Path) -> None:
    folder = part(tmp_path / "1", "ada")
    with Store.open(tmp_path / "2", LESSON, 7) as store:
        store.add(entry("eve"), graded(lesson="the lesson, mended"))
    done = run(folder, tmp_path / "2", "--out", tmp_path / "all")
    assert "not all grades were made with the same data of the lesson" in done.stderr
    assert "not all" not in run(folder, "--out", tmp_path / "one").stderr


def test_a_window_without_attempts_is_a_mistake_in_the_command(tmp_path: Path) -> None:
    done = run(part(tmp_path / "1", "ada"), "--out", tmp_path / "all", "--window", "24h")
    assert done.exit_code == 2
    assert "--attempts N" in done.output


@pytest.mark.parametrize("window", ["", "24", "0h", "h", "-1h", "1w", "1h30m", "\u0661h", "999999d"])
def test_what_is_no_time_is_refused(tmp_path: Path, window: str) -> None:
    done = run(part(tmp_path / "1", "ada"), "--out", tmp_path / "all", "--attempts", 1, "--window", window)
    assert done.exit_code == 2
    assert "is no time such as" in done.output


def test_a_format_is_still_a_format() -> None:
    done = CliRunner().invoke(main, ["report", "text", "no-such.json"], prog_name="ol")
    assert "no-such.json does not exist" in str(done.exception)


def helped(*words: str) -> str:
    """A help screen, without its line ends."""
    shown = CliRunner().invoke(main, [*words, "-h"], prog_name="ol", terminal_width=80)
    return " ".join(shown.output.split())


def test_the_help_of_the_command_shows_how_parts_are_graded_and_merged() -> None:
    assert helped("report", "merge").startswith("Usage: ol report merge [OPTIONS] OUT...")
    assert "ol report merge part1/ part2/ --out grades/" in helped("report", "merge")
    assert "ol report merge OUT... --out OUT" in helped("report")
