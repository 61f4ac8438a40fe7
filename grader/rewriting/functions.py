"""One draw of one function: its statements in one of their forms, led past dead code by comparisons."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from grader.rewriting.blocks import Block, Branch, Node, Simple
from grader.rewriting.forms import LOCAL, TEMPORARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.rewriting.forms import Form
    from grader.rewriting.module import ModuleDraw
    from grader.rewriting.pool import SlotPool
    from grader.rewriting.program import Function
    from grader.rewriting.text import Template

INDENT = "    "
COPIES = (1, 2)  # of each statement in which twins differ, live and dead together
FILL = (1.0, 1.35)  # the size of a function, in sizes of its largest counterpart
PLAIN = 0.5  # chance that a statement stands as it is
GUARDED = 0.35  # chance that a live statement stands in a branch; one that tells twins apart always does


class _Own(dict[str, str]):
    """The names in one statement: its temporaries are its own, locals the function's, the rest the module's."""

    def __init__(self, function: FunctionDraw) -> None:
        self._function = function

    def __missing__(self, token: str) -> str:
        kind = token[0]
        if kind == LOCAL:
            return self._function.local(token)
        if kind == TEMPORARY:
            name = self[token] = self._function.module.names.local()
        else:
            name = self[token] = self._function.module.private(token)
        return name


class FunctionDraw:
    """Writes one function; lines go into `lines`."""

    def __init__(self, module: ModuleDraw, indent: str) -> None:
        self.module, self.random = module, module.random
        self.lines: list[str] = []
        self._indent = indent
        self._locals: dict[str, str] = {}

    def local(self, token: str) -> str:
        """The name of a local."""
        name = self._locals.get(token)
        if name is None:
            name = self._locals[token] = self.module.names.local()
        return name

    def own(self) -> _Own:
        """Names for one more statement."""
        return _Own(self)

    def write(self, function: Function, pool: SlotPool | None) -> list[str]:
        """The function's text, line by line; dead code joins it where there is a pool."""
        indent = self._indent
        self.lines += self.filled(function.header)
        inside = indent + INDENT
        text = self.module.documentation(function.documented, always=function.always_documented)
        if text:
            self.lines.append(inside + text)
        if pool is None or not function.simple:
            self._block(function.block, inside)
        else:
            self._mixed(function, pool, inside)
        return self.lines

    def statement(self, node: Node) -> list[str]:
        """The text of a statement outside of functions."""
        self._node(node, self._indent)
        return self.lines

    def filled(self, header: Template) -> list[str]:
        """The line, or lines, of a header."""
        return [self._indent + line for line in header.fill(self.own()).split("\n")]

    # live and dead statements

    def _mixed(self, function: Function, pool: SlotPool, indent: str) -> None:
        live = self._live(function)
        cells: list[tuple[Node | None, list[Node]]] = [(node, []) for node in live]
        dead = self._dead(function, pool)
        last_is_plain = bool(live) and live[-1].terminal and live[-1].key not in pool.telling_keys
        for _ in range(len(dead) // 4 + 1):
            cells.insert(self.random.randint(0, len(cells) - last_is_plain), (None, []))
        for node in dead:
            self.random.choice(cells)[1].append(node)
        for node_or_none, others in cells:
            self._cell(node_or_none, others, pool, indent)
        if not live:
            self.lines.append(f"{indent}pass")

    def _live(self, function: Function) -> list[Node]:
        live = self._joined(list(function.block), function.merges)
        for i in range(len(live) - 1):
            if self.random.random() < 1 / 2 and _independent(live[i], live[i + 1]):
                live[i], live[i + 1] = live[i + 1], live[i]
        return live

    def _joined(self, nodes: list[Node], merges: dict[tuple[str, str], Node]) -> list[Node]:
        """Neighbours that can be one statement become one, half of the time."""
        result: list[Node] = []
        for node in nodes:
            one = merges.get((result[-1].key, node.key)) if result else None
            if one is not None and self.random.random() < 1 / 2:
                result[-1] = one
            else:
                result.append(node)
        return result

    def _dead(self, function: Function, pool: SlotPool) -> list[Node]:
        count = Counter(node.key for node in function.block)
        dead = [
            node
            for node, wanted in pool.telling
            if function.fits(wanted)
            for _ in range(self.random.randint(*COPIES) - count[node.key])
        ]
        dead = self._joined_anywhere(dead, pool)
        target = pool.weight * self.random.uniform(*FILL)
        weight = function.weight + sum(node.weight for node in dead)
        other = [node for node, wanted in pool.other if function.fits(wanted)]
        while other and weight < target:
            dead.append(self.random.choice(other))
            weight += dead[-1].weight
        self.random.shuffle(dead)
        return dead

    def _joined_anywhere(self, dead: list[Node], pool: SlotPool) -> list[Node]:
        for (first, second), one in pool.merges.items():
            found = [next((node for node in dead if node.key == key), None) for key in (first, second)]
            if None not in found and self.random.random() < 1 / 2:
                for node in found:
                    dead.remove(node)  # type: ignore[arg-type]  # none is None
                dead.append(one)
        return dead

    def _cell(self, live: Node | None, dead: list[Node], pool: SlotPool, indent: str) -> None:
        branches = list(self._chunks(dead))
        if live is not None and (live.key in pool.telling_keys or self.random.random() < GUARDED):
            position = self.random.randint(0, len(branches))
            branches.insert(position, [live])
            self._chain(branches, position, indent)
        elif live is not None and (live.terminal or self.random.random() < 1 / 2):
            self._chain(branches, None, indent)
            self._node(live, indent)
        else:
            if live is not None:
                self._node(live, indent)
            self._chain(branches, None, indent)

    def _chunks(self, dead: Sequence[Node]) -> Iterator[list[Node]]:
        """Dead statements in groups, each with its end, if it has one, at the end."""
        chunk: list[Node] = []
        for node in dead:
            chunk.append(node)
            if node.terminal or self.random.random() < 1 / 3:
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    def _chain(self, branches: Sequence[Sequence[Node]], taken: int | None, indent: str) -> None:
        """`if … elif … else` of which the branch `taken` is run."""
        for i, branch in enumerate(branches):
            last_else = i == len(branches) - 1 > 0 and taken is not None and self.random.random() < 1 / 2
            if last_else:
                self.lines.append(f"{indent}else:")
            else:
                truth = i == taken if taken is None or i <= taken else self.random.random() < 1 / 2
                self.lines.append(f"{indent}{'elif' if i else 'if'} {self.module.guard(truth=truth)}:")
            for node in branch:
                self._node(node, indent + INDENT)

    # single statements

    def _block(self, block: Block, indent: str) -> None:
        for node in block:
            self._node(node, indent)
        if not block:
            self.lines.append(f"{indent}pass")

    def _node(self, node: Node, indent: str) -> None:
        if self.random.random() < 1 / 8:
            self.lines.append("")
        if isinstance(node, Simple) and (node.choice is None or self.random.random() < 1 / 2):
            self.lines.append(indent + self._form(node.forms, indent))
        elif isinstance(node, Simple | Branch):
            self._branch(node.choice if isinstance(node, Simple) else node, indent)  # type: ignore[arg-type]  # it has one
        else:
            own = self.own()
            for header, block in node.clauses:
                self.lines += [indent + line for line in header.fill(own).split("\n")]
                self._block(block, indent + INDENT)

    def _branch(self, node: Branch, indent: str) -> None:
        opposite = self.random.random() < 1 / 3
        test = self._form(node.tests[opposite], indent)
        first, second = (node.orelse, node.body) if opposite else (node.body, node.orelse)
        self.lines.append(f"{indent}if {test}:")
        self._block(first, indent + INDENT)
        if second:
            self.lines.append(f"{indent}else:")
            self._block(second, indent + INDENT)

    def _form(self, forms: Sequence[Form], indent: str) -> str:
        """One of the forms: what it needs is written, and what is left is returned."""
        form = forms[0] if self.random.random() < PLAIN else self.random.choice(forms)
        own = self.own()
        for helper in form.helpers:
            self.module.add_helper(helper, own)
        self.lines += [indent + part.fill(own) for part in form.before]
        return form.main.fill(own)


def _independent(one: Node, other: Node) -> bool:
    pure = [node.pure if isinstance(node, Simple) else None for node in (one, other)]
    return pure[0] is not None and pure[1] is not None and not pure[0] & pure[1]
