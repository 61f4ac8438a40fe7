"""All templates of a lesson: its author's, then what its witnesses and its signatures allow to derive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.author.witness.author_inputs import author_templates
from grader.author.witness.signatures import signature_templates
from grader.author.witness.stored import stored_templates
from grader.author.witness.templates import merged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.author.witness.templates import Template
    from grader.lesson import Lesson


def templates_of(lesson: Lesson, more_calls: Iterable[str] = ()) -> list[Template]:
    """Every template, those with the same text as one.

    Args:
        lesson: its faults' witnesses are opened too.
        more_calls: bodies of further witnesses, such as those of faults that do not load.

    Raises:
        LessonError: the lesson's file of inputs is wrong.
    """
    calls = [*(fault.witness.call for fault in lesson.faults), *more_calls]
    return merged([*author_templates(lesson), *stored_templates(lesson, calls), *signature_templates(lesson)])
