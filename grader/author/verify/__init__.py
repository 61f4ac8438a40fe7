"""Proves that a lesson is what it says, before a learner meets it.

Each check is one function that makes `Finding`s of what was written and of what was seen; `evidence` has the programs
run, and the checks themselves decide.
"""

from grader.author.verify.evidence import Bounds
from grader.author.verify.finding import LESSON, Finding, Level
from grader.author.verify.verification import Verification, verify_lesson

__all__ = ["LESSON", "Bounds", "Finding", "Level", "Verification", "verify_lesson"]
