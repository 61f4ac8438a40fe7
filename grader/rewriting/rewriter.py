"""Programs rewritten afresh: prepared once, drawn as often as needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.rewriting.module import ModuleDraw
from grader.rewriting.pool import Pool, pool_of
from grader.rewriting.program import Known, Parsed, parse
from grader.rewriting.scopes import Contract
from grader.workers.wire import Module

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence

NOTHING_MORE = Contract()
_WORD = re.compile(r"\w+")


class Rewriter:
    """Writes programs afresh; behaviour stays. All programs of a lesson share what they contain besides.

    Nothing in it changes once it is made but for forms of statements that are worked out when first drawn, under a
    lock: several threads may draw at once.
    """

    def __init__(self, programs: Iterable[Sequence[Module]], contract: Contract = NOTHING_MORE) -> None:
        """Take all programs of a lesson apart.

        Args:
            programs: the modules of each: reference, variants, faults and canary alike, each with the same modules.
            contract: private names that stay.

        Raises:
            SyntaxError: a module is no Python.
            ValueError: a module has the character that rewriting needs for itself.
        """
        known = Known()
        distinct = {module for modules in programs for module in modules}
        ordered = sorted(distinct, key=lambda module: (module.name, module.source))
        self._parsed: dict[Module, Parsed] = {module: parse(module, contract, known) for module in ordered}
        words = frozenset(word for module in ordered for word in _WORD.findall(module.source))
        names = {module.name for module in ordered}
        self._pools: dict[str, Pool] = {
            name: pool_of([self._parsed[module] for module in ordered if module.name == name], words)
            for name in names
        }

    @property
    def exposed(self) -> dict[str, tuple[str, ...]]:
        """By module, the functions in whose form two nearly equal programs still differ: their authors may want to know.

        Such a function looks at its own locals, has a class, `global` or `nonlocal` in it; `the module` and `a class`
        stand for statements outside of functions.
        """
        return {name: pool.exposed for name, pool in self._pools.items() if pool.exposed}

    def fresh(self, modules: Sequence[Module], draw: random.Random) -> tuple[Module, ...]:
        """One of these programs, written as it has never been before.

        Args:
            modules: a program that this was made from.
            draw: decides everything; whoever knows its seed knows what is live.

        Raises:
            KeyError: the program is none of them.
        """
        return tuple(self._module(module, draw) for module in modules)

    def _module(self, module: Module, draw: random.Random) -> Module:
        text = ModuleDraw(self._pools[module.name], self._parsed[module], draw).text()
        return Module(module.name, text, module.is_package)


def rewrite(
    modules: Sequence[Module], draw: random.Random, keep: Contract = NOTHING_MORE
) -> tuple[Module, ...]:
    """One program on its own, written afresh; what it is can then be told by the words that it has."""
    return Rewriter([modules], keep).fresh(modules, draw)
