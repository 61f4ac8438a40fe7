"""The one module that knows mutmut: its operators on a module's text, as plain replacements.

mutmut documents no programmatic interface. What is used of it, and what it is relied on for, is held by a contract test
on exactly the version that the extra `author` pins.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

from grader.author.candidates.source import shared_ends
from grader.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import libcst as cst
    from libcst.metadata import CodeRange

    from grader.author.candidates.source import Source

VERSION = "3.8.1"
PREFIX = "mutmut:"
# mutmut does not say which of its operators made a mutation; the node that was changed tells.
NAMES = {
    "Integer": "number",
    "Float": "number",
    "Imaginary": "number",
    "SimpleString": "string",
    "Name": "name",
    "Assign": "assignment",
    "AnnAssign": "assignment",
    "AugAssign": "operator",
    "UnaryOperation": "operator",
    "BinaryOperation": "operator",
    "BooleanOperation": "operator",
    "ComparisonTarget": "operator",
    "Call": "argument",
    "Lambda": "lambda",
    "IfExp": "condition",
    "Match": "match",
}


class Change(NamedTuple):
    """A replacement in a text: the operator's name, where, and what instead."""

    operator: str
    start: int
    end: int
    replacement: str


def changes(source: Source, file: str) -> list[Change]:
    """All that mutmut makes of a module, in its own order; decorated functions are left alone by it.

    Args:
        source: the module.
        file: its name, for messages of mutmut's.

    Raises:
        MissingExtraError: mutmut is not installed.
    """
    try:
        from mutmut import configuration  # noqa: PLC0415 - only where candidates are made
        from mutmut.mutation.file_mutation import create_mutations  # noqa: PLC0415 - as above
    except ImportError as error:
        raise MissingExtraError("mutmut", "author") from error
    # It would look for a project in the current folder, and fail where there is none.
    before, configuration._config = configuration._config, SimpleNamespace(do_not_mutate_patterns=[])  # type: ignore[assignment]  # noqa: SLF001 - the contract test holds it
    try:
        module, mutations, _classes, _functions = create_mutations(file, source.text)
    finally:
        configuration._config = before  # noqa: SLF001 - as above
    writer = _Writer.of(module, source)
    return [writer.change(each.original_node, each.mutated_node) for each in mutations]


@dataclass(frozen=True)
class _Writer:
    """Turns a pair of nodes into a replacement."""

    module: cst.Module
    source: Source
    positions: Mapping[cst.CSTNode, CodeRange]

    @classmethod
    def of(cls, module: cst.Module, source: Source) -> _Writer:
        from libcst.metadata import MetadataWrapper, PositionProvider  # noqa: PLC0415 - comes with mutmut

        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        return cls(module, source, wrapper.resolve(PositionProvider))

    def change(self, original: cst.CSTNode, mutated: cst.CSTNode) -> Change:
        name = PREFIX + NAMES.get(type(original).__name__, "other")
        position = self.positions.get(original)
        # What is no part of a line (a whole statement), or has no place of its own, is compared as text.
        if position is None or not self._within_a_line(original):
            return Change(name, *self._by_text(original, mutated))
        start = self.source.position(position.start.line, position.start.column)
        end = self.source.position(position.end.line, position.end.column)
        return Change(name, start, end, self._text(original, mutated))

    def _within_a_line(self, node: cst.CSTNode) -> bool:
        import libcst as cst  # noqa: PLC0415 - comes with mutmut

        return isinstance(node, cst.BaseExpression | cst.BaseSmallStatement)

    def _text(self, original: cst.CSTNode, mutated: cst.CSTNode) -> str:
        """The text of `mutated`, without the brackets around it, which are no part of the place of `original`."""
        if getattr(original, "lpar", ()) and getattr(mutated, "lpar", ()):
            mutated = mutated.with_changes(lpar=[], rpar=[])
        if hasattr(mutated, "semicolon"):
            import libcst as cst  # noqa: PLC0415 - comes with mutmut

            mutated = mutated.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        return self.module.code_for_node(mutated)

    def _by_text(self, original: cst.CSTNode, mutated: cst.CSTNode) -> tuple[int, int, str]:
        """The lines that differ."""
        before, after = self.source.text, whole(self.module, original, mutated)
        start, same = shared_ends(before, after)
        start = before.rfind("\n", 0, start) + 1
        start += len(before[start:]) - len(before[start:].lstrip(" \t"))
        stop = before.find("\n", len(before) - same)
        stop = len(before) if stop < 0 else stop
        return start, stop, after[start : len(after) - (len(before) - stop)]


def whole(module: cst.Module, original: cst.CSTNode, mutated: cst.CSTNode) -> str:
    """The text of the module with one node in the place of another."""
    from libcst import Module  # noqa: PLC0415 - comes with mutmut
    from mutmut.mutation.file_mutation import deep_replace  # noqa: PLC0415 - as above

    replaced = deep_replace(module, original, mutated)
    assert isinstance(replaced, Module)  # noqa: S101 - what a module with one node changed is
    return replaced.code
