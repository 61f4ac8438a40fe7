"""Whether two correct programs round differently: what they return in the course tests, compared to the last bit.

A program is given a tail that notes the floating point arrays which its public functions return, and raises what it
has noted at a certain call. So each course test tells, as its failure, what went before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.verify.finding import LESSON, Finding, error, note, ok
from grader.author.verify.names import public_names
from grader.programs import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.author.outcomes import Tried
    from grader.author.trials import Trials
    from grader.lesson import Lesson

CALLS = (1, 4, 16)  # a later call has seen more, but not every test makes so many
MARK = "_Bits: "

TAIL = """

def _note_bits(space, names, calls):
    import functools, hashlib, types, numpy

    class _Bits(BaseException):
        pass

    digest, counts = hashlib.sha256(), {"inside": 0, "calls": 0}

    def arrays(value, depth=2):
        if isinstance(value, (numpy.ndarray, numpy.floating)):
            return [numpy.asarray(value)] if numpy.asarray(value).dtype.kind in "fc" else []
        if isinstance(value, (list, tuple)):
            parts = value
        elif isinstance(value, dict):
            parts = value.values()
        elif depth:
            parts = [getattr(value, name, None) for name in (*vars_of(value),)]
        else:
            parts = ()
        return [array for part in parts for array in arrays(part, depth - 1)] if depth else []

    def vars_of(value):
        slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
        return [*slots, *getattr(value, "__dict__", {})]

    def noted(function):
        @functools.wraps(function)
        def call(*arguments, **named):
            counts["inside"] += 1
            try:
                result = function(*arguments, **named)
            finally:
                counts["inside"] -= 1
            found = [] if counts["inside"] else arrays(result)
            for array in found:
                digest.update(repr((array.shape, array.dtype.str)).encode() + array.tobytes())
            counts["calls"] += bool(found)
            if found and counts["calls"] == calls:
                counts["calls"], text = 0, digest.hexdigest()
                raise _Bits(text)
            return result

        return call

    for name in names:
        owner, _, short = name.rpartition(".")
        there = vars(space[owner]).get(short) if owner else space[short]
        if not isinstance(there, types.FunctionType):
            continue  # a property, a static method: what calls it is noted
        if owner:
            setattr(space[owner], short, noted(there))
        else:
            space[short] = noted(there)

"""


def check_bits(lesson: Lesson, trials: Trials) -> list[Finding]:
    """For each variant, whether it differs from the reference in its last bits somewhere in the course tests.

    Where it does not, no suite that compares floating point numbers with `==` is found out by it.

    Raises:
        HarnessError: the processes are gone.
    """
    sources = {variant.name: variant.source for variant in lesson.variants}
    files = {variant.name: variant.file for variant in lesson.variants}
    alike = set(sources)
    any_floats = False
    for calls in CALLS:
        right = _bits(lesson, trials, lesson.reference_modules[lesson.module].source, calls)
        any_floats |= bool(right)
        alike = {
            name for name in alike if right.items() <= _bits(lesson, trials, sources[name], calls).items()
        }
        if not (alike and right):
            break
    if not any_floats:
        says = "the course tests see no floating point arrays from the module: there are no last bits to differ in"
        return [note(LESSON, "last bits", says)]
    return [_finding(name, files[name], differs=name not in alike) for name in sources]


def _bits(lesson: Lesson, trials: Trials, source: str, calls: int) -> Mapping[str, str]:
    """Node id → what was noted up to this call; no entry for a test that makes fewer."""
    named = public_names(lesson.reference_modules[lesson.module].source)
    # A method that its class inherits, or whose class a variant writes otherwise, cannot be followed.
    there = public_names(source)
    names = [
        name for name, taken in named.items() if taken is not None and name in there and "__" not in name
    ]
    tail = f"{TAIL}\n_note_bits(globals(), {names!r}, {calls})\n"
    program = trials.program("noted", {lesson.module_file: source + tail}, Kind.VARIANT)
    return _noted(trials.run(program, complete=False))


def _noted(tried: Tried) -> dict[str, str]:
    said = tried.messages.items()
    return {test: text.removeprefix(MARK) for test, text in said if text.startswith(MARK)}


def _finding(name: str, file: str, *, differs: bool) -> Finding:
    check = f"variant {name} last bits"
    if differs:
        return ok(LESSON, check, "differs from the reference in its last bits in some course test")
    says = (
        "returns the same as the reference to the last bit in every course test: compute it in another order"
    )
    return error(LESSON, check, f"{file}: source", says)
