"""Who may know whom: what runs beside learner's code stands alone, and the grader stays light and general."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from grader.lesson import Lesson, lesson_ids, load_lesson

ROOT = Path(__file__).parents[2]
GRADER = ROOT / "grader"

# Grader-side modules of `workers`: everything else there may end up in one process with a suite.
OUTSIDE = {"grader.workers.pool", "grader.workers.conversation"}
# The sandbox is chosen by the grader and put on by the keeper; only the choice may know the grader's errors.
CHOICE = {"grader.workers.sandbox", "grader.workers.sandbox.probes"}
PURE = ("grader.verdict", "grader.score", "grader.plan", "grader.run")
HEAVY = {"numpy", "pytest", "_pytest", "hypothesis"}


def modules() -> dict[str, Path]:
    """Every module of the grader, by dotted name; the course that ships as data is none."""
    found = {}
    for path in sorted(GRADER.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[:2] != ("grader", "course"):
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imported(module: str) -> set[str]:
    """What a module imports when it runs, wherever in it; imports for the type checker alone do not count."""
    found: set[str] = set()
    todo: list[ast.AST] = [tree_of(module)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} imports relatively"
            base = node.module or ""
            found |= {full if (full := f"{base}.{alias.name}") in MODULES else base for alias in node.names}
        todo += ast.iter_child_nodes(node)
    return found


def of_the_grader(module: str) -> set[str]:
    return {name for name in imported(module) if name.partition(".")[0] == "grader"}


def tops(module: str) -> set[str]:
    return {name.partition(".")[0] for name in imported(module)}


# Beside learner's code ----------------------------------------------------------------------------------------

BESIDE = [name for name in MODULES if name.startswith("grader.workers.") and name not in OUTSIDE | CHOICE]


@pytest.mark.parametrize("module", BESIDE)
def test_what_runs_beside_learners_code_imports_nothing_of_the_grader_but_its_like(module: str) -> None:
    allowed = {*BESIDE, "grader.workers"}
    assert of_the_grader(module) - allowed - CHOICE == set()
    assert (
        tops(module)
        - sys.stdlib_module_names
        - {"grader", "numpy", "pytest", "_pytest", "hypothesis", "msgspec"}
        == set()
    )


def test_importing_the_workers_package_imports_nothing_else() -> None:
    assert of_the_grader("grader.workers") == set()
    assert of_the_grader("grader") == set()


def test_the_modules_that_run_beside_learners_code_are_those_that_the_server_needs() -> None:
    """None is missing in `OUTSIDE`: no grader-side module is loaded in the server."""
    loaded = names_loaded_by("import grader.workers.server, grader.workers.host")
    assert {name for name in loaded if name.partition(".")[0] == "grader"} - {
        "grader",
        "grader.workers",
        *BESIDE,
    } <= CHOICE | {"grader.errors"}


# The grader's own process -------------------------------------------------------------------------------------


def names_loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["grader.pipeline", "grader.cli", "grader.workers.pool"])
def test_the_graders_own_process_loads_neither_numpy_nor_pytest(module: str) -> None:
    assert names_loaded_by(f"import {module}") & HEAVY == set()


def test_reading_a_lesson_and_making_its_programs_loads_neither_numpy_nor_pytest() -> None:
    code = (
        "from grader.lesson import load_lesson, find_course\n"
        "from grader.programs import programs_of, library_of\n"
        "lesson = load_lesson(find_course(None), 'L7.1')\n"
        "programs_of(lesson); library_of(lesson)"
    )
    assert names_loaded_by(code) & (HEAVY | {"tinyllm"}) == set()


def test_the_search_for_loaded_modules_finds_one() -> None:
    assert "numpy" in names_loaded_by("import numpy")


@pytest.mark.parametrize("module", PURE)
def test_what_decides_a_grade_knows_no_process_no_clock_and_no_file(module: str) -> None:
    forbidden = {"subprocess", "time", "pathlib", "socket", "threading", "tempfile", "shutil", "io"}
    if module != "grader.run":  # which reads wait statuses
        forbidden |= {"os", "signal"}
    assert tops(module) & forbidden == set()


RICH = ("grader.console", "grader.writers.")


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith(RICH)])
def test_only_the_console_and_the_writers_know_rich(module: str) -> None:
    assert "rich" not in tops(module)


@pytest.mark.parametrize(
    "module",
    [name for name in MODULES if not name.startswith(("grader.cli", "grader.console", "grader.commands"))],
)
def test_only_the_command_line_knows_click(module: str) -> None:
    assert "click" not in tops(module)


@pytest.mark.parametrize("module", [name for name in MODULES if name != "grader.__main__"])
def test_nothing_but_the_command_itself_ends_the_process_with_a_code(module: str) -> None:
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) not in {"sys.exit", "exit", "quit"}, f"line {node.lineno}"
        if isinstance(node, ast.Raise) and node.exc is not None:
            assert not ast.unparse(node.exc).startswith("SystemExit"), f"line {node.lineno}"


# A program goes to a run compiled; no code ever comes from one.
WRITES_CODE_FOR_RUNS = {"grader.repertoire": {"marshal"}, "grader.workers.library": {"marshal"}}


@pytest.mark.parametrize("module", MODULES)
def test_no_bytes_of_a_run_are_unpickled_or_evaluated(module: str) -> None:
    assert tops(module) & {"pickle", "marshal", "shelve", "dill"} <= WRITES_CODE_FOR_RUNS.get(module, set())
    calls = [node for node in ast.walk(tree_of(module)) if isinstance(node, ast.Call)]
    assert [node.lineno for node in calls if ast.unparse(node.func) == "eval"] == []


# No lesson in the program -------------------------------------------------------------------------------------

LESSONS = [load_lesson(ROOT, name) for name in lesson_ids(ROOT)]


def built(lesson: Lesson) -> set[str]:
    """The names that the learner builds: those that the template leaves open."""
    template = ROOT / "student_template" / lesson.id / lesson.source
    texts = (lesson.reference_modules[lesson.module].source, template.read_text(encoding="utf-8"))
    reference, stub = ({ast.dump(node) for node in ast.parse(text).body} for text in texts)
    nodes = ast.parse(texts[0]).body
    return {
        node.name
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.dump(node) in reference - stub
    }


def any_spelling(name: str) -> str:
    """A pattern for a name in snake case, in camel case and as words: `LayerNorm`, `layer_norm`, `layer norm`."""
    return "[_ -]?".join(re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+", name))


def patterns(lesson: Lesson) -> set[str]:
    """All that would name this lesson."""
    names = {lesson.id, lesson.package, lesson.module, lesson.title, lesson.source, lesson.tests}
    return set(map(re.escape, names)) | set(map(any_spelling, built(lesson)))


# And of lessons that there are not yet: anything that looks like a lesson's name, or like one of this course's norms.
LESSON = re.compile(
    "|".join(
        {r"pre[_ -]?norm|post[_ -]?norm|\bL\d+\.\d+", *(word for each in LESSONS for word in patterns(each))}
    ),
    re.IGNORECASE,
)
# Help screens show a command as it is typed.
HELP = ("grader.cli", "grader.commands.")


def code_texts(module: str) -> list[tuple[int, str]]:
    """Names and texts in a module's code, with their lines; docstrings and comments left out."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree_of(module))
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    found = []
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found.append((node.lineno, node.value))
        elif isinstance(node, ast.Name):
            found.append((node.lineno, node.id))
        elif isinstance(node, ast.Attribute):
            found.append((node.lineno, node.attr))
    return found


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_every_lesson_would_be_noticed_by_any_of_its_names(lesson: Lesson) -> None:
    last = lesson.module.rpartition(".")[2]
    texts = [
        f"if lesson.id == '{lesson.id}':",
        f"import {lesson.package}",
        f"from {lesson.module} import {last}",
    ]
    texts += [f"suite uses {name}()" for name in built(lesson)]
    assert len(built(lesson)) >= 2
    assert [text for text in texts if not LESSON.search(text)] == []


@pytest.mark.parametrize(
    "text", ["rms_norm", "layernorm", "Layer norm", "postNormResidual", "L9.12", "tinyllm.nn"]
)
def test_other_spellings_would_be_noticed(text: str) -> None:
    assert LESSON.search(text)


@pytest.mark.parametrize(
    "text", ["a module of layers", "normal", "enormous", "HTML5.1", "linear", "prenominal"]
)
def test_ordinary_words_are_nobodys_lesson(text: str) -> None:
    assert not LESSON.search(text)


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith(HELP)])
def test_no_lesson_is_named_anywhere_in_the_grader(module: str) -> None:
    assert LESSON.findall(MODULES[module].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith(HELP)])
def test_a_command_names_a_lesson_in_its_help_alone(module: str) -> None:
    assert [(line, text) for line, text in code_texts(module) if LESSON.search(text)] == []
