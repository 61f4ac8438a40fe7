"""A tiny course about strings: one module, two variants, two faults, no numbers anywhere."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.lesson import Lesson, load_lesson

LESSON_TOML = """\
title     = "Shouting"
rung      = "R1"
module    = "words.loud.shout"
source    = "python/words/loud/shout.py"
tests     = "python/tests/w1-shout"
imports   = ["words.loud.shout", "words.quiet"]
threshold = 0.80
witness_names = {string = "string", whisper = "words.quiet:whisper"}
"""

NO_MARK = """\
title     = "no exclamation mark"
pitfall   = 1
required  = true
symptom   = "it reads as if nobody were excited"
hint      = "look at the end of what comes back"
caught_by = ["test_a_shout_ends_in_a_mark"]

[[edit]]
file    = "words/loud/shout.py"
find    = 'text.upper() + "!"'
replace = 'text.upper()'

[witness]
call    = "return shout('hey')"
"""

TITLE_CASE = """\
title     = "title case"
symptom   = "only the first letters are loud"
hint      = "try more than one letter"
caught_by = ["test_every_letter_is_loud"]

[[edit]]
file    = "words/loud/shout.py"
find    = ".upper()"
replace = ".title()"

[witness]
call    = '''
word = whisper("HEY")
return shout(word)
'''
"""

FILES = {
    "mutants/W1/lesson.toml": LESSON_TOML,
    "mutants/W1/s01-no-mark.toml": NO_MARK,
    "mutants/W1/s02-title-case.toml": TITLE_CASE,
    "reference/words/__init__.py": "",
    "reference/words/quiet.py": "def whisper(text):\n    return text.lower()\n",
    "reference/words/loud/__init__.py": "",
    "reference/words/loud/shout.py": 'def shout(text):\n    # loud\n    return text.upper() + "!"\n',
    "reference/variants/W1/joined.py": 'def shout(text):\n    return "".join([text.upper(), "!"])\n',
    "reference/variants/W1/formatted.py": 'def shout(text):\n    return f"{text.upper()}!"\n',
    "reference/tests/conftest.py": "",
    "reference/tests/W1/test_shout.py": """\
from words.loud.shout import shout

def test_a_shout_ends_in_a_mark():
    assert shout("a").endswith("!")

class TestLetters:
    def test_every_letter_is_loud(self):
        assert shout("abc") == "ABC!"
""",
    "fixtures/W1/shouts.txt": "HEY!\n",
    "fixtures/W1/submissions/good/test_mine.py": "def test_nothing(): ...\n",
    "student_template/W1/shout.py": "",
}


@dataclass(frozen=True)
class Course:
    """A course on disk, to break."""

    root: Path

    def write(self, file: str, text: str | bytes) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.root / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        self.write(file, text.replace(old, new))

    def copy(self, file: str, to: str) -> None:
        self.write(to, (self.root / file).read_bytes())

    def replace_edits(self, file: str, edits: str) -> None:
        before, _, rest = (self.root / file).read_text(encoding="utf-8").partition("[[edit]]")
        _, witness, after = rest.partition("[witness]")
        self.write(file, before + edits + witness + after)

    def remove(self, *files: str) -> None:
        for path in (self.root / file for file in files):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def load(self) -> Lesson:
        return load_lesson(self.root, "W1")


@pytest.fixture
def course(tmp_path: Path) -> Course:
    course = Course(tmp_path)
    for file, text in FILES.items():
        course.write(file, text)
    return course
