"""What has to hold for one fault. Each check is a pure function of what was written and what was seen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from grader import texts
from grader.author.outcomes import Outcome, function_name
from grader.author.tolerance import FACTOR, TOLERANCES
from grader.author.verify.finding import Finding, error, ok
from grader.author.verify.hints import given_away
from grader.author.verify.probes import RAISES, Probe
from grader.author.verify.values import differ
from grader.run import Ending

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.author.verify.evidence import Evidence, Seen
    from grader.author.verify.probes import Answer
    from grader.lesson import Fault, Lesson


def check_fault(lesson: Lesson, fault: Fault, evidence: Evidence) -> list[Finding]:
    """Every check of one fault by itself, in the order in which an author mends what they find."""
    check = _Check(lesson, fault, evidence)
    return [
        check.applies(),
        check.imports(),
        *(check.witness(dtype) for dtype in TOLERANCES),
        check.ends(),
        check.caught_by(),
        check.deterministic(),
        check.not_trivial(),
        check.required(),
        check.hint(),
    ]


def file_of(lesson: Lesson, fault: Fault) -> str:
    """The fault's file, relative to the course."""
    return fault.path.relative_to(lesson.root).as_posix()


class _Check:
    def __init__(self, lesson: Lesson, fault: Fault, evidence: Evidence) -> None:
        self._fault = fault
        self._seen: Seen = evidence.faults[fault.id]
        self._reference: Seen = evidence.reference
        self._file = file_of(lesson, fault)
        # A test that fails on the reference shows nothing; that it fails is a finding about the reference.
        failed = evidence.reference.first.killers
        self._sound = frozenset(
            function_name(test) for test in self._seen.first.outcomes if test not in failed
        )

    def _ok(self, check: str, message: str) -> Finding:
        return ok(self._fault.id, check, message)

    def _error(self, check: str, key: str, message: str) -> Finding:
        return error(self._fault.id, check, f"{self._file}: {key}", message)

    def applies(self) -> Finding:
        """Loading the lesson has shown it: a fault with an edit that does not fit is not here to be checked."""
        count = len(self._fault.edits)
        return self._ok(
            "applies", "its edit fits once" if count == 1 else f"each of its {count} edits fits once"
        )

    def imports(self) -> Finding:
        """The faulty module parses, loads and has its public names."""
        first = self._seen.first
        if not first.loads:
            said = next(
                first.messages.get(test, "")
                for test, outcome in first.outcomes.items()
                if outcome is Outcome.NOT_LOADED
            )
            return self._error("imports", "edit", f"leaves a module that does not load ({said})")
        if first.ending is not Ending.COMPLETED and "while loading" in first.detail:
            return self._error("imports", "edit", f"leaves a module that does not load: {first.detail}")
        if self._seen.names in {Outcome.FAILED, Outcome.ERROR, Outcome.NOT_LOADED}:
            return self._error("imports", "edit", "leaves a module without all of its public names")
        return self._ok("imports", "the faulty module loads and has its public names")

    # the witness

    def witness(self, dtype: str) -> Finding:
        """The witness shows the fault in one dtype."""
        probe = Probe(self._fault.id, dtype)
        right, wrong = self._reference.answers[probe], self._seen.answers.get(probe)
        problem = _unusable(right) or self._not_shown(right, wrong, probe)
        check = f"witness {dtype}"
        if problem:
            return self._error(check, "witness.call", f"in {dtype} {problem}")
        return self._ok(check, f"its witness shows it in {dtype}")

    def _not_shown(self, right: Answer, wrong: Answer | None, probe: Probe) -> str:
        if wrong is None or (wrong.value is None and not wrong.problem):
            return "it was not reached on the fault, since another witness does not end there"
        if wrong.endless and self._fault.timeout_is_kill:
            return ""
        if wrong.value is None:
            return f"on the fault it {wrong.problem}{_advice(wrong)}"
        assert right.value is not None  # noqa: S101 - a reference without one is unusable
        if differ(right.value, wrong.value, probe.tolerance):
            return ""
        return (
            "the fault gives the same as the reference "
            f"(arrays have to differ by {FACTOR} × {probe.tolerance:g}, relative; anything else has to be unequal)"
        )

    # the course tests

    def caught_by(self) -> Finding:
        """Exactly the course tests that it names kill it."""
        written = Counter(self._fault.caught_by)
        killers = self._seen.first.names(hanging=self._fault.timeout_is_kill) & self._sound
        problems = [
            _list("these course tests do not kill it", sorted(written.keys() - killers)),
            _list("these kill it too and are not named", sorted(killers - written.keys())),
            _list("named more than once", [name for name, count in written.items() if count > 1]),
        ]
        if any(problems):
            return self._error("caught_by", "caught_by", "; ".join(filter(None, problems)))
        return self._ok(
            "caught_by", f"killed by exactly the {texts.count(len(written), 'course test')} that it names"
        )

    def deterministic(self) -> Finding:
        """Order and seed make no difference to what kills it."""
        first, second = set(self._seen.first.killers), set(self._seen.second.killers)
        changed = sorted(map(function_name, first ^ second))
        if changed:
            says = _list("what kills it depends on the order and the seed", changed)
            return self._error("deterministic", "caught_by", says)
        return self._ok("deterministic", "the same tests kill it in another order, with other seeds")

    def ends(self) -> Finding:
        """Every course test ends on it; on one that is meant to hang, some test does not."""
        outcomes = self._seen.first.outcomes
        crashed = [function_name(test) for test, outcome in outcomes.items() if outcome is Outcome.CRASHED]
        hung = list(map(function_name, self._seen.first.hung_in))
        meant = self._fault.timeout_is_kill
        if crashed:
            return self._error("ends", "edit", _list("it ends the process that tests it", crashed))
        if hung and not meant:
            says = _list("these course tests do not end on it", hung)
            return self._error(
                "ends", "edit", f"{says}; a fault that is meant to hang says `timeout_is_kill = true`"
            )
        if meant and not hung:
            return self._error("ends", "timeout_is_kill", "is set, but every course test ends on it")
        return self._ok("ends", "it hangs, as it is meant to" if meant else "every course test ends on it")

    # fairness

    def not_trivial(self) -> Finding:
        """A suite that only imports the module and looks at types and shapes does not notice it."""
        for probe, right in self._reference.answers.items():
            noticed = self._noticed(right, self._seen.answers.get(probe))
            if noticed:
                says = f"a suite that compares no more than types and shapes kills it: with the witness of {probe.fault}"
                return self._error("not trivial", "edit", f"{says} it {noticed}")
        return self._ok("not trivial", "it survives a suite that only imports and compares types and shapes")

    def _noticed(self, right: Answer, wrong: Answer | None) -> str:
        if (
            right.value is None or wrong is None or wrong.endless
        ):  # not to end is no kill by itself: see `ends`
            return ""
        if wrong.value is None:
            return wrong.problem
        if right.value.form == wrong.value.form:
            return ""
        return f"gives {wrong.value.form} in place of {right.value.form}"

    def required(self) -> Finding:
        """Loading the lesson has shown it: exactly the numbered faults are required."""
        number = self._fault.pitfall
        return self._ok(
            "required", f"required, as pitfall {number}" if number else "not numbered, not required"
        )

    def hint(self) -> Finding:
        """Neither the hint nor the symptom holds the replacement."""
        for key, code in given_away(self._fault):
            return self._error("hint", key, f"gives the answer away: it holds `{code}`")
        return self._ok("hint", "the hint does not hold the replacement")


def _unusable(right: Answer) -> str:
    if right.value is None:
        return f"on the reference it {right.problem or 'was not reached'}"
    return "" if right.value.finite else "on the reference it gives an infinity or NaN"


def _advice(wrong: Answer) -> str:
    return (
        "; catch what the fault raises, and return what shows it" if wrong.problem.startswith(RAISES) else ""
    )


def _list(what: str, names: list[str]) -> str:
    return f"{what}: {', '.join(dict.fromkeys(names))}" if names else ""


def kill_vectors(evidence: Evidence) -> Iterator[tuple[str, frozenset[str]]]:
    """Each fault with the course tests, by node id, that fail on it or do not end."""
    for name, seen in evidence.faults.items():
        yield name, frozenset((*seen.first.killers, *seen.first.hung_in))
