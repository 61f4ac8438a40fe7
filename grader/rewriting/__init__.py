"""Programs written afresh for each run, so that only behaviour tells a fault from a correct program.

All programs of a lesson go through the same steps: `program` takes a module apart, `scopes` says which names may
change, `blocks` and `forms` hold each statement in its equivalent forms, `pool` gathers the statements of all
programs, and `module` and `functions` draw one text. Nothing here knows a lesson.

**What stays.** Results and gradients to the bit, exceptions with their texts, the order of all operations, signatures
with annotations, public names and attributes, qualified names, the order of attributes. Operands of `+` and `*` change
places only where both are numbers by construction: of tensors, lists or strings the order is behaviour. Attributes and
methods, private ones too, keep their names, since `vars`, `getattr`, a base class or a pickle may ask for them.

**What changes with each draw.** Names of locals, of private functions and constants; the order of definitions, of
methods and of assignments that move locals around; temporaries that are written or left out; expressions and literals
that become private functions and constants; if-statements for conditional expressions, the opposite condition with
the branches exchanged; dead code behind comparisons of private numbers; unused functions and constants; imports (each
program has those of all); docstrings; empty lines. Frames are not kept: a recursion may reach its limit sooner.

**Why form tells nothing.** Where a fault differs from the program it was made from, the statements of both stand in
every rewritten program, and the number of copies, live and dead together, is drawn without regard to which is live. So
words, constants, sizes, instructions and pairs of them have one distribution for a program and its faults. The tests
learn from drawn programs which of some 30 000 such counts separates best, and find it no better than a coin on others.

**What this does not exclude.** Which copy is live can be computed: the private numbers are in the module, so whoever
evaluates the comparisons, counts executed lines or patches a function that is called sees the statement that runs.
Static rules for suites (no `sys`, `inspect`, `exec`) make this laborious, not impossible. Variants are told from the
reference, in form as in their messages; that alone gains nothing, both being correct. `Rewriter.exposed` names what
cannot be copied into other programs: functions that look at their own locals or hold a class, `global` or `nonlocal`,
and statements outside of functions. A changed signature or a changed public constant is behaviour.
"""

from grader.rewriting.rewriter import Rewriter, rewrite
from grader.rewriting.scopes import Contract, names_used

__all__ = ["Contract", "Rewriter", "names_used", "rewrite"]
