"""One lesson from a course's files. The steps stand in `_read` in their order."""

import functools
import warnings
from pathlib import Path

import msgspec

from grader.errors import LessonError, PathNotFoundError, UnknownLessonError
from grader.lesson import checks
from grader.lesson.course import lesson_ids
from grader.lesson.files import EXTRA, CourseFiles, stem
from grader.lesson.model import Fault, FaultFile, Lesson, LessonFile, ReferenceModule, Variant, top_level
from grader.lesson.pools import pool_faults
from grader.lesson.syntax import described, names_of_tests
from grader.lesson.toml import decode
from grader.lesson.variants import completed


def load_lesson(course: Path, name: str, extra_faults: Path | None = None) -> Lesson:
    """The lesson of this name, read from disk and found sound.

    Args:
        course: the course's folder.
        name: the lesson's id.
        extra_faults: a folder of more faults, in files as in `mutants/LESSON`. They are private: they count, the
            lesson's hash covers them, and learners are not told of them.

    Raises:
        PathNotFoundError: there is no such folder of more faults.
        UnknownLessonError: the course has none of this name.
        LessonError: its author got something wrong.
        CourseNotFoundError: the course's folder cannot be read.
    """
    if extra_faults is not None and not extra_faults.exists():
        raise PathNotFoundError(extra_faults)
    return _load(course, name, extra_faults=extra_faults)


def load_without_faults(course: Path, name: str) -> Lesson:
    """The lesson with no fault in it, for those who write its faults: these may be in any state, and are not read.

    Raises:
        UnknownLessonError: the course has none of this name.
        LessonError: its author got something wrong that is not about faults.
        CourseNotFoundError: the course's folder cannot be read.
    """
    return _load(course, name, with_faults=False)


def load_without_pools(course: Path, name: str) -> Lesson:
    """The lesson with no program of its pools in it, for those who make its pools: these may be in any state.

    Raises:
        UnknownLessonError: the course has none of this name.
        LessonError: its author got something wrong that is not about pools.
        CourseNotFoundError: the course's folder cannot be read.
    """
    return _load(course, name, with_pools=False)


def names_of_course_tests(course: Path, name: str) -> set[str]:
    """The functions that the course tests of a lesson consist of.

    Raises:
        LessonError: they cannot be read or have a syntax error.
    """
    return _course_tests(CourseFiles(course.resolve()), name)


def _load(
    course: Path,
    name: str,
    *,
    with_faults: bool = True,
    with_pools: bool = True,
    extra_faults: Path | None = None,
) -> Lesson:
    known = lesson_ids(course)
    if name not in known:
        raise UnknownLessonError(name, known)
    with warnings.catch_warnings():
        # A fault may well hold what Python warns of on compiling, such as `x is 1`.
        warnings.simplefilter("ignore")
        extra = extra_faults.resolve() if extra_faults is not None else None
        files = CourseFiles(course.resolve(), extra)
        folders = [f"mutants/{name}", *([EXTRA] if extra else [])] if with_faults else []
        return _read(files, name, folders, with_pools=with_pools and with_faults)


def _read(files: CourseFiles, name: str, folders: list[str], *, with_pools: bool) -> Lesson:
    file = f"mutants/{name}/lesson.toml"
    content = decode(files.text(file), LessonFile, file)
    checks.check_lesson_file(content, file)
    modules = _reference_modules(files, top_level(content.module))
    checks.check_against_reference(content, modules, file)
    variants = _variants(files, name, content.module, modules[content.module])
    tests = _course_tests(files, name)
    faults = _faults(files, folders, modules, tests)
    sources = {module.file: module.source for module in modules.values()}
    pooled = pool_faults(files, name, content.pools if with_pools else {}, sources)
    _read_golden_values(files, name)
    return Lesson(
        id=name,
        module_file=modules[content.module].file,
        faults=faults,
        pool_faults=pooled,
        variants=variants,
        reference_modules=modules,
        root=files.root,
        sha256=files.sha256(),
        **msgspec.structs.asdict(content),
    )


def _reference_modules(files: CourseFiles, package: str) -> dict[str, ReferenceModule]:
    tree = files.tree(f"reference/{package}")
    for file in tree:
        files.data(file)
    sources = [file for file in tree if file.endswith(".py")]
    return dict(_reference_module(file.removeprefix("reference/"), files.text(file)) for file in sources)


def _reference_module(file: str, source: str) -> tuple[str, ReferenceModule]:
    path = file.removesuffix(".py").removesuffix("/__init__")
    module = ReferenceModule(file=file, source=source, is_package=file.endswith("/__init__.py"))
    return path.replace("/", "."), module


def _variants(files: CourseFiles, name: str, module: str, reference: ReferenceModule) -> tuple[Variant, ...]:
    folder = f"reference/variants/{name}"
    variants = [_variant(files, file, module, reference) for file in files.listing(folder, ".py")]
    if not variants:
        raise LessonError(folder, "folder", "holds no variant, and a lesson needs at least one")
    return tuple(variants)


def _variant(files: CourseFiles, file: str, module: str, reference: ReferenceModule) -> Variant:
    source = files.text(file)
    checks.check_python(source, file)
    return Variant(name=stem(file), file=file, source=completed(source, file, module, reference))


def _course_tests(files: CourseFiles, name: str) -> set[str]:
    # What stands beside the lessons' folders (a conftest.py, a helper) is shared by them.
    for shared in files.listing("reference/tests", ".py"):
        files.data(shared)
    names: set[str] = set()
    for file in files.tree(f"reference/tests/{name}"):
        files.data(file)
        if file.endswith(".py"):
            names |= _test_names(files, file)
    return names


def _test_names(files: CourseFiles, file: str) -> set[str]:
    try:
        return names_of_tests(files.text(file))
    except SyntaxError as error:
        raise LessonError(file, "syntax", described(error)) from error


def _faults(
    files: CourseFiles, folders: list[str], modules: dict[str, ReferenceModule], tests: set[str]
) -> tuple[Fault, ...]:
    named = [pair for folder in folders for pair in _faults_in(files, folder)]
    faults = sorted((fault for _, fault in named), key=lambda fault: (fault.id, fault.private, fault.path))
    checks.check_distinct(faults)
    sources = {module.file: module.source for module in modules.values()}
    # Most faults edit the same file: its code is made once.
    original = functools.cache(lambda changed: checks.check_python(sources[changed], f"reference/{changed}"))
    for file, fault in named:
        checks.check_fault(fault, tests, file)
        checks.check_edits(fault, sources, original, file)
    return tuple(faults)


def _faults_in(files: CourseFiles, folder: str) -> list[tuple[str, Fault]]:
    """The faults of a folder, each with the name of its file, by that name."""
    toml = [file for file in files.listing(folder, ".toml") if file != f"{folder}/lesson.toml"]
    if not toml:
        raise LessonError(folder, "folder", "holds no fault, and a lesson needs at least one")
    return [(file, _fault(files, file, private=folder == EXTRA)) for file in toml]


def _fault(files: CourseFiles, file: str, *, private: bool) -> Fault:
    content = decode(files.text(file), FaultFile, file)
    name = stem(file).partition("-")[0]
    checks.check_id(name, file)
    return Fault(id=name, path=files.path(file), private=private, **msgspec.structs.asdict(content))


def _read_golden_values(files: CourseFiles, name: str) -> None:
    folder = f"fixtures/{name}"
    if (files.root / folder).is_dir():
        for file in files.tree(folder, skip=f"{folder}/submissions"):
            files.data(file)
