"""Whatever an author gets wrong ends the command with exit code 4 and a message of file, key and reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest

from grader.errors import LessonError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lesson.conftest import Course

LESSON = "mutants/W1/lesson.toml"
FAULT = "mutants/W1/s01-no-mark.toml"
OTHER = "mutants/W1/s02-title-case.toml"
SHOUT = "reference/words/loud/shout.py"
TESTS = "reference/tests/W1/test_shout.py"
VARIANT = "reference/variants/W1/joined.py"


Break: TypeAlias = "Callable[[Course], object]"


def changed(file: str, old: str, new: str) -> Break:
    return lambda course: course.change(file, old, new)


def written(file: str, text: str | bytes) -> Break:
    return lambda course: course.write(file, text)


def copied(file: str, to: str) -> Break:
    return lambda course: course.copy(file, to)


def removed(*files: str) -> Break:
    return lambda course: course.remove(*files)


def folder_replaced_by_a_file(folder: str) -> Break:
    def replace(course: Course) -> None:
        course.remove(folder)
        course.write(folder, "")

    return replace


def edit(find: str, replace: str) -> str:
    return f'[[edit]]\nfile = "words/loud/shout.py"\nfind = """{find}"""\nreplace = """{replace}"""\n'


def only_edits(*edits: str) -> Break:
    """The first fault with these edits in the place of its own."""
    return lambda course: course.replace_edits(FAULT, "".join(edits))


EDITS = [
    pytest.param(
        changed(FAULT, "text.upper() +", "text.swapcase() +"),
        FAULT,
        "edit[0].find",
        "matches nothing in words/loud/shout.py (a stale edit)",
        id="an edit that no longer matches is stale",
    ),
    pytest.param(
        only_edits(edit("text", "test")),
        FAULT,
        "edit[0].find",
        "matches several places in words/loud/shout.py (an ambiguous edit)",
        id="an edit that matches twice is ambiguous",
    ),
    pytest.param(
        lambda course: (course.change(SHOUT, "# loud", "# aaa"), only_edits(edit("aa", "b"))(course)),
        FAULT,
        "edit[0].find",
        "matches several places in words/loud/shout.py (an ambiguous edit)",
        id="an edit is ambiguous where its matches overlap each other",
    ),
    pytest.param(
        only_edits(edit("text.upper()", "text.upper()")),
        FAULT,
        "edit[0].replace",
        "is the same text as `find` (a no-op)",
        id="an edit that replaces a text by itself is a no-op",
    ),
    pytest.param(
        only_edits(edit("# lou", "# lo"), edit("d\n", "ud\n")),
        FAULT,
        "edit",
        "leaves words/loud/shout.py as it is (a no-op)",
        id="edits that undo each other are a no-op",
    ),
    pytest.param(
        only_edits(edit("# loud", "# very loud")),
        FAULT,
        "edit",
        "changes nothing that runs (a no-op)",
        id="an edit of a comment is a no-op",
    ),
    pytest.param(
        only_edits(edit("    # loud\n", "\n\n    # loud\n\n")),
        FAULT,
        "edit",
        "changes nothing that runs (a no-op)",
        id="an edit of blank lines is a no-op",
    ),
    pytest.param(
        only_edits(edit(".upper() +", ".lower() +"), edit("() + ", "()")),
        FAULT,
        "edit[1].find",
        "overlaps another edit of words/loud/shout.py",
        id="edits that overlap are refused",
    ),
    pytest.param(
        changed(FAULT, "replace = 'text.upper()'", "replace = 'text.upper('"),
        FAULT,
        "edit",
        "leaves words/loud/shout.py with a syntax error, line 3: '(' was never closed",
        id="an edit that leaves a syntax error names its line",
    ),
    pytest.param(
        changed(FAULT, 'file    = "words/loud/shout.py"', 'file    = "../reference/words/loud/shout.py"'),
        FAULT,
        "edit[0].file",
        "../reference/words/loud/shout.py leaves the reference folder",
        id="an edit may not leave the reference upward",
    ),
    pytest.param(
        changed(FAULT, 'file    = "words/loud/shout.py"', 'file    = "/etc/passwd"'),
        FAULT,
        "edit[0].file",
        "/etc/passwd leaves the reference folder",
        id="an edit may not name an absolute path",
    ),
    pytest.param(
        changed(FAULT, 'file    = "words/loud/shout.py"', 'file    = "words/loud/cry.py"'),
        FAULT,
        "edit[0].file",
        "words/loud/cry.py is no module of the reference package",
        id="an edit of a file that there is not is refused",
    ),
    pytest.param(
        changed(FAULT, 'file    = "words/loud/shout.py"', 'file    = "tests/W1/test_shout.py"'),
        FAULT,
        "edit[0].file",
        "tests/W1/test_shout.py is no module of the reference package",
        id="an edit may not change the course tests",
    ),
]

KEYS = [
    pytest.param(
        changed(LESSON, "rung ", "rank "),
        LESSON,
        "rank",
        "is not a key that this file may have",
        id="a misspelt key in the lesson is unknown",
    ),
    pytest.param(
        changed(FAULT, "[[edit]]", "difficulty = 3\n[[edit]]"),
        FAULT,
        "difficulty",
        "is not a key that this file may have",
        id="a key of a fault that nobody reads is unknown",
    ),
    pytest.param(
        changed(FAULT, "[[edit]]", "id = 's07'\n[[edit]]"),
        FAULT,
        "id",
        "is not a key that this file may have",
        id="a fault may not set its own id",
    ),
    pytest.param(
        changed(FAULT, "replace =", "count = 1\nreplace ="),
        FAULT,
        "edit[0].count",
        "is not a key that this file may have",
        id="an unknown key of an edit is named with the edit",
    ),
    pytest.param(
        changed(FAULT, "[witness]", "[witness]\nrtol = 1"),
        FAULT,
        "witness.rtol",
        "is not a key that this file may have",
        id="an unknown key of a witness is named with the witness",
    ),
    *(
        pytest.param(
            changed(LESSON, f"{key} ", f"#{key} "), LESSON, key, "is missing", id=f"a lesson needs its {key}"
        )
        for key in ("title", "rung", "module", "source", "tests", "imports", "threshold")
    ),
    *(
        pytest.param(
            changed(FAULT, f"{key} ", f"#{key} "), FAULT, key, "is missing", id=f"a fault needs its {key}"
        )
        for key in ("title", "symptom", "hint", "caught_by")
    ),
    *(
        pytest.param(
            changed(FAULT, f"{key} ", f"#{key} "),
            FAULT,
            f"edit[0].{key}",
            "is missing",
            id=f"an edit needs its {key}",
        )
        for key in ("file", "find", "replace")
    ),
    pytest.param(
        changed(FAULT, "call ", "#call "), FAULT, "witness.call", "is missing", id="a witness needs its call"
    ),
    pytest.param(only_edits(), FAULT, "edit", "is missing", id="a fault needs an edit"),
    pytest.param(
        only_edits("[edit]\n"),
        FAULT,
        "edit",
        "expected `array`, got `object`",
        id="a single table is no list of edits",
    ),
    pytest.param(
        changed(LESSON, "0.80", '"0.80"'),
        LESSON,
        "threshold",
        "expected `decimal`, got `str`",
        id="a threshold is a number",
    ),
    pytest.param(
        changed(FAULT, "= true", '= "yes"'),
        FAULT,
        "required",
        "expected `bool`, got `str`",
        id="required is a boolean",
    ),
    pytest.param(
        changed(FAULT, "= 1", "= 1.0"),
        FAULT,
        "pitfall",
        "expected `int | null`, got `decimal`",
        id="a pitfall is whole",
    ),
    pytest.param(
        changed(FAULT, '["test_a_shout_ends_in_a_mark"]', '"test_a_shout_ends_in_a_mark"'),
        FAULT,
        "caught_by",
        "expected `array`, got `str`",
        id="caught by is a list",
    ),
    pytest.param(
        changed(LESSON, '"words.quiet"]', "7]"),
        LESSON,
        "imports[1]",
        "expected `str`, got `int`",
        id="an import is a text",
    ),
    pytest.param(
        changed(FAULT, '"no exclamation mark"', '""'),
        FAULT,
        "title",
        "expected `str` of length >= 1",
        id="a title says something",
    ),
]

VALUES = [
    *(
        pytest.param(
            changed(LESSON, "0.80", value),
            LESSON,
            "threshold",
            f"is {shown}, not above 0 and at most 1",
            id=f"a threshold of {value} is out of range",
        )
        for value, shown in [
            ("0.0", "0.0"),
            ("0", "0"),
            ("-0.5", "-0.5"),
            ("1.01", "1.01"),
            ("nan", "NaN"),
            ("inf", "Infinity"),
        ]
    ),
    pytest.param(
        changed(FAULT, "= true", "= false"),
        FAULT,
        "required",
        "must be true, since `pitfall` is given",
        id="a numbered fault is required",
    ),
    pytest.param(
        changed(FAULT, "required  = true\n", ""),
        FAULT,
        "required",
        "must be true, since `pitfall` is given",
        id="a numbered fault says that it is required",
    ),
    pytest.param(
        changed(FAULT, "pitfall   = 1\n", ""),
        FAULT,
        "required",
        "needs a `pitfall`: only numbered faults are",
        id="an unnumbered fault is not required",
    ),
    pytest.param(
        changed(FAULT, "= 1", "= 0"),
        FAULT,
        "pitfall",
        "expected `int` >= 1",
        id="pitfalls are numbered from 1",
    ),
    pytest.param(
        changed(OTHER, "symptom ", "pitfall = 1\nrequired = true\nsymptom "),
        OTHER,
        "pitfall",
        "the number 1 is taken by s01-no-mark.toml",
        id="two faults may not share a pitfall's number",
    ),
    pytest.param(
        changed(FAULT, '["test_a_shout_ends_in_a_mark"]', "[]"),
        FAULT,
        "caught_by",
        "expected `array` of length >= 1",
        id="some course test catches every fault",
    ),
    pytest.param(
        changed(FAULT, 'mark"]', 'mark", "test_of_nothing"]'),
        FAULT,
        "caught_by[1]",
        "test_of_nothing is no test of the course",
        id="a fault is caught by a test that there is",
    ),
    pytest.param(
        changed(FAULT, "return shout('hey')", "return shout('hey'"),
        FAULT,
        "witness.call",
        "line 1: '(' was never closed",
        id="a witness that does not parse is refused",
    ),
    pytest.param(
        changed(OTHER, "return shout(word)", "break"),
        OTHER,
        "witness.call",
        "never returns a value",
        id="a witness that never returns is refused",
    ),
    pytest.param(
        changed(OTHER, "return shout(word)", "return"),
        OTHER,
        "witness.call",
        "never returns a value",
        id="a witness that returns nothing is refused",
    ),
    pytest.param(
        changed(OTHER, "return shout(word)", "def inner():\n    return shout(word)"),
        OTHER,
        "witness.call",
        "never returns a value",
        id="a return in an inner function is not the witness's",
    ),
    pytest.param(
        changed(OTHER, "return shout(word)", "break\nreturn shout(word)"),
        OTHER,
        "witness.call",
        "line 2: 'break' outside loop",
        id="a witness that parses and does not compile is refused",
    ),
]

NAMES = [
    pytest.param(
        changed(LESSON, 'module    = "words.loud.shout"', 'module    = "words.loud.cry"'),
        LESSON,
        "module",
        "words.loud.cry is no module of the reference package",
        id="the module is in the reference",
    ),
    pytest.param(
        changed(LESSON, 'module    = "words.loud.shout"', 'module    = "../words"'),
        LESSON,
        "module",
        "../words is no module's name",
        id="the module is a dotted name",
    ),
    pytest.param(
        changed(LESSON, 'module    = "words.loud.shout"', 'module    = "verbs.shout"'),
        "reference/verbs",
        "folder",
        "cannot be read: No such file or directory",
        id="the module's package is in the reference",
    ),
    pytest.param(
        changed(LESSON, '"words.quiet"]', '"words.silent"]'),
        LESSON,
        "imports[1]",
        "words.silent is no module of the reference package",
        id="a suite can only import what the reference has",
    ),
    pytest.param(
        changed(LESSON, '"words.quiet"]', '"words-quiet"]'),
        LESSON,
        "imports[1]",
        "words-quiet is no module's name",
        id="an import is a dotted name",
    ),
    pytest.param(
        changed(LESSON, "python/words/loud/shout.py", "python/loud/shout.py"),
        LESSON,
        "source",
        "does not end in words/loud/shout.py, the module's file",
        id="the workspace's source is where the module is imported from",
    ),
    pytest.param(
        changed(LESSON, "python/words/loud/shout.py", "../python/words/loud/shout.py"),
        LESSON,
        "source",
        "../python/words/loud/shout.py leaves the workspace",
        id="the source stays in the workspace",
    ),
    pytest.param(
        changed(LESSON, '"python/tests/w1-shout"', '"/srv/w1-shout"'),
        LESSON,
        "tests",
        "/srv/w1-shout leaves the workspace",
        id="the tests stay in the workspace",
    ),
    pytest.param(
        changed(LESSON, '"words.quiet:whisper"', '"words.silent:whisper"'),
        LESSON,
        "witness_names.whisper",
        "words.silent is no module of the reference package",
        id="a witness's name comes from a module that there is",
    ),
    pytest.param(
        changed(LESSON, '"words.quiet:whisper"', '"words.quiet:"'),
        LESSON,
        "witness_names.whisper",
        "'' is no attribute's name",
        id="a witness's name has an attribute after its colon",
    ),
    pytest.param(
        changed(LESSON, "{string =", "{dtype ="),
        LESSON,
        "witness_names.dtype",
        "is no name that a witness can use",
        id="a witness's dtype is not the author's to name",
    ),
    pytest.param(
        changed(LESSON, "{string =", "{class ="),
        LESSON,
        "witness_names.class",
        "is no name that a witness can use",
        id="a witness's name is no keyword",
    ),
    pytest.param(
        written("mutants/W1/s01-again.toml", "title = 1"),
        "mutants/W1/s01-again.toml",
        "title",
        "expected `str`, got `int`",
        id="every fault's file is read",
    ),
]

FILES = [
    pytest.param(
        changed(LESSON, "0.80", "0.8.0"),
        LESSON,
        "toml",
        "(at line 7, column 16)",
        id="a lesson that is not TOML names the line",
    ),
    pytest.param(
        changed(FAULT, '"no exclamation mark"', "no mark"),
        FAULT,
        "toml",
        "(at line 1,",
        id="a fault that is not TOML names the line",
    ),
    pytest.param(
        written(FAULT, b"title = 'caf\xe9'\n"),
        FAULT,
        "encoding",
        "is not UTF-8 at byte 12",
        id="a fault is in UTF-8",
    ),
    pytest.param(
        written(SHOUT, b"# caf\xe9\n"),
        SHOUT,
        "encoding",
        "is not UTF-8 at byte 5",
        id="the reference is in UTF-8",
    ),
    pytest.param(
        written(SHOUT, 'def shout(text)\n    return text.upper() + "!"\n'),
        SHOUT,
        "syntax",
        "line 1: expected ':'",
        id="a syntax error in the reference is not blamed on a fault",
    ),
    pytest.param(
        written(VARIANT, "def shout(text):\n    return (\n"),
        VARIANT,
        "syntax",
        "line 2: '(' was never closed",
        id="a syntax error in a variant names the variant",
    ),
    pytest.param(
        written(VARIANT, "x = '\0'\n"),
        VARIANT,
        "syntax",
        "null bytes",
        id="a NUL byte in a variant is a syntax error",
    ),
    pytest.param(
        written(TESTS, "def test_a(:\n"),
        TESTS,
        "syntax",
        "line 1: invalid syntax",
        id="a syntax error in the course tests is named",
    ),
    pytest.param(
        removed(LESSON),
        LESSON,
        "file",
        "cannot be read: No such file or directory",
        id="a lesson needs its own file",
    ),
    pytest.param(
        removed(FAULT, OTHER),
        "mutants/W1",
        "folder",
        "holds no fault",
        id="a lesson without faults is refused",
    ),
    pytest.param(
        removed(VARIANT, "reference/variants/W1/formatted.py"),
        "reference/variants/W1",
        "folder",
        "holds no variant",
        id="a lesson without variants is refused",
    ),
    pytest.param(
        folder_replaced_by_a_file("reference/variants/W1"),
        "reference/variants/W1",
        "folder",
        "cannot be read: Not a directory",
        id="a folder that is a file cannot be read",
    ),
    pytest.param(
        removed("reference/words/__init__.py"),
        "reference/words/__init__.py",
        "file",
        "is missing: words.loud.shout lies in this package",
        id="the module's package has its own file",
    ),
    pytest.param(
        removed("reference/tests/W1"),
        "reference/tests/W1",
        "folder",
        "cannot be read: No such file or directory",
        id="a lesson needs course tests",
    ),
    pytest.param(
        copied(OTHER, "mutants/W1/s02-another.toml"),
        OTHER,
        "name",
        "the id s02 is taken by s02-another.toml",
        id="two faults may not share an id",
    ),
    pytest.param(
        copied(OTHER, "mutants/W1/-nameless.toml"),
        "mutants/W1/-nameless.toml",
        "name",
        "the part before the first `-` is '', not a word",
        id="a fault's file starts with its id",
    ),
    pytest.param(
        copied(OTHER, "mutants/W1/s 3-space.toml"),
        "mutants/W1/s 3-space.toml",
        "name",
        "the part before the first `-` is 's 3', not a word",
        id="a fault's id is a word",
    ),
    pytest.param(
        copied(OTHER, "mutants/W1/s³-cubed.toml"),
        "mutants/W1/s³-cubed.toml",
        "name",
        "the part before the first `-` is 's³', not a word",
        id="a fault's id can be part of a name in Python",
    ),
]


@pytest.mark.parametrize(("broken", "file", "key", "reason"), [*EDITS, *KEYS, *VALUES, *NAMES, *FILES])
def test_an_error_of_the_author(course: Course, broken: Break, file: str, key: str, reason: str) -> None:
    broken(course)
    with pytest.raises(LessonError) as caught:
        course.load()
    error = caught.value
    assert (error.file, error.key) == (file, key)
    assert reason in error.reason
    assert str(error) == f"{file}: {key}: {error.reason}"
    assert int(error.exit_code) == 4
