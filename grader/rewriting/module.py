"""One draw of one module: its functions, what they need, and dead ones, in a new order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.rewriting.blocks import Simple
from grader.rewriting.forms import MODULE
from grader.rewriting.functions import INDENT, FunctionDraw
from grader.rewriting.names import Names, docstring
from grader.rewriting.program import ClassBody, Function

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from grader.rewriting.blocks import Node
    from grader.rewriting.forms import Helper
    from grader.rewriting.pool import Pool
    from grader.rewriting.program import Item, Parsed

GUARDS = (3, 7)  # private numbers whose comparison leads past dead code
PRIVATE_FILL = (0.9, 1.3)  # the size of private functions, in sizes of those of the program with most
MORE_FUNCTIONS = (6, 10)  # private ones, beyond those of the program with most
MORE_CONSTANTS = (7, 11)
NUMBERS = 1 << 16
TRIES = 60
EMPTY_LINES = 30  # above the first statement, at most


class ModuleDraw:
    """Everything that is decided for one module of one program."""

    def __init__(self, pool: Pool, parsed: Parsed, draw: random.Random) -> None:
        self.pool, self.parsed, self.random = pool, parsed, draw
        self.names = Names(draw, pool.words)
        self._private: dict[str, str] = {}
        self._undefined: list[str] = []
        self._guards = {self.names.private(): draw.randrange(NUMBERS) for _ in range(draw.randint(*GUARDS))}
        self._constants = [f"{name} = {value}" for name, value in self._guards.items()]
        self._helpers: list[list[str]] = []

    # what functions ask for

    def private(self, token: str) -> str:
        """The name of something private at module level."""
        if token[0] != MODULE:
            return self.names.private()
        if token not in self._private:
            self._private[token] = self.names.private()
            self._undefined.append(token)
        return self._private[token]

    def guard(self, *, truth: bool) -> str:
        """A comparison that has this truth value whenever the module runs."""
        name = self.random.choice(list(self._guards))
        value = self._guards[name]
        other = self.random.randrange(NUMBERS)
        if other == value:
            return f"{name} == {other}" if truth else f"{name} != {other}"
        if self.random.random() < 1 / 4:
            return f"{name} != {other}" if truth else f"{name} == {other}"
        return f"{name} {'<' if (value < other) is truth else '>'} {other}"

    def add_helper(self, helper: Helper, own: Mapping[str, str]) -> None:
        """Define what a form of a statement needs."""
        name = own[helper.token]
        value = helper.value.fill(own)
        if helper.parameters is None:
            self._constants.append(f"{name} = {value}")
            return
        parameters = ", ".join([own[token] for token in helper.parameters])
        lines = [f"def {name}({parameters}):", f"{INDENT}return {value}"]
        if self.random.random() < 1 / 3:
            result = self.names.local()
            lines[1:] = [f"{INDENT}{result} = {value}", f"{INDENT}return {result}"]
        self._helpers.append(lines)

    def documentation(self, original: str | None, *, always: bool) -> str | None:
        """A docstring where there has to be one, or chance wants one; the original one where code reads it."""
        if self.parsed.keeps_docstrings:
            return None if original is None else repr(original)
        return docstring(self.random) if always or self.random.random() < 1 / 3 else None

    # the text

    def text(self) -> str:
        """The module's text."""
        own_names = [MODULE + item.private for item in self.parsed.items if item.private is not None]
        for token in own_names:
            self.private(token)
        self._undefined.clear()
        pieces = [self._item(item) for item in self.parsed.items]
        pieces += [(lines, ()) for lines in self._dead_functions(len(own_names))]
        lines = self._top()
        for piece in self._in_new_order(pieces):
            lines += [""] * self.random.randint(1, 3)
            lines += piece
        return "\n".join(lines) + "\n"

    def _top(self) -> list[str]:
        """Docstring, imports and constants."""
        text = self.documentation(self.parsed.docstring, always=True)
        lines = [""] * self.random.randrange(EMPTY_LINES)
        lines += [text] if text else []
        lines += self.parsed.future
        imports = [one.text for one in self.parsed.imports]
        for one in self.pool.imports:
            if one.name not in self.parsed.bound:
                imports.insert(self.random.randint(0, len(imports)), one.text)
        self._more_constants()
        self.random.shuffle(self._constants)
        return lines + imports + self._constants

    def _more_constants(self) -> None:
        """Every value that a private constant of some program has, as often in all; then numbers up to a drawn count."""
        for value in self.pool.literals:
            for _ in range(self.random.randint(1, 3) - self.parsed.literals[value]):
                self._constants.append(f"{self.names.private()} = {value}")
        for _ in range(self.random.randint(*MORE_CONSTANTS) - len(self._constants)):
            self._constants.append(f"{self.names.private()} = {self.random.randrange(NUMBERS)}")

    def _item(self, item: Item) -> tuple[list[str], tuple[int | list[str], ...]]:
        """The text of an item, and what must come before it: helpers, and others by position."""
        before = len(self._helpers)
        if isinstance(item.content, Function):
            lines = self._function(item.content, "")
        elif isinstance(item.content, ClassBody):
            lines = self._class(item.content)
        else:
            lines = FunctionDraw(self, "").statement(item.content)
        return lines, (*item.after, *self._helpers[before:])

    def _function(self, function: Function, indent: str) -> list[str]:
        return FunctionDraw(self, indent).write(function, self.pool.slots[function.slot])

    def _class(self, body: ClassBody) -> list[str]:
        lines = FunctionDraw(self, "").filled(body.header)
        text = self.documentation(body.documented, always=body.always_documented)
        lines += [INDENT + text] if text else []
        members = list(body.members)
        places = list(body.movable)
        self.random.shuffle(places)
        for place, other in zip(body.movable, places, strict=True):
            members[place] = body.members[other]
        for member in members:
            lines += [""] * self.random.randrange(3)
            lines += self._member(member)
        return lines if text or members else [*lines, f"{INDENT}pass"]

    def _member(self, member: Function | Node) -> list[str]:
        if isinstance(member, Function):
            return self._function(member, INDENT)
        return FunctionDraw(self, INDENT).statement(member)

    # dead functions

    def _dead_functions(self, live: int) -> list[list[str]]:
        """Private functions that nothing calls: those that dead code names, and more up to a drawn number."""
        for name in sorted(self.pool.telling_functions):
            self.private(MODULE + name)
        written = self._define_undefined()
        self._ask_for_more()
        written += self._define_undefined()
        wanted = self.pool.count + self.random.randint(*MORE_FUNCTIONS)
        for _ in range(TRIES):
            if live + len(written) + len(self._helpers) >= wanted:
                break
            self._add_dead_helper()
        return [*written, *self._define_undefined(), *self._helpers]

    def _ask_for_more(self) -> None:
        """Name private functions of other programs until they are together as large as in any program."""
        weights = {name: self.pool.slots[name].weight for name in self.pool.functions}
        missing = [name for name in weights if MODULE + name not in self._private]
        self.random.shuffle(missing)
        size = sum(weights.values()) - sum(weights[name] for name in missing)
        target = self.pool.private_weight * self.random.uniform(*PRIVATE_FILL)
        while missing and size < target:
            name = missing.pop()
            self.private(MODULE + name)
            size += weights[name]

    def _add_dead_helper(self) -> None:
        """One more function of the kind that statements need: of a random statement of a random function."""
        node = self.random.choice(self.pool.statements) if self.pool.statements else None
        if isinstance(node, Simple):
            for helper in self.random.choice(node.forms).helpers:
                self.add_helper(helper, FunctionDraw(self, "").own())

    def _define_undefined(self) -> list[list[str]]:
        written: list[list[str]] = []
        while self._undefined:
            token = self._undefined.pop()
            counterparts = self.pool.functions.get(token[1:])
            if counterparts:
                content = self.random.choice(counterparts).content
                assert isinstance(content, Function)  # noqa: S101 - private items are functions
                written.append(self._function(content, ""))
            else:
                self._constants.append(f"{self._private[token]} = {self.random.randrange(NUMBERS)}")
        return written

    def _in_new_order(self, pieces: list[tuple[list[str], tuple[int | list[str], ...]]]) -> list[list[str]]:
        """The pieces in a random order in which each comes after what it needs."""
        result: list[list[str]] = []
        done: set[int] = set()

        def emit(lines: list[str], needs: tuple[int | list[str], ...]) -> None:
            if id(lines) in done:
                return
            done.add(id(lines))
            for need in needs:
                emit(*(pieces[need] if isinstance(need, int) else (need, ())))
            result.append(lines)

        order = pieces.copy()
        self.random.shuffle(order)
        for lines, needs in order:
            emit(lines, needs)
        return result
