"""A variant that takes the rest of its module from the reference is that module with its own definitions in place."""

from __future__ import annotations

import pytest

from grader.errors import LessonError
from grader.lesson.model import ReferenceModule
from grader.lesson.variants import completed

REFERENCE = '''\
"""Prices."""

import math
from decimal import Decimal

RATE = 2


class Basket:
    """Given."""

    def size(self):
        return 3


@staticmethod
def total(basket):
    # the reference's own way
    return basket.size() * RATE


def half(basket):
    return total(basket) / 2
'''
MODULE = ReferenceModule(file="shop/prices.py", source=REFERENCE, is_package=False)


def whole(variant: str) -> str:
    return completed(variant, "reference/variants/M1/v.py", "shop.prices", MODULE)


def names(text: str) -> dict[str, object]:
    space: dict[str, object] = {}
    exec(text, space)  # noqa: S102 - the text of this file
    return space


def test_a_variant_that_imports_nothing_from_its_own_module_is_taken_as_it_is() -> None:
    text = "from shop import prices\nimport shop.other\n\ndef total(basket): return 6\n"
    assert whole(text) == text


def test_its_definitions_replace_those_of_the_same_name_and_the_rest_stays() -> None:
    text = whole(
        '"""Another way."""\n\nimport operator\nfrom decimal import Decimal, Context\n'
        "from shop.prices import Basket\n\n\ndef _times(a, b):\n    return operator.mul(a, b)\n\n\n"
        "def total(basket):\n    return _times(basket.size(), RATE)\n\n\nRATE = 5\n\n\ndef _unused(): ...\n"
    )
    space = names(text)
    assert space["half"](space["Basket"]()) == 7.5  # type: ignore[operator]  # a function and a class of the text
    assert "the reference's own way" not in text
    assert "@staticmethod" not in text
    assert text.count("from decimal import Decimal\n") == 1
    assert "shop.prices" not in text
    assert {"operator", "Context", "_unused", "math"} <= space.keys()


def test_what_the_reference_does_not_define_cannot_be_taken_from_it() -> None:
    with pytest.raises(LessonError, match=r"v\.py: import: shop\.prices of the reference defines no Bag"):
        whole("from shop.prices import Bag\n")


def test_a_reference_that_does_not_compile_is_not_blamed_on_the_variant() -> None:
    broken = ReferenceModule(file="shop/prices.py", source="def total(:\n", is_package=False)
    with pytest.raises(LessonError, match=r"reference/shop/prices\.py: syntax"):
        completed("from shop.prices import total\n", "v.py", "shop.prices", broken)


@pytest.mark.parametrize("docstring", ['"""Prices."""\n\n', ""])
@pytest.mark.parametrize("imports", ["import math\n", ""])
def test_an_import_from_the_future_comes_first_whatever_the_reference_imports(
    docstring: str, imports: str
) -> None:
    source = f"{docstring}{imports}RATE = 2\n\n\ndef total(basket):\n    return basket * RATE\n"
    reference = ReferenceModule(file="shop/prices.py", source=source, is_package=False)
    text = completed(
        "from __future__ import annotations\nimport operator\nfrom shop.prices import RATE\n\n\n"
        "def total(basket: Basket):\n    return operator.mul(basket, RATE)\n",
        "v.py",
        "shop.prices",
        reference,
    )
    space = names(text)
    assert space["total"](3) == 6  # type: ignore[operator]  # a function of the text
    assert space.get("__doc__") == ("Prices." if docstring else None)


def test_a_name_that_it_gives_to_what_it_takes_is_bound_before_it_is_needed() -> None:
    space = names(
        whole(
            "from shop.prices import Basket as Base, RATE as rate\n\n\nclass Crate(Base):\n"
            "    def size(self):\n        return super().size() * rate\n\n\n"
            "def half(basket):\n    return basket.size() / rate\n"
        )
    )
    assert space["half"](space["Crate"]()) == 3  # type: ignore[operator]  # a function and a class of the text


def test_what_it_defines_itself_it_cannot_take_by_another_name() -> None:
    with pytest.raises(LessonError, match=r"v\.py: import: it defines total itself, .* to be before"):
        whole("from shop.prices import total as before\n\n\ndef total(basket):\n    return before(basket)\n")


def test_what_compiles_alone_and_not_within_its_module_is_the_authors_mistake() -> None:
    with pytest.raises(LessonError, match=r"v\.py: syntax: within shop\.prices it does not compile: "):
        whole("from shop.prices import Basket\n\n\nFIRST = 1; SECOND = (\n    2)\n")


def test_a_form_feed_in_the_text_moves_no_line() -> None:
    text = whole('from shop.prices import Basket\n\nPAGE = "\x0c"\n\n\ndef half(basket):\n    return 1\n')
    space = names(text)
    assert space["half"](None) == 1  # type: ignore[operator]  # a function of the text
    assert space["PAGE"] == "\x0c"
