"""A tiny course about words, a warm server that holds it, and suites written down as text."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import pytest

from grader.grading import Grading, Options, SuiteGrade
from grader.lesson import Edit, Lesson, load_lesson
from grader.plan import Setting, draw_plan
from grader.programs import Programs, library_of, programs_of
from grader.repertoire import Repertoire
from grader.run import Ending
from grader.submission import read_submission
from grader.workers import wire
from grader.workers.conversation import Job
from grader.workers.pool import Host, Server, Suite
from grader.workers.wire import Order, Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.programs import Program
    from grader.run import RunResult, Transcript
    from grader.verdict import Verdict

GENEROUS = 60.0  # seconds: no test here is decided by speed

COURSE = {
    "mutants/W1/lesson.toml": """\
        title     = "Shouting"
        rung      = "R1"
        module    = "words.shout"
        source    = "python/words/shout.py"
        tests     = "python/tests/w1"
        imports   = ["words.shout", "words.quiet"]
        threshold = 0.80
        """,
    "mutants/W1/s01-no-mark.toml": """\
        title     = "no exclamation mark"
        pitfall   = 1
        required  = true
        symptom   = "it reads as if nobody were excited"
        hint      = "look at the end of what comes back"
        caught_by = ["test_mark"]

        [[edit]]
        file    = "words/shout.py"
        find    = "text.upper() + MARK"
        replace = "text.upper()"

        [witness]
        call    = "return shout('hey')"
        """,
    "mutants/W1/s02-title-case.toml": """\
        title     = "title case"
        symptom   = "only the first letters are loud"
        hint      = "try more than one letter"
        caught_by = ["test_loud"]

        [[edit]]
        file    = "words/shout.py"
        find    = ".upper()"
        replace = ".title()"

        [witness]
        call    = "return shout('hey')"
        """,
    "reference/words/__init__.py": "",
    "reference/words/quiet.py": """\
        def whisper(text):
            return text.lower()
        """,
    "reference/words/shout.py": """\
        MARK = "!"

        def shout(text):
            return text.upper() + MARK

        def letters(text):
            \"\"\"Each letter once, in any order.\"\"\"
            return sorted(set(text))
        """,
    "reference/variants/W1/backwards.py": """\
        MARK = "!"

        def shout(text):
            return "".join([*map(str.upper, text), MARK])

        def letters(text):
            return sorted(set(text), reverse=True)
        """,
    "reference/variants/W1/formatted.py": """\
        MARK = "!"

        def shout(text):
            return f"{text.upper()}{MARK}"

        def letters(text):
            return list(dict.fromkeys(sorted(text)))
        """,
    "reference/tests/W1/test_shout.py": """\
        from words.shout import shout

        def test_mark():
            assert shout("a").endswith("!")

        def test_loud():
            assert shout("ab") == "AB!"
        """,
    "fixtures/W1/shouts.txt": "HEY!\n",
    "student_template/W1/shout.py": "",
}

MARK = "def test_mark(): assert shout('a')[-1] == '!'\n"
LOUD = "def test_loud(): assert 'AB' in shout('ab')\n"
IMPORT = "from words.shout import shout, letters\n"
GOOD = IMPORT + MARK + LOUD


def lay_down(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return root


@dataclass
class Bench:
    """Runs and grades suites with real processes.

    Attributes:
        server: warm, with the tiny course.
        lesson: the tiny course's only lesson.
        root: an empty folder of the test's own, for suites.
    """

    server: Server
    lesson: Lesson
    root: Path
    _number: int = 0
    _hosts: list[Host] = field(default_factory=list)

    @property
    def programs(self) -> Programs:
        return programs_of(self.lesson)

    def fault(self, name: str) -> Program:
        return next(fault for fault in self.programs.faults if fault.name == name)

    def suite(self, files: str | dict[str, str]) -> Path:
        """Write a suite into a folder of its own; one text is `test_it.py`."""
        self._number += 1
        return lay_down(
            self.root / f"suite{self._number}", {"test_it.py": files} if isinstance(files, str) else files
        )

    def host(self, files: str | dict[str, str], *, rules: bool = False, jobs: int = 1) -> Host:
        """Open a host for a suite; without `rules` it may import anything."""
        submission = read_submission(self.suite(files))
        policy = Rules(list(self.lesson.imports), hypothesis_installed=True) if rules else None
        host = self.server.open(Suite(submission.root_name, submission.files, policy), jobs)
        assert not host.prepared.findings, host.prepared.findings
        self._hosts.append(host)
        return host

    def run(
        self,
        files: str | dict[str, str] | Host,
        program: Program | None = None,
        *,
        order: Order = Order.COLLECTION,
        seed: str = "aa",
        order_seed: int = 1,
        only: Sequence[str] | None = None,
        deadline: float = GENEROUS,
        watch: Callable[[Transcript], bool] | None = None,
    ) -> RunResult:
        """One run of a suite, on the reference unless another program is given."""
        host = files if isinstance(files, Host) else self.host(files)
        modules = list((program or self.programs.reference).modules)
        chosen = None if only is None else list(only)
        return host.run(Job(wire.Run(modules, order, order_seed, seed, chosen), deadline, watch=watch))

    def grade(
        self,
        files: str | dict[str, str],
        *,
        seed: int = 7,
        jobs: int = 1,
        timeout: float = GENEROUS,
        every_killer: bool = False,
        hanging: Sequence[str] = (),
    ) -> Grade:
        """Grade a suite, without the static policy; `hanging` names faults that are meant to hang."""
        faults = tuple(
            msgspec.structs.replace(fault, timeout_is_kill=fault.id in hanging)
            for fault in self.lesson.faults
        )
        lesson = msgspec.structs.replace(self.lesson, faults=faults)
        host = self.host(files, jobs=jobs)
        return Grade(
            Grading(lesson, host, Repertoire(lesson), Options(seed, timeout, jobs, every_killer)).grade()
        )

    def with_faults(self, **replacements: str) -> Bench:
        """The same bench with other faults: each replaces the body of `shout` by an expression or statement."""
        template = self.lesson.faults[0]
        faults = tuple(
            msgspec.structs.replace(
                template,
                id=name,
                edits=(Edit(file="words/shout.py", find="return text.upper() + MARK", replace=body),),
            )
            for name, body in replacements.items()
        )
        return Bench(self.server, msgspec.structs.replace(self.lesson, faults=faults), self.root / "more")

    def settings(self, seed: int = 7) -> list[Setting]:
        return [planned.setting for planned in draw_plan(self.programs, seed).correct]

    def close(self) -> None:
        for host in self._hosts:
            host.close()


@dataclass(frozen=True)
class Grade:
    """What a grading found, by fault."""

    found: SuiteGrade

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Kind and test of each problem."""
        return [(problem.kind.value, problem.test) for problem in self.found.problems]

    @property
    def kinds(self) -> set[str]:
        return {problem.kind.value for problem in self.found.problems}

    @property
    def messages(self) -> str:
        return "\n".join(problem.message for problem in self.found.problems)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        return {result.fault.id: result.verdict for result in self.found.faults}

    @property
    def statuses(self) -> dict[str, str]:
        return {name: verdict.status.value for name, verdict in self.verdicts.items()}

    @property
    def killers(self) -> dict[str, tuple[str, ...]]:
        return {name: verdict.killed_by for name, verdict in self.verdicts.items()}

    @property
    def notices(self) -> str:
        return "\n".join(self.found.notices)


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_down(tmp_path_factory.mktemp("course"), COURSE)


@pytest.fixture(scope="session")
def lesson(course: Path) -> Lesson:
    return load_lesson(course, "W1")


@pytest.fixture(scope="session")
def server(lesson: Lesson) -> Iterator[Server]:
    with Server() as server:
        server.load(library_of(lesson))
        yield server


@pytest.fixture(scope="session")
def shared_bench(server: Server, lesson: Lesson, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """For suites that several tests look at."""
    bench = Bench(server, lesson, tmp_path_factory.mktemp("suites"))
    yield bench
    bench.close()


@pytest.fixture
def bench(server: Server, lesson: Lesson, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(server, lesson, tmp_path)
    yield bench
    bench.close()


def outcomes(bench: Bench, source: str | dict[str, str], order: Order = Order.COLLECTION) -> dict[str, str]:
    """Test name → outcome, of a run that must get to its end."""
    run = bench.run(source, order=order)
    assert run.ending is Ending.COMPLETED, run.detail
    return {test.partition("::")[2]: result.outcome.value for test, result in run.results.items()}
