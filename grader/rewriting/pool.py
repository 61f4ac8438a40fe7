"""What the programs of a lesson have in common: from it comes the dead code, so that words and sizes tell nothing.

Two programs are *twins* when most of their statements are equal: a fault and the program that it was made from.
Each statement in which twins differ is in every rewritten program, a drawn number of times, live or dead: what is
drawn is the total, so its copies count the same whether one of them is live or none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from grader.rewriting.program import Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.rewriting.blocks import Node
    from grader.rewriting.program import Import, Item, Parsed

Spare: TypeAlias = "tuple[Node, frozenset[str]]"  # a statement, and what it needs of the function around it

TWINS = 0.5  # share of equal statements


@dataclass(frozen=True)
class SlotPool:
    """Statements for one function, from all its counterparts."""

    telling: tuple[Spare, ...]  # those in which twins differ
    other: tuple[Spare, ...]
    telling_keys: frozenset[str]  # theirs, and those of statements that they are a part of
    merges: dict[tuple[str, str], Node]
    weight: int  # nodes of the largest counterpart, with what is telling besides


@dataclass(frozen=True)
class Pool:
    """What the programs of a lesson share for one module."""

    slots: dict[str, SlotPool]
    imports: tuple[Import, ...]  # each name means the same in every program that imports it
    functions: dict[str, tuple[Item, ...]]  # private ones by name, for dead copies
    telling_functions: frozenset[str]
    literals: tuple[str, ...]  # values of private constants
    count: int  # private functions of the program that has most
    statements: tuple[Node, ...]  # all of the slots'
    private_weight: int  # of the private functions of the program in which they are largest
    exposed: tuple[str, ...]  # where twins differ in a statement that cannot stand in both
    words: frozenset[str]  # every name that occurs: no new name may be one of these


def pool_of(programs: Sequence[Parsed], words: frozenset[str]) -> Pool:
    """Gather one module's statements over all programs."""
    telling = _telling(programs)
    functions: defaultdict[str, list[Function]] = defaultdict(list)
    for program in programs:
        for function in program.functions():
            functions[function.slot].append(function)
    private = _private_functions(programs)
    slots = {slot: _slot_pool(found, telling[slot]) for slot, found in functions.items()}
    return Pool(
        slots=slots,
        imports=_shared_imports(programs),
        functions=private,
        telling_functions=frozenset(name for name in private if telling[name]),
        literals=tuple(dict.fromkeys(text for program in programs for text in program.literals)),
        count=max(sum(item.private is not None for item in program.items) for program in programs),
        statements=tuple(node for slot in slots.values() for node, _ in (*slot.telling, *slot.other)),
        private_weight=max(
            sum(slots[item.private].weight for item in program.items if item.private) for program in programs
        ),
        exposed=tuple(slot for slot, keys in telling.items() if keys - _spare_keys(slots.get(slot))),
        words=words,
    )


def _spare_keys(slot: SlotPool | None) -> set[str]:
    return {node.key for node, _ in slot.telling} if slot else set()


def _telling(programs: Sequence[Parsed]) -> defaultdict[str, set[str]]:
    """By slot, the keys of the statements in which twins differ."""
    telling: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in combinations(programs, 2):
        common = (one.statements & other.statements).total()
        if common >= TWINS * max(one.statements.total(), other.statements.total(), 1):
            for slot, key in (one.statements - other.statements) + (other.statements - one.statements):
                telling[slot].add(key)
    return telling


def _slot_pool(functions: Iterable[Function], telling: set[str]) -> SlotPool:
    functions = list(functions)
    spare: dict[str, Spare] = {}
    merges: dict[tuple[str, str], Node] = {}
    for function in functions:
        spare |= function.spare
        merges |= function.merges
    telling_nodes = tuple(part for key, part in spare.items() if key in telling)
    return SlotPool(
        telling=telling_nodes,
        other=tuple(part for key, part in spare.items() if key not in telling),
        telling_keys=frozenset(
            {*telling, *(one.key for pair, one in merges.items() if not telling.isdisjoint(pair))}
        ),
        merges=merges,
        weight=max(function.weight for function in functions)
        + sum(3 * node.weight // 2 for node, _ in telling_nodes),
    )


def _shared_imports(programs: Sequence[Parsed]) -> tuple[Import, ...]:
    meanings: defaultdict[str, dict[str, Import]] = defaultdict(dict)
    for program in programs:
        for one in program.imports:
            meanings[one.name][one.text] = one
    bound_otherwise = Counter(
        name for program in programs for name in program.bound - {one.name for one in program.imports}
    )
    return tuple(
        one
        for name, found in meanings.items()
        for one in found.values()
        if len(found) == 1 and one.shared and not bound_otherwise[name]
    )


def _private_functions(programs: Sequence[Parsed]) -> dict[str, tuple[Item, ...]]:
    found: defaultdict[str, dict[int, Item]] = defaultdict(dict)
    for program in programs:
        for item in program.items:
            if item.private is not None and isinstance(item.content, Function) and item.content.harmless:
                found[item.private][id(item.content)] = item
    return {name: tuple(items.values()) for name, items in found.items()}
