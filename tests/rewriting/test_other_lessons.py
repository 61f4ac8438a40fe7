"""Nothing in rewriting knows a lesson: a module about words, with most of Python in it."""

import asyncio
import random
import re
from collections.abc import Callable
from types import ModuleType

import pytest

from grader.rewriting import Contract, Rewriter, names_used, rewrite
from grader.workers.wire import Module

NAME = "words.text"
SOURCE = '''"""Words."""
from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from functools import lru_cache, wraps

__all__ = ["Counter", "Kind", "Word", "async_words", "classify", "count", "join", "parse", "spell", "trace"]
__all__ += ["inside", "own", "pairs", "shout", "tally", "titles", "total"]
_LIMIT = 3
_SEPARATOR = ", "
_registry = {}
ORDER = []


def _register(kind):
    def add(function):
        _registry[kind] = function.__name__
        ORDER.append(kind)
        return function
    return add


class Kind(enum.Enum):
    """Kinds."""
    WORD = "word"
    NUMBER = "number"

    @property
    def plural(self):
        return self.value + "s"


@dataclass(order=True)
class Word:
    text: str
    weight: float = 1.0
    tags: list[str] = field(default_factory=list)
    _hidden: int = 0

    def __post_init__(self):
        self.__secret = self.text[::-1]
        if not self.text:
            raise ValueError(f"empty: {self.text!r:>{_LIMIT}}")

    def secret(self) -> str:
        return self.__secret if len(self.text) > 1 else "?"

    def heavier(self, by=2):
        copy = Word(self.text, weight=self.weight * by)
        return copy

    @classmethod
    def of(cls, text, /, *, upper=False):
        return cls(text.upper() if upper else text)


class Counter(dict):
    """Counts."""

    def __init__(self, words=()):
        super().__init__()
        for word in words:
            self.add(word)

    def add(self, word):
        count = self.get(word, 0)
        self[word] = count + 1
        return self

    def __missing__(self, key):
        return 0


def _split(text, sep=None):
    parts = text.split(sep)
    return parts


def _clean(text):
    stripped = text.strip()
    lowered = stripped.lower()
    return lowered


@_register("parse")
def parse(text: str, *, sep: str | None = None) -> list[Word]:
    """Parse."""
    try:
        parts = _split(_clean(text), sep=sep)
    except AttributeError as error:
        raise TypeError(f"no text: {type(text).__name__}") from error
    else:
        words = [Word(part) for part in parts if part]
    finally:
        ORDER.append("parsed")
    return words


@_register("count")
def count(words, least=0):
    counter = Counter(words)
    result = {word: n for word, n in counter.items() if n > least}
    total = 0
    for n in result.values():
        total += n
    else:
        total += 0
    result["total"] = total
    return result


def join(*words, last=" and ", **options):
    sep = options.pop("sep", _SEPARATOR)
    if options:
        raise TypeError(f"unknown: {sorted(options)}")
    *head, tail = words or ("",)
    return sep.join(head) + last + tail if head else tail


def classify(item):
    match item:
        case str(text) if text.isdigit():
            kind = Kind.NUMBER
        case [first, *rest]:
            return [classify(first), *map(classify, rest)]
        case {"word": word, **others}:
            return word, others
        case Word(text=text) | text:
            kind = Kind.WORD
    return kind


def pairs(words):
    previous = None
    for word in words:
        if previous is not None:
            got = yield previous, word
            if got == "stop":
                return "stopped"
        previous = word
    return "done"


async def async_words(text):
    async def one(word):
        return word.title()

    result = []
    for word in _split(text):
        titled = await one(word)
        result.append(titled)
    return result


@lru_cache(maxsize=None)
def spell(word, step=1):
    found = []
    i = 0
    while (letter := word[i : i + step]) != "":
        i += step
        if letter == " ":
            continue
        if letter == ".":
            break
        found.append(letter)
    else:
        found.append("!")
    return tuple(found)


def trace(function):
    calls = 0

    @wraps(function)
    def wrapper(*args, **kwargs):
        nonlocal calls
        calls += 1
        return calls, function(*args, **kwargs)

    return wrapper


def inside(value):
    doubled = value * 2
    return sorted(locals())


def total(values):
    global _LIMIT_USED
    _LIMIT_USED = _LIMIT
    low, high = min(values), max(values)
    return low + high if low != 0 else high


def shout(text):
    import string as letters
    kept = [c for c in text if c in letters.ascii_letters]
    text = "".join(kept)
    del kept
    shouted = f"{text.upper()}{'!' * _LIMIT}"
    return shouted


def titles(words):
    key = lambda word: word.lower()
    ordered = sorted(words, key=key)
    def title(word, mark="*"):
        return mark + word.title()
    return [title(w, mark="-") if i == 0 else title(w) for i, w in enumerate(ordered)]


def tally(text, seen={}):
    for word in re.findall("[a-z]+", text):
        seen[word] = seen.get(word, 0) + 1
    with open_nothing() as nothing:
        length = 1 + len(text)
    assert nothing is None, "never"
    return dict(seen), length * 2


class open_nothing:
    def __enter__(self):
        return None
    def __exit__(self, *exc):
        return False


def own():
    return sorted(name for name in globals() if name in __all__), _helper("x")


def _helper(text):
    return text + "_helper"


TABLE = {name: _helper(name) for name in ("a", "b")}
if TABLE:
    SIZE = len(TABLE)
'''
FAULTS = {
    "limit": ("_LIMIT = 3", "_LIMIT = 4"),
    "lambda": ("word: word.lower()", "word: word"),
    "nested": ("return mark + word.title()", "return word.title() + mark"),
    "super": ("super().__init__()", "super().__init__(a=1)"),
    "yield": ("yield previous, word", "yield word, previous"),
    "await": ("titled = await one(word)", "titled = word"),
    "match": ("kind = Kind.NUMBER", "kind = Kind.WORD"),
    "walrus": ('!= ""', 'not in ("", "-")'),
    "delete": ("text.upper()}", "text.title()}"),
    "property": ('self.value + "s"', 'self.value + "es"'),
    "helper": ("return lowered", "return stripped"),
    "class": ("self[word] = count + 1", "self[word] = count + 2"),
}


def numbers(seed: int | str) -> random.Random:
    """Numbers to draw by."""
    return random.Random(seed)  # noqa: S311 - to be repeatable is their purpose


def programs() -> dict[str, tuple[Module, ...]]:
    sources = {"reference": SOURCE} | {name: SOURCE.replace(*edit) for name, edit in FAULTS.items()}
    return {name: (Module(NAME, source),) for name, source in sources.items()}


ALL = programs()


@pytest.fixture(scope="module")
def rewriter() -> Rewriter:
    return Rewriter(ALL.values())


def behaviour(module: ModuleType) -> list[object]:
    seen: list[object] = []

    def see(call: Callable[[], object]) -> None:
        try:
            seen.append(repr(call()))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
            cause = error.__cause__
            seen.append((type(error), str(error), repr(cause)))

    generator = module.pairs("abcd")
    see(lambda: module.parse("  One two  THREE "))
    see(lambda: module.parse("a,b", sep=","))
    see(lambda: module.parse(3))
    see(lambda: module.Word(""))
    see(lambda: module.Word.of("ab", upper=True).secret())
    see(lambda: vars(module.Word("abc").heavier(by=3)))
    see(lambda: sorted([module.Word("b"), module.Word("a")]))
    see(lambda: module.Word.of(text="x"))
    see(lambda: module.count("abracadabra", least=1))
    see(lambda: (module.Counter("aab"), module.Counter()["x"], module.Counter().add("q")))
    see(lambda: (module.join("a", "b", "c"), module.join("a"), module.join(), module.join("a", "b", sep="/")))
    see(lambda: module.join("a", other=1))
    see(lambda: [module.classify(x) for x in ("12", "x", ["1", "b"], {"word": 1, "y": 2}, module.Word("w"))])
    see(lambda: [next(generator), generator.send(None), generator.send("stop")])
    see(lambda: list(module.pairs("xyz")))
    see(lambda: asyncio.run(module.async_words("some words")))
    see(lambda: (module.spell("ab c"), module.spell("a.b"), module.spell("a-b"), module.spell.cache_info()))
    see(lambda: [module.trace(len)("abc"), module.trace(len).__name__])
    see(lambda: module.inside(2))
    see(lambda: (module.total([0, 3]), module.total([1, 3]), module._LIMIT_USED))
    see(lambda: module.shout("a b-c"))
    see(lambda: module.titles(["B", "a", "c"]))
    see(lambda: (module.tally("to be or not to be"), module.tally("to")))
    see(module.own)
    see(lambda: (module.TABLE, module.SIZE, module.ORDER, module.__all__))
    see(
        lambda: (
            list(module.Kind),
            module.Kind.WORD.plural,
            module.Word.__annotations__,
            module.parse.__annotations__,
        )
    )
    see(lambda: sorted(name for name in vars(module.Word) if not name.startswith("__")))
    return seen


@pytest.mark.parametrize("name", ALL)
def test_a_module_about_words_keeps_its_behaviour(
    name: str, rewriter: Rewriter, load: Callable[[str, str], ModuleType]
) -> None:
    expected = behaviour(load(ALL[name][0].source, NAME))
    for seed in range(12):
        [module] = rewriter.fresh(ALL[name], numbers(seed))
        assert behaviour(load(module.source, NAME)) == expected, module.source


def test_its_faults_differ_in_the_behaviour_that_is_compared(load: Callable[[str, str], ModuleType]) -> None:
    found = [behaviour(load(modules[0].source, NAME)) for modules in ALL.values()]
    assert all(one != other for i, one in enumerate(found) for other in found[:i])


def test_statements_in_which_programs_differ_are_in_all_of_them(rewriter: Rewriter) -> None:
    """Whatever the fault changed, its text and the text that it replaced stand in the reference and in the fault."""
    for name, (find, replace) in FAULTS.items():
        for key in ("reference", name):
            text = rewriter.fresh(ALL[key], numbers(name))[0].source
            assert all(word in text for part in (find, replace) for word in public_words(part)), (name, key)


def public_words(text: str) -> list[str]:
    """Names and texts that no rewriting changes."""
    own = {
        "kind",
        "word",
        "count",
        "result",
        "titled",
        "text",
        "lowered",
        "stripped",
        "return",
        "previous",
        "one",
        "not",
    }
    return [word for word in re.findall(r"\w+", text) if word not in own and not word.startswith("_")]


def test_a_private_name_that_is_used_elsewhere_stays() -> None:
    sources = ["import words.text\nwords.text._split('a')", "from words.text import _clean"]
    assert names_used(sources) == {"_split", "_clean"}
    [kept] = rewrite(ALL["reference"], numbers(1), Contract(names_used(sources)))
    assert "def _split(" in kept.source
    assert "def _clean(" in kept.source
    [free] = rewrite(ALL["reference"], numbers(1))
    assert "_clean" not in free.source


def test_docstrings_that_code_reads_stay() -> None:
    source = '"""Say ø."""\ndef f(x):\n    """Doc."""\n    return f.__doc__, __doc__, x\n'
    [module] = rewrite([Module("m", source)], numbers(3))
    names: dict[str, Callable[[int], object]] = {}
    exec(module.source, names)  # noqa: S102 - our own text
    assert names["f"](1) == ("Doc.", "Say ø.", 1)


def test_a_program_that_was_not_announced_is_refused(rewriter: Rewriter) -> None:
    with pytest.raises(KeyError):
        rewriter.fresh([Module(NAME, "x = 1")], numbers(1))


def test_the_sign_of_blanks_in_a_program_is_refused() -> None:
    with pytest.raises(ValueError, match=r"words\.text has the character"):
        rewrite([Module(NAME, "x = '⧺'")], numbers(1))


def test_packages_and_empty_modules_pass() -> None:
    package = Module("words", "", is_package=True)
    [module] = rewrite([package], numbers(1))
    assert module.name == "words"
    assert module.is_package
    compile(module.source, "words", "exec")


def test_functions_that_still_tell_programs_apart_are_named(rewriter: Rewriter) -> None:
    assert rewriter.exposed == {}
    faults = [
        ("doubled = value * 2", "doubled = value * 3"),
        ("TABLE = {", "TABLE = {} or {"),
        ("_LIMIT = 3", "_LIMIT = 5"),
    ]
    sources = [SOURCE, *(SOURCE.replace(*fault) for fault in faults)]
    telling = Rewriter([[Module(NAME, source)] for source in sources])
    assert {name: set(found) for name, found in telling.exposed.items()} == {NAME: {"inside", "the module"}}


def test_a_generator_inside_makes_no_generator(load: Callable[[str, str], ModuleType]) -> None:
    plain = (
        "def f(x):\n    def g():\n        yield x\n    y = 1\n    z = 2\n    w = 3\n    return list(g())\n"
    )
    generator = plain.replace("return list(g())", "yield list(g())")
    both = [[Module(NAME, plain)], [Module(NAME, generator)]]
    rewriter = Rewriter(both)
    for seed in range(20):
        [one, other] = [load(rewriter.fresh(modules, numbers(seed))[0].source, NAME) for modules in both]
        assert one.f(5) == [5]
        assert list(other.f(5)) == [[5]]
