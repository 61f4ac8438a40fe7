"""What is written here means what `ast.unparse` writes."""

import argparse
import ast
import fractions
import inspect
import statistics
import textwrap
from types import ModuleType

import pytest

from grader.rewriting.text import Template, blank, statement_text, text_of
from grader.rewriting.trees import walk

EXPRESSIONS = """
a - (b - c) - d * (e + f) ** -g ** (h ** i)
(-a) ** b, -a ** b, ~a ** -b, not (a and b or c) and (d or e)
(a if b else c) if (d if e else f) else (g if h else i)
(a < b) < c, a < (b < c) < d, not a in b, (not a) in b, a is not (b not in c)
(1).real, 1.5.imag, (1j).real, 1e400, -1e400, 1e400j, b'x', 'a' 'b', ..., None, True
f(*a, *(b or c), d=e, **f, **(g or h))(i)[j], f((x for x in y), z), f(x for x in y)
a[b], a[b, c], a[b,], a[()], a[b:c], a[:, ::d], a[b:c:d, ..., None], a[*b, c]
(a,), (), [a, *b], {a, *b}, {a: b, **c}, lambda: 0, (lambda a, *b, c=1: a)(2), (yield), (a := b)
(lambda: a) if b else c, [lambda: a, b], (lambda: a)[0], -(lambda: a)(), (await_ or b).c, a @ b @ (c @ d)
f'{a!r:>{b}} {c=} {"x"}{{}}', f'{a + b}' 'c', (f'{a}').upper(), 'é\\n\\0'.upper(), [x for x in y if z][0]
a << (b << c) >> d, a & b | c ^ (d | e), a // (b // c) % d, (a, b) == c, (a or b).c, (-a).b, (a + b).c
""".strip().splitlines()


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_survives(text: str) -> None:
    tree = ast.parse(textwrap.dedent(text)).body[0]
    assert ast.dump(ast.parse(statement_text(tree))) == ast.dump(ast.parse(text))


@pytest.mark.parametrize("module", [argparse, fractions, statistics, textwrap])
def test_every_statement_and_expression_of_real_modules_survives(module: ModuleType) -> None:
    tree = ast.parse(inspect.getsource(module))
    simple = [node for node in walk(tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    for node in simple:
        assert ast.dump(ast.parse(statement_text(node))) == ast.dump(ast.parse(ast.unparse(node)))
    values = [node.value for node in simple if isinstance(node, ast.Assign | ast.Return) and node.value]
    for value in values:
        again = ast.parse(f"f({text_of(value)}, 1)", mode="eval").body
        assert isinstance(again, ast.Call)
        assert ast.dump(again.args[0]) == ast.dump(value)


def test_blanks_are_filled_also_inside_formatted_strings() -> None:
    tree = ast.parse("f'{name}: {1 + name}' + name").body[0]
    for node in walk(tree):
        if isinstance(node, ast.Name):
            node.id = blank("x")
    assert Template(statement_text(tree)).fill({"x": "y"}) == "f'{y}: {1 + y}' + y"
