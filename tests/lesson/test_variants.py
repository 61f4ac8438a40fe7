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
