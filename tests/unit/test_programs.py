"""The programs of a lesson: one form for all, a canary that raises wherever it is called, nothing loaded too early."""

from __future__ import annotations

import ast
import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.lesson import Edit, Fault, Lesson, ReferenceModule, Variant, Witness
from grader.programs import CANARY_EXCEPTION, Kind, canary_source, library_of, programs_of

SHOUT = '''"""Loud words."""
from __future__ import annotations

MARK = "!"

def shout(text: str) -> str:
    """Loud."""
    return _upper(text) + MARK

def _upper(text: str) -> str:
    return text.upper()

async def later(text: str) -> str:
    return text

class Crier:
    """Shouts."""
    volume = 3

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> str:
        return self.name

    def cry(self) -> str:
        return self._secret()

    def _secret(self) -> str:
        return "x"

    @property
    def loud(self) -> bool:
        return True

    @staticmethod
    def static() -> int:
        return 1

    @classmethod
    def made(cls) -> "Crier":
        return cls("x")

class Bare:
    """No constructor."""

    def cry(self) -> str:
        return "x"

class _Private:
    pass
'''
MODULES = {
    "words": ("words/__init__.py", "", True),
    "words.quiet": ("words/quiet.py", "def whisper(text): return text.lower()\n", False),
    "words.loud": ("words/loud/__init__.py", "", True),
    "words.loud.shout": ("words/loud/shout.py", SHOUT, False),
    "words.choir": ("words/choir.py", "from words.loud import shout\n", False),
    "words.loud.echo": ("words/loud/echo.py", "from .shout import shout\n", False),
    "words.stage": ("words/stage.py", "import words.choir as choir\n", False),
    "words.hall": ("words/hall.py", "def open():\n    from .loud.echo import shout\n", False),
    "words.street": ("words/street.py", "from words.quiet import whisper\n", False),
}


def fault(name: str, *edits: Edit) -> Fault:
    return Fault(
        id=name,
        path=Path(f"/course/mutants/W1/{name}.toml"),
        title="t",
        symptom="s",
        hint="h",
        caught_by=("test_a",),
        edits=edits,
        witness=Witness(call="return 1"),
    )


def lesson(*faults: Fault) -> Lesson:
    modules = {
        name: ReferenceModule(file=file, source=source, is_package=package)
        for name, (file, source, package) in MODULES.items()
    }
    return Lesson(
        title="Shouting",
        rung="R1",
        module="words.loud.shout",
        source="python/words/loud/shout.py",
        tests="python/tests/w1",
        imports=("words.loud.shout",),
        threshold=Decimal("0.80"),
        id="W1",
        module_file="words/loud/shout.py",
        faults=faults or (fault("s01", NO_MARK),),
        variants=(
            Variant(name="joined", file="v.py", source="def shout(text): return text.upper() + '!'\n"),
        ),
        reference_modules=modules,
        root=Path("/course"),
        sha256="0",
    )


NO_MARK = Edit(file="words/loud/shout.py", find=" + MARK", replace="")
NO_WHISPER = Edit(file="words/quiet.py", find="text.lower()", replace="text")


# Programs -----------------------------------------------------------------------------------------------------


def test_reference_variants_canary_and_faults_are_programs_of_one_form() -> None:
    programs = programs_of(lesson(fault("s01", NO_MARK), fault("s02", NO_WHISPER)))
    everything = [*programs.correct, programs.canary, *programs.faults]
    assert [program.kind for program in everything] == [
        Kind.REFERENCE,
        Kind.VARIANT,
        Kind.CANARY,
        Kind.FAULT,
        Kind.FAULT,
    ]
    forms = {tuple((module.name, module.is_package) for module in program.modules) for program in everything}
    assert forms == {(("words.loud.shout", False), ("words.quiet", False))}


def test_a_fault_differs_from_the_reference_by_its_edits_alone() -> None:
    programs = programs_of(lesson(fault("s01", NO_MARK), fault("s02", NO_WHISPER)))
    reference = [module.source for module in programs.reference.modules]
    assert [module.source for module in programs.faults[0].modules] == [
        SHOUT.replace(" + MARK", ""),
        reference[1],
    ]
    assert [module.source for module in programs.faults[1].modules] == [
        SHOUT,
        reference[1].replace("text.lower()", "text"),
    ]


def test_only_reference_and_variants_are_correct() -> None:
    assert [kind for kind in Kind if kind.correct] == [Kind.REFERENCE, Kind.VARIANT]


# The library --------------------------------------------------------------------------------------------------


def test_a_module_that_imports_the_lessons_is_loaded_late_however_it_names_it() -> None:
    late = library_of(lesson()).late
    assert late == ["words.choir", "words.hall", "words.loud.echo", "words.stage"]


def test_a_module_that_a_fault_changes_and_what_imports_it_are_late_too() -> None:
    library = library_of(lesson(fault("s01", NO_WHISPER)))
    assert "words.street" in library.late
    assert "words.quiet" not in {module.name for module in library.modules}


def test_the_library_holds_every_module_of_the_package_that_no_program_replaces() -> None:
    library = library_of(lesson())
    assert {module.name: module.is_package for module in library.modules} == {
        name: package for name, (_file, _source, package) in MODULES.items() if name != "words.loud.shout"
    }


# The canary ---------------------------------------------------------------------------------------------------


def canary(source: str = SHOUT) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "words.loud.shout"}
    exec(compile(canary_source(source), "canary", "exec"), namespace)  # noqa: S102 - our own source
    return namespace


def made_without_its_constructor(module: dict[str, Any], name: str) -> Any:
    return object.__new__(module[name])


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda m: m["shout"]("a"), id="function"),
        pytest.param(lambda m: asyncio.run(m["later"]("a")), id="async function"),
        pytest.param(lambda m: m["Crier"]("a"), id="constructor"),
        pytest.param(lambda m: m["Bare"](), id="class without a constructor"),
        pytest.param(lambda m: m["Bare"](1, key=2), id="class without a constructor, with arguments"),
        pytest.param(lambda m: made_without_its_constructor(m, "Crier")(), id="magic method"),
        pytest.param(lambda m: made_without_its_constructor(m, "Crier").cry(), id="method"),
        pytest.param(lambda m: made_without_its_constructor(m, "Bare").cry(), id="method of a bare class"),
        pytest.param(lambda m: made_without_its_constructor(m, "Crier").loud, id="property"),
        pytest.param(lambda m: m["Crier"].static(), id="static method"),
        pytest.param(lambda m: m["Crier"].made(), id="class method"),
    ],
)
def test_the_canary_raises_what_except_exception_does_not_catch(call: Any) -> None:
    module = canary()
    with pytest.raises(BaseException) as raised:  # noqa: PT011 - its class is private to the canary
        call(module)
    assert type(raised.value) is module[CANARY_EXCEPTION]
    assert not isinstance(raised.value, Exception)


def test_the_canary_has_the_names_and_constants_of_the_module() -> None:
    module = canary()
    plain: dict[str, Any] = {}
    exec(compile(SHOUT, "shout", "exec"), plain)  # noqa: S102 - our own source
    assert plain.keys() - module.keys() == set()
    assert module["MARK"] == "!"
    assert module["Crier"].volume == 3
    assert module["__doc__"] == "Loud words."


def test_the_canary_keeps_what_its_module_may_need_while_loading() -> None:
    module = canary("def _make(): return 3\n\nTABLE = _make()\n\ndef use(): return TABLE\n")
    assert module["TABLE"] == 3


@pytest.mark.parametrize(
    "source", ["def f(): return 1\n", '"""Doc."""\n', "from __future__ import annotations\n"]
)
def test_the_canary_is_a_valid_module_whatever_it_begins_with(source: str) -> None:
    ast.parse(canary_source(source))
    assert CANARY_EXCEPTION in canary(source)
