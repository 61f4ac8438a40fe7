"""Finds an input on which a fault and the reference differ: the smallest and most readable that a search comes upon.

An input is the body of a witness: Python text that a person can read, paste and run. So the search draws texts and not
values: templates with holes, each hole filled from what its author finds readable. See `templates`.

`Laboratory` holds the warm process in which inputs are tried; `find` searches on one faulty program::

    with Laboratory(lesson) as laboratory:
        found = find(laboratory, fault_source(lesson, fault), Search(inputs=1000, seed=0))
        found.call        # the witness, or None: no difference in `found.inputs` inputs, so probably equivalent

For many candidates one laboratory serves all, one after the other; `Search(shrink=False)` ends at the first difference.
"""

from grader.author.witness.laboratory import Bench, Laboratory
from grader.author.witness.records import Search
from grader.author.witness.search import Found, find

__all__ = ["Bench", "Found", "Laboratory", "Search", "find"]
