"""One lesson from a course's files. The steps stand in `_load` in their order."""

import functools
import warnings
from pathlib import Path

import msgspec

from grader.errors import LessonError, UnknownLessonError
from grader.lesson import checks
from grader.lesson.course import lesson_ids
from grader.lesson.files import CourseFiles, stem
from grader.lesson.model import Fault, FaultFile, Lesson, LessonFile, ReferenceModule, Variant, top_level
from grader.lesson.syntax import described, names_of_tests
from grader.lesson.toml import decode


def load_lesson(course: Path, name: str) -> Lesson:
    """The lesson of this name, read from disk and found sound.

    Raises:
        UnknownLessonError: the course has none of this name.
        LessonError: its author got something wrong.
        CourseNotFoundError: the course's folder cannot be read.
    """
    known = lesson_ids(course)
    if name not in known:
        raise UnknownLessonError(name, known)
    with warnings.catch_warnings():
        # A fault may well hold what Python warns of on compiling, such as `x is 1`.
        warnings.simplefilter("ignore")
        return _load(CourseFiles(course.resolve()), name)


def _load(files: CourseFiles, name: str) -> Lesson:
    file = f"mutants/{name}/lesson.toml"
    content = decode(files.text(file), LessonFile, file)
    checks.check_lesson_file(content, file)
    modules = _reference_modules(files, top_level(content.module))
    checks.check_against_reference(content, modules, file)
    variants = _variants(files, name)
    faults = _faults(files, name, modules, _course_tests(files, name))
    _read_golden_values(files, name)
    return Lesson(
        id=name,
        module_file=modules[content.module].file,
        faults=faults,
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


def _variants(files: CourseFiles, name: str) -> tuple[Variant, ...]:
    folder = f"reference/variants/{name}"
    variants = [
        Variant(name=stem(file), file=file, source=files.text(file)) for file in files.listing(folder, ".py")
    ]
    if not variants:
        raise LessonError(folder, "folder", "holds no variant, and a lesson needs at least one")
    for variant in variants:
        checks.check_python(variant.source, variant.file)
    return tuple(variants)


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
    files: CourseFiles, lesson: str, modules: dict[str, ReferenceModule], tests: set[str]
) -> tuple[Fault, ...]:
    folder = f"mutants/{lesson}"
    toml = [file for file in files.listing(folder, ".toml") if file != f"{folder}/lesson.toml"]
    faults = sorted((_fault(files, file) for file in toml), key=lambda fault: (fault.id, fault.path))
    if not faults:
        raise LessonError(folder, "folder", "holds no fault, and a lesson needs at least one")
    checks.check_distinct(faults)
    sources = {module.file: module.source for module in modules.values()}
    # Most faults edit the same file: its code is made once.
    original = functools.cache(lambda changed: checks.check_python(sources[changed], f"reference/{changed}"))
    for fault in faults:
        file = f"{folder}/{fault.path.name}"
        checks.check_fault(fault, tests, file)
        checks.check_edits(fault, sources, original, file)
    return tuple(faults)


def _fault(files: CourseFiles, file: str) -> Fault:
    content = decode(files.text(file), FaultFile, file)
    name = stem(file).partition("-")[0]
    if not name.replace("_", "").isalnum():
        raise LessonError(
            file, "name", f"the part before the first `-` is {name!r}, not a word, and so no id"
        )
    return Fault(id=name, path=files.root / file, **msgspec.structs.asdict(content))


def _read_golden_values(files: CourseFiles, name: str) -> None:
    folder = f"fixtures/{name}"
    if (files.root / folder).is_dir():
        for file in files.tree(folder, skip=f"{folder}/submissions"):
            files.data(file)
