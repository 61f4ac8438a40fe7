"""The changes that matter in numeric code and that mutmut does not make, one operator a module.

An operator looks at one node of the tree and yields, for each change that it can make there, the node whose text is to be
replaced and the text in its place. Each carries examples of its work, which are tested.
"""

from grader.author.candidates.operators import (
    casts,
    copies,
    detached,
    dropped,
    reductions,
    terms,
)
from grader.author.candidates.operators.model import Example, Operator

OPERATORS: tuple[Operator, ...] = (
    *dropped.OPERATORS,
    *reductions.OPERATORS,
    *casts.OPERATORS,
    *terms.OPERATORS,
    *copies.OPERATORS,
    *detached.OPERATORS,
)

__all__ = ["OPERATORS", "Example", "Operator"]
