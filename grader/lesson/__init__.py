"""A course's data: where a course is, which lessons it has, and one lesson with everything that grading it needs.

Loading is strict. Whatever an author got wrong ends in a `LessonError` that names the file, the key and the
reason, so that a fault which no longer fits its reference is never run and never scored.
"""

from grader.lesson.course import find_course, lesson_ids
from grader.lesson.edits import fault_source
from grader.lesson.load import load_lesson, load_without_faults, load_without_pools, names_of_course_tests
from grader.lesson.model import Edit, Fault, Lesson, ReferenceModule, Variant, Witness, needed_kills

__all__ = [
    "Edit",
    "Fault",
    "Lesson",
    "ReferenceModule",
    "Variant",
    "Witness",
    "fault_source",
    "find_course",
    "lesson_ids",
    "load_lesson",
    "load_without_faults",
    "load_without_pools",
    "names_of_course_tests",
    "needed_kills",
]
