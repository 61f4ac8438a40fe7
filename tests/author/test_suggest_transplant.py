"""Another version of a module takes the place of one that is in use; what cannot, changes nothing."""

import textwrap
from types import ModuleType

import pytest

from grader.author.candidates.transplant import Unfit, transplant

SOURCE = '''
LIMIT = 10
def free(x, y=1, *, z=2): return x + y + z
def twice(f):
    def inner(*values): return 2 * f(*values)
    return inner
@twice
def decorated(x): return x
class Base:
    def show(self): return "base"
class Thing(Base):
    """Text."""
    size: int = 3
    def __init__(self, n): self.n = n
    def show(self): return f"thing {super().show()}"
    @staticmethod
    def still(x): return x
    @classmethod
    def made(cls): return cls(1)
    @property
    def double(self): return 2 * self.n
def limited(x): return min(x, LIMIT)
'''


@pytest.fixture
def module() -> ModuleType:
    made = ModuleType("thing")
    made.__file__ = "thing.py"
    exec(textwrap.dedent(SOURCE), vars(made))  # noqa: S102 - the text above
    return made


@pytest.mark.parametrize(
    ("before", "after", "call", "result"),
    [
        ("return x + y + z", "return x - y", "free(5)", 4),
        ("y=1, *, z=2", "y=7, *, z=0", "free(1)", 8),
        ("return x\nclass", "return x + 1\nclass", "decorated(1)", 4),
        ("2 * f(", "3 * f(", "decorated(1)", 3),
        ('return "base"', 'return "new"', "thing.show()", "thing new"),
        ('f"thing {super().show()}"', "super().show()", "thing.show()", "base"),
        ("still(x): return x", "still(x): return -x", "Thing.still(2)", -2),
        ("return cls(1)", "return cls(4)", "Thing.made().n", 4),
        ("2 * self.n", "5 * self.n", "thing.double", 5),
        ("self.n = n", "self.n = n + 1", "Thing(1).n", 2),
        ("min(x, LIMIT)", "max(x, LIMIT)", "limited(3)", 10),
    ],
)
def test_who_holds_the_old_one_finds_the_new_code_in_it(
    module: ModuleType, before: str, after: str, call: str, result: object
) -> None:
    held = dict(vars(module))
    held["thing"] = held["Thing"](1)
    assert eval(call, held) != result  # noqa: S307 - a call of this test's own
    transplant(module, SOURCE.replace(before, after))
    assert eval(call, held) == result  # noqa: S307 - as above


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 10", "LIMIT = 11"),
        ("size: int = 3", "size: int = 4"),
        ("class Thing(Base)", "class Thing"),
        ("def limited", "def unlimited"),
        ("def still", "def calm"),
        ("LIMIT = 10", "LIMIT = 10\nMORE = 1"),
        ("@twice\n", ""),
        ("    @property\n", ""),
        ("class Base:\n", "class Base:\n    more = 1\n"),
    ],
)
def test_what_differs_in_more_than_functions_is_unfit_and_changes_nothing(
    module: ModuleType, before: str, after: str
) -> None:
    changed = SOURCE.replace(before, after).replace("return x + y + z", "return None")
    assert changed != SOURCE
    with pytest.raises(Unfit):
        transplant(module, changed)
    assert module.free(1) == 4


def test_what_a_version_raises_while_it_is_imported_comes_out(module: ModuleType) -> None:
    with pytest.raises(ZeroDivisionError):
        transplant(module, SOURCE + "\n1 / 0\n")
    assert module.free(1) == 4


def test_the_same_text_again_changes_nothing(module: ModuleType) -> None:
    transplant(module, SOURCE)
    assert (module.free(1), module.decorated(1), module.Thing(1).show()) == (4, 2, "thing base")
