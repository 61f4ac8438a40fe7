"""What an author can get wrong beyond a key's type: one check per rule, each raising a `LessonError`."""

import keyword
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from types import CodeType

from grader.errors import LessonError
from grader.lesson.edits import edited
from grader.lesson.files import EXTRA
from grader.lesson.model import Fault, FaultFile, LessonFile, ReferenceModule, top_level
from grader.lesson.syntax import compiled, compiled_witness, described, same_program


def check_lesson_file(lesson: LessonFile, file: str) -> None:
    """What `lesson.toml` can be asked on its own.

    Raises:
        LessonError: a value is out of range, is no module's name, or leaves the workspace.
    """
    _check_threshold(lesson.threshold, "threshold", file)
    for name, pool in lesson.pools.items():
        if not _is_name(name):
            raise LessonError(file, f"pools.{name}", "is no name that a pool can have")
        _check_threshold(pool.threshold, f"pools.{name}.threshold", file)
    _check_dotted(lesson.module, "module", file)
    for number, name in enumerate(lesson.imports):
        _check_dotted(name, f"imports[{number}]", file)
    _check_inside("source", lesson.source, file)
    _check_inside("tests", lesson.tests, file)
    for name, target in lesson.witness_names.items():
        _check_witness_name(name, target, file)


def check_against_reference(lesson: LessonFile, modules: Mapping[str, ReferenceModule], file: str) -> None:
    """Whether what `lesson.toml` names is there in the reference.

    Raises:
        LessonError: a module or one of its packages is not, or the workspace's source is another module's file.
    """
    named = {"module": lesson.module}
    named |= {f"imports[{number}]": name for number, name in enumerate(lesson.imports)}
    named |= {f"witness_names.{key}": name.partition(":")[0] for key, name in lesson.witness_names.items()}
    for key, name in named.items():
        if top_level(name) == top_level(lesson.module):
            if name not in modules:
                raise LessonError(file, key, f"{name} is no module of the reference package")
            _check_packages(name, modules)
    home = modules[lesson.module].file
    if not f"/{lesson.source}".endswith(f"/{home}"):
        raise LessonError(file, "source", f"does not end in {home}, the module's file")


def check_python(source: str, file: str) -> CodeType:
    """The code of one of the course's own Python files.

    Raises:
        LessonError: it does not compile.
    """
    try:
        return compiled(source)
    except SyntaxError as error:
        raise LessonError(file, "syntax", described(error)) from error


def check_id(name: str, file: str) -> None:
    """Whether the part of a fault's file name before the first `-` can be its id.

    Raises:
        LessonError: it is no word.
    """
    if not (name and f"_{name}".isidentifier()):
        reason = f"the part before the first `-` is {name!r}, not a word, and so no id"
        raise LessonError(file, "name", reason)


def check_fault(fault: FaultFile, tests: set[str], file: str) -> None:
    """What a fault can be asked without its edits.

    Raises:
        LessonError: it is required and not numbered or the other way round, names a course test that there is not,
            or has no usable witness.
    """
    if isinstance(fault, Fault) and fault.private and (fault.required or fault.pitfall is not None):
        rule = "a private fault cannot be required: a learner could not be told what is missing"
        raise LessonError(file, "required" if fault.required else "pitfall", rule)
    if fault.required != (fault.pitfall is not None):
        rule = (
            "must be true, since `pitfall` is given"
            if fault.pitfall
            else "needs a `pitfall`: only numbered faults are"
        )
        raise LessonError(file, "required", rule)
    for number, name in enumerate(fault.caught_by):
        if name not in tests:
            raise LessonError(file, f"caught_by[{number}]", f"{name} is no test of the course")
    try:
        compiled_witness(fault.witness.call)
    except SyntaxError as error:
        raise LessonError(file, "witness.call", described(error)) from error


def check_edits(
    fault: FaultFile, sources: Mapping[str, str], original: Callable[[str], CodeType], file: str
) -> None:
    """Whether a fault's edits fit the reference and make another program of it.

    Args:
        fault: whose edits.
        sources: the reference's text by file.
        original: the code of one of these files.
        file: the fault's own, for errors.

    Raises:
        LessonError: they do not fit, the result does not compile, or it is the same program.
    """
    changed = edited(fault.edits, sources, file)
    # First all originals: where the reference itself does not compile, the error must not name the fault.
    before = {name: original(name) for name in changed}
    after = {name: _faulty(source, name, file) for name, source in changed.items()}
    if all(same_program(before[name], after[name]) for name in changed):
        raise LessonError(file, "edit", "changes nothing that runs (a no-op)")


def check_distinct(faults: Iterable[Fault]) -> None:
    """Whether each fault has an id and a pitfall's number of its own.

    Raises:
        LessonError: two share one.
    """
    ids: dict[str, Fault] = {}
    pitfalls: dict[int, Fault] = {}
    for fault in faults:
        file = f"{EXTRA}/{fault.path.name}" if fault.private else "/".join(fault.path.parts[-3:])
        if (first := ids.setdefault(fault.id, fault)) is not fault:
            raise LessonError(file, "name", f"the id {fault.id} is taken by {first.path.name}")
        if fault.pitfall is None:
            continue
        if (first := pitfalls.setdefault(fault.pitfall, fault)) is not fault:
            raise LessonError(file, "pitfall", f"the number {fault.pitfall} is taken by {first.path.name}")


def _faulty(source: str, name: str, file: str) -> CodeType:
    try:
        return compiled(source)
    except SyntaxError as error:
        raise LessonError(file, "edit", f"leaves {name} with a syntax error, {described(error)}") from error


def _check_threshold(threshold: Decimal | int, key: str, file: str) -> None:
    if not (Decimal(threshold).is_finite() and 0 < threshold <= 1):
        raise LessonError(file, key, f"is {threshold}, not above 0 and at most 1")


def _check_dotted(name: str, key: str, file: str) -> None:
    if not all(map(_is_name, name.split("."))):
        raise LessonError(file, key, f"{name} is no module's name")


def _check_inside(key: str, path: str, file: str) -> None:
    if path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise LessonError(file, key, f"{path} leaves the workspace")


def _check_witness_name(name: str, target: str, file: str) -> None:
    if not _is_name(name) or name == "dtype":
        raise LessonError(file, f"witness_names.{name}", "is no name that a witness can use")
    module, colon, attribute = target.partition(":")
    _check_dotted(module, f"witness_names.{name}", file)
    if colon and not _is_name(attribute):
        raise LessonError(file, f"witness_names.{name}", f"{attribute!r} is no attribute's name")


def _check_packages(name: str, modules: Mapping[str, ReferenceModule]) -> None:
    parts = name.split(".")
    for count in range(1, len(parts)):
        if ".".join(parts[:count]) not in modules:
            file = "/".join(["reference", *parts[:count], "__init__.py"])
            raise LessonError(file, "file", f"is missing: {name} lies in this package")


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)
