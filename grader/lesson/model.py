"""The types of a lesson: `LessonFile` and `FaultFile` are what an author writes, `Lesson` and `Fault` what the grader uses."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
Texts: TypeAlias = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]


class Edit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One replacement in the reference.

    Attributes:
        file: relative to the course's `reference` folder.
        find: text that stands exactly once in the reference's file.
        replace: what the fault has in its place.
    """

    file: Text
    find: Text
    replace: str


class Witness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An input on which the fault differs from the reference: `call` is the body of a function that returns the value."""

    call: Text


class FaultFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a fault's TOML file.

    Attributes:
        pitfall: the number in the chapter's table; None for a fault that the table does not number.
        required: must be killed to pass, whatever the score; exactly the numbered ones are.
        caught_by: the course tests that kill it.
        timeout_is_kill: the fault is meant to hang.
    """

    title: Text
    symptom: Text
    hint: Text
    caught_by: Texts
    edits: Annotated[tuple[Edit, ...], msgspec.Meta(min_length=1)] = msgspec.field(name="edit")
    witness: Witness
    pitfall: Annotated[int, msgspec.Meta(ge=1)] | None = None
    required: bool = False
    timeout_is_kill: bool = False


class Fault(FaultFile, frozen=True, kw_only=True):
    """A wrong implementation, as edits to the reference.

    Attributes:
        id: the part of the file's name before the first `-`.
        path: the file that describes it.
        private: it counts and is not told to learners; it comes from a folder outside of the course, or from a pool.
        pool: the pool that it belongs to, see `grader.lesson.pools`; empty: it is one of the lesson's faults.
    """

    id: str
    path: Path
    private: bool = False
    pool: str = ""


class ReferenceModule(msgspec.Struct, frozen=True, kw_only=True):
    """A module of the reference package.

    Attributes:
        file: relative to the course's `reference` folder.
        source: its text, with line feeds as line ends.
        is_package: the file is an `__init__.py`.
    """

    file: str
    source: str
    is_package: bool


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """Another correct implementation of the lesson's module; `file` is relative to the course."""

    name: str
    file: str
    source: str


class PoolSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table `[pools.NAME]` of `lesson.toml`: `threshold` is the share of the pool to kill."""

    threshold: Decimal | int


class LessonFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `lesson.toml`.

    Attributes:
        module: the dotted name of the module that the learner builds.
        source: that module's file in a workspace.
        tests: the suite's folder in a workspace.
        imports: what a suite may import of the course.
        threshold: the share of the faults to kill, with the author's digits.
        witness_names: a name in witnesses, to a module or `module:attribute`.
        pools: by name, the pools that are graded beside the faults.
    """

    title: Text
    rung: Text
    module: Text
    source: Text
    tests: Text
    imports: Texts
    threshold: Decimal
    witness_names: dict[str, Text] = msgspec.field(default_factory=dict)
    pools: dict[str, PoolSettings] = msgspec.field(default_factory=dict)


class Lesson(LessonFile, frozen=True, kw_only=True):
    """A lesson that was found sound, with everything that grading it needs.

    Attributes:
        module_file: the module's file, relative to the course's `reference` folder.
        faults: by id; at least one, unless the lesson was loaded without them.
        pool_faults: the programs of all pools.
        variants: by name; at least one.
        reference_modules: by dotted name, the whole package that the module belongs to.
        root: the course's folder, absolute.
        sha256: over the name and the bytes of every file that can change a grade.
    """

    id: str
    module_file: str
    faults: tuple[Fault, ...]
    variants: tuple[Variant, ...]
    reference_modules: dict[str, ReferenceModule]
    root: Path
    sha256: str
    pool_faults: tuple[Fault, ...] = ()

    def with_pools(self) -> "Lesson":
        """The lesson with the programs of its pools among its faults, for what runs them all."""
        return msgspec.structs.replace(self, faults=(*self.faults, *self.pool_faults), pool_faults=())

    @property
    def package(self) -> str:
        """The top-level package that the module belongs to."""
        return top_level(self.module)

    @property
    def needed(self) -> int:
        """How many faults a suite has to kill."""
        return needed_kills(self.threshold, len(self.faults))

    @property
    def course_tests(self) -> Path:
        """The folder of the course's own tests."""
        return self.root / "reference" / "tests" / self.id


def top_level(module: str) -> str:
    """The top-level package of a dotted name."""
    return module.partition(".")[0]


def needed_kills(threshold: Decimal | int, faults: int) -> int:
    """The smallest number of kills whose share of `faults` reaches `threshold`, in exact arithmetic."""
    numerator, denominator = threshold.as_integer_ratio()
    return -(-numerator * faults // denominator)
