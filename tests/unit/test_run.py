"""What a run says is believed only in an order that makes sense, and every run has exactly one ending."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.run import CUT_SHORT, Ending, Exit, TestResult, Transcript, conclude
from grader.workers import wire
from grader.workers.wire import (
    Broken,
    Collected,
    Ended,
    Finished,
    LoadEnding,
    Loading,
    Malformed,
    NotLoaded,
    Outcome,
    Said,
    Started,
    Trouble,
)

FILES = ("a/test_x.py", "a/b/test_y.py", "test_z.py")
IDS = ["test_z.py::test_one", "test_z.py::test_two"]
TWO_TESTS = (Loading("test_z.py"), Collected(IDS, last=True))


def transcript_of(*records: Said) -> Transcript:
    transcript = Transcript(FILES)
    for record in records:
        transcript.add(record)
    return transcript


def passed(index: int) -> tuple[Said, Said]:
    return Started(index), Finished(index, Outcome.PASSED, "", "")


def failed(index: int) -> tuple[Said, Said]:
    return Started(index), Finished(index, Outcome.FAILED, "no", "test_z.py:3")


# Orders that make sense ---------------------------------------------------------------------------------------


def test_a_whole_run_has_its_tests_their_results_and_its_draws() -> None:
    run = conclude(transcript_of(*TWO_TESTS, *passed(1), *failed(0), Ended(3)), Exit(0, 1.5))
    assert (run.ending, run.detail, run.current, run.seconds, run.draws) == (Ending.COMPLETED, "", "", 1.5, 3)
    assert run.tests == tuple(IDS)
    assert run.results[IDS[0]] == TestResult(Outcome.FAILED, "no", "test_z.py:3")
    assert run.passed() == {IDS[1]}
    assert run.failed() == run.rejecting() == [IDS[0]]


def test_node_ids_may_come_in_parts() -> None:
    transcript = transcript_of(
        Collected(IDS[:1], last=False), Collected(IDS[1:], last=False), Collected([], last=True)
    )
    assert transcript.tests == IDS
    assert transcript.collected


def test_a_collection_that_did_not_end_gives_no_tests() -> None:
    run = conclude(transcript_of(Loading("test_z.py"), Collected(IDS, last=False)), Exit(0, 0.1))
    assert run.tests == ()


def test_a_failure_stands_when_two_tests_have_one_id() -> None:
    twice = transcript_of(Collected([IDS[0], IDS[0]], last=True), *failed(0), *passed(1), Ended(0))
    run = conclude(twice, Exit(0, 0.1))
    assert run.tests == (IDS[0],)
    assert run.failed() == [IDS[0]]


def test_a_strict_xpass_rejects_a_correct_program_and_shows_no_fault() -> None:
    strict = Finished(0, Outcome.XPASSED_STRICT, "", "")
    run = conclude(transcript_of(*TWO_TESTS, Started(0), strict, Ended(0)), Exit(0, 0.1))
    assert run.rejecting() == [IDS[0]]
    assert run.failed() == []


def test_a_test_file_that_does_not_load_is_named() -> None:
    raised = NotLoaded("test_z.py", LoadEnding.RAISED, "NameError: x", "test_z.py:1")
    assert transcript_of(raised).load_failures.keys() == {"test_z.py"}


def test_only_a_file_that_raised_may_show_a_fault() -> None:
    records = [NotLoaded(f"test_{ending}.py", ending, "", "") for ending in LoadEnding]
    run = conclude(transcript_of(*records, Collected([], last=True), Ended(0)), Exit(0, 0.1))
    assert run.files_that_raised() == ["test_raised.py"]


@pytest.mark.parametrize(
    ("conftest", "files"),
    [
        ("conftest.py", set(FILES)),
        ("a/conftest.py", {"a/test_x.py", "a/b/test_y.py"}),
        ("a/b/conftest.py", {"a/b/test_y.py"}),
        ("c/conftest.py", set()),
    ],
)
def test_a_conftest_that_does_not_load_counts_as_the_test_files_below_it(
    conftest: str, files: set[str]
) -> None:
    assert transcript_of(NotLoaded(conftest, LoadEnding.RAISED, "", "")).load_failures.keys() == files


@pytest.mark.parametrize("name", ["test_conftest.py", "a/test_conftest.py"])
def test_a_test_file_whose_name_ends_like_a_conftest_counts_as_itself_alone(name: str) -> None:
    assert transcript_of(NotLoaded(name, LoadEnding.RAISED, "", "")).load_failures.keys() == {name}


# Orders that do not -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "record"),
    [
        pytest.param([Ended(0)], Loading("test_z.py"), id="a record after the end"),
        pytest.param([Ended(0)], Ended(0), id="a second end"),
        pytest.param([Broken("stop")], Ended(0), id="an end after it broke off"),
        pytest.param([Trouble("ours")], Started(0), id="a test after our own code failed"),
        pytest.param([], NotLoaded("test_z.py", LoadEnding.RAISED, "", ""), id="a file after the collection"),
        pytest.param([], Collected([], last=True), id="a second end of the collection"),
        pytest.param(
            [], Collected(["test_z.py::late"], last=False), id="a test after the end of the collection"
        ),
        pytest.param([], Started(2), id="a test that was not collected"),
        pytest.param([], Started(-1), id="a test with a negative index"),
        pytest.param([Started(0)], Started(1), id="a test within a test"),
        pytest.param([*passed(0)], Started(0), id="a test for the second time"),
        pytest.param([], Finished(0, Outcome.FAILED, "", ""), id="an end without a start"),
        pytest.param([Started(0)], Finished(1, Outcome.FAILED, "", ""), id="the end of another test"),
        pytest.param([*passed(0)], Finished(0, Outcome.FAILED, "", ""), id="a second end of a test"),
        pytest.param([Started(0)], Ended(0), id="an end in the middle of a test"),
    ],
)
def test_a_record_that_does_not_fit_is_malformed(before: list[Said], record: Said) -> None:
    transcript = transcript_of(*TWO_TESTS, *before)
    with pytest.raises(Malformed):
        transcript.add(record)


@pytest.mark.parametrize("record", [Started(0), Finished(0, Outcome.PASSED, "", ""), Ended(0)])
def test_before_the_collection_no_test_can_start_or_end(record: Said) -> None:
    with pytest.raises(Malformed):
        transcript_of(Loading("test_z.py")).add(record)


def test_more_tests_than_a_run_may_have_are_malformed() -> None:
    part = [f"test_z.py::test_{i}" for i in range(wire.MAX_TESTS)]
    transcript = transcript_of(Collected(part, last=False))
    with pytest.raises(Malformed):
        transcript.add(Collected(["test_z.py::one_more"], last=True))


texts = st.text(max_size=5)
names = st.sampled_from([*FILES, "conftest.py", "elsewhere.py"])
indices = st.integers(-2, 3)
records = st.one_of(
    st.builds(Loading, names),
    st.builds(NotLoaded, names, st.sampled_from(LoadEnding), texts, texts),
    st.builds(Collected, st.lists(st.sampled_from(IDS), max_size=3), st.booleans()),
    st.builds(Started, indices),
    st.builds(Finished, indices, st.sampled_from(Outcome), texts, texts),
    st.builds(Broken, texts),
    st.builds(Trouble, texts),
    st.builds(Ended, indices),
)
# What waitpid(2) can say of a process that is dead: an exit code, or a signal with or without a core.
statuses = st.one_of(
    st.integers(0, 255).map(lambda code: code << 8),
    st.integers(1, signal.NSIG - 1),
    st.integers(1, signal.NSIG - 1).map(lambda number: number | 0x80),
)


@given(st.lists(records, max_size=12), statuses, st.booleans(), st.booleans())
def test_every_combination_of_records_and_exit_has_one_ending(
    said: list[Said], status: int, stopped: bool, timed_out: bool
) -> None:
    transcript = Transcript(FILES)
    for record in said:
        try:
            transcript.add(record)
        except Malformed as error:
            transcript.malformed = str(error)
            break
    run = conclude(transcript, Exit(status, 0.1, stopped, timed_out))
    assert run.ending in Ending
    assert bool(run.detail) == (run.ending in CUT_SHORT)
    assert run.results.keys() <= set(transcript.tests)
    if run.ending is Ending.COMPLETED:
        assert transcript.ended is not None
        assert not transcript.malformed


# Endings ------------------------------------------------------------------------------------------------------

CRASH = Exit(signal.SIGSEGV, 0.1)


def test_exit_codes_decide_nothing_once_the_last_record_has_come() -> None:
    for status in (0, 1 << 8, signal.SIGSEGV):
        assert conclude(transcript_of(*TWO_TESTS, Ended(0)), Exit(status, 0.1)).ending is Ending.COMPLETED


def test_an_exit_with_code_0_before_the_last_record_is_no_completed_run() -> None:
    run = conclude(transcript_of(*TWO_TESTS, Started(0)), Exit(0, 0.1))
    assert run.ending is Ending.EXITED
    assert run.detail == f"the process ended itself with exit code 0, in {IDS[0]}"


@pytest.mark.parametrize(
    ("records", "process", "ending", "words"),
    [
        pytest.param(TWO_TESTS, Exit(9, 0.1, stopped=True), Ending.STOPPED, "", id="stopped"),
        pytest.param(TWO_TESTS, Exit(9, 0.1, timed_out=True), Ending.TIMEOUT, "time limit", id="timeout"),
        pytest.param(TWO_TESTS, Exit(signal.SIGXCPU, 0.1), Ending.TIMEOUT, "CPU time", id="cpu time"),
        pytest.param(TWO_TESTS, CRASH, Ending.CRASHED, "SIGSEGV", id="segfault"),
        pytest.param(TWO_TESTS, Exit(35, 0.1), Ending.CRASHED, "signal 35", id="a signal without a name"),
        pytest.param(
            (*TWO_TESTS, Broken("Exit: x")), Exit(0, 0.1), Ending.EXITED, "Exit: x", id="broken off"
        ),
        pytest.param((*TWO_TESTS, Broken("")), Exit(0, 0.1), Ending.EXITED, "broke off", id="without a word"),
        pytest.param((), Exit(70 << 8, 0.1), Ending.EXITED, "exit code 70", id="nothing said"),
        pytest.param(
            (*TWO_TESTS, Started(0), Finished(0, Outcome.OUT_OF_MEMORY, "", ""), Ended(0)),
            Exit(0, 0.1),
            Ending.MEMORY,
            "memory limit",
            id="a test out of memory",
        ),
        pytest.param(
            (NotLoaded("test_z.py", LoadEnding.OUT_OF_MEMORY, "", ""), *TWO_TESTS, Ended(0)),
            Exit(0, 0.1),
            Ending.MEMORY,
            "memory limit",
            id="a file out of memory",
        ),
    ],
)
def test_the_ending_of_a_run(records: tuple[Said, ...], process: Exit, ending: Ending, words: str) -> None:
    run = conclude(transcript_of(*records), process)
    assert run.ending is ending
    assert words in run.detail


def test_out_of_memory_is_never_a_time_limit_or_a_pass() -> None:
    out = transcript_of(*TWO_TESTS, Started(0), Finished(0, Outcome.OUT_OF_MEMORY, "", ""))
    run = conclude(out, Exit(signal.SIGKILL, 0.1))
    assert run.ending is Ending.MEMORY
    assert run.passed() == set()
    assert run.failed() == []


def test_malformed_records_are_a_crash_and_never_a_completed_run() -> None:
    transcript = transcript_of(*TWO_TESTS, Ended(0))
    transcript.malformed = "junk"
    run = conclude(transcript, Exit(0, 0.1))
    assert run.ending is Ending.CRASHED
    assert "junk" in run.detail


def test_a_crash_names_the_test_that_ran_and_a_load_the_file() -> None:
    assert IDS[1] in conclude(transcript_of(*TWO_TESTS, Started(1)), CRASH).detail
    loading = conclude(transcript_of(Loading("test_z.py")), CRASH)
    assert loading.detail.endswith("while loading test_z.py")
    assert loading.current == "test_z.py"


def test_between_two_tests_nothing_is_named() -> None:
    run = conclude(transcript_of(*TWO_TESTS, *passed(0)), CRASH)
    assert run.current == ""
    assert IDS[0] not in run.detail
