"""Values that witnesses return, as they come out of a run, and when two of them differ.

The text that makes them out of Python objects runs beside the programs, in `probes.PREAMBLE`.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grader.author.tolerance import FACTOR

if TYPE_CHECKING:
    import numpy as np

FLOATING = frozenset("fc")
ARRAY = "array"  # the kinds of all arrays and of all numbers, whatever their types
NUMBER = "number"
WHOLE = 2.0**53  # from here on, not every whole number is one of the numbers that round


@dataclass(frozen=True)
class Value:
    """A value as plain data: an array, a sequence of values, or the text of anything else."""

    kind: str  # the type's name
    array: np.ndarray[Any, Any] | None = None
    items: tuple[Value, ...] | None = None
    text: str = ""

    @property
    def form(self) -> str:
        """Type and shape in words, and nothing of what is in it."""
        if self.array is not None:
            return f"an array of shape {self.array.shape}"
        if self.items is not None and self.kind == "tuple":
            return f"a tuple of ({', '.join(item.form for item in self.items)})"
        return f"a {self.kind}"

    @property
    def rounded(self) -> Value:
        """The same with numbers as arrays, whose last bits do not count unless both that are compared are whole."""
        if self.items is not None:
            return replace(self, items=tuple(item.rounded for item in self.items))
        if self.kind != NUMBER:
            return self
        import numpy as np  # noqa: PLC0415 - only where there are arrays

        number = complex(self.text)
        whole = number.real.is_integer() and not number.imag and abs(number) < WHOLE
        return Value(ARRAY, array=np.asarray(int(number.real) if whole else number))

    @property
    def finite(self) -> bool:
        """Whether no array holds an infinity or a NaN."""
        if self.array is not None:
            import numpy as np  # noqa: PLC0415 - only where there are arrays

            return bool(np.isfinite(self.array).all())
        return all(item.finite for item in self.items or ())

    @property
    def bits(self) -> object:
        """Equal for two values that are the same to the last bit."""
        if self.array is not None:
            return self.kind, self.array.shape, self.array.dtype.str, self.array.tobytes()
        return self.kind, tuple(item.bits for item in self.items or ()), self.text


def decoded(data: str) -> Value:
    """A value from the text in which it left its run."""
    return _value(json.loads(zlib.decompress(base64.b32decode(data))))


def _value(raw: dict[str, Any]) -> Value:
    kind = raw["kind"]
    if "bytes" in raw:
        import numpy as np  # noqa: PLC0415 - only where there are arrays

        flat = np.frombuffer(base64.b64decode(raw["bytes"]), raw["dtype"])
        return Value(kind, array=flat.reshape(raw["shape"]))
    if "items" in raw:
        return Value(kind, items=tuple(map(_value, raw["items"])))
    return Value(kind, text=raw["text"])


def differ(right: Value, wrong: Value, tolerance: float) -> bool:
    """Whether `wrong` is another value than `right`.

    Arrays are if they differ by 100 times the tolerance, relative to the largest element of `right`; anything else is if
    it is unequal.
    """
    if right.array is not None and wrong.array is not None:
        return _arrays_differ(right.array, wrong.array, tolerance)
    if right.items is not None and wrong.items is not None and len(right.items) == len(wrong.items):
        pairs = zip(right.items, wrong.items, strict=True)
        return right.kind != wrong.kind or any(differ(one, other, tolerance) for one, other in pairs)
    return (right.kind, right.text) != (wrong.kind, wrong.text) or right.items != wrong.items


def _arrays_differ(right: np.ndarray[Any, Any], wrong: np.ndarray[Any, Any], tolerance: float) -> bool:
    import numpy as np  # noqa: PLC0415 - only where there are arrays

    if right.shape != wrong.shape:
        return True
    if not right.size:
        return False
    if right.dtype.kind not in FLOATING and wrong.dtype.kind not in FLOATING:
        return not np.array_equal(right, wrong)
    wide = np.result_type(right, wrong, np.float64)
    one, other = right.astype(wide), wrong.astype(wide)
    if not np.array_equal(np.isfinite(one), np.isfinite(other)):
        return True
    # Where neither is finite they can only be alike or not.
    there = np.isfinite(one)
    if not np.array_equal(one[~there], other[~there], equal_nan=True):
        return True
    difference = float(np.abs(one[there] - other[there]).max(initial=0))
    return difference > 0 and difference >= FACTOR * tolerance * float(np.abs(one[there]).max(initial=0))
